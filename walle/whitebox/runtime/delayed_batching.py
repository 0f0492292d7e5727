"""Single records that wait for each other, to be answered as one batch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class BatchingLimits:
    """How long a record waits for others at most, in seconds, and how many are answered together."""

    delay_s: float = 0.002
    records: int = 100


@dataclass(slots=True)
class PendingBatch:
    """The records of one plan that wait. `due` is when the first has waited as long as it may, in monotonic seconds."""

    limits: BatchingLimits
    due: float | None = None
    waiting: list[Any] = field(default_factory=list)

    def add(self, item: Any, now: float, idle: bool) -> bool:
        """Have one more wait; return whether the batch is to be taken at once.

        That is when it is full, overdue, or when an executor is `idle`: a delay is only paid while all of them work.
        """
        if not self.waiting:
            self.due = now + self.limits.delay_s
        self.waiting.append(item)
        return idle or len(self.waiting) >= self.limits.records or self.is_due(now)

    def is_due(self, now: float) -> bool:
        return self.due is not None and now >= self.due

    def take(self) -> list[Any]:
        """Return what waited; nothing waits afterwards."""
        taken, self.waiting, self.due = self.waiting, [], None
        return taken
