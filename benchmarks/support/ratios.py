"""The median of paired ratios, with an interval that shows how well it repeats."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

_OUTSIDE = 0.025
"""The probability that the true median is below the interval, and that it is above."""


@dataclass(frozen=True)
class Ratio:
    """A median and the ends of its 95 % confidence interval, which assumes no distribution (order statistics)."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Ratio:
        """Compute it from one or more values; with fewer than six no 95 % interval exists, and the range is used."""
        ordered = sorted(values)
        cut, below = 0, 0.5 ** len(ordered)
        while below <= _OUTSIDE:
            cut += 1
            below += comb(len(ordered), cut) * 0.5 ** len(ordered)
        place = max(0, cut - 1)
        return cls(statistics.median(ordered), ordered[place], ordered[-1 - place])

    @property
    def spread(self) -> float:
        """Half the interval as a part of the median: the precision with which another run should repeat it.

        NaN where the median is 0, as of CPU time below a tick of the clock.
        """
        return (self.high - self.low) / 2 / self.median if self.median else math.nan

    def figures(self, name: str) -> dict[str, float]:
        """Return the figures of a benchmark: the median under the name itself."""
        return {name: self.median, f"{name}_low": self.low, f"{name}_high": self.high, f"{name}_spread": self.spread}
