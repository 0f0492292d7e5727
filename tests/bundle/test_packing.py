"""A bundle as one archive: any proper reader finds the files as they are, and the same files give the same bytes."""

import io
import tarfile
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.bundle.archive import ArchiveTree
from walle.bundle.packing import PackedFile, packed

AT = datetime(2026, 5, 1, 12, tzinfo=UTC)
PARTS = st.text("abcXYZ019._-", min_size=1, max_size=120).filter(lambda part: part.strip("."))
PATHS = st.lists(PARTS, min_size=1, max_size=3).map("/".join).filter(lambda path: len(path) <= 200)
FILES = st.dictionaries(PATHS, st.lists(st.binary(max_size=1500), max_size=3), max_size=6)


def pack(files, at=AT):
    return b"".join(packed((PackedFile(path, len(b"".join(c)), c) for path, c in files.items()), at))


@given(FILES)
def test_what_is_packed_is_read_again(files):
    found = {}
    with tarfile.open(fileobj=io.BytesIO(pack(files))) as archive:
        for info in archive:
            assert (info.isreg(), info.mode, info.mtime, info.uname) == (True, 0o444, AT.timestamp(), "")
            found[info.name] = archive.extractfile(info).read()
    assert found == {path: b"".join(chunks) for path, chunks in files.items()}


@given(FILES)
def test_the_same_files_give_the_same_bytes_however_they_come_in_pieces(files):
    whole = {path: [b"".join(chunks)] for path, chunks in files.items()}
    assert pack(files) == pack(whole)


def test_another_moment_is_another_archive():
    assert pack({"a": [b"a"]}) != pack({"a": [b"a"]}, AT + timedelta(seconds=1))


def test_it_can_be_registered_again():
    tree = ArchiveTree.open(io.BytesIO(pack({"task.toml": [b"[task]"], "a/" + "b" * 150: [b"", b"c"]})))
    assert {entry.path: tree.read(entry.path) for entry in tree.entries()} == {
        "task.toml": b"[task]",
        "a/" + "b" * 150: b"c",
    }


@pytest.mark.parametrize("chunks", [[b"a"], [b"ab", b"c"]])
def test_a_file_that_is_not_as_long_as_registered_is_an_error(chunks):
    with pytest.raises(ValueError, match=r"expected 2 bytes of main\.py"):
        list(packed([PackedFile("main.py", 2, chunks)], AT))


def test_files_are_opened_one_after_the_other_as_they_are_read():
    opened = []

    def content(name):
        opened.append(name)
        yield Random(name).randbytes(1 << 20)

    pieces = packed((PackedFile(name, 1 << 20, content(name)) for name in ("a", "b", "c")), AT)
    next(piece for piece in pieces if len(piece) > 1000)
    assert opened == ["a"]
