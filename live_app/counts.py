"""Counters of the live channel in this process."""

from collections import Counter
from dataclasses import dataclass, field

from walle.gateway.counts import Histogram

_LAG_S = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0)
_WHY_CLOSED = {"left": 0, "log-in": 0, "too-slow": 0, "too-many": 0}
_READ_S = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)


@dataclass
class LiveCounts:
    """Counters; `lag_s` is the time from writing an entry until its event was handed to clients."""

    clients: int = 0
    subscriptions: Counter[str] = field(default_factory=Counter)
    messages: int = 0
    frames: int = 0
    coalesced: int = 0
    closed: Counter[str] = field(default_factory=lambda: Counter(_WHY_CLOSED))
    refused: int = 0
    lag_s: Histogram = field(default_factory=lambda: Histogram(_LAG_S))
    gauge_s: Histogram = field(default_factory=lambda: Histogram(_READ_S))


COUNTS = LiveCounts()
