"""What every store promises, asked of each: a folder, and a bucket of a real S3 server."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.artifacts.s3_server import ACCESS, BUCKET, SECRET, S3Server, s3_server
from walle.artifacts import ArtifactMissing, ArtifactStore, DigestMismatch, LocalStore, PutResult
from walle.artifacts.cache import Cache
from walle.artifacts.s3 import PART, Bucket, S3Store
from walle.protocol.names import InvalidNameError

pytestmark = pytest.mark.processes

HELLO = b"hello"
HELLO_DIGEST = hashlib.sha256(HELLO).hexdigest()
ABSENT = "0" * 64


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with s3_server(tmp_path_factory.mktemp("s3")) as found:
        yield found


@pytest.fixture
def clock() -> list[float]:
    """By how much the bucket's clients are ahead of time, in seconds."""
    return [0.0]


@pytest.fixture(params=["folder", "bucket"])
def store(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: list[float]
) -> ArtifactStore:
    if request.param == "folder":
        return LocalStore(tmp_path / "artifacts")
    server = request.getfixturevalue("server")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    # Each test has a folder of the bucket for itself.
    bucket = Bucket(BUCKET, f"{tmp_path.name}/", server.endpoint, "us-east-1")
    return S3Store(bucket, "artifacts", Cache(tmp_path / "cache", 1 << 30), lambda: time.time() + clock[0])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=10)
@given(chunks=st.lists(st.binary(max_size=200), max_size=5))
def test_content_comes_back_under_its_digest(store: ArtifactStore, chunks: list[bytes]) -> None:
    content = b"".join(chunks)
    expected = PutResult(hashlib.sha256(content).hexdigest(), len(content))
    for form in (iter(chunks), content, BytesIO(content)):
        assert store.put(form, expected.digest) == expected
    with store.open(expected.digest) as file:
        assert file.read() == content
    assert store.path(expected.digest).read_bytes() == content
    assert store.at_hand(expected.digest) == store.path(expected.digest)
    assert store.size(expected.digest) == len(content)
    assert store.has(expected.digest)


def test_big_content(store: ArtifactStore) -> None:
    block = os.urandom(1 << 20)
    count = PART // len(block) + 3
    stored = store.put(block for _ in range(count))
    assert stored.size == count << 20
    assert store.size(stored.digest) == stored.size
    assert hashlib.sha256(store.path(stored.digest).read_bytes()).hexdigest() == stored.digest


def test_many_at_once(store: ArtifactStore) -> None:
    contents = [b"%d" % (number % 15) for number in range(20)]
    expected = [PutResult(hashlib.sha256(content).hexdigest(), len(content)) for content in contents]
    assert store.put_all(contents) == expected
    assert [kept.digest for kept in store.iterate()] == sorted({one.digest for one in expected})


def test_other_content_than_expected_is_not_kept(store: ArtifactStore) -> None:
    with pytest.raises(DigestMismatch):
        store.put(HELLO, ABSENT)
    assert list(store.iterate()) == []


def test_a_source_that_fails_leaves_nothing(store: ArtifactStore) -> None:
    def failing() -> Iterator[bytes]:
        yield HELLO
        raise ConnectionError("upload broke off")

    with pytest.raises(ConnectionError):
        store.put(failing())
    with pytest.raises(ConnectionError):
        store.put_all([HELLO, failing()])
    assert list(store.iterate()) == []


@pytest.mark.parametrize("method", ["open", "path", "size"])
def test_what_is_not_there_is_missing(store: ArtifactStore, method: str) -> None:
    with pytest.raises(ArtifactMissing) as refusal:
        getattr(store, method)(ABSENT)
    assert refusal.value.digest == ABSENT
    assert store.at_hand(ABSENT) is None
    assert not store.has(ABSENT)
    assert not store.renew(ABSENT)
    assert not store.delete(ABSENT)


@pytest.mark.parametrize("digest", ["", "ab", "A" * 64, "../" * 21 + "x", "0" * 64 + "\n"])
def test_malformed_digests_are_refused(store: ArtifactStore, digest: str) -> None:
    methods: list[Callable[[Any], Any]] = [store.open, store.path, store.size, store.has, store.delete, store.renew]
    for method in methods:
        with pytest.raises(InvalidNameError):
            method(digest)


def test_delete_says_whether_there_was_something(store: ArtifactStore) -> None:
    store.put(HELLO)
    with store.open(HELLO_DIGEST) as reader:
        assert store.delete(HELLO_DIGEST)
        assert not store.delete(HELLO_DIGEST)
        assert reader.read() == HELLO
    assert not store.has(HELLO_DIGEST)
    assert store.at_hand(HELLO_DIGEST) is None
    store.put(HELLO)
    assert store.has(HELLO_DIGEST)


def test_what_was_put_since_is_not_deleted(store: ArtifactStore) -> None:
    store.put(HELLO)
    [kept] = store.iterate()
    assert not store.delete(HELLO_DIGEST, unless_since=kept.stored_at - 1000)
    assert store.open(HELLO_DIGEST).read() == HELLO
    assert store.delete(HELLO_DIGEST, unless_since=kept.stored_at + 1000)
    assert not store.has(HELLO_DIGEST)


@pytest.mark.parametrize(
    ("method", "given"), [("renew", HELLO_DIGEST), ("put", HELLO), ("put", [HELLO]), ("put_all", [HELLO])]
)
def test_old_content_becomes_new(store: ArtifactStore, clock: list[float], method: str, given: Any) -> None:
    store.put(HELLO)
    clock[0] = 86400
    if isinstance(store, LocalStore):
        os.utime(store.path(HELLO_DIGEST), (1000, 1000))
    [before] = store.iterate()
    assert getattr(store, method)(given)
    [after] = store.iterate()
    assert after.stored_at > before.stored_at
    assert store.open(HELLO_DIGEST).read() == HELLO
