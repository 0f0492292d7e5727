"""How emulated devices misbehave, as asked: failing runs, dying apps, silence, slowness."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from walle.device.running.runner import Execution, Executor
from walle.protocol.documents import Manifest


@dataclass(frozen=True)
class FaultRates:
    """What goes wrong, and how often.

    `fail` and `crash` are probabilities per run; `silent` and `slow` are shares of the devices: silent ones are never
    heard of again once they have installed, slow ones take `delay_s` longer on average for each run. `task` and
    `version` say which installations all this concerns; None: all.
    """

    fail: float = 0.0
    crash: float = 0.0
    silent: float = 0.0
    slow: float = 0.0
    delay_s: float = 5.0
    task: str | None = None
    version: str | None = None

    def concerns(self, task: str, version: str) -> bool:
        return self.task in (None, task) and self.version in (None, version)


class FaultProfile:
    """The behaviour of one device: drawn once which kind it is, then for each run."""

    def __init__(self, behaviour: FaultRates, draw: random.Random) -> None:
        self._behaviour, self._draw = behaviour, draw
        self.silent = draw.random() < behaviour.silent
        self.slow = draw.random() < behaviour.slow

    def falls_silent(self, task: str, version: str) -> bool:
        """Whether the device is never heard of again after this installation."""
        return self.silent and self._behaviour.concerns(task, version)

    def outcome(self, task: str, version: str) -> str | None:
        """None for a run that goes as it goes; else the error class of its failure, `crashed` for a dying app."""
        if not self._behaviour.concerns(task, version):
            return None
        drawn = self._draw.random()
        if drawn < self._behaviour.crash:
            return "crashed"
        return "emulated-failure" if drawn < self._behaviour.crash + self._behaviour.fail else None

    def delay(self, task: str, version: str) -> float:
        """Seconds that a run takes longer than it would."""
        if not (self.slow and self._behaviour.concerns(task, version)):
            return 0.0
        return self._draw.expovariate(1.0 / self._behaviour.delay_s)


class FaultyExecutor:
    """An executor that now and then does otherwise than the real one behind it.

    `die` is called for a run that takes the app down; that run never returns.
    """

    def __init__(self, executor: Executor, temper: FaultProfile, die: Callable[[], None]) -> None:
        self._executor, self._temper, self._die = executor, temper, die

    async def __call__(self, bundle: Path, manifest: Manifest, inputs: Mapping[str, Any]) -> Execution:
        name, version = manifest.name, manifest.version
        outcome, delay = self._temper.outcome(name, version), self._temper.delay(name, version)
        await asyncio.sleep(delay)
        if outcome == "crashed":
            self._die()
            await asyncio.Event().wait()
        if outcome is not None:
            return Execution(error_class=outcome, message="as the emulator was asked", duration_ms=1000 * delay)
        execution = await self._executor(bundle, manifest, inputs)
        return replace(execution, duration_ms=(execution.duration_ms or 0.0) + 1000 * delay)
