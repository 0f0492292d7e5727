"""Dictionaries of features: fetched once, checked, kept, and used from then on."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tests.device.conftest import TASK
from tests.device.serving import serve
from tests.device.tunnel.test_service import settled
from walle.device.tunnel import dictionaries
from walle.protocol.compression import MAX_DICTIONARY, Dictionary, train
from walle.protocol.tunnel_frames import RAW, ZSTD, ZSTD_DICTIONARY


def values(number: int) -> dict[str, Any]:
    rng = random.Random(number)
    return {"item_category": rng.choice(["shoes", "hats", "books"]), "dwell_seconds": rng.random(), "page_kind": "item"}


@pytest.fixture(scope="module")
def dictionary() -> Dictionary:
    return train([json.dumps(values(number), separators=(",", ":")).encode() for number in range(1000)], 2000)


class Files:
    """Serves what it is told to, and counts."""

    def __init__(self) -> None:
        self.content, self.served, self.sized, self.stalls = b"", 0, True, False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.served += 1
        headers = [(b"content-length", b"%d" % len(self.content))] if self.sized else []
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        if self.stalls:
            await send({"type": "http.response.body", "body": self.content[:1], "more_body": True})
            await receive()
            await receive()  # until the device has gone
        else:
            await send({"type": "http.response.body", "body": self.content})


@pytest.fixture
def files() -> Iterator[tuple[Files, str]]:
    files = Files()
    with serve(files) as address:
        yield files, f"{address}/dictionary"


async def sent_with(tunnel, cloud, encoding: int, task: str = TASK) -> None:
    """Upload until a feature goes up in this encoding."""
    await tunnel.until(
        lambda: tunnel.upload(values(7), task=task) or any(sent.encoding == encoding for sent in cloud.features)
    )
    await settled(tunnel)


async def test_a_dictionary_is_fetched_and_used_when_it_is_here(start, cloud, dictionary, files):
    server, url = files
    server.content = dictionary.content
    cloud.dictionaries[TASK] = (dictionary, url)
    tunnel = start()
    await sent_with(tunnel, cloud, ZSTD_DICTIONARY)
    assert cloud.features[0].encoding in (RAW, ZSTD)
    assert all(stored == values(7) for stored in cloud.values)
    with_it = next(sent for sent in cloud.features if sent.encoding == ZSTD_DICTIONARY)
    assert len(with_it.body) < len(cloud.features[0].body) / 2
    await tunnel.service.stop()
    again = start()
    cloud.features.clear()
    await sent_with(again, cloud, ZSTD_DICTIONARY)
    assert [stream.dictionary for stream in cloud.streams] == [b"", dictionary.digest]
    assert server.served == 1


async def test_only_so_many_tasks_have_one(start, cloud, dictionary, files, monkeypatch):
    monkeypatch.setattr(dictionaries, "MAX_TASKS", 1)
    server, url = files
    server.content = dictionary.content
    before = start()
    for task in (TASK, "camera/other"):
        cloud.dictionaries[task] = (dictionary, url)
        cloud.features.clear()
        await sent_with(before, cloud, ZSTD_DICTIONARY, task)
    await before.service.stop()
    cloud.streams.clear()
    after = start()
    for task in ("camera/other", TASK):
        after.upload(values(7), task=task)
        await settled(after)
    assert [stream.dictionary for stream in cloud.streams] == [dictionary.digest, b""]


async def test_one_that_is_here_needs_no_address(start, cloud, dictionary, files):
    server, url = files
    server.content = dictionary.content
    cloud.dictionaries[TASK] = (dictionary, url)
    before = start()
    await sent_with(before, cloud, ZSTD_DICTIONARY)
    await before.service.stop()
    cloud.dictionaries[TASK] = (dictionary, "")
    cloud.features.clear()
    await sent_with(start(), cloud, ZSTD_DICTIONARY)


@pytest.mark.parametrize(
    "content",
    [b"\x37\xa4\x30\xec another", b""],
    ids=["another digest", "nothing"],
)
async def test_what_is_not_the_dictionary_is_not_used(start, cloud, dictionary, files, content):
    server, url = files
    server.content = content
    cloud.dictionaries[TASK] = (dictionary, url)
    tunnel = start()
    tunnel.upload(values(1))
    await tunnel.until(lambda: server.served)
    await settled(tunnel)
    for number in range(20):
        tunnel.upload(values(number))
    await settled(tunnel)
    assert {sent.encoding for sent in cloud.features} <= {RAW, ZSTD}
    assert len(cloud.values) == 21


async def test_more_than_a_dictionary_may_have_is_not_fetched(start, cloud, files, tmp_path, caplog):
    server, url = files
    server.content = bytes(MAX_DICTIONARY + 1)
    cloud.dictionaries[TASK] = (SimpleNamespace(digest=hashlib.sha256(server.content).digest()), url)
    tunnel = start()
    tunnel.upload(values(1))
    await tunnel.until(lambda: "goes up without its dictionary" in caplog.text)
    assert list((tmp_path / "tunnel" / "dictionaries" / "files").iterdir()) == []


async def test_a_dictionary_of_unknown_length_is_not_read(start, cloud, dictionary, files):
    server, url = files
    server.content, server.sized = dictionary.content, False
    cloud.dictionaries[TASK] = (dictionary, url)
    tunnel = start()
    tunnel.upload(values(1))
    await tunnel.until(lambda: server.served)
    tunnel.upload(values(2))
    await settled(tunnel)
    assert {sent.encoding for sent in cloud.features} <= {RAW, ZSTD}


async def test_which_are_here_may_be_forgotten_without_harm(start, cloud, dictionary, files, tmp_path):
    server, url = files
    server.content = dictionary.content
    cloud.dictionaries[TASK] = (dictionary, url)
    before = start()
    await sent_with(before, cloud, ZSTD_DICTIONARY)
    await before.service.stop()
    (tmp_path / "tunnel" / "dictionaries" / "index.json").write_text("[]")
    cloud.features.clear()
    await sent_with(start(), cloud, ZSTD_DICTIONARY)
    assert server.served == 1  # it is known by its digest


async def test_one_that_is_damaged_is_fetched_again_on_the_next_connection(start, cloud, dictionary, files, tmp_path):
    server, url = files
    server.content = dictionary.content
    cloud.dictionaries[TASK] = (dictionary, url)
    before = start()
    await sent_with(before, cloud, ZSTD_DICTIONARY)
    await before.service.stop()
    [path] = (tmp_path / "tunnel" / "dictionaries" / "files").iterdir()
    path.chmod(0o600)
    path.write_bytes(b"damaged")
    cloud.dictionaries[TASK] = (dictionary, "")  # the cloud believes that it is here
    after = start()
    after.upload(values(1))
    await after.until(lambda: not after.service._parts.dictionaries.digest(TASK))
    cloud.dictionaries[TASK] = (dictionary, url)
    await cloud.open[-1].socket.close()
    cloud.features.clear()
    await after.until(lambda: len(cloud.hellos) == 3, pace=1)
    await sent_with(after, cloud, ZSTD_DICTIONARY)


@pytest.mark.parametrize("url", ["http://[broken", "http://127.0.0.1:999999/", "ftp://127.0.0.1/", "//", "http://"])
async def test_an_address_that_is_none_costs_only_the_dictionary(start, cloud, dictionary, url):
    cloud.dictionaries[TASK] = (dictionary, url)
    tunnel = start()
    tunnel.upload(values(1))
    await settled(tunnel)
    held = tunnel.service._parts.dictionaries
    assert await held.obtain(TASK, dictionary.digest, url) is None


async def test_what_is_no_dictionary_leaves_nothing_behind(tunnel, files, tmp_path):
    server, url = files
    held, folder = tunnel.service._parts.dictionaries, tmp_path / "tunnel" / "dictionaries"
    for number in range(3):
        server.content = b"no dictionary %d" % number
        assert await held.obtain(TASK, hashlib.sha256(server.content).digest(), url) is None
        assert await held.obtain(TASK, bytes([number] * 32), url) is None
    assert [path.name for path in folder.rglob("*") if path.is_file()] == []


async def test_one_that_does_not_arrive_holds_no_other_up(tunnel, dictionary, files, monkeypatch, caplog):
    server, url = files
    held, server.content, server.stalls = tunnel.service._parts.dictionaries, dictionary.content, True
    with monkeypatch.context() as brief:
        brief.setattr(dictionaries, "OBTAIN_S", 0.2)
        assert await held.obtain(TASK, dictionary.digest, url) is None
    assert "without its dictionary: TimeoutError" in caplog.text
    server.stalls = False
    assert await held.obtain(TASK, dictionary.digest, url) is not None
