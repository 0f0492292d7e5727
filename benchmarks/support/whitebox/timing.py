"""Times of single predictions, and the memory of this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

DISCARDED: Final = 10
"""Predictions after the first one that count neither as cold nor as hot, as in the thesis (4.4.3)."""


def times_us(predict: Callable[[Any], Any], records: Iterable[Any]) -> NDArray[np.float64]:
    """Return how long each prediction takes, in us by the clock."""
    found = []
    now = time.perf_counter_ns
    for record in records:
        begun = now()
        predict(record)
        found.append(now() - begun)
    return np.array(found) / 1000


@dataclass(frozen=True)
class Warmth:
    """The time of the first prediction of a plan, and those of later ones, in us."""

    cold: float
    hot: NDArray[np.float64]

    @classmethod
    def of(cls, predict: Callable[[Any], Any], records: list[Any]) -> Warmth:
        """Measure one pipeline that has not been asked yet; records are used again in turn."""
        times = times_us(predict, records)
        return cls(float(times[0]), times[1 + DISCARDED :])


def percentiles(name: str, times: NDArray[np.float64], parts: Iterable[float] = (50, 99)) -> dict[str, float]:
    """Return the figures of a series of times."""
    return {f"{name}_p{part:g}_us": float(np.percentile(times, part)) for part in parts}


@dataclass(frozen=True)
class Memory:
    """The memory of a process in MB: its own, and with its part of what it shares with others."""

    private: float
    proportional: float

    @classmethod
    def now(cls, process: int | str = "self") -> Memory:
        """Read it from the kernel (proc(5), smaps_rollup)."""
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        sizes = {line.split(":")[0]: int(line.split()[1]) / 1000 for line in lines[1:]}
        return cls(sizes["Private_Clean"] + sizes["Private_Dirty"] + sizes["Swap"], sizes["Pss"])
