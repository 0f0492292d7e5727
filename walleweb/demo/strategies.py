"""The strategies of the demonstration: at once, or in stages that a few dozen devices pass within seconds."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from itertools import pairwise
from math import floor, sqrt
from typing import Any, Final

from walle.release.strategy import AT_ONCE

__all__ = ["AT_ONCE", "CAN_SIMULATE", "HASTY", "TESTERS", "TO_A_THIRD", "in_stages"]

TESTERS: Final = "testers"
"""The id list of the beta stage."""
CAN_SIMULATE: Final = sys.platform == "linux"
"""On other systems nothing isolates a task on a server (docs/guides/simulation.md)."""
DWELL_S: Final = 2
GRACE_S: Final = 180
PACE: Final = 6
"""Offers per second: about as many as one small machine can install and run."""
USUAL: Final = (20, 50, 100)
HASTY: Final = (50, 100)
"""Gray stages in per cent, in general, and for a person in a hurry."""
CONTROL_PERCENT: Final = 10

TO_A_THIRD: Final[Mapping[str, Any]] = {
    "simulation": CAN_SIMULATE,
    "control_percent": 33,
    "stages": [
        {"kind": "gray", "percent": 33, "dwell_s": 10, "evidence": 10},
        {"kind": "gray", "percent": 100, "dwell_s": 10, "evidence": 10},
    ],
    "grace_s": 600,
}
"""The strategy of a pipeline with a few dozen callers: a third of them, beside a third that is held back."""


def in_stages(devices: int, testers: int, grays: tuple[int, ...] = USUAL) -> dict[str, Any]:
    """Return a strategy with simulation, the testers, then gray stages, for so many devices beside the testers'.

    Every stage waits for as many reports as it surely gets: three standard deviations below the expected number; the
    last one expects none of the former control group. Because all devices share one machine, their run times say little
    about a version.
    """
    shares = [after - before for before, after in pairwise((0, *grays))]
    shares[-1] -= CONTROL_PERCENT
    reached = [devices * share / 100 for share in shares]
    steps = [
        {"kind": "gray", "percent": percent, "dwell_s": DWELL_S, "evidence": _surely(expected), "pace": PACE}
        for percent, expected in zip(grays, reached, strict=True)
    ]
    beta = {"kind": "beta", "list": TESTERS, "dwell_s": DWELL_S, "evidence": testers}
    return {
        "simulation": CAN_SIMULATE,
        "stages": [beta, *steps],
        "control_percent": CONTROL_PERCENT,
        "grace_s": GRACE_S,
        "limits": {"slowdown_margin": 0.9},
    }


def _surely(expected: float) -> int:
    return max(0, floor(expected - 3 * sqrt(expected)))
