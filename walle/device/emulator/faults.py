"""Injected faults of emulated devices: failing runs, crashing apps, silence, slowness."""

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
    """The kinds of faults and how often they occur.

    `fail` and `crash` are probabilities per run. `silent` and `slow` are shares of the devices: silent ones stop for
    ever after an installation, slow ones take `delay_s` longer on average for each run. `task` and `version` limit the
    faults to some installations; None means all.
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
    """The faults of one device: its kind is chosen once, the outcome of a run for each run."""

    def __init__(self, rates: FaultRates, rng: random.Random) -> None:
        self._rates, self._rng = rates, rng
        self.silent = rng.random() < rates.silent
        self.slow = rng.random() < rates.slow

    def falls_silent(self, task: str, version: str) -> bool:
        """Return whether the device stops for ever after this installation."""
        return self.silent and self._rates.concerns(task, version)

    def outcome(self, task: str, version: str) -> str | None:
        """Return the injected error class of a run, `crashed` for a crashing app, or None for a normal run."""
        if not self._rates.concerns(task, version):
            return None
        number = self._rng.random()
        if number < self._rates.crash:
            return "crashed"
        return "emulated-failure" if number < self._rates.crash + self._rates.fail else None

    def delay(self, task: str, version: str) -> float:
        """Return by how many seconds a run is prolonged."""
        if not (self.slow and self._rates.concerns(task, version)):
            return 0.0
        return self._rng.expovariate(1.0 / self._rates.delay_s)


class FaultyExecutor:
    """Wraps the real executor and injects the faults of one device.

    `die` is called for a run that crashes the app; that run never returns.
    """

    def __init__(self, executor: Executor, faults: FaultProfile, die: Callable[[], None]) -> None:
        self._executor, self._faults, self._die = executor, faults, die

    async def __call__(self, bundle: Path, manifest: Manifest, inputs: Mapping[str, Any]) -> Execution:
        name, version = manifest.name, manifest.version
        outcome, delay = self._faults.outcome(name, version), self._faults.delay(name, version)
        await asyncio.sleep(delay)
        if outcome == "crashed":
            self._die()
            await asyncio.Event().wait()
        if outcome is not None:
            return Execution(error_class=outcome, message="as the emulator was asked", duration_ms=1000 * delay)
        execution = await self._executor(bundle, manifest, inputs)
        return replace(execution, duration_ms=(execution.duration_ms or 0.0) + 1000 * delay)

    async def end(self, bundle: Path) -> None:
        """End what the real executor keeps of a bundle."""
        await self._executor.end(bundle)
