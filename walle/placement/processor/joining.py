"""Joins by item: the inner join of what the inputs of an operator say of the same item."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product, takewhile
from typing import Any

from walle.placement.processor.envelopes import Envelope

Combine = Callable[[Sequence[tuple[Any, ...]]], tuple[Any, ...]]
"""Makes the joined records from those of each input."""


def product_of_inputs(inputs: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Join as SQL does: each record of an input with each of the others, as tuples in the order of the inputs."""
    return tuple(product(*inputs))


def widest_input(inputs: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Join as a problem counts items: as many as the busiest input brings, without content. For stand-ins."""
    return max(inputs, key=len)


class JoinBuffer:
    """Holds envelopes until those of all inputs are there, `wait_s` at most; then the item is dropped.

    A dropped item is an envelope without records, and `dropped` counts it. What comes for it later is `late`, and
    ignored. What came twice, because an item was sent again, counts once.
    """

    def __init__(self, inputs: tuple[str, ...], wait_s: float, combine: Combine = product_of_inputs) -> None:
        self.inputs = inputs
        self.wait_s = wait_s
        self.combine = combine
        self.dropped = self.late = 0
        self._waiting: dict[int, tuple[float, dict[str, Envelope]]] = {}
        self._gone: set[int] = set()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, source: str, envelope: Envelope, now: float) -> tuple[Envelope, int] | None:
        """Take an envelope; if none is missing any more, return the joined one, and how many its busiest input had."""
        number = envelope.number
        if number in self._gone:
            self.late += 1
            return None
        _, found = self._waiting.setdefault(number, (now + self.wait_s, {}))
        found[source] = envelope
        if len(found) < len(self.inputs):
            return None
        del self._waiting[number]
        records = [found[each].records for each in self.inputs]
        return envelope._replace(records=self.combine(records)), max(map(len, records))

    def expire(self, now: float) -> list[Envelope]:
        """Drop what has waited too long; return the empty envelopes that say so."""
        waiting = self._waiting.items()
        over = [(number, found) for number, (_, found) in takewhile(lambda each: each[1][0] <= now, waiting)]
        for number, _ in over:
            del self._waiting[number]
            self._gone.add(number)
        self.dropped += len(over)
        return [next(iter(found.values()))._replace(records=()) for _, found in over]

    @property
    def next_expiry(self) -> float | None:
        """When the first of those that wait has to be dropped; None if nothing waits."""
        return next((until for until, _ in self._waiting.values()), None)

    def forget(self, below: int) -> None:
        """Forget items below a number, which the sink has: only copies of them can be here."""
        for number in [each for each in self._waiting if each < below]:
            del self._waiting[number]
        self._gone = {each for each in self._gone if each >= below}
