"""All emulated devices of a process: starts spread over time, periodic statistics, and a common stop."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol

from walle.device.emulator.statistics import Statistics


class EmulatedDevice(Protocol):
    """A full or a light device."""

    condition: str

    async def live(self, start_after: float) -> None: ...

    def stop(self) -> None: ...

    def installed(self) -> dict[str, str]: ...

    def unsent(self) -> int: ...

    def uploaded(self) -> int: ...


class EmulatedFleet:
    """Runs devices, which start within `spread` seconds; `emit` gets a line of statistics every `every_s` seconds."""

    def __init__(
        self,
        devices: Sequence[EmulatedDevice],
        statistics: Statistics,
        *,
        spread: float,
        every_s: float,
        rng: random.Random,
        emit: Callable[[str], None],
    ) -> None:
        self._devices, self._statistics = devices, statistics
        self._spread, self._every_s, self._rng, self._emit = spread, every_s, rng, emit
        self._started = time.monotonic()
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Make `run` end; each device finishes what cannot be interrupted."""
        self._stopping.set()
        for device in self._devices:
            device.stop()

    async def run(self) -> None:
        """Run until `stop`."""
        lives = [asyncio.create_task(device.live(self._rng.random() * self._spread)) for device in self._devices]
        emitting = asyncio.create_task(self._emit_regularly())
        try:
            for outcome in await asyncio.gather(*lives, return_exceptions=True):
                if isinstance(outcome, BaseException):
                    self._statistics.notices["device-failed"] += 1
                    self._statistics.refusals[f"{type(outcome).__name__}: {outcome}"] += 1
            if not self._stopping.is_set():
                await self._stopping.wait()
        finally:
            emitting.cancel()
            self._emit(self._line())

    async def _emit_regularly(self) -> None:
        while True:
            await asyncio.sleep(self._every_s)
            self._emit(self._line())

    def _line(self) -> str:
        installed = Counter(
            f"{task}@{version}" for device in self._devices for task, version in device.installed().items()
        )
        return self._statistics.line(
            seconds=time.monotonic() - self._started,
            devices=Counter(device.condition for device in self._devices),
            installed=installed,
            queued=sum(device.unsent() for device in self._devices),
            features=sum(device.uploaded() for device in self._devices),
        )
