"""Folders and archives look the same to validation, hostile ones included."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile

import pytest

from tests.bundle.examples import FILES
from walle.bundle.archive import ArchiveTree, UnreadableArchiveError
from walle.bundle.tree import EXECUTABLE, OTHER, REGULAR, SYMLINK, FolderTree
from walle.bundle.tree_listing import TreeLimits
from walle.bundle.validation import validate_tree


def tar(files, mode="w:gz", extra=()):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for path, content in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for info in extra:
            archive.addfile(info)
    buffer.seek(0)
    return ArchiveTree.open(buffer)


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    buffer.seek(0)
    return ArchiveTree.open(buffer)


@pytest.fixture
def folder(tmp_path):
    for path, content in FILES.items():
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return tmp_path


def test_folder_tar_and_zip_give_the_same_bundle(folder):
    results = [validate_tree(tree) for tree in (FolderTree(folder), tar(FILES), tar(FILES, "w"), zipped(FILES))]
    assert all(result.ok for result in results)
    assert len({tuple((e.path, e.size) for e in result.files) for result in results}) == 1


def test_a_folder_leaves_out_what_work_leaves_behind_and_follows_no_link(folder):
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("secret")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "main.cpython-311.pyc").write_bytes(b"")
    (folder / "to_file").symlink_to("/etc/passwd")
    (folder / "to_folder").symlink_to("/etc")
    os.mkfifo(folder / "pipe")
    (folder / "tool").touch(mode=0o755)
    modes = {entry.path: entry.mode for entry in FolderTree(folder).entries()}
    assert modes == dict.fromkeys(FILES, REGULAR) | {
        "to_file": SYMLINK,
        "to_folder": SYMLINK,
        "pipe": OTHER,
        "tool": EXECUTABLE,
    }


def test_a_file_that_became_a_link_is_not_followed(folder):
    tree = FolderTree(folder)
    (folder / "main.py").unlink()
    (folder / "main.py").symlink_to("/etc/passwd")
    with pytest.raises(OSError, match="symbolic"):
        tree.read("main.py")


def test_links_and_devices_in_an_archive_are_refused():
    link, device = tarfile.TarInfo("link"), tarfile.TarInfo("device")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    device.type = tarfile.CHRTYPE
    result = validate_tree(tar({**FILES, "../up": b""}, extra=[link, device]))
    assert sorted(problem.file for problem in result.problems) == ["'../up'", "device", "link"]


def test_an_archive_that_expands_is_refused_by_what_it_claims_before_it_is_read():
    limits = TreeLimits(file_bytes=1_000_000)
    result = validate_tree(zipped({**FILES, "bomb": b"\0" * 20_000_000}), limits)
    assert [problem.text for problem in result.problems] == [
        "bomb: expected at most 1000000 bytes, found 20000000 bytes"
    ]


def test_listing_a_compressed_archive_stops_at_the_limit():
    archive = tar({"bomb": b"\0" * 50_000_000, **FILES})
    result = validate_tree(archive, TreeLimits(total_bytes=1_000_000))
    assert [problem.text for problem in result.problems] == [
        "total size: expected at most 1000000 bytes, found at least 50000000 bytes"
    ]


def test_a_path_that_appears_twice_in_an_archive_is_refused():
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for path, content in [*FILES.items(), ("main.py", b"evil")]:
            info = tarfile.TarInfo(path)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    buffer.seek(0)
    result = validate_tree(ArchiveTree.open(buffer))
    assert "main.py: expected a path that appears once, found it twice" in [one.text for one in result.problems]


@pytest.mark.parametrize("content", [b"", b"neither", b"\x1f\x8bnonsense", b"PK\x03\x04"])
def test_what_is_no_archive_is_said_so(content):
    with pytest.raises(UnreadableArchiveError, match="expected a tar or zip archive"):
        ArchiveTree.open(io.BytesIO(content))


def test_a_damaged_archive_raises_one_kind_of_error():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, content in FILES.items():
            archive.writestr(path, content)
    damaged = buffer.getvalue().replace(b"def run", b"def ran", 1)
    with pytest.raises(UnreadableArchiveError, match="CRC"):
        validate_tree(ArchiveTree.open(io.BytesIO(damaged)))
