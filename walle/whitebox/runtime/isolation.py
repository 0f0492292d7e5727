"""When a plan that failed is kept from running, and when it may run again."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

FIRST_S: Final = 30.0
"""How long a plan is isolated the first time; each further time twice as long, up to LONGEST_S."""
LONGEST_S: Final = 600.0
TOLERATED: Final = 2
"""How many exceptions and killed executors in a row, which may be a record's or a person's doing, isolate nothing."""


class Failure(Enum):
    """How a plan failed."""

    EXCEPTION = "raised"
    CRASH = "crashed its executor"
    TIME_LIMIT = "exceeded its time limit"
    KILLED = "was running when its executor was killed"


AT_ONCE: Final = frozenset({Failure.CRASH, Failure.TIME_LIMIT})
"""The failures that isolate a plan at once: others suffer from them."""


@dataclass(frozen=True, slots=True)
class Isolation:
    """Why and how long a plan is isolated; times are those of the clock that the runtime was given, in seconds."""

    reason: str
    since: float
    until: float


class PlanHealth:
    """What is known of one plan's failures. Time comes in as an argument, in monotonic seconds.

    `errors` counts all failures, `failures` those since the plan last answered.
    """

    __slots__ = ("errors", "failures", "isolation", "isolations")

    def __init__(self) -> None:
        self.errors = self.failures = 0
        self.isolations = 0
        self.isolation: Isolation | None = None

    def failed(self, failure: Failure, detail: str, now: float) -> Isolation | None:
        """Count a failure; return the isolation that begins with it, if one does.

        A plan that is back from its isolation is isolated again by its first failure.
        """
        self.errors += 1
        self.failures += 1
        if failure not in AT_ONCE and self.failures <= TOLERATED and not self.isolations:
            return None
        length = min(LONGEST_S, FIRST_S * 2.0 ** min(self.isolations, 30))
        self.isolations += 1
        self.isolation = Isolation(f"{failure.value}: {detail}" if detail else failure.value, now, now + length)
        return self.isolation

    def left(self, now: float) -> float:
        """Return for how many seconds more the plan is isolated; 0 if it may run."""
        if self.isolation is None:
            return 0.0
        if now >= self.isolation.until:
            self.isolation = None
            return 0.0
        return self.isolation.until - now

    def succeeded(self) -> None:
        """Forget all failures: the plan answered."""
        self.failures = self.isolations = 0
