"""Fixtures of the device tests: a simulated cloud over real HTTP, and devices that talk to it."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from tests.device.serving import serve
from tests.support.waiting import ANSWER_S
from walle.conformance.client.repository import ReferenceRepository
from walle.device.agent import Agent
from walle.device.assembly import AssembledDevice as Assembled
from walle.device.facts import Facts
from walle.device.link.cloud import CloudClient
from walle.device.link.enrolment import Enrolment
from walle.device.notices import Notice
from walle.device.running.runner import Execution
from walle.device.storage.disk import Disk
from walle.device.storage.store import DeviceStore

FACTS = Facts("shop", "1.2.0", "android", "14", "high", "eu")
TASK = "camera/digits"


class Clock:
    """Time that moves when a test says so."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class Bench:
    """An executor that runs nothing: `behaviour` says what each run gives, from the bundle's main.py."""

    def __init__(self) -> None:
        self.ran: list[tuple[bytes, dict[str, Any]]] = []
        self.ended: list[str] = []
        self.behaviour: Callable[[bytes], Execution] = lambda code: Execution(output={"y": 1}, duration_ms=3.0)

    async def __call__(self, bundle: Path, manifest: Any, inputs: Any) -> Execution:
        code = (bundle / "main.py").read_bytes()
        self.ran.append((code, dict(inputs)))
        return self.behaviour(code)

    async def end(self, bundle: Path) -> None:
        self.ended.append(bundle.parent.name)


@dataclass
class Device:
    """A device of a test: its parts and what it told."""

    parts: Assembled
    bench: Bench
    clock: Clock
    monotonic: Any
    notices: list[Notice] = field(default_factory=list)

    @property
    def agent(self) -> Agent:
        return self.parts.agent

    @property
    def store(self) -> DeviceStore:
        return self.parts.store

    def notices_named(self, name: str) -> list[Notice]:
        return [notice for notice in self.notices if notice.name == name]

    def version(self, task: str = TASK) -> str | None:
        current = self.store.task(task).current
        return current.version if current else None


class Devices:
    """Makes devices, and remakes them as after a restart of the process."""

    def __init__(self, address: str, root: Path, repository: ReferenceRepository, stack: AsyncExitStack) -> None:
        self._address, self._root, self._repository, self._stack = address, root, repository, stack

    async def start(self, name: str = "one", *, disk: Disk | None = None, **more: Any) -> Device:
        client = await self._stack.enter_async_context(httpx.AsyncClient(timeout=ANSWER_S))
        store = DeviceStore(self._root / name, disk=disk or Disk(sync=False))
        self._stack.callback(store.close)
        bench, clock = more.pop("executor", None) or Bench(), more.pop("clock", None) or Clock(1_700_000_000.0)
        self._repository.clock = clock
        monotonic = more.pop("monotonic", time.monotonic)
        notices: list[Notice] = []
        options: dict[str, Any] = {
            "facts": FACTS,
            "enrolment": Enrolment("shop", app_key="app-key"),
            "requirements": lambda requires: [],
            "inputs": lambda task, manifest: {"x": 1},
            "initial_root": self._repository.roots[1],
            "randomness": random.Random(7).random,
            "interval": 0.05,
            "report_interval": 0.05,
        }
        server = more.pop("server", self._address)
        parts = Assembled(
            store,
            CloudClient(server, client),
            executor=bench,
            clock=clock,
            monotonic=monotonic,
            **{"on_notice": notices.append, **options, **more},
        )
        return Device(parts, bench, clock, monotonic, notices)

    async def restart(self, device: Device, name: str = "one", **more: Any) -> Device:
        device.store.close()
        kept = {"clock": device.clock, "executor": device.bench, "monotonic": device.monotonic}
        return await self.start(name, **{**kept, **more})


async def until(condition, timeout: float = 10.0):
    """Lets the loop work until a condition holds."""
    async with asyncio.timeout(timeout):
        while not condition():
            await asyncio.sleep(0.005)


async def running(device):
    task = asyncio.create_task(device.agent.run())
    await asyncio.sleep(0)
    return task


async def stopped(device, task):
    device.agent.stop()
    await asyncio.wait_for(task, 10)


@pytest.fixture
def repository() -> ReferenceRepository:
    return ReferenceRepository()


class Front:
    """The server of all tests; behind it stands the repository of the present one."""

    repository: ReferenceRepository

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close"})  # as a server answers that has no tunnel
        else:
            await self.repository(scope, receive, send)


@pytest.fixture(scope="session")
def front() -> Iterator[tuple[Front, str]]:
    front = Front()
    with serve(front) as address:
        yield front, address


@pytest.fixture
def address(front: tuple[Front, str], repository: ReferenceRepository) -> str:
    front[0].repository = repository
    return front[1]


@pytest_asyncio.fixture
async def devices(address: str, tmp_path: Path, repository: ReferenceRepository) -> AsyncIterator[Devices]:
    async with AsyncExitStack() as stack:
        yield Devices(address, tmp_path / "devices", repository, stack)
