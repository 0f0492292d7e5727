"""The store on a local disk: what it keeps, what it refuses, and what a killed or a second writer leaves."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.waiting import wait_for
from walle.artifacts import ArtifactMissing, DigestMismatch, LocalStore, PutResult
from walle.protocol.names import InvalidNameError

pytestmark = pytest.mark.processes

HELLO = b"hello"
HELLO_DIGEST = hashlib.sha256(HELLO).hexdigest()
ABSENT = "0" * 64


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path / "var" / "artifacts")


def files_in(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file()]


def corrupt(path: Path, content: bytes) -> None:
    path.chmod(0o600)
    path.write_bytes(content)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(chunks=st.lists(st.binary(max_size=200), max_size=5))
def test_content_comes_back_under_its_digest(store: LocalStore, chunks: list[bytes]) -> None:
    content = b"".join(chunks)
    expected = PutResult(hashlib.sha256(content).hexdigest(), len(content))
    for form in (iter(chunks), content, BytesIO(content), chunks):
        assert store.put(form, expected.digest) == expected
    with store.open(expected.digest) as file:
        assert file.read() == content
    assert store.path(expected.digest).read_bytes() == content
    assert store.size(expected.digest) == len(content)
    assert store.has(expected.digest)
    assert store.verify(expected.digest) == expected


def test_large_files_are_streamed(store: LocalStore, tmp_path: Path) -> None:
    source = tmp_path / "model.bin"
    source.write_bytes(os.urandom(5 << 20))
    stored = store.put_file(source)
    assert stored == PutResult(hashlib.sha256(source.read_bytes()).hexdigest(), 5 << 20)
    assert store.path(stored.digest).read_bytes() == source.read_bytes()
    assert source.exists()


def test_artifacts_lie_read_only_in_sharded_folders(store: LocalStore) -> None:
    store.put(HELLO)
    place = store.root / HELLO_DIGEST[:2] / HELLO_DIGEST[2:4] / HELLO_DIGEST
    assert files_in(store.root) == [place] == [store.path(HELLO_DIGEST)]
    assert stat.S_IMODE(place.stat().st_mode) == 0o440
    for folder in (place.parent, place.parent.parent, store.root / "incoming"):
        assert stat.S_IMODE(folder.stat().st_mode) & 0o027 == 0


def test_a_store_touches_the_disk_only_to_put(store: LocalStore) -> None:
    assert not store.has(ABSENT)
    assert list(store.iterate()) == []
    assert store.sweep_temporary(now=1e12, older_than=0) == 0
    assert not store.root.exists()


@pytest.mark.parametrize("form", [HELLO, [HELLO]])
def test_putting_again_changes_nothing_but_the_time(store: LocalStore, form: Any) -> None:
    store.put(HELLO)
    os.utime(store.path(HELLO_DIGEST), (1000, 1000))
    assert store.put(form) == PutResult(HELLO_DIGEST, 5)
    assert files_in(store.root) == [store.path(HELLO_DIGEST)]
    [kept] = store.iterate()
    assert (kept.digest, kept.size) == (HELLO_DIGEST, 5)
    assert kept.stored_at > 1000


@pytest.mark.parametrize("form", [HELLO, [HELLO]])
@pytest.mark.parametrize("present", [True, False])
def test_other_content_than_expected_is_not_kept(store: LocalStore, form: Any, present: bool) -> None:
    if present:
        store.put(HELLO)
    with pytest.raises(DigestMismatch) as refusal:
        store.put(form, ABSENT)
    assert (refusal.value.expected, refusal.value.found) == (ABSENT, HELLO_DIGEST)
    assert len(files_in(store.root)) == present


def test_a_source_that_fails_leaves_nothing(store: LocalStore) -> None:
    def failing() -> Iterator[bytes]:
        yield HELLO
        raise ConnectionError("upload broke off")

    with pytest.raises(ConnectionError):
        store.put(failing())
    assert files_in(store.root) == []


def test_text_is_no_content(store: LocalStore, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")
    with (tmp_path / "text").open() as file, pytest.raises(TypeError):
        store.put(file)  # type: ignore[arg-type]
    assert files_in(store.root) == []


@pytest.mark.parametrize("method", ["open", "path", "size", "verify"])
def test_what_is_not_there_is_missing(store: LocalStore, method: str) -> None:
    with pytest.raises(ArtifactMissing) as refusal:
        getattr(store, method)(ABSENT)
    assert refusal.value.digest == ABSENT


@pytest.mark.parametrize("digest", ["", "ab", "A" * 64, "0" * 63 + "g", "../" * 21 + "x", "0" * 64 + "\n", None])
def test_malformed_digests_are_refused(store: LocalStore, digest: Any) -> None:
    methods: list[Callable[[Any], Any]] = [store.open, store.path, store.size, store.has, store.delete, store.verify]
    for method in methods:
        with pytest.raises(InvalidNameError):
            method(digest)
    if digest is not None:
        with pytest.raises(InvalidNameError):
            store.put(HELLO, digest)


def test_delete_says_whether_there_was_something(store: LocalStore) -> None:
    store.put(HELLO)
    with store.open(HELLO_DIGEST) as reader:
        assert store.delete(HELLO_DIGEST)
        assert not store.delete(HELLO_DIGEST)
        assert reader.read() == HELLO
    assert not store.has(HELLO_DIGEST)
    store.put(HELLO)
    assert store.has(HELLO_DIGEST)


def test_iterate_lists_artifacts_and_nothing_else(store: LocalStore) -> None:
    digests = sorted(store.put(b"%d" % number).digest for number in range(40))
    (store.root / "README").write_text("ours")
    (store.path(digests[0]).parent / ".DS_Store").write_text("theirs")
    (store.root / "incoming" / digests[0]).write_text("half")
    assert [kept.digest for kept in store.iterate()] == digests


def test_verify_finds_damage_and_repair_is_delete_and_put(store: LocalStore) -> None:
    store.put(HELLO)
    corrupt(store.path(HELLO_DIGEST), b"hallo")
    with pytest.raises(DigestMismatch):
        store.verify(HELLO_DIGEST)
    store.delete(HELLO_DIGEST)
    store.put(HELLO)
    store.verify(HELLO_DIGEST)


@pytest.mark.parametrize("form", [HELLO, [HELLO]])
def test_a_truncated_artifact_is_replaced_by_the_next_put(store: LocalStore, form: Any) -> None:
    store.put(HELLO)
    corrupt(store.path(HELLO_DIGEST), b"hel")
    store.put(form)
    store.verify(HELLO_DIGEST)


# Leftovers


def test_temporary_files_are_swept_by_age(store: LocalStore) -> None:
    store.put(HELLO)
    incoming = store.root / "incoming"
    for name, written_at in [("old", 1000), (HELLO_DIGEST, 1000), ("young", 1950)]:
        (incoming / name).write_bytes(b"hel")
        os.utime(incoming / name, (written_at, written_at))
    os.utime(store.path(HELLO_DIGEST), (1000, 1000))
    assert store.sweep_temporary(now=2000, older_than=100) == 2
    assert [path.name for path in incoming.iterdir()] == ["young"]
    store.verify(HELLO_DIGEST)


def test_garbage_among_the_temporary_files_is_never_served(store: LocalStore) -> None:
    store.put(b"other")
    (store.root / "incoming" / HELLO_DIGEST).write_bytes(b"\0" * 5)
    assert not store.has(HELLO_DIGEST)
    store.put(HELLO)
    store.verify(HELLO_DIGEST)


@contextmanager
def writer(root: Path, mode: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "tests.artifacts.writer", str(root), mode]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def test_a_writer_killed_half_way_leaves_no_artifact(store: LocalStore) -> None:
    with writer(store.root, "half") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"half\n"
        assert list(store.iterate()) == []
        process.send_signal(signal.SIGKILL)
        process.wait()
    [leftover] = files_in(store.root)
    assert leftover.parent == store.root / "incoming"
    assert leftover.stat().st_size == 1 << 20
    assert list(store.iterate()) == []
    written_at = leftover.stat().st_mtime
    assert store.sweep_temporary(now=written_at + 60, older_than=61) == 0
    assert store.sweep_temporary(now=written_at + 60, older_than=59) == 1
    assert files_in(store.root) == []


@pytest.mark.parametrize("lines", [1, 7, 40, 90])
def test_whatever_a_killed_writer_leaves_is_whole(store: LocalStore, lines: int) -> None:
    with writer(store.root, "endless") as process:
        assert process.stdout is not None
        confirmed = [process.stdout.readline().decode().strip() for _ in range(lines)]
        process.send_signal(signal.SIGKILL)
        confirmed += process.stdout.read().decode().split()
        process.wait()
    confirmed = [digest for digest in confirmed if len(digest) == 64]
    visible = [kept.digest for kept in store.iterate()]
    assert set(confirmed) <= set(visible)
    for digest in visible:
        store.verify(digest)
    assert store.sweep_temporary(now=1e12, older_than=0) <= 1


# Several processes


def put_same(root: Path, rounds: int) -> str:
    store = LocalStore(root)
    for _ in range(rounds):
        stored = store.put((b"%03d" % number) * 1000 for number in range(100))
        store.put(store.path(stored.digest).read_bytes(), stored.digest)
    return stored.digest


def test_processes_may_put_the_same_content_at_once(store: LocalStore) -> None:
    content = b"".join(b"%03d" % number * 1000 for number in range(100))
    digest = hashlib.sha256(content).hexdigest()
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        results = pool.starmap_async(put_same, [(store.root, 20)] * 8, chunksize=1)
        wait_for(lambda: store.has(digest), describe="the first put")
        while not results.ready():
            assert store.verify(digest).size == len(content)
        assert set(results.get()) == {digest}
    assert files_in(store.root) == [store.path(digest)]
