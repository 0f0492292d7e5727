"""Memory of a session, planned once: where in one arena each value lies, by when it is needed.

Values that are not needed at the same time may share addresses. They are placed from the largest to the smallest, each
in the smallest gap that it fits into between those that are needed while it is (greedy by size: Pisarchyk and Lee,
"Efficient Memory Management for Deep Neural Net Inference", 2020). Where there are very many, the smallest have
addresses of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

ALIGNMENT: Final = 64
"""Each value begins at a multiple of so many bytes: a line of the cache."""
MOST_SHARING: Final = 4096
"""How many values, the largest, may share addresses, for each of which all placed ones are looked at."""


@dataclass(frozen=True, slots=True)
class Lifetime:
    """A value's bytes, and the first and the last step at which it is needed."""

    nbytes: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """The offset of each value and the bytes of the arena. Without sharing it would have `naive` bytes; no plan has
    less than `least`, which are needed at one step."""

    offsets: Mapping[str, int]
    nbytes: int
    naive: int
    least: int


def plan_memory(lifetimes: Mapping[str, Lifetime]) -> MemoryPlan:
    """Return where values lie. None of them overlaps another one that is needed at the same step."""
    order = sorted(lifetimes, key=lambda name: (-lifetimes[name].nbytes, lifetimes[name].first, name))
    sizes = np.array([aligned(lifetimes[name].nbytes) for name in order], dtype="int64")
    first = np.array([lifetimes[name].first for name in order], dtype="int64")
    last = np.array([lifetimes[name].last for name in order], dtype="int64")
    offsets = np.zeros(len(order), dtype="int64")
    for index in range(min(len(order), MOST_SHARING)):
        placed = slice(0, index)
        beside = (first[placed] <= last[index]) & (last[placed] >= first[index]) & (sizes[placed] > 0)
        offsets[index] = _best_gap(offsets[placed][beside], sizes[placed][beside], int(sizes[index]))
    shared = int((offsets + sizes)[:MOST_SHARING].max(initial=0))
    offsets[MOST_SHARING:] = shared + np.cumsum(sizes[MOST_SHARING:]) - sizes[MOST_SHARING:]
    return MemoryPlan(
        dict(zip(order, map(int, offsets), strict=True)),
        int((offsets + sizes).max(initial=0)),
        int(sizes.sum()),
        _least(first, last, sizes),
    )


def aligned(nbytes: int) -> int:
    """Return bytes rounded up to whole lines of the cache."""
    return -(-nbytes // ALIGNMENT) * ALIGNMENT


def _best_gap(offsets: np.ndarray, sizes: np.ndarray, size: int) -> int:
    """Return the start of the smallest gap between placed values that a size fits into, or the end of all."""
    by_offset = np.argsort(offsets, kind="stable")
    starts = offsets[by_offset]
    covered = np.concatenate([[0], np.maximum.accumulate(starts + sizes[by_offset])])
    gaps = starts - covered[:-1]
    fitting = np.flatnonzero(gaps >= max(size, 1))
    return int(covered[fitting[np.argmin(gaps[fitting])]] if len(fitting) else covered[-1])


def _least(first: np.ndarray, last: np.ndarray, sizes: np.ndarray) -> int:
    """Return the most bytes that are needed at one step."""
    if not len(sizes):
        return 0
    changes = np.zeros(int(last.max() - first.min()) + 2, dtype="int64")
    np.add.at(changes, first - first.min(), sizes)
    np.add.at(changes, last - first.min() + 1, -sizes)
    return int(np.cumsum(changes).max())
