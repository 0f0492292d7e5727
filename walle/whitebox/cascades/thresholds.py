"""How sure a prefix has to be to answer alone: so sure that the cascade's accuracy is not inferior, by a test.

The cascade and the whole pipeline are compared on the same records, so what counts is where just one of them is right.
That its accuracy is less by no more than a tolerance is shown by the score test of Nam (1997) and Tango (1998) for the
difference of paired shares. Thresholds are tested from the strictest down, each at the full level, and the first that
fails ends it (fixed sequence testing): so the level holds for whichever is chosen, although many were looked at.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Final

import numpy as np
import numpy.typing as npt

STEPS: Final = 200
"""How many thresholds are tested, at equal steps of the share of records that they leave to the prefix."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Held-out records, an array each: how sure the prefix is, and whether it and the whole pipeline are right."""

    confidences: npt.NDArray[np.float64]
    prefix_right: npt.NDArray[np.bool_]
    whole_right: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ChosenThreshold:
    """A threshold, the share of held-out records that it leaves to the prefix, and both accuracies on all of them."""

    threshold: float
    answered: float
    whole_accuracy: float
    cascade_accuracy: float


def choose_threshold(held: HeldOut, tolerance: float, confidence: float) -> ChosenThreshold | None:
    """Return the lowest threshold that leaves accuracy less than that of the whole by at most a tolerance.

    It does so with a confidence; the tolerance is a difference of shares, in (0, 1). None if not even the strictest
    threshold can be shown to do so, as with too few records.
    """
    order = np.argsort(-held.confidences, kind="stable")
    sure = held.confidences[order]
    worse = np.cumsum(held.whole_right[order] & ~held.prefix_right[order])
    better = np.cumsum(~held.whole_right[order] & held.prefix_right[order])
    critical, records = NormalDist().inv_cdf(confidence), len(order)
    found: ChosenThreshold | None = None
    for last in _steps(sure):
        if score_of(int(worse[last]), int(better[last]), records, tolerance) > -critical:
            break
        whole = float(np.mean(held.whole_right))
        gained = (int(better[last]) - int(worse[last])) / records
        # Between two confidences that were seen, so that no rounding decides about a record of these.
        below = float(sure[last + 1]) if last + 1 < records else 0.0
        found = ChosenThreshold((float(sure[last]) + below) / 2, (last + 1) / records, whole, whole + gained)
    return found


def _steps(sure: npt.NDArray[np.float64]) -> Any:
    """Return the places, in descending confidences, behind which a threshold may be: never between equal ones."""
    places = np.unique(np.linspace(0, len(sure) - 1, min(STEPS + 1, len(sure))).astype(np.int64)[1:])
    ends = np.searchsorted(-sure, -sure[places], side="right") - 1
    return np.unique(ends).tolist()


def score_of(worse: int, better: int, records: int, tolerance: float) -> float:
    """Return the score of the hypothesis that accuracy is less by `tolerance`: normal under it, negative where less so.

    Of `records`, the whole pipeline alone is right for `worse`, the cascade alone for `better`. The variance is that
    of the likeliest shares under the hypothesis, so that no disagreement at all is no proof for few records.
    """
    if not records:
        return math.inf
    linear = (2 * records - worse + better) * tolerance - worse - better
    constant = -better * tolerance * (1 - tolerance)
    share = (math.sqrt(linear * linear - 8 * records * constant) - linear) / (4 * records)
    variance = records * (2 * share + tolerance * (1 - tolerance))
    return (worse - better - records * tolerance) / math.sqrt(variance)
