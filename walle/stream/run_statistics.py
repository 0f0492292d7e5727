"""What the runs of a triggered task cost and came to, in a few numbers of bounded size: no I/O, times passed in.

Durations are kept as a DDSketch (Masson, Rim and Lee, VLDB 2019): logarithmic buckets, whose quantiles are right to
within ACCURACY of their value, and which merge without loss.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

ACCURACY: Final = 0.01
"""The largest relative error of a quantile."""
SHORTEST_MS: Final = 0.001
"""Shorter durations, in milliseconds, count as this one; longer than LONGEST_MS as that one."""
LONGEST_MS: Final = 1e8
MOST_FAILURES: Final = 5
"""How many error classes are told apart: those that came first."""
_LOG_GAMMA: Final = math.log((1 + ACCURACY) / (1 - ACCURACY))


class DurationSketch:
    """Durations in milliseconds, of which quantiles can be asked; at most about 1 300 buckets."""

    def __init__(self) -> None:
        self._buckets: Counter[int] = Counter()

    def __len__(self) -> int:
        return self._buckets.total()

    def add(self, duration_ms: float) -> None:
        within = min(LONGEST_MS, max(SHORTEST_MS, duration_ms))
        self._buckets[math.ceil(math.log(within) / _LOG_GAMMA)] += 1

    def merge(self, other: DurationSketch) -> None:
        self._buckets.update(other._buckets)

    def quantile(self, share: float) -> float | None:
        """Return the duration that this share (0 to 1) of them does not exceed; None if there are none."""
        left = max(1, math.ceil(share * len(self)))
        for bucket, count in sorted(self._buckets.items()):
            left -= count
            if left <= 0:
                return math.exp(bucket * _LOG_GAMMA) * (1 - ACCURACY)
        return None


@dataclass(frozen=True)
class RunSample:
    """One finished run: from `started` to `ended` (Unix seconds), on `events` events. Durations in milliseconds."""

    started: float
    ended: float
    events: int = 0
    start: Literal["cold", "warm"] = "cold"
    duration_ms: float | None = None
    cpu_ms: float = 0.0
    error_class: str | None = None
    message: str | None = None


@dataclass
class FailureCount:
    """How often a class of error occurred, and the message of its first time."""

    count: int = 0
    message: str | None = None


@dataclass
class RunTotals:
    """All runs of one task from `since` to `until` (Unix seconds; 0 while there is none).

    `shed` triggers had no run because the task was too slow, `skipped` ones none because the app had no inputs for it.
    """

    since: float = 0.0
    until: float = 0.0
    count: int = 0
    failed: int = 0
    shed: int = 0
    skipped: int = 0
    events: int = 0
    cpu_ms: float = 0.0
    max_ms: float = 0.0
    failures: dict[str, FailureCount] = field(default_factory=dict)
    durations: dict[str, DurationSketch] = field(
        default_factory=lambda: {"cold": DurationSketch(), "warm": DurationSketch()}
    )
    cold: int = 0

    def add(self, run: RunSample) -> None:
        self._spans(run.started, run.ended)
        self.count += 1
        self.events += run.events
        self.cold += run.start == "cold"
        self.cpu_ms += run.cpu_ms
        if run.duration_ms is not None:
            self.max_ms = max(self.max_ms, run.duration_ms)
            self.durations[run.start].add(run.duration_ms)
        if run.error_class is not None:
            self.failed += 1
            self._fails(run.error_class, 1, run.message)

    def merge(self, other: RunTotals) -> None:
        """Add the runs of `other`, which took place in another time, or elsewhere."""
        if other.count:
            self._spans(other.since, other.until)
        for name in ("count", "failed", "shed", "skipped", "events", "cold", "cpu_ms"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.max_ms = max(self.max_ms, other.max_ms)
        for start, sketch in other.durations.items():
            self.durations[start].merge(sketch)
        for error_class, failure in other.failures.items():
            self._fails(error_class, failure.count, failure.message)

    @property
    def usual_start(self) -> Literal["cold", "warm"]:
        """How most runs began."""
        return "cold" if 2 * self.cold > self.count else "warm"

    @property
    def median_ms(self) -> float | None:
        """The median duration of the runs that began in the usual way."""
        return self.durations[self.usual_start].quantile(0.5)

    def quantile(self, share: float) -> float:
        """Return the duration in milliseconds that this share (0 to 1) of the runs does not exceed; 0 without any."""
        both = DurationSketch()
        for sketch in self.durations.values():
            both.merge(sketch)
        return min(self.max_ms, both.quantile(share) or 0.0)

    def to_dict(self) -> dict[str, Any]:
        """Return the `runs` of a report (docs/protocol.md)."""
        return {
            "since": self.since,
            "until": self.until,
            "count": self.count,
            "failed": self.failed,
            "shed": self.shed,
            "events": self.events,
            "cold": self.cold,
            "p50_ms": self.quantile(0.5),
            "p90_ms": self.quantile(0.9),
            "p99_ms": self.quantile(0.99),
            "max_ms": self.max_ms,
            "cpu_ms": self.cpu_ms,
            "failures": [_failure(error_class, found) for error_class, found in self.failures.items()],
        }

    def _spans(self, started: float, ended: float) -> None:
        """Widen the time that is told of; a clock that was set back must not turn it around."""
        self.since = min(self.since, started) if self.count else started
        self.until = max(self.until, ended, self.since)

    def _fails(self, error_class: str, count: int, message: str | None) -> None:
        if error_class in self.failures or len(self.failures) < MOST_FAILURES:
            known = self.failures.setdefault(error_class, FailureCount(message=message))
            known.count += count


def _failure(error_class: str, found: FailureCount) -> Mapping[str, Any]:
    told = {"error_class": error_class, "count": found.count}
    return told if found.message is None else {**told, "message": found.message}
