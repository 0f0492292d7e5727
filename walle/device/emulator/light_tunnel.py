"""The tunnel of a light device: features in memory, invented from what a manifest says of a task's outputs."""

from __future__ import annotations

import os
import random
import time
from collections import deque
from collections.abc import Callable
from itertools import islice
from typing import Final

from walle.device.agent import Agent
from walle.device.link.checkins import CheckIns
from walle.device.link.profile import HeaderWriter
from walle.device.notices import NoticeHandler
from walle.device.running.inputs import RandomInputs
from walle.device.storage.state import DeviceState, Installation
from walle.device.tunnel.answers import AwaitedAnswer
from walle.device.tunnel.connection import TunnelConnector
from walle.device.tunnel.features import OutputRefused, UploadedRun
from walle.device.tunnel.segments import SPOOL_ID_BYTES
from walle.device.tunnel.service import TunnelParts, TunnelService
from walle.device.tunnel.session import HeldDictionaries
from walle.device.tunnel.spooling import QueuedFeature
from walle.protocol.documents import Manifest

MAX_QUEUED: Final = 100
_READ: Final = 32


class MemoryQueue:
    """Implements FeatureQueue in memory: what is not acknowledged is lost with the emulator."""

    def __init__(self, arrived: Callable[[], None]) -> None:
        self.id, self.next = os.urandom(SPOOL_ID_BYTES), 1
        self._arrived = arrived
        self._queue: deque[QueuedFeature] = deque()
        self.dropped = self.refused = 0
        self.damage = ""
        self.sync_due = float("inf")

    def __len__(self) -> int:
        return len(self._queue)

    @property
    def oldest(self) -> int:
        return self._queue[0].sequence if self._queue else self.next

    def put(self, run: UploadedRun) -> None:
        try:
            feature = run.spooled()
        except OutputRefused:
            self.refused += 1
            return
        if len(self._queue) >= MAX_QUEUED:
            self._queue.popleft()
            self.dropped += 1
        self._queue.append(QueuedFeature(self.next, feature))
        self.next += 1
        self._arrived()

    async def read(self, sequence: int) -> list[QueuedFeature]:
        return list(islice((queued for queued in self._queue if queued.sequence >= sequence), _READ))

    async def acknowledge(self, sequence: int) -> None:
        while self._queue and self._queue[0].sequence <= sequence:
            self._queue.popleft()

    async def renew(self, reason: str) -> None:
        self.dropped += len(self._queue)
        self._queue.clear()
        self.id, self.next = os.urandom(SPOOL_ID_BYTES), 1
        self.damage = reason

    async def settle(self) -> None:
        """Nothing is written."""

    async def sync(self) -> None:
        """Nothing is written."""


class NoAnswers:
    """Implements AnswerLedger: a light device does nothing with them."""

    due: float | None = None

    def take(self, spool: bytes, sequence: int) -> AwaitedAnswer | None:
        return None

    def take_expired(self, now: float) -> list[AwaitedAnswer]:
        return []


class LightTunnel:
    """The tunnel of one light device. `live` runs it until `stop`; `state` returns the device's present one."""

    def __init__(
        self,
        connector: TunnelConnector,
        check_ins: CheckIns,
        headers: HeaderWriter,
        state: Callable[[], DeviceState],
        dictionaries: HeldDictionaries,
        *,
        rng: random.Random,
        on_notice: NoticeHandler,
    ) -> None:
        def open_parts(arrived: Callable[[], None]) -> TunnelParts:
            return TunnelParts(MemoryQueue(arrived), NoAnswers(), dictionaries)

        self.service = TunnelService(
            open_parts,
            connector,
            check_ins,
            lambda: headers.headers(state()),
            clock=time.time,
            monotonic=time.monotonic,
            randomness=rng.random,
            on_notice=on_notice,
        )
        self._agent = Agent([self.service], on_notice=on_notice)
        self._values = RandomInputs(rng)

    async def live(self) -> None:
        await self._agent.run()

    def stop(self) -> None:
        self._agent.stop()

    def pretend(self, installed: Installation, manifest: Manifest) -> None:
        """Send up what a run might have given, if the manifest says that outputs go up."""
        now, output = time.time(), self._values.of(manifest.values["outputs"])
        self.service.upload(installed, manifest, output, at=now, tracked_at=now)
