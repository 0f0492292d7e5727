"""An emulated device with all parts of a real one: its own store, real downloads, real runs."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from walle.device.agent import Agent
from walle.device.assembly import REPORT_S, AssembledDevice
from walle.device.clocks import seconds_since_boot
from walle.device.emulator.faults import FaultProfile, FaultyExecutor
from walle.device.emulator.habits import Habits
from walle.device.emulator.population import Person
from walle.device.emulator.viewing import Browsing, Track, Viewer
from walle.device.emulator.vms import VmRates
from walle.device.link.cloud import CloudClient
from walle.device.link.enrolment import Enrolment
from walle.device.notices import Notice, NoticeHandler
from walle.device.running.inputs import InputSource
from walle.device.running.runner import Executor
from walle.device.running.taking_turns import Turns
from walle.device.storage.disk import Disk
from walle.device.storage.state import DeviceState
from walle.device.storage.store import DeviceStore
from walle.device.tunnel.connection import TunnelConnector
from walle.device.tunnel.service import TunnelService
from walle.device.updates.requirements import requirements_of

RESTART_S: Final = 2.0
"""How many seconds a crashed app stays closed."""


@dataclass(frozen=True)
class Tunnels:
    """The share of devices that have a tunnel, all by one connector."""

    connector: TunnelConnector | None = None
    share: float = 0.0

    def of(self, person: Person) -> TunnelConnector | None:
        """Return what opens this device's tunnel, None if it has none; always the same for a device."""
        chosen = random.Random(f"tunnel:{person.seed}").random() < self.share  # noqa: S311
        return self.connector if chosen else None


@dataclass(frozen=True)
class EmulationContext:
    """The parts that emulated devices share."""

    cloud: CloudClient
    executor: Executor
    enrolment: Enrolment
    inputs: InputSource
    turns: Turns
    interval: float
    initial_root: bytes | None
    on_notice: NoticeHandler
    vms: VmRates = field(default_factory=VmRates)
    browsing: Browsing = field(default_factory=Browsing)
    tunnels: Tunnels = field(default_factory=Tunnels)
    habits: Habits = field(default_factory=Habits)


@dataclass
class FullDevice:
    """One device. `live` runs it until `stop`; `condition` is its present state."""

    person: Person
    folder: Path
    context: EmulationContext
    faults: FaultProfile
    condition: str = "waiting"
    state: DeviceState = field(default_factory=DeviceState)
    queued: int = 0
    _agent: Agent | None = None
    _store: DeviceStore | None = None
    _tunnel: TunnelService | None = None
    _uploaded: int = 0
    _left_behind: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    _user: random.Random = field(init=False)
    _browses: bool = field(init=False)
    _stopped: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self._user = random.Random(f"user:{self.person.seed}")  # noqa: S311
        self._browses = self._user.random() < self.context.browsing.share

    async def live(self, start_after: float) -> None:
        """Run the device until it is stopped or silent; it is restarted after a crash."""
        await self._pause(start_after)
        while not self._stopped.is_set():
            await self._life()
            if self.condition != "dead":
                return
            await self._pause(RESTART_S)

    def stop(self) -> None:
        self._stopped.set()
        if self._agent is not None:
            self._agent.stop()

    def installed(self) -> dict[str, str]:
        """Return the installed version of each task."""
        state = self._store.state if self._store else self.state
        return {name: task.current.version for name, task in state.tasks.items() if task.current}

    def unsent(self) -> int:
        return len(self._store.outbox) if self._store else self.queued

    def uploaded(self) -> int:
        """Return how many features the device has sent."""
        return self._uploaded + (self._tunnel.counts()["features"] if self._tunnel else 0)

    async def _life(self) -> None:
        with DeviceStore(self.folder, disk=Disk(sync=False)) as store:
            self._store, self.condition = store, "working"
            self._agent = self._make_agent(store)
            await self._agent.run()
            for run_id, marker in self._left_behind.items():
                store.mark_running(run_id, marker)
            self._left_behind = {}
            self.state, self.queued = store.state, len(store.outbox)
            self._uploaded = self.uploaded()
            self._agent = self._store = self._tunnel = None

    def _make_agent(self, store: DeviceStore) -> Agent:
        def track(*event: str, **more: Any) -> bool:
            return device.streams.track(*event, **more)

        device = AssembledDevice(
            store,
            self.context.cloud,
            facts=self.person.facts,
            enrolment=self.context.enrolment,
            executor=FaultyExecutor(self.context.executor, self.faults, self._die),
            requirements=requirements_of(self.person.facts),
            inputs=self.context.inputs,
            interval=self.context.interval,
            report_interval=min(REPORT_S, self.context.interval),
            initial_root=self.context.initial_root,
            turns=self.context.turns,
            services=[self._viewer(track)] if self._browses else (),
            randomness=random.Random(self.person.seed).random,  # noqa: S311
            tunnel=self.context.tunnels.of(self.person),
            on_notice=self._on_notice,
            conditions=self.context.habits.of(self.person, time.time),
        )
        self._tunnel = device.tunnel
        return device.agent

    def _viewer(self, track: Track) -> Viewer:
        """A user for one life of the app: what the user was at is not continued in the next one."""
        lapse = self.context.browsing.lapse
        return Viewer(track, self._user, lapse=lapse, clock=time.time, monotonic=seconds_since_boot)

    def _on_notice(self, notice: Notice) -> None:
        self.context.on_notice(notice)
        if notice.name == "installed" and self.faults.falls_silent(notice.data["task"], notice.data["version"]):
            self.condition = "silent"
            self.stop()

    def _die(self) -> None:
        """Emulate a crash of the app: the run markers on the disk are left as a killed process would leave them."""
        if self._agent is not None and self._store is not None:
            self._left_behind = self._store.markers()
            self.condition = "dead"
            self._agent.stop()

    async def _pause(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._stopped.wait()
        except TimeoutError:
            return
