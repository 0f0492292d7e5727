"""Who runs next when more runs are due than are made at a time: pure bookkeeping, the time passed in.

The order is by priority, first come first served within one. A rank is worth a minute: a run goes before all those of
the next higher priority that came more than a minute after it, so that everybody who may run comes to its turn.
What the app is doing decides how many run at a time, and whether those of the background may.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final, Literal, get_args

RANK_S: Final = 60.0
"""Seconds of waiting that are worth one rank: long for a person who waits for a triggered run, short for a period."""
COLD_AT_ONCE: Final = 2
"""Cold runs at a time. Loading modules keeps processors and the disk busy, which warm runs should not wait for."""


class Priority(IntEnum):
    """Why a run is due, the most urgent first."""

    TRIGGERED = 0
    PERIODIC = 1
    BACKGROUND = 2


def priority_of(trigger: Mapping[str, Any]) -> Priority:
    """Return the priority of the runs of a task with this trigger, as its manifest has it."""
    if "on" in trigger:
        return Priority.TRIGGERED
    return Priority.BACKGROUND if trigger.get("background") else Priority.PERIODIC


AppActivity = Literal["idle", "active", "busy"]
"""What the app is doing: nobody uses it; somebody does; or it needs the machine itself, as for a video call."""
ACTIVITIES: Final[tuple[AppActivity, ...]] = get_args(AppActivity)


@dataclass(frozen=True)
class RunLimits:
    """How many runs there may be at a time, and how many of them of the background."""

    runs: int
    background: int

    @classmethod
    def for_activity(cls, activity: AppActivity, parallel: int) -> RunLimits:
        """Return the limits while the app is idle (all turns for everybody), active (half of them for the background)
        or busy (half of them, none for the background). Half is at least 1.
        """
        half = max(1, parallel // 2)
        match activity:
            case "idle":
                return cls(parallel, parallel)
            case "active":
                return cls(parallel, half)
            case "busy":
                return cls(half, 0)


@dataclass(frozen=True, order=True)
class Ticket:
    """One run's place in the order: by `rank`, seconds of when it came plus RANK_S a priority, then by `number`."""

    rank: float
    number: int
    priority: Priority = field(compare=False)
    cold: bool = field(compare=False)

    @property
    def line(self) -> tuple[Priority, bool]:
        """Runs of one line are held back by the same things, so that only its first is ever looked at."""
        return self.priority, self.cold


class TurnQueue:
    """Who waits and who runs. `parallel` is the number of turns beside an idle app, at least 1."""

    def __init__(self, parallel: int, *, cold_at_once: int = COLD_AT_ONCE) -> None:
        if parallel < 1 or cold_at_once < 1:
            raise ValueError(f"expected at least 1 turn and 1 cold run, found {parallel} and {cold_at_once}")
        self.activity: AppActivity = "idle"
        self._parallel, self._cold_at_once = parallel, cold_at_once
        self._lines: dict[tuple[Priority, bool], OrderedDict[int, Ticket]] = {
            (priority, cold): OrderedDict() for priority in Priority for cold in (False, True)
        }
        self._running: set[Ticket] = set()
        self._priorities: Counter[Priority] = Counter()
        self._cold = 0
        self._joined = 0

    def join(self, priority: Priority, now: float, *, cold: bool) -> Ticket:
        """A run that is due at `now` waits for its turn; `cold` says whether it will have to load its task."""
        self._joined += 1
        ticket = Ticket(now + RANK_S * priority, self._joined, priority, cold)
        self._lines[ticket.line][ticket.number] = ticket
        return ticket

    def admit(self) -> list[Ticket]:
        """Gives a turn to each that may run now, in their order."""
        admitted = []
        while (ticket := self._next()) is not None:
            del self._lines[ticket.line][ticket.number]
            self._running.add(ticket)
            self._priorities[ticket.priority] += 1
            self._cold += ticket.cold
            admitted.append(ticket)
        return admitted

    def leave(self, ticket: Ticket) -> None:
        """The run is over, or does not wait any longer. Each ticket leaves once."""
        if ticket in self._running:
            self._running.remove(ticket)
            self._priorities[ticket.priority] -= 1
            self._cold -= ticket.cold
        else:
            del self._lines[ticket.line][ticket.number]

    def _next(self) -> Ticket | None:
        limits = RunLimits.for_activity(self.activity, self._parallel)
        if len(self._running) >= limits.runs:
            return None
        first = (next(iter(line.values())) for line in self._lines.values() if line)
        return min((ticket for ticket in first if self._may_run(ticket, limits)), default=None)

    def _may_run(self, ticket: Ticket, limits: RunLimits) -> bool:
        if ticket.cold and self._cold >= self._cold_at_once:
            return False
        return ticket.priority != Priority.BACKGROUND or self._priorities[Priority.BACKGROUND] < limits.background
