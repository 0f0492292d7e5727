"""A tunnel of a device, without the rest of it, whose time moves when a test says so."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from tests.device.conftest import TASK, Clock
from tests.device.tunnel.cloud import TunnelCloud, serving
from tests.support.waiting import ANSWER_S
from walle.device.link.cloud import CloudAnswer
from walle.device.notices import Notice
from walle.device.storage.disk import Disk
from walle.device.storage.state import Installation
from walle.device.tunnel.answers import FeatureAnswer
from walle.device.tunnel.connection import TunnelConnector
from walle.device.tunnel.parts import parts_on_disk
from walle.device.tunnel.service import TunnelService
from walle.device.updates.downloader import Downloader
from walle.protocol.documents import Manifest

PROFILE = f"{TASK};d=:AAAAAAAAAAAAAAAA:"
HEADERS = {"Walle-Device": '"device-1";c="token"', "Walle-App": '"shop";v="1.2.0"', "Walle-Profile": PROFILE}


def manifest_of(task: str = TASK, **fields: Any) -> Manifest:
    scenario, name = task.split("/")
    values = {"type": "walle-manifest", "format": 1, "scenario": scenario, "task": name, "version": "1.0.0"}
    values |= {"inputs": {}, "outputs": {}, "limits": {}, "requires": {}, "files": [], "upload": {}, **fields}
    return Manifest.from_payload(json.dumps(values).encode())


class Enrolled:
    """The check-ins, as the tunnel sees them."""

    def __init__(self) -> None:
        self.enrolled, self.answers = True, list[CloudAnswer]()

    def receive(self, answer: CloudAnswer) -> None:
        self.answers.append(answer)


class Tunnel:
    """One process of a device with its tunnel, and what it told."""

    def __init__(self, base: str, folder: Path, http: httpx.AsyncClient, **more: Any) -> None:
        self.clock: Clock = more.pop("clock", None) or Clock(1_700_000_000.0)
        self.monotonic, self.check_ins, self.headers = Clock(1000.0), Enrolled(), dict(HEADERS)
        self.notices: list[Notice] = []
        self.answers: list[tuple[str, Mapping[str, Any], FeatureAnswer]] = []
        self.chance = 0.5
        disk = more.pop("disk", Disk(sync=False))
        randomness = lambda: self.chance  # noqa: E731
        self.service = TunnelService(
            parts_on_disk(
                folder,
                disk,
                download=partial(Downloader, http, randomness=randomness, attempts=1),
                resolve=str,
                monotonic=self.monotonic,
            ),
            more.pop("connector", None) or TunnelConnector(base),
            self.check_ins,
            lambda: self.headers,
            clock=self.clock,
            monotonic=self.monotonic,
            randomness=randomness,
            on_notice=self.notices.append,
            on_answer=lambda *told: self.answers.append(told),
        )
        self.service.recover()

    def upload(self, values: Mapping[str, Any], *, tracked_at: float | None = None, **fields: Any) -> None:
        manifest = manifest_of(**fields)
        digest = hashlib.sha256(manifest.payload).hexdigest()
        installed = Installation(manifest.name, "1.0.0", digest, digest[:32], 1)
        now = self.clock.now
        self.service.upload(installed, manifest, values, at=now, tracked_at=now if tracked_at is None else tracked_at)

    async def until(self, condition: Callable[[], Any], *, pace: float = 0.0) -> None:
        """Give the service turns until this holds; its own time goes on by `pace` seconds with each."""
        async with asyncio.timeout(10):
            while not condition():
                await self.service.turn()
                self.monotonic.now += pace
                await asyncio.sleep(0.002)

    def names(self) -> list[str]:
        return [notice.name for notice in self.notices]


Start = Callable[..., Tunnel]


@pytest.fixture
def cloud() -> TunnelCloud:
    return TunnelCloud()


@pytest_asyncio.fixture
async def base(cloud: TunnelCloud) -> AsyncIterator[str]:
    async with serving(cloud) as base:
        yield base


@pytest_asyncio.fixture
async def start(base: str, tmp_path: Path) -> AsyncIterator[Start]:
    """Starts the tunnel of a device whose folder is that of the one before."""
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(httpx.AsyncClient(timeout=ANSWER_S))

        def start(**more: Any) -> Tunnel:
            tunnel = Tunnel(base, more.pop("folder", tmp_path / "tunnel"), http, **more)
            stack.push_async_callback(tunnel.service.stop)
            return tunnel

        yield start


@pytest.fixture
def tunnel(start: Start) -> Iterator[Tunnel]:
    return start()
