"""The page-level event sequence: visits of pages, each from entering a page to leaving it (docs/guides/streams.md).

Pages may be nested and interleaved: visits of different pages are open side by side. A page has one open visit at most,
and an event belongs to that of its page.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from walle.stream.events import BehaviourEvent
from walle.stream.intake import SESSION_IDLE_S

MAX_OPEN_VISITS: Final = 64

VisitEnd = Literal["exit", "re-entered", "idle", "displaced", "restart"]
"""How a visit ended: by its page_exit; because its page was entered anew; because nothing happened on it for
SESSION_IDLE_S; because more than MAX_OPEN_VISITS were open and it had no event for the longest; with the process."""


@dataclass(slots=True)
class PageVisit:
    """One visit of a page. Times are Unix seconds of the session.

    `number` is the log's number of the first event that came of it. `entered` is the time of the page_enter or, where
    `enter_missing`, of the first event known. `ended_at` is the time of what ended it, or of its last event.
    """

    page: str
    number: int
    entered: float
    enter_missing: bool
    last: float
    events: int = 0
    ended_at: float | None = None
    ended: VisitEnd | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the visit as a task sees it, as JSON data."""
        return {
            "page": self.page,
            "entered": self.entered,
            "enter_missing": self.enter_missing,
            "ended_at": self.ended_at,
            "ended": self.ended,
            "events": self.events,
        }

    def covers(self, at: float) -> bool:
        return self.entered <= at and (self.ended_at is None or at <= self.ended_at)


class PageSequence:
    """The open visits. `ended` counts the visits that ended by how they did, `enters_missing` those begun without."""

    def __init__(self) -> None:
        self.ended: Counter[VisitEnd] = Counter()
        self.enters_missing = 0
        self._open: OrderedDict[str, PageVisit] = OrderedDict()
        self._closed: deque[PageVisit] = deque(maxlen=MAX_OPEN_VISITS)

    @property
    def open(self) -> tuple[PageVisit, ...]:
        """The open visits; that with the newest event is the last."""
        return tuple(self._open.values())

    def place(self, event: BehaviourEvent, number: int, reached: float) -> PageVisit:
        """Return the visit that an event belongs to, with the event counted in.

        `number` is the event's number in the log, `reached` the time of the newest event, this one included.
        """
        self._pass_time(reached)
        if event.at < reached and (visit := self._late_place(event, number)):
            return visit
        visit = self._open.get(event.page)
        if visit and event.kind == "page_enter":
            self._end(visit, "re-entered", event.at)
            visit = None
        if visit is None:
            visit = self._begin(event, number)
        visit.events += 1
        visit.last = max(visit.last, event.at)
        self._open.move_to_end(event.page)
        if event.kind == "page_exit":
            self._end(visit, "exit", visit.last)
        return visit

    def end_all(self, how: VisitEnd) -> None:
        """End the open visits, each at its last event."""
        for visit in self.open:
            self._end(visit, how, visit.last)
        self._closed.clear()

    def _begin(self, event: BehaviourEvent, number: int) -> PageVisit:
        missing = event.kind != "page_enter"
        self.enters_missing += missing
        if len(self._open) >= MAX_OPEN_VISITS:
            eldest = next(iter(self._open.values()))
            self._end(eldest, "displaced", eldest.last)
        visit = PageVisit(event.page, number, event.at, missing, event.at)
        self._open[event.page] = visit
        return visit

    def _end(self, visit: PageVisit, how: VisitEnd, at: float) -> None:
        visit.ended, visit.ended_at = how, at
        self.ended[how] += 1
        self._closed.append(self._open.pop(visit.page))

    def _pass_time(self, reached: float) -> None:
        while self._open and (visit := next(iter(self._open.values()))).last < reached - SESSION_IDLE_S:
            self._end(visit, "idle", visit.last)

    def _late_place(self, event: BehaviourEvent, number: int) -> PageVisit | None:
        """Find the visit of an event that came late; None if it is to be taken as if it came now.

        No other event moves to another visit for its sake.
        """
        known = [visit for visit in (*self._closed, *self.open) if visit.page == event.page]
        around = [visit for visit in known if visit.covers(event.at)]
        if around and event.kind != "page_enter":
            if around[-1].ended is None and event.kind == "page_exit":
                return None
            return self._insert(around[-1], event)
        after = min((visit for visit in known if visit.entered > event.at), key=_entered, default=None)
        if after is None:
            return None
        if after.enter_missing and event.kind != "page_exit":
            return self._insert(after, event)
        return self._missed(event, number, after.entered)

    def _insert(self, visit: PageVisit, event: BehaviourEvent) -> PageVisit:
        visit.events += 1
        visit.entered = min(visit.entered, event.at)
        if event.kind == "page_enter":
            visit.enter_missing = False
            self.enters_missing -= 1
        elif event.kind == "page_exit" and visit.ended and visit.ended != "exit":
            self.ended[visit.ended] -= 1
            self.ended["exit"] += 1
            visit.ended, visit.ended_at = "exit", event.at
        return visit

    def _missed(self, event: BehaviourEvent, number: int, until: float) -> PageVisit:
        """Return a visit of before those known, which is over; this is the first event of it to come."""
        how: VisitEnd = "exit" if event.kind == "page_exit" else "re-entered"
        missing = event.kind != "page_enter"
        self.enters_missing += missing
        self.ended[how] += 1
        ended_at = event.at if how == "exit" else until
        visit = PageVisit(event.page, number, event.at, missing, event.at, 1, ended_at, how)
        self._closed.append(visit)
        return visit


def _entered(visit: PageVisit) -> float:
    return visit.entered


def open_pages(events: Iterable[BehaviourEvent]) -> set[str]:
    """Return the pages on which something happened in these events, in their order, after which they were not left."""
    pages: set[str] = set()
    for event in events:
        if event.kind == "page_exit":
            pages.discard(event.page)
        else:
            pages.add(event.page)
    return pages
