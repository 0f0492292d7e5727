"""Windows of a group-by: each has the same number of items of the sources, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from walle.placement.processor.envelopes import Envelope


class WindowBuffer:
    """Collects envelopes until those of all items of a window are there.

    Items that earlier operators dropped come as envelopes without records, so that a window is complete by count, never
    by time: its result does not depend on who was slow, or on what was sent twice. The window of the last item is
    complete with it.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._open: dict[int, dict[int, Envelope]] = {}
        self._ends: dict[int, int] = {}

    def __len__(self) -> int:
        return sum(map(len, self._open.values()))

    def add(self, envelope: Envelope) -> Envelope | None:
        """Take an envelope; return that of its window, with all records in order of items, if it is complete."""
        window = envelope.number // self.size
        found = self._open.setdefault(window, {})
        found[envelope.number] = envelope
        if envelope.last:
            self._ends[window] = envelope.stop
        first = window * self.size
        end = self._ends.get(window, first + self.size)
        if sum(each.items for each in found.values()) < end - first:
            return None
        del self._open[window]
        last = self._ends.pop(window, None) is not None
        records = tuple(record for number in sorted(found) for record in found[number].records)
        return Envelope(first, end - first, last, records)

    def forget(self, below: int) -> None:
        """Forget windows whose items are all below a number: the sink has them, so only copies are here."""
        for window in [each for each in self._open if (each + 1) * self.size <= below]:
            del self._open[window]
            self._ends.pop(window, None)


def grouped(
    records: Iterable[Any], key: Callable[[Any], Hashable], aggregate: Callable[[Hashable, list[Any]], Any]
) -> tuple[Any, ...]:
    """Return what `aggregate` makes of the records of each key, in the order in which the keys were first seen."""
    groups: dict[Hashable, list[Any]] = {}
    for record in records:
        groups.setdefault(key(record), []).append(record)
    return tuple(aggregate(each, members) for each, members in groups.items())
