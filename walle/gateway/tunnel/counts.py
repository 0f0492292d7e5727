"""The counts of a gateway's tunnels, as plain numbers; exporters read them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from walle.gateway.counts import Histogram

_STORE_S: Final = (1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0)


@dataclass(slots=True)
class TunnelCounts:
    """Counts since the process started.

    `features`, `raw_bytes` and `wire_bytes` are of stored features, by app; `duplicates` came again after they were
    received, `refused` can never be stored. `closes` are by close code, 1000 standing for every end by the device.
    `groups` and `store_s` are of stored groups, `failures` attempts to store one that are made again.
    `offers` are frames with offers that were sent because of a withdrawal, `offers_received` those that devices have
    acknowledged; `answers` are those that were sent.
    """

    opened: int = 0
    features: Counter[str] = field(default_factory=Counter)
    raw_bytes: Counter[str] = field(default_factory=Counter)
    wire_bytes: Counter[str] = field(default_factory=Counter)
    duplicates: int = 0
    refused: int = 0
    groups: int = 0
    failures: int = 0
    offers: int = 0
    offers_received: int = 0
    answers: int = 0
    closes: Counter[int] = field(default_factory=Counter)
    store_s: Histogram = field(default_factory=lambda: Histogram(_STORE_S))
