"""The network between tiers, imitated where there is none: how long sending takes, and what was sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

BYTES_PER_GB: Final = 1048576 * 1024
BURST_S: Final = 0.05
"""How much unused capacity a link keeps: that of this many seconds."""


class TokenBucket:
    """Lets bytes through at a rate in Mbit/s (of 10^6 bits), and at once what was not used shortly before."""

    def __init__(self, mbps: float, now: float) -> None:
        self.bytes_per_s = mbps * 1e6 / 8
        self._tokens = self.bytes_per_s * BURST_S
        self._at = now
        self._lock = Lock()

    def take(self, size: int, now: float) -> float:
        """Take tokens for some bytes; return the seconds until these have gone through."""
        burst = self.bytes_per_s * BURST_S
        with self._lock:
            self._tokens = min(burst, self._tokens + (now - self._at) * self.bytes_per_s) - size
            self._at = now
            return max(0.0, -self._tokens / self.bytes_per_s)


@dataclass(frozen=True, slots=True)
class LinkShape:
    """What a sender's way to a receiver is like: Mbit/s, None where it is not bounded, and seconds of delay."""

    mbps: float | None = None
    delay_s: float = 0.0


@dataclass(slots=True)
class Traffic:
    """The bytes sent to each receiver, by its id."""

    sent: dict[str, int] = field(default_factory=dict)

    def count(self, receiver: str, size: int) -> None:
        """Count bytes on their way to a worker."""
        self.sent[receiver] = self.sent.get(receiver, 0) + size


def usd(sent: Mapping[str, int], usd_per_gb: Mapping[str, float]) -> float:
    """Return what bytes cost, by receiver, at prices for a GB (1048576 KB)."""
    return sum(size / BYTES_PER_GB * usd_per_gb[receiver] for receiver, size in sent.items())
