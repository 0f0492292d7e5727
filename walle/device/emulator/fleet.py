"""All emulated devices of a process: started spread out, counted now and then, stopped together."""

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


class EmulatedFleet:
    """`spread` is the time in seconds over which the devices start; `say` takes a line of statistics."""

    def __init__(
        self,
        devices: Sequence[EmulatedDevice],
        statistics: Statistics,
        *,
        spread: float,
        every_s: float,
        draw: random.Random,
        say: Callable[[str], None],
    ) -> None:
        self._devices, self._statistics = devices, statistics
        self._spread, self._every_s, self._draw, self._say = spread, every_s, draw, say
        self._started = time.monotonic()
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Ends `run`; each device finishes what cannot be interrupted."""
        self._stopping.set()
        for device in self._devices:
            device.stop()

    async def run(self) -> None:
        """Lives until `stop`, or until no device is left."""
        lives = [asyncio.create_task(device.live(self._draw.random() * self._spread)) for device in self._devices]
        telling = asyncio.create_task(self._tell())
        try:
            for outcome in await asyncio.gather(*lives, return_exceptions=True):
                if isinstance(outcome, BaseException):
                    self._statistics.notices["device-failed"] += 1
                    self._statistics.refusals[f"{type(outcome).__name__}: {outcome}"] += 1
            if not self._stopping.is_set():
                await self._stopping.wait()
        finally:
            telling.cancel()
            self._say(self._line())

    async def _tell(self) -> None:
        while True:
            await asyncio.sleep(self._every_s)
            self._say(self._line())

    def _line(self) -> str:
        installed = Counter(
            f"{task}@{version}" for device in self._devices for task, version in device.installed().items()
        )
        return self._statistics.line(
            seconds=time.monotonic() - self._started,
            devices=Counter(device.condition for device in self._devices),
            installed=installed,
            queued=sum(device.unsent() for device in self._devices),
        )
