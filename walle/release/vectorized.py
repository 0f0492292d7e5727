"""The decision for many devices of one plan at once, which predictions need millions of times.

It uses the arithmetic of walle.release.decision and decides as `choose` does, device by device. It needs numpy, so that
neither gateways nor devices import it.
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
    """The decisions for many devices: positions of devices by change, and of held-back devices by entry.

    Positions count from 0 in the order of the points, and ascend. Changes are in the order of the plan's allocations.
    """

    changes: list[tuple[Change, Positions]]
    held_back: list[tuple[Entry, Positions]]


def points_of(devices: Iterable[str]) -> Points:
    """Return the points of devices."""
    return np.fromiter(map(device_point, devices), np.uint64)


def choose_many(plan: DevicePlan, points: Points) -> ManyChoices:
    """Return the changes of the devices at these points, which all have this plan."""
    found = ManyChoices([], [])
    for allocation in plan.allocations:
        _decide(allocation, points, found)
    return found


def _decide(allocation: Allocation, points: Points, found: ManyChoices) -> None:
    """Select devices for one task, newest entry first; a selected device is not considered further."""
    left = np.arange(len(points))
    for selection in allocation:
        numbers = selection.number(points[left])
        selected = numbers < selection.limit
        if selection.change is not None:
            found.changes.append((selection.change, left[selected]))
        if selection.entry is not None:
            found.held_back.append((selection.entry, left[~selected & (numbers >= selection.control)]))
        left = left[~selected]
