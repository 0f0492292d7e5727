"""Emulated devices in a thread of their own: light ones, and full ones that run tasks in the sandbox."""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import uvloop
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from benchmarks.support.live.wire import Record, Wire
from walle.container.sandbox import Sandbox
from walle.device.emulator.behaviour import FaultProfile, FaultRates
from walle.device.emulator.fleet import EmulatedDevice
from walle.device.emulator.full import EmulationContext, FullDevice
from walle.device.emulator.light import LightDevice, SharedDocuments
from walle.device.emulator.population import Distribution, Person, draw_population
from walle.device.link.cloud import CloudClient
from walle.device.link.enrolment import Enrolment
from walle.device.notices import Notice
from walle.device.running.inputs import InputSource
from walle.device.running.sandboxed import SandboxExecutor
from walle.device.running.taking_turns import Turns
from walle.device.storage.state import Installation
from walle.protocol.documents import FactsStatement
from walle.protocol.signing import sign
from walle.protocol.signing_libraries import CryptoSigner

SPREAD_S = 3.0
RUNS_AT_ONCE = 2
MEMORY = Path("/dev/shm")
"""Where devices keep what they have: their disks are their own, not this machine's one."""
_DAY_S = 86_400

Fate = Callable[[Person, str, str], str | None]
"""How the run of a version of a task ends on a device: None for a success, else the class of its failure."""
Hear = Callable[[Person, Notice], None]
Due = Callable[[Person, Installation], bool]
"""Whether a light device runs what it has installed now; asked after each check-in."""


class LivingFleet:
    """Devices of one app, named by the backend whose key is given; `hear` is called in their thread.

    `patience_s` is how long a device waits for an answer; within `spread_s` all devices begin.
    """

    def __init__(
        self,
        ports: Sequence[int],
        *,
        app: str,
        backend_key: Ed25519PrivateKey,
        root: bytes,
        interval: float,
        fate: Fate,
        hear: Hear = lambda person, notice: None,
        due: Due | None = None,
        inputs: InputSource = lambda task, manifest: None,
        patience_s: float = 30.0,
        spread_s: float = SPREAD_S,
        seed: int = 1,
    ) -> None:
        self.record = Record()
        self.people: dict[str, Person] = {}
        self._spread_s = spread_s
        self._devices: dict[str, EmulatedDevice] = {}
        self._app, self._signer, self._seed = app, CryptoSigner(backend_key), seed
        self._folders = tempfile.TemporaryDirectory(prefix="walle-fleet-", dir=MEMORY if MEMORY.is_dir() else None)
        self._fate, self._hear, self._due, self._draw = fate, hear, due, random.Random(seed)
        self._sandbox = Sandbox(parallel=RUNS_AT_ONCE)
        self._client = httpx.AsyncClient(transport=Wire(ports, self.record, self._draw), timeout=patience_s)
        self._world = EmulationContext(
            cloud=CloudClient("http://gateways", self._client),
            executor=SandboxExecutor(self._sandbox),
            enrolment=Enrolment(app),
            inputs=inputs,
            turns=Turns(RUNS_AT_ONCE),
            interval=interval,
            initial_root=root,
            on_notice=lambda notice: None,
        )
        self._documents = SharedDocuments(self._world.cloud, root)
        self._loop = uvloop.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fleet", daemon=True)
        self._lives: list[asyncio.Task[None]] = []
        self._late: set[str] = set()

    def add(self, count: int, *, full: bool = False) -> None:
        """Devices named `full-00000` or `light-00000` and so on; before `start`."""
        kind = "full" if full else "light"
        for person in draw_population(self._app, count, self._seed, Distribution(), prefix=kind):
            enrolment = Enrolment(self._app, statement=partial(self._statement, person.name))
            world = replace(self._world, enrolment=enrolment, on_notice=partial(self._hear, person))
            temper, folder = _Fated(person, self._fate), Path(self._folders.name) / kind
            self.people[person.name] = person
            if full:
                self._devices[person.name] = FullDevice(person, folder / person.name, world, temper)
            else:
                self._devices[person.name] = light = _Light(person, folder, world, temper, self._documents)
                light.due = self._due

    def start(self, *, late: Collection[str] = ()) -> None:
        """All devices, or all but those that are to come later."""
        self._late = set(late)
        self._thread.start()
        self._do(self._begin(self._devices.keys() - self._late))

    def start_late(self) -> None:
        """Those that were to come later, if they have not come yet."""
        late, self._late = self._late, set()
        self._do(self._begin(late))

    def installed(self) -> dict[str, Mapping[str, str]]:
        """The version of each task on each device that has come."""
        return {name: device.installed() for name, device in self._devices.items() if name not in self._late}

    def unsent(self) -> int:
        """Reports that wait on devices."""
        return sum(device.unsent() for device in self._devices.values())

    def stop(self, seconds: float) -> None:
        """Ends all lives and hands in what is left, for at most so many seconds."""
        self._do(self._end(seconds))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._sandbox.close()
        self._folders.cleanup()

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _begin(self, names: Collection[str]) -> None:
        for name in sorted(names):
            life = self._devices[name].live(self._draw.random() * self._spread_s)
            self._lives.append(asyncio.create_task(life))

    async def _end(self, seconds: float) -> None:
        for device in self._devices.values():
            device.stop()
        await asyncio.wait(self._lives, timeout=seconds)
        deadline = time.monotonic() + seconds
        light = [device for device in self._devices.values() if isinstance(device, _Light)]
        while self.unsent() and time.monotonic() < deadline:
            await asyncio.gather(*(device.hand_in() for device in light))
        await self._client.aclose()

    def _statement(self, device: str) -> dict[str, Any]:
        said = FactsStatement(self._app, device, {}, int(time.time()) + _DAY_S)
        envelope: dict[str, Any] = json.loads(sign("facts", said.to_dict(), [self._signer]))
        return envelope


class _Fated(FaultProfile):
    """A temper that draws nothing: how runs end is laid down."""

    def __init__(self, person: Person, fate: Fate) -> None:
        super().__init__(FaultRates(), random.Random(person.seed))
        self._person, self._fate = person, fate

    def outcome(self, task: str, version: str) -> str | None:
        return self._fate(self._person, task, version)


class _Light(LightDevice):
    """A light device that is told when to run, and hands in what is left when its life is over."""

    due: Due | None = None

    async def hand_in(self) -> None:
        if self.unsent():
            await self._sender.send()

    def _pretend_to_run(self) -> None:
        if self.due is None:
            return super()._pretend_to_run()
        for task in self._memory.state.tasks.values():
            if task.current is not None and self.due(self.person, task.current):
                self._pretend(task.current)
        return None
