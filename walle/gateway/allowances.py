"""Token buckets by key, in bounded memory. Time comes in as an argument."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Final, Generic, TypeVar

Key = TypeVar("Key")

HOUR_S: Final = 3600.0
BURST_S: Final = 360.0
"""The allowance of this many seconds may be used at once, after as many seconds without use."""


@dataclass(frozen=True)
class Allowance:
    """How often something may happen in an hour; the burst is the allowance of BURST_S, and at least 1."""

    per_hour: float

    @property
    def burst(self) -> int:
        """Return how often it may happen at once."""
        return max(1, int(self.per_hour * BURST_S / HOUR_S))


class Buckets(Generic[Key]):
    """A token bucket for each key. When there are `most` keys, the half that was used least recently is forgotten.

    A forgotten bucket counts as full, and those used least recently had the most time to fill up.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._missing: dict[Key, tuple[float, float]] = {}
        """The tokens missing from each bucket and the time of that count, in the order of these times."""

    def __len__(self) -> int:
        return len(self._missing)

    def wait(self, key: Key, allowance: Allowance, now: float) -> float:
        """Return the seconds until the next use is allowed; 0 if it is allowed now."""
        missing = self._missing_now(key, allowance, now) + 1 - allowance.burst
        # A rounding error is no reason to wait.
        return missing * HOUR_S / allowance.per_hour if missing > 1e-6 else 0.0

    def take(self, key: Key, allowance: Allowance, now: float) -> None:
        """Count one use."""
        missing = self._missing_now(key, allowance, now)
        self._missing.pop(key, None)
        if len(self._missing) >= self._most:
            for old in list(islice(self._missing, (self._most + 1) // 2)):
                del self._missing[old]
        self._missing[key] = missing + 1, now

    def _missing_now(self, key: Key, allowance: Allowance, now: float) -> float:
        missing, at = self._missing.get(key, (0.0, now))
        return max(0.0, missing - (now - at) * allowance.per_hour / HOUR_S)
