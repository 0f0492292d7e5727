"""Latencies of a plan: counts by logarithmic buckets, cheap enough to be kept for each prediction."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Final

_BITS: Final = 4
_PARTS: Final = 1 << _BITS
_BUCKETS: Final = (41 - _BITS) << _BITS
_LONGEST: Final = (1 << 40) - 1
"""A quarter of an hour, in nanoseconds; what takes longer counts as that."""


def _lower(bucket: int) -> int:
    """Return the shortest latency of a bucket, in nanoseconds."""
    octave, part = divmod(bucket, _PARTS)
    return part if octave == 0 else (_PARTS + part) << (octave - 1)


class LatencyHistogram:
    """How many latencies fell into each sixteenth of an octave: quantiles are exact to 3.2 %."""

    __slots__ = ("_counts", "count", "total_ns")

    def __init__(self) -> None:
        self._counts = array("Q", bytes(8 * _BUCKETS))
        self.count = 0
        self.total_ns = 0

    def record(self, nanoseconds: int) -> None:
        """Count one latency."""
        ns = min(nanoseconds, _LONGEST) if nanoseconds > 0 else 0
        octave = ns.bit_length() - _BITS - 1
        self._counts[ns if octave < 0 else (octave << _BITS) + (ns >> octave)] += 1
        self.count += 1
        self.total_ns += ns

    def add(self, others: Iterable[LatencyHistogram]) -> None:
        """Count what others counted."""
        for other in others:
            self.count += other.count
            self.total_ns += other.total_ns
            for bucket, count in enumerate(other._counts):
                self._counts[bucket] += count

    def quantile(self, share: float) -> float | None:
        """Return the latency, in seconds, that `share` (0 to 1) of those counted do not exceed; None without any.

        It is the middle of the bucket in which that latency lies.
        """
        if not self.count:
            return None
        wanted = max(1, round(share * self.count))
        bucket, seen = 0, self._counts[0]
        while seen < wanted:
            bucket += 1
            seen += self._counts[bucket]
        return (_lower(bucket) + _lower(bucket + 1)) / 2e9

    def cumulative(self, bounds: Iterable[float]) -> list[int]:
        """Return how many latencies did not exceed each of the ascending `bounds` (seconds), as Prometheus counts."""
        found: list[int] = []
        bucket = seen = 0
        for bound in bounds:
            while bucket < _BUCKETS and (_lower(bucket) + _lower(bucket + 1)) / 2e9 <= bound:
                seen += self._counts[bucket]
                bucket += 1
            found.append(seen)
        return found
