"""Downloads from the real artifact server: the two ends of the same contract, over a connection that breaks."""

from __future__ import annotations

import asyncio
import hashlib
import random

import httpx
import pytest

from tests.artifacts.serving import serving
from tests.support.waiting import ANSWER_S
from walle.artifacts import LocalStore
from walle.artifacts.http import ArtifactApplication
from walle.device.errors import Missing
from walle.device.storage.disk import Disk
from walle.device.storage.files import Files
from walle.device.updates.downloader import Downloader, DownloadTarget

DATA = random.Random(1).randbytes(3_000_000)


class Breaking:
    """Passes requests on to the artifact server, but breaks each answer off after `limit` body bytes."""

    def __init__(self, application) -> None:
        self.application, self.limit, self.asked = application, 700_000, list[dict[str, str]]()

    async def __call__(self, scope, receive, send) -> None:
        self.asked.append({name.decode(): value.decode() for name, value in scope["headers"]})
        left = self.limit

        async def cutting(message):
            nonlocal left
            if body := message.get("body"):
                message = {**message, "body": body[:left], "more_body": message.get("more_body") or len(body) > left}
                left -= len(body)
            await send(message)
            if left <= 0:
                raise ConnectionAbortedError

        await self.application(scope, receive, cutting)


@pytest.fixture
def breaking(tmp_path):
    store = LocalStore(tmp_path / "cloud")
    return Breaking(ArtifactApplication(store)), DownloadTarget(store.put(DATA).digest, len(DATA))


async def no_nap(seconds: float) -> None:
    await asyncio.sleep(0)


async def test_a_file_arrives_over_a_connection_that_keeps_breaking(breaking, tmp_path):
    application, content = breaking
    files = Files(tmp_path / "files", tmp_path / "partial", Disk(sync=False))
    with serving(application) as port:
        async with httpx.AsyncClient(timeout=ANSWER_S) as client:
            downloader = Downloader(client, files, randomness=lambda: 0.0, attempts=3, sleep=no_nap)
            path = await downloader.fetch(f"http://127.0.0.1:{port}/artifacts/{content.digest}", content)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == content.digest
    resumed = [headers for headers in application.asked if "range" in headers]
    assert len(resumed) >= 3
    assert all(headers["if-range"] == f'"{content.digest}"' for headers in resumed)


async def test_a_file_that_the_server_does_not_have(breaking, tmp_path):
    application, _ = breaking
    files = Files(tmp_path / "files", tmp_path / "partial", Disk(sync=False))
    with serving(application) as port:
        async with httpx.AsyncClient(timeout=ANSWER_S) as client:
            downloader = Downloader(client, files, randomness=lambda: 0.0)
            with pytest.raises(Missing):
                await downloader.fetch(f"http://127.0.0.1:{port}/artifacts/{'0' * 64}", DownloadTarget("0" * 64, 1))
