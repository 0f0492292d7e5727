"""How much CPU time this machine takes for the same work as the machine that the budgets are of.

CPU time is no measure by itself: where the other half of a core is busy, the same work takes up to twice as much.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable

REFERENCE_SECONDS = 0.0092
"""What the sample took on the machine that the budgets are of, on average while the tests ran on all of its cores."""
INTERVAL_SECONDS = 5.0
MOST = 2.0
"""No machine is excused for more: the other half of a core makes work take up to twice as long."""


class Speedometer:
    """Does the same work again and again while tests run."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.samples: list[float] = []
        self._clock = clock
        self._next = clock()

    def look(self) -> None:
        """Take a sample where it is time for one; called after every test."""
        if self._clock() >= self._next:
            self.samples.append(take_sample())
            self._next = self._clock() + INTERVAL_SECONDS

    @property
    def slowness(self) -> float:
        """CPU time of the same work, in multiples of the reference; at least 1: fast machines keep their budgets."""
        if not self.samples:
            return 1.0
        return min(MOST, max(1.0, sum(self.samples) / len(self.samples) / REFERENCE_SECONDS))


def take_sample() -> float:
    """Return the CPU time, in seconds, of some work of the kind that tests do."""
    started = time.thread_time()
    rows = json.loads(json.dumps({str(number): [number, number / 7] for number in range(2000)}))
    sorted(hashlib.sha256(name.encode()).hexdigest() + str(row) for name, row in rows.items())
    return time.thread_time() - started
