"""What the sources know of their items: which are on their way, and which the sink has acknowledged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class SourceLedger:
    """Keeps each item until the sink has acknowledged it, so that it can be sent again.

    At most `window` items are on their way. Since an item is one envelope on each edge, no queue of a worker gets
    longer than that: this bounds all queues without any of them ever blocking, so that no cycle of waiting can arise.
    """

    def __init__(self, window: int) -> None:
        self.window = window
        self.admitted = self.acknowledged = self.duplicates = 0
        self._pending: dict[int, Any] = {}

    @property
    def has_room(self) -> bool:
        """Whether another item may be sent: counted from the oldest that is not acknowledged."""
        return self.admitted - self.watermark < self.window

    @property
    def watermark(self) -> int:
        """The number below which all items are acknowledged."""
        return next(iter(self._pending), self.admitted)

    @property
    def pending(self) -> list[int]:
        """The numbers of the items that are on their way, in order."""
        return list(self._pending)

    def admit(self, item: Any) -> int:
        """Keep an item; return its number."""
        number = self.admitted
        self._pending[number] = item
        self.admitted += 1
        return number

    def acknowledge(self, numbers: Iterable[int]) -> list[int]:
        """Let go of items; return those that were on their way. The others were acknowledged before: duplicates."""
        known = [each for each in numbers if each in self._pending]
        for each in known:
            del self._pending[each]
        self.acknowledged += len(known)
        return known

    def is_pending(self, number: int) -> bool:
        """Return whether an item is on its way."""
        return number in self._pending

    def items(self, numbers: Iterable[int]) -> list[tuple[int, Any]]:
        """Return those of the items that are on their way, with their numbers."""
        return [(each, self._pending[each]) for each in numbers if each in self._pending]
