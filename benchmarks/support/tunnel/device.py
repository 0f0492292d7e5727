"""A device's own tunnel, with its spool on the disk, and when each upload was tracked and acknowledged."""

from __future__ import annotations

import asyncio
import random
import ssl
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.support.tunnel.site import TASK
from walle.device.link.cloud import CloudAnswer
from walle.device.storage.disk import Disk
from walle.device.storage.state import Installation
from walle.device.tunnel.answers import AwaitedAnswers
from walle.device.tunnel.connection import TunnelConnector
from walle.device.tunnel.service import TunnelParts, TunnelService
from walle.device.tunnel.spool import Spool
from walle.device.tunnel.spooling import SpoolQueue
from walle.device.tunnel.tls import ResumingContext
from walle.gateway.checkin import RawCheckIn
from walle.protocol.compression import Dictionary
from walle.protocol.documents import Manifest

_SCENARIO, _NAME = TASK.split("/")
_MANIFEST = Manifest(b"", _SCENARIO, _NAME, "1.0.0", "device", None, (), {"upload": {}})


class ObservedQueue(SpoolQueue):
    """The spool, which calls `on_acknowledge` when the cloud has acknowledged everything up to a sequence."""

    on_acknowledge: Callable[[int], None] = staticmethod(lambda sequence: None)

    async def acknowledge(self, sequence: int) -> None:
        self.on_acknowledge(sequence)
        await super().acknowledge(sequence)


class MeasuredDevice:
    """One device, in a folder, that reaches the gateway at `base` with these headers."""

    def __init__(self, folder: Path, base: str, headers: RawCheckIn, manifest: str, trusted: ssl.SSLContext) -> None:
        self._folder = folder
        self._installed = Installation(TASK, "1.0.0", manifest, "", 1)
        raw = {"Walle-Device": headers.device, "Walle-App": headers.app, "Walle-Profile": headers.profile}
        said = {name: value.decode() for name, value in raw.items()}
        self.service = TunnelService(
            self._open,
            TunnelConnector(base, tls=ResumingContext(trusted)),
            Enrolled(),
            lambda: said,
            clock=time.time,
            monotonic=time.monotonic,
            randomness=random.Random(0).random,
            on_notice=lambda notice: None,
        )
        self.acknowledged: dict[int, float] = {}
        """When each sequence was acknowledged, in seconds of time.perf_counter()."""
        self.tracked = 0
        """How many uploads there were: the sequence of the last one."""
        self._highest = 0
        self._turning: asyncio.Task[None] | None = None

    def _open(self, arrived: Callable[[], None]) -> TunnelParts:
        disk = Disk()
        awaited = AwaitedAnswers(self._folder / "answers", disk)
        self._queue = ObservedQueue(
            Spool(self._folder / "spool", disk), awaited, monotonic=time.monotonic, arrived=arrived
        )
        self._queue.on_acknowledge = self._on_acknowledge
        return TunnelParts(self._queue, awaited, NoDictionaries())

    def _on_acknowledge(self, sequence: int) -> None:
        now = time.perf_counter()
        for each in range(self._highest + 1, sequence + 1):
            self.acknowledged[each] = now
        self._highest = max(self._highest, sequence)

    @property
    def spool(self) -> bytes:
        return self._queue.id

    @property
    def idle(self) -> bool:
        """Whether everything that was tracked is acknowledged, over a connection that is open."""
        return self._highest == self.tracked and self.service.connected

    def track(self, values: dict[str, Any], now: float) -> int:
        """Upload what a run returned whose event happened now (Unix seconds); return its sequence."""
        self.service.upload(self._installed, _MANIFEST, values, at=now, tracked_at=now)
        self.tracked += 1
        return self.tracked

    async def start(self) -> None:
        """Connect, and stay connected."""
        self.service.recover()
        self._turning = asyncio.create_task(self._turn())

    async def stop(self) -> None:
        if self._turning is not None:
            self._turning.cancel()
            await asyncio.gather(self._turning, return_exceptions=True)
        await self.service.stop()

    async def _turn(self) -> None:
        while True:
            wait = await self.service.turn()
            await self.service.wake.wait(3600.0 if wait is None else wait)


class Enrolled:
    """The check-ins of a device that is enrolled, and is offered nothing."""

    enrolled = True

    def receive(self, answer: CloudAnswer) -> None:
        """Ignore an answer: nothing is released while this is measured."""


class NoDictionaries:
    """A device without dictionaries: zstd alone."""

    def digest(self, task: str) -> bytes:
        return b""

    async def obtain(self, task: str, digest: bytes, url: str) -> Dictionary | None:
        return None
