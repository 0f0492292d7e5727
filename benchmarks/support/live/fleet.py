"""Emulated devices in a thread of their own: light ones, and full ones that run tasks in the sandbox."""

from __future__ import annotations

import asyncio
import json
import random
import ssl
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
from walle.device.emulator.faults import FaultProfile, FaultRates
from walle.device.emulator.fleet import EmulatedDevice
from walle.device.emulator.full import EmulationContext, FullDevice
from walle.device.emulator.light import LightDevice, SharedDocuments
from walle.device.emulator.population import Distribution, Person, generate_population
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
"""The folder of the devices' stores: in memory, because real devices have disks of their own."""
_DAY_S = 86_400

RunEnd = Callable[[Person, str, str], str | None]
"""Returns how the run of a version of a task ends on a device: None for a success, else its error class."""
NoticeOf = Callable[[Person, Notice], None]
MayRun = Callable[[Person, Installation], bool]
"""Returns whether a light device runs its installed version now; called after each check-in."""


class LivingFleet:
    """Devices of one app, named by the backend whose key is given; `hear` is called in their thread.

    `timeout_s` is the timeout of an answer; within `spread_s` all devices start. `tls` is for servers behind nginx.
    """

    def __init__(
        self,
        ports: Sequence[int],
        *,
        app: str,
        backend_key: Ed25519PrivateKey,
        root: bytes,
        interval: float,
        end_of_run: RunEnd,
        on_notice: NoticeOf = lambda person, notice: None,
        may_run: MayRun | None = None,
        inputs: InputSource = lambda task, manifest: None,
        timeout_s: float = 30.0,
        spread_s: float = SPREAD_S,
        seed: int = 1,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.record = Record()
        self.people: dict[str, Person] = {}
        self._spread_s = spread_s
        self._devices: dict[str, EmulatedDevice] = {}
        self._app, self._signer, self._seed = app, CryptoSigner(backend_key), seed
        self._folders = tempfile.TemporaryDirectory(prefix="walle-fleet-", dir=MEMORY if MEMORY.is_dir() else None)
        self._end_of_run, self._on_notice, self._may_run, self._rng = (
            end_of_run,
            on_notice,
            may_run,
            random.Random(seed),
        )
        self._sandbox = Sandbox(parallel=RUNS_AT_ONCE)
        self._client = httpx.AsyncClient(transport=Wire(ports, self.record, self._rng, tls), timeout=timeout_s)
        self._context = EmulationContext(
            cloud=CloudClient("http://gateways", self._client),
            executor=SandboxExecutor(self._sandbox),
            enrolment=Enrolment(app),
            inputs=inputs,
            turns=Turns(RUNS_AT_ONCE),
            interval=interval,
            initial_root=root,
            on_notice=lambda notice: None,
        )
        self._documents = SharedDocuments(self._context.cloud, root, Path(self._folders.name) / "shared")
        self._loop = uvloop.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fleet", daemon=True)
        self._lives: list[asyncio.Task[None]] = []
        self._late: set[str] = set()

    def add(self, count: int, *, full: bool = False) -> None:
        """Add devices named `full-00000` or `light-00000` and so on; must be called before `start`."""
        kind = "full" if full else "light"
        for person in generate_population(self._app, count, self._seed, Distribution(), prefix=kind):
            enrolment = Enrolment(self._app, statement=partial(self._statement, person.name))
            context = replace(self._context, enrolment=enrolment, on_notice=partial(self._on_notice, person))
            faults, folder = _DeterminedFaults(person, self._end_of_run), Path(self._folders.name) / kind
            self.people[person.name] = person
            if full:
                self._devices[person.name] = FullDevice(person, folder / person.name, context, faults)
            else:
                self._devices[person.name] = light = _Light(person, folder, context, faults, self._documents)
                light.may_run = self._may_run

    def start(self, *, late: Collection[str] = ()) -> None:
        """Start all devices, except those that come later."""
        self._late = set(late)
        self._thread.start()
        self._do(self._begin(self._devices.keys() - self._late))

    def start_late(self) -> None:
        """Start the devices that come later, unless that has happened."""
        late, self._late = self._late, set()
        self._do(self._begin(late))

    def installed(self) -> dict[str, Mapping[str, str]]:
        """Return the installed version of each task on each started device."""
        return {name: device.installed() for name, device in self._devices.items() if name not in self._late}

    def all_have(self, versions: Mapping[str, str]) -> bool:
        """Return whether every started device has these versions, by task, and no others."""
        return all(installed == versions for installed in self.installed().values())

    def unsent(self) -> int:
        """Return the number of reports waiting on devices."""
        return sum(device.unsent() for device in self._devices.values())

    def stop(self, seconds: float) -> None:
        """End all devices and send their remaining reports within this many seconds."""
        self._do(self._end(seconds))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._sandbox.close()
        self._folders.cleanup()

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _begin(self, names: Collection[str]) -> None:
        for name in sorted(names):
            life = self._devices[name].live(self._rng.random() * self._spread_s)
            self._lives.append(asyncio.create_task(life))

    async def _end(self, seconds: float) -> None:
        for device in self._devices.values():
            device.stop()
        await asyncio.wait(self._lives, timeout=seconds)
        deadline = time.monotonic() + seconds
        light = [device for device in self._devices.values() if isinstance(device, _Light)]
        while self.unsent() and time.monotonic() < deadline:
            await asyncio.gather(*(device.send_reports() for device in light))
        await self._client.aclose()

    def _statement(self, device: str) -> dict[str, Any]:
        statement = FactsStatement(self._app, device, {}, int(time.time()) + _DAY_S)
        envelope: dict[str, Any] = json.loads(sign("facts", statement.to_dict(), [self._signer]))
        return envelope


class _DeterminedFaults(FaultProfile):
    """A fault profile without randomness: the end of each run is determined."""

    def __init__(self, person: Person, end_of_run: RunEnd) -> None:
        super().__init__(FaultRates(), random.Random(person.seed))
        self._person, self._end_of_run = person, end_of_run

    def outcome(self, task: str, version: str) -> str | None:
        return self._end_of_run(self._person, task, version)


class _Light(LightDevice):
    """A light device that runs when it is allowed to, and sends its remaining reports at its end."""

    may_run: MayRun | None = None

    async def send_reports(self) -> None:
        if self.unsent():
            await self._sender.send()

    def _pretend_to_run(self) -> None:
        if self.may_run is None:
            return super()._pretend_to_run()
        for task in self._memory.state.tasks.values():
            if task.current is not None and self.may_run(self.person, task.current):
                self._pretend(task.current)
        return None
