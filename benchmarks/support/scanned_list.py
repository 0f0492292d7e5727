"""The peer of the trigger trie: the paper's trivial method, a list of conditions that is traversed for each event.

It is written as well as a list can be: one pass, in which conditions without any of the event's ids cost a single call
of a set, and one start for each step of a condition instead of a list of partial matches.
"""

from __future__ import annotations

from math import inf

from walle.stream.conditions import Next, TriggerCondition, WithinEvents, WithinSeconds


class ScannedList:
    """Conditions that trigger tasks, with the interface of TriggerTrie as far as the benchmark needs it."""

    def __init__(self) -> None:
        self._conditions: list[_Condition] = []
        self._position = 0

    def add(self, condition: TriggerCondition, task: str) -> None:
        self._conditions.append(_Condition(condition, task))

    def match(self, event_id: str, page: str, at: float) -> list[str]:
        self._position += 1
        ids = {event_id, page, f"{event_id}:{page}"}
        unconcerned = ids.isdisjoint
        triggered = []
        for condition in self._conditions:
            if not unconcerned(condition.ids) and condition.goes_on(ids, self._position, at):
                triggered.append(condition.task)
        return triggered


class _Condition:
    __slots__ = ("events", "ids", "seconds", "starts", "task")

    def __init__(self, condition: TriggerCondition, task: str) -> None:
        self.ids, self.task = condition.ids, task
        self.events, self.seconds = inf, inf
        match condition.within:
            case Next():
                self.events = len(condition.ids)
            case WithinEvents(n):
                self.events = n
            case WithinSeconds(s):
                self.seconds = s
        self.starts: list[tuple[int, float] | None] = [None] * len(condition.ids)

    def goes_on(self, ids: set[str], position: int, at: float) -> bool:
        """Take the matches that this event concerns further, the most advanced first; return whether one ends."""
        starts, last = self.starts, len(self.ids) - 1
        fires = False
        for step in range(last, -1, -1):
            if self.ids[step] not in ids:
                continue
            start = (position, at)
            if step:
                earlier, starts[step - 1] = starts[step - 1], None
                if earlier is None:
                    continue
                start = earlier
            if position - start[0] >= self.events or at - start[1] > self.seconds:
                continue
            if step == last:
                fires = True
            else:
                starts[step] = start
        return fires
