"""What light devices pretend of the VMs that tasks are kept in: which runs are warm, and why VMs end."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from walle.device.storage.state import Installation
from walle.protocol.reports import Start

CAUSES: Final[Mapping[str, float]] = {"idle": 12, "memory-pressure": 6, "exited": 1, "killed:SIGKILL": 1}
"""Why VMs end between runs, with weights: mostly because nothing ran for long."""


@dataclass(frozen=True)
class VmRates:
    """`ended` is the probability that a kept VM ended before a run; a cold run takes `cold_ms` longer."""

    ended: float = 0.05
    cold_ms: float = 45.0


class PretendedStart(NamedTuple):
    """How a run begins, why the VM before it had ended, if one had, and how much longer that takes (ms)."""

    start: Start
    vm_end: str | None
    extra_ms: float


class PretendedVms:
    """The VMs of one device: one for each task that asks to be kept, from its first run on."""

    def __init__(self, rates: VmRates, rng: random.Random) -> None:
        self._rates, self._rng = rates, rng
        self._loaded: dict[str, str] = {}
        self._failed: set[str] = set()

    def start(self, installed: Installation, *, kept: bool) -> PretendedStart:
        """Begins a run; a new version is loaded anew, and no VM of the old one is told of."""
        same = self._loaded.get(installed.task) == installed.manifest
        ended = self._end(installed.task) if same else None
        if kept:
            self._loaded[installed.task] = installed.manifest
        self._failed.discard(installed.task)
        warm = same and ended is None
        return PretendedStart("warm", None, 0.0) if warm else PretendedStart("cold", ended, self._rates.cold_ms)

    def fail(self, task: str) -> None:
        """The run that has begun fails, which ends its VM."""
        self._failed.add(task)

    def _end(self, task: str) -> str | None:
        if task in self._failed:
            return "failed"
        if self._rng.random() < self._rates.ended:
            return self._rng.choices(list(CAUSES), list(CAUSES.values()))[0]
        return None
