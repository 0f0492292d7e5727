"""What is measured of an operator on a worker while it runs, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from math import ceil, exp, log
from typing import Final

STEP: Final = log(1.005)
"""Durations are counted in classes, each 0.5 % longer than the one before: percentiles are that exact."""
SHORTEST_S: Final = 1e-6


@dataclass(slots=True)
class DurationCounts:
    """How often durations (s) of each class occurred."""

    counts: dict[int, int] = field(default_factory=dict)

    def add(self, seconds: float, times: int = 1) -> None:
        """Count a duration, several times if it was that of several records."""
        place = ceil(log(max(seconds, SHORTEST_S) / SHORTEST_S) / STEP)
        self.counts[place] = self.counts.get(place, 0) + times

    def percentile(self, percent: float) -> float:
        """Return the duration in s that so many percent do not exceed; NaN if nothing was counted."""
        left = percent / 100 * sum(self.counts.values())
        for place in sorted(self.counts):
            left -= self.counts[place]
            if left <= 0:
                return SHORTEST_S * exp((place - 0.5) * STEP)
        return float("nan")

    def __add__(self, other: DurationCounts) -> DurationCounts:
        both = dict(self.counts)
        for place, times in other.counts.items():
            both[place] = both.get(place, 0) + times
        return DurationCounts(both)


@dataclass(slots=True)
class OperatorFigures:
    """What one operator did on one worker, or on all of them: records, seconds, and distributions of seconds.

    `latency` is from arrival in the queue until handed on, `service` the operator alone, `handling` the service with
    what the executor adds, both for one record; `transit` from the worker before into the queue. `queue` is envelopes.
    """

    taken: int = 0
    emitted: int = 0
    dropped: int = 0
    late: int = 0
    queue: int = 0
    busy_s: float = 0.0
    elapsed_s: float = 0.0
    latency: DurationCounts = field(default_factory=DurationCounts)
    service: DurationCounts = field(default_factory=DurationCounts)
    handling: DurationCounts = field(default_factory=DurationCounts)
    transit: DurationCounts = field(default_factory=DurationCounts)

    @property
    def busy_share(self) -> float:
        """The part of the time in which the operator computed, at most 1 on one worker."""
        return self.busy_s / self.elapsed_s if self.elapsed_s else 0.0

    def to_dict(self) -> dict[str, float]:
        """Return the figures as JSON; durations in ms."""
        found: dict[str, float] = {
            "in": self.taken,
            "out": self.emitted,
            "dropped": self.dropped,
            "late": self.late,
            "queue": self.queue,
            "busy_share": round(self.busy_share, 4),
        }
        if self.latency.counts:
            found |= {f"latency_p{each}_ms": round(1e3 * self.latency.percentile(each), 3) for each in (50, 90, 99)}
        return found


@dataclass(frozen=True)
class WorkerFigures:
    """What one worker did: figures by operator, and the bytes that it sent, by receiver."""

    operators: Mapping[str, OperatorFigures] = field(hash=False)
    sent: Mapping[str, int] = field(hash=False)


def together(figures: Iterable[OperatorFigures]) -> OperatorFigures:
    """Return the figures of several workers, or of one that was started again, as one."""
    return reduce(_sum, figures, OperatorFigures())


def _sum(one: OperatorFigures, other: OperatorFigures) -> OperatorFigures:
    names = OperatorFigures.__dataclass_fields__
    return replace(one, **{name: getattr(one, name) + getattr(other, name) for name in names})
