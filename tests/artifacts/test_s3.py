"""What only a bucket can do: be far away, be damaged, refuse us, or be asked by many at once."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.artifacts.s3_server import ACCESS, BUCKET, SECRET, S3Server, s3_server
from tests.artifacts.serving import serving
from tests.support.waiting import ANSWER_S
from walle.artifacts import ArtifactMissing, DigestMismatch, LocalStore, StoreUnavailable
from walle.artifacts.cache import Cache
from walle.artifacts.copying import copy_artifacts
from walle.artifacts.http import ArtifactApplication
from walle.artifacts.s3 import Bucket, S3Store, _client
from walle.artifacts.single_flight import SingleFlight
from walle.gateway.uvicorn_sending import FileSendingProtocol

pytestmark = pytest.mark.processes

CONTENT = os.urandom(1_500_000)
DIGEST = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with s3_server(tmp_path_factory.mktemp("s3")) as found:
        yield found


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)


@pytest.fixture
def bucket(server: S3Server, tmp_path: Path) -> Bucket:
    return Bucket(BUCKET, f"{tmp_path.name}/", server.endpoint, "us-east-1")


@pytest.fixture
def store(bucket: Bucket, tmp_path: Path) -> S3Store:
    return S3Store(bucket, "artifacts", Cache(tmp_path / "here", 1 << 30))


@pytest.fixture
def other(bucket: Bucket, tmp_path: Path) -> S3Store:
    """The same store on another machine."""
    return S3Store(bucket, "artifacts", Cache(tmp_path / "there", 1 << 30))


def test_what_one_machine_puts_others_have(store: S3Store, other: S3Store) -> None:
    store.put(CONTENT)
    assert other.at_hand(DIGEST) is None
    assert other.open(DIGEST).read() == CONTENT
    assert other.at_hand(DIGEST) is not None


def test_objects_lie_where_a_cdn_finds_them(store: S3Store, server: S3Server, tmp_path: Path) -> None:
    """<cdn>/artifacts/<digest>, to be kept for ever."""
    store.put(CONTENT)
    assert (server.objects / tmp_path.name / "artifacts" / DIGEST).read_bytes() == CONTENT
    head = store._bucket.client().head_object(Bucket=BUCKET, Key=f"{tmp_path.name}/artifacts/{DIGEST}")
    assert (head["ContentType"], head["CacheControl"]) == (
        "application/octet-stream",
        "public, max-age=31536000, immutable",
    )


def test_a_damaged_object_is_not_taken(store: S3Store, other: S3Store, server: S3Server, tmp_path: Path) -> None:
    store.put(CONTENT)
    (server.objects / tmp_path.name / "artifacts" / DIGEST).write_bytes(CONTENT[:-1] + b"x")
    with pytest.raises(DigestMismatch):
        other.path(DIGEST)
    assert other.at_hand(DIGEST) is None


def test_a_server_that_is_away(store: S3Store) -> None:
    away = S3Store(Bucket(BUCKET, "", "http://127.0.0.1:9", "us-east-1"), "artifacts", store._cache)
    store.put(CONTENT)
    assert away.open(DIGEST).read() == CONTENT  # it is at hand
    for ask in (away.has, away.delete):
        with pytest.raises(StoreUnavailable, match="bucket walle-test: Could not connect"):
            ask(DIGEST)
    with pytest.raises(StoreUnavailable):
        away.put(b"other")


def test_wrong_credentials_are_named_and_not_told(
    bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "another-secret-that-must-not-be-seen"
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", secret)
    caplog.set_level(logging.WARNING)
    monkeypatch.setattr("walle.artifacts.s3._client", _client.__wrapped__)  # one that reads the environment again
    with pytest.raises(StoreUnavailable) as refusal:
        S3Store(bucket, "artifacts", Cache(tmp_path / "cache", 1 << 30)).put(CONTENT)
    assert "HeadObject was answered 403" in str(refusal.value)
    assert secret not in str(refusal.value) + caplog.text


def test_a_bucket_that_does_not_exist(server: S3Server, tmp_path: Path) -> None:
    lost = S3Store(Bucket("lost", "", server.endpoint, "us-east-1"), "artifacts", Cache(tmp_path / "cache", 1 << 30))
    with pytest.raises(StoreUnavailable, match="bucket lost: PutObject was answered NoSuchBucket"):
        lost.put(CONTENT)
    with pytest.raises(StoreUnavailable, match="NoSuchBucket"):
        list(lost.iterate())


def test_devices_pull_and_resume_from_a_gateway(store: S3Store, other: S3Store) -> None:
    store.put(CONTENT)
    with serving(ArtifactApplication(other), FileSendingProtocol) as port:
        address = f"http://127.0.0.1:{port}/artifacts/"
        part = httpx.get(
            address + DIGEST, headers={"Range": "bytes=700000-", "If-Range": f'"{DIGEST}"'}, timeout=ANSWER_S
        )
        assert (part.status_code, part.content) == (206, CONTENT[700_000:])
        whole = httpx.get(address + DIGEST, timeout=ANSWER_S)
        assert (whole.status_code, whole.content) == (200, CONTENT)
        missing = httpx.get(address + "0" * 64, timeout=ANSWER_S)
        assert (missing.status_code, missing.json()["code"]) == (404, "artifact-missing")
        assert httpx.get(address + "nonsense", timeout=ANSWER_S).status_code == 400


def test_a_gateway_says_when_the_bucket_is_away(store: S3Store) -> None:
    store.put(CONTENT)
    away = S3Store(Bucket(BUCKET, "", "http://127.0.0.1:9", "us-east-1"), "artifacts", store._cache)
    with serving(ArtifactApplication(away)) as port:
        assert httpx.get(f"http://127.0.0.1:{port}/artifacts/{DIGEST}", timeout=ANSWER_S).content == CONTENT
        answer = httpx.get(f"http://127.0.0.1:{port}/artifacts/{'0' * 64}", timeout=ANSWER_S)
    assert (answer.status_code, answer.json()["code"]) == (503, "store-unavailable")
    assert answer.headers["cache-control"] == "no-store"


class Slow(LocalStore):
    """A remote store that takes its time until it is told to go on, and counts what it is asked to bring."""

    remote = True

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.go_on = threading.Event()
        self.asked: list[str] = []
        self.here: set[str] = set()

    def at_hand(self, digest: str) -> Path | None:
        return super().at_hand(digest) if digest in self.here else None

    def path(self, digest: str) -> Path:
        self.asked.append(digest)
        self.go_on.wait(10)
        place = super().at_hand(digest)
        if place is None:
            raise ArtifactMissing(digest)
        self.here.add(digest)
        return place


async def test_many_who_want_one_artifact_bring_it_once(tmp_path: Path) -> None:
    slow = Slow(tmp_path)
    digest, cached = slow.put(CONTENT).digest, slow.put(b"cached").digest
    slow.here.add(cached)
    arrivals = SingleFlight(slow)
    waiting = [asyncio.create_task(arrivals.path(digest)) for _ in range(50)]
    assert (await asyncio.wait_for(arrivals.path(cached), 5)).read_bytes() == b"cached"  # waits for nobody
    waiting[0].cancel()
    slow.go_on.set()
    found = await asyncio.gather(*waiting, return_exceptions=True)
    assert isinstance(found[0], asyncio.CancelledError)
    assert all(path == found[1] for path in found[1:])
    assert slow.asked == [digest]
    with pytest.raises(ArtifactMissing):
        await arrivals.path("0" * 64)


def test_a_cache_makes_room_for_what_is_used(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 10_000)
    digests = []
    for number in range(30):
        digests.append(cache.put(bytes([number]) * 1000).digest)
        os.utime(cache.store.path(digests[-1]), (1000 + number,) * 2)
        if cache.store.has(digests[0]):
            assert cache.path(digests[0])  # in use all the time
    assert sum(kept.size for kept in cache.store.iterate()) <= 11_000
    assert cache.store.has(digests[0])
    assert cache.store.has(digests[-1])
    assert not cache.store.has(digests[1])


def test_what_is_larger_than_the_cache_is_there_all_the_same(tmp_path: Path) -> None:
    cache = Cache(tmp_path, 10)
    stored = cache.put(b"x" * 1000)
    assert cache.path(stored.digest)


def test_copying_goes_on_where_it_stopped(store: S3Store, tmp_path: Path) -> None:
    local = LocalStore(tmp_path / "local")
    digests = sorted(local.put(b"%d" % number).digest for number in range(12))
    steps = copy_artifacts(local, store)
    assert [next(steps)[1] for _ in range(5)] == [True] * 5
    steps.close()  # killed
    again = [was_copied for _, was_copied in copy_artifacts(local, store)]
    assert len(again) == 12
    assert not any(again[:5])
    assert [kept.digest for kept in store.iterate()] == digests
    assert not any(was_copied for _, was_copied in copy_artifacts(local, store))


def test_copying_refuses_what_is_damaged(store: S3Store, tmp_path: Path) -> None:
    local = LocalStore(tmp_path / "local")
    path = local.path(local.put(b"content").digest)
    path.chmod(0o600)
    path.write_bytes(b"contenT")
    with pytest.raises(DigestMismatch):
        list(copy_artifacts(local, store))
    assert list(store.iterate()) == []
