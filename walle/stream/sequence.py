"""The time-level event sequence: which events take a place in it, and which are dropped (docs/guides/streams.md)."""

from __future__ import annotations

import math
from collections import OrderedDict, deque
from typing import Final, Literal

from walle.stream.events import BehaviourEvent

LATE_S: Final = 5.0
"""How many seconds an event may be older than the newest one before it and still take its place in the sequence."""
REMEMBERED: Final = 512
"""How many events, and how many keys, are remembered to know a duplicate by."""

Arrival = Literal["next", "late", "too-late", "duplicate"]
"""How an event comes: as the newest, into its place among the last seconds, or not at all."""


class TimeSequence:
    """Decides how each event comes. `reached` is the time of the newest event so far, which never decreases.

    `late` counts the events that came late and have taken their places, `too_late` and `duplicates` the dropped ones.
    """

    def __init__(self) -> None:
        self.reached = -math.inf
        self.late = 0
        self.too_late = 0
        self.duplicates = 0
        self._recent: dict[tuple[str, str, str, float], list[BehaviourEvent]] = {}
        self._order: deque[BehaviourEvent] = deque()
        self._keys: OrderedDict[str, None] = OrderedDict()

    def restart(self) -> None:
        """Begin a session, whose times may lie before those of the last one. Duplicates stay known."""
        self.reached = -math.inf

    def admit(self, event: BehaviourEvent, key: str | None = None) -> Arrival:
        """Decide about the next event to come.

        Two events are the same one if they agree in all their fields, or were reported under the same `key`.
        """
        if event.at < self.reached - LATE_S:
            self.too_late += 1
            return "too-late"
        if self._is_known(event, key):
            self.duplicates += 1
            return "duplicate"
        self._remember(event, key)
        if event.at < self.reached:
            self.late += 1
            return "late"
        self.reached = event.at
        return "next"

    def _is_known(self, event: BehaviourEvent, key: str | None) -> bool:
        if key is not None and key in self._keys:
            return True
        return event in self._recent.get(_identity(event), ())

    def _remember(self, event: BehaviourEvent, key: str | None) -> None:
        self._recent.setdefault(_identity(event), []).append(event)
        self._order.append(event)
        while len(self._order) > REMEMBERED or self._order[0].at < self.reached - LATE_S:
            self._forget(self._order.popleft())
        if key is not None:
            self._keys[key] = None
            if len(self._keys) > REMEMBERED:
                self._keys.popitem(last=False)

    def _forget(self, event: BehaviourEvent) -> None:
        identity = _identity(event)
        same = self._recent[identity]
        same.remove(event)
        if not same:
            del self._recent[identity]


def _identity(event: BehaviourEvent) -> tuple[str, str, str, float]:
    return event.kind, event.id, event.page, event.at
