"""Archives from anybody: what they hold, and what they cannot make of this machine."""

from __future__ import annotations

import gzip
import io
import resource
import struct
import tarfile
import zipfile

import pytest

from walle.bundle.archive import ArchiveTree, UnreadableArchiveError
from walle.bundle.tree import EXECUTABLE, REGULAR, SYMLINK
from walle.bundle.tree_listing import TreeLimits, listing

LIMITS = TreeLimits(file_bytes=1 << 20, total_bytes=4 << 20, files=100)


def tar(*members: tuple[str, bytes], mode: str = "w", **changes: object) -> io.BytesIO:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for path, content in members:
            info = tarfile.TarInfo(path)
            info.size = len(content)
            for name, value in changes.items():
                setattr(info, name, value)
            archive.addfile(info, io.BytesIO(content))
    return buffer


def zipped(*members: tuple[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> io.BytesIO:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for path, content in members:
            archive.writestr(path, content)
    return buffer


def problems(file: io.BytesIO) -> list[str]:
    return [problem.text for problem in listing(ArchiveTree.open(file, LIMITS), LIMITS)[1]]


def content_of(file: io.BytesIO) -> dict[str, bytes]:
    tree = ArchiveTree.open(file)
    return {entry.path: tree.read(entry.path) for entry in tree.entries()}


@pytest.mark.parametrize("make", [tar, lambda *m: tar(*m, mode="w:gz"), zipped], ids=["tar", "tar.gz", "zip"])
def test_files_come_out_as_they_went_in(make):
    files = {"task.toml": b"x" * 600_000, "deep/er/file.bin": bytes(range(256)), "empty": b""}
    members = [(f"./{path}", content) for path, content in files.items()]
    assert content_of(make(*members, (".git/config", b"secret"), ("a/__pycache__/b.pyc", b""))) == files


def test_executables_stay_so_and_links_are_seen():
    (entry,) = ArchiveTree.open(tar(("run.sh", b"x"), mode="w")).entries()
    assert entry.mode == REGULAR
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        info = tarfile.TarInfo("run.sh")
        info.mode = 0o755
        archive.addfile(info)
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "run.sh"
        archive.addfile(link)
    assert [entry.mode for entry in ArchiveTree.open(buffer).entries()] == [EXECUTABLE, SYMLINK]


@pytest.mark.parametrize("kind", [tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_what_is_no_file_is_refused(kind):
    assert any(
        "expected a regular file" in text for text in problems(tar(("odd", b""), type=kind, linkname="/etc/passwd"))
    )


@pytest.mark.parametrize(
    "path", ["../up", "/etc/passwd", "a/../../b", "a\\b", "..", "C:/x", "ünicode", "a b", "x" * 201]
)
@pytest.mark.parametrize("make", [tar, zipped])
def test_paths_that_lead_elsewhere_are_refused(make, path):
    assert problems(make((path, b"x")))


@pytest.mark.parametrize("make", [tar, zipped])
def test_paths_that_appear_twice_are_refused_however_they_are_written(make):
    with pytest.warns(UserWarning, match="Duplicate") if make is zipped else pytest.MonkeyPatch.context():
        file = make(("main.py", b"one"), ("main.py", b"two"))
    assert any("appears once" in text for text in problems(file))
    assert any("appears once" in text for text in problems(make(("main.py", b"one"), ("./main.py", b"two"))))
    assert any("more than case" in text for text in problems(make(("main.py", b"one"), ("Main.py", b"two"))))


def test_many_files_and_large_ones_are_refused_by_count_and_size():
    assert any("number of files" in text for text in problems(tar(*((f"f{n}", b"") for n in range(200)))))
    assert any("at most 1048576 bytes" in text for text in problems(zipped(("big", bytes(2 << 20)))))
    assert any("total size" in text for text in problems(zipped(*((f"f{n}", bytes(1 << 20)) for n in range(5)))))


def refused(content: bytes) -> str:
    with pytest.raises(UnreadableArchiveError) as error:
        problems(io.BytesIO(content))
    return str(error.value)


def test_a_compressed_tar_that_expands_is_left_off():
    bomb = gzip.compress(bytes(100 << 20), 1)
    assert "expands to at most" in refused(bomb)


def test_a_header_of_any_size_is_not_read():
    pax = tarfile.TarInfo("pax")
    pax.type, pax.size = tarfile.XHDTYPE, 50 << 20
    long = tarfile.TarInfo("long")
    long.type, long.size = tarfile.GNUTYPE_LONGNAME, 50 << 20
    for info in (pax, long):
        assert "small headers" in refused(info.tobuf() + bytes(50 << 20))
    small = tarfile.TarInfo("pax")
    small.type, small.size = tarfile.XGLTYPE, 4096
    record = b"4096 comment=".ljust(4095, b"x") + b"\n"
    folder = tarfile.TarInfo("d")
    folder.type = tarfile.DIRTYPE
    assert "small headers" in refused((small.tobuf() + record + folder.tobuf()) * 600)


def test_headers_of_headers_of_headers_end():
    pax = tarfile.TarInfo("pax")
    pax.type, pax.size = tarfile.XHDTYPE, 512
    record = b"11 path=ab\n".ljust(512, b"\0")
    assert "too many headers" in refused((pax.tobuf() + record) * 2000)


def test_a_sparse_file_does_not_claim_what_it_has_not():
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("sparse")
        info.pax_headers = {"GNU.sparse.map": "0,0", "GNU.sparse.size": str(1 << 50)}
        archive.addfile(info)
    assert "sparse: expected a regular file, found something else" in problems(buffer)


def test_a_zip_of_another_compression_or_a_secret_one_is_refused():
    for compression in (zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2):
        assert "another compression" in refused(zipped(("f", b"x" * 100), compression=compression).getvalue())
    secret = bytearray(zipped(("f", b"x" * 100)).getvalue())
    for at in (secret.index(b"PK\x03\x04") + 6, secret.index(b"PK\x01\x02") + 8):
        secret[at] |= 1
    with pytest.raises(UnreadableArchiveError, match="plain archive"):
        content_of(io.BytesIO(bytes(secret)))


def test_a_zip_says_what_it_holds_or_is_refused():
    honest = zipped(("f", b"x" * 100_000)).getvalue()
    for claimed in (10, 100_001):
        lying = honest.replace(struct.pack("<L", 100_000), struct.pack("<L", claimed))
        with pytest.raises(UnreadableArchiveError):
            content_of(io.BytesIO(lying))


def test_a_directory_of_any_size_is_not_read():
    entry = b"PK\x01\x02" + bytes(42)
    directory = entry * 200_000
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 65535, 65535, len(directory), 0, 0)
    assert "small headers" in refused(b"PK" + directory[2:] + end)


@pytest.mark.slow
def test_folders_without_end_are_refused():
    folder = tarfile.TarInfo("d")
    folder.type = tarfile.DIRTYPE
    bomb = gzip.compress(folder.tobuf() * 50_002, 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(UnreadableArchiveError, match="at most 50000 files and folders"):
        problems(io.BytesIO(bomb))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000
