"""The decision for many devices of one plan at once: what a prediction of a release asks millions of times.

It draws with the arithmetic of walle.release.decision and decides as `choose` does, device by device. Needs numpy,
so neither gateways nor devices import it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from walle.release.candidates import Change
from walle.release.cohort import device_point
from walle.release.decision import DevicePlan
from walle.release.table import Entry
from walle.release.task_allocations import Allocation

Points = NDArray[np.uint64]
Positions = NDArray[np.intp]


class ManyChoices(NamedTuple):
    """Each change with the positions of the devices that should make it; each entry with those it holds back.

    Positions count from 0 in the order of the points, and ascend. Changes come in the order of the plan's contests.
    """

    changes: list[tuple[Change, Positions]]
    held_back: list[tuple[Entry, Positions]]


def points_of(devices: Iterable[str]) -> Points:
    """Where devices stand in all releases."""
    return np.fromiter(map(device_point, devices), np.uint64)


def choose_many(plan: DevicePlan, points: Points) -> ManyChoices:
    """What the devices at these points should change, all of them having this plan."""
    found = ManyChoices([], [])
    for contest in plan.contests:
        _decide(contest, points, found)
    return found


def _decide(contest: Allocation, points: Points, found: ManyChoices) -> None:
    """Draws for one task, newest entry first; whoever is drawn is out of the contest."""
    left = np.arange(len(points))
    for draw in contest:
        numbers = draw.number(points[left])
        drawn = numbers < draw.limit
        if draw.change is not None:
            found.changes.append((draw.change, left[drawn]))
        if draw.entry is not None:
            found.held_back.append((draw.entry, left[~drawn & (numbers >= draw.control)]))
        left = left[~drawn]
