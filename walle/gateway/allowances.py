"""How often something may happen, by key: token buckets in bounded memory. Time comes in as an argument."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Final, Generic, TypeVar

Key = TypeVar("Key")

HOUR_S: Final = 3600.0
BURST_S: Final = 360.0
"""What is allowed in so many seconds may also come at once, if nothing came for as long."""


@dataclass(frozen=True)
class Allowance:
    """So many an hour; at once as many as in BURST_S, and one at least."""

    per_hour: float

    @property
    def burst(self) -> int:
        """How many may come at once."""
        return max(1, int(self.per_hour * BURST_S / HOUR_S))


class Buckets(Generic[Key]):
    """A token bucket for each key, of at most `most` keys: of more, the half is forgotten that was used the earliest.

    A bucket that is forgotten is as good as a full one. It had the most time to fill up.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._missing: dict[Key, tuple[float, float]] = {}
        """How many were missing, and when that was; in the order of these times."""

    def __len__(self) -> int:
        return len(self._missing)

    def wait(self, key: Key, allowance: Allowance, now: float) -> float:
        """Seconds until another may come; 0 if one may now."""
        lacking = self._missing_now(key, allowance, now) + 1 - allowance.burst
        # A rounding error is no reason to wait.
        return lacking * HOUR_S / allowance.per_hour if lacking > 1e-6 else 0.0

    def take(self, key: Key, allowance: Allowance, now: float) -> None:
        """Another came."""
        missing = self._missing_now(key, allowance, now)
        self._missing.pop(key, None)
        if len(self._missing) >= self._most:
            for old in list(islice(self._missing, (self._most + 1) // 2)):
                del self._missing[old]
        self._missing[key] = missing + 1, now

    def _missing_now(self, key: Key, allowance: Allowance, now: float) -> float:
        missing, at = self._missing.get(key, (0.0, now))
        return max(0.0, missing - (now - at) * allowance.per_hour / HOUR_S)
