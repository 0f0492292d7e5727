"""Visits of pages: nested and interleaved ones, missing enters and exits, late events."""

from collections import Counter
from itertools import zip_longest
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.stream.events import EVENT_KINDS, BehaviourEvent
from walle.stream.intake import SESSION_IDLE_S
from walle.stream.pages import MAX_OPEN_VISITS, PageSequence, PageVisit, open_pages


class Browsing:
    """Events in the order in which they come, each as (kind, page, at)."""

    def __init__(self) -> None:
        self.pages = PageSequence()
        self.visits: list[PageVisit] = []
        self.reached = 0.0

    def __call__(self, kind: Any, page: str, at: float) -> PageVisit:
        self.reached = max(self.reached, at)
        visit = self.pages.place(BehaviourEvent(kind, kind, page, at), len(self.visits), self.reached)
        self.visits.append(visit)
        return visit

    def shown(self) -> list[tuple[Any, ...]]:
        """The visits as (page, entered, ended_at, how, events); with ? after the page if its page_enter is missing."""
        distinct = {id(visit): visit for visit in self.visits}.values()
        return [
            (visit.page + "?" * visit.enter_missing, visit.entered, visit.ended_at, visit.ended, visit.events)
            for visit in sorted(distinct, key=lambda visit: (visit.entered, visit.number))
        ]


@pytest.fixture
def event() -> Browsing:
    return Browsing()


def test_a_visit_is_what_happens_between_enter_and_exit(event):
    visits = [event("page_enter", "a", 1), event("click", "a", 2), event("page_exit", "a", 3)]
    assert visits[0] is visits[1] is visits[2]
    assert visits[0].to_dict() == {
        "page": "a",
        "entered": 1,
        "enter_missing": False,
        "ended_at": 3,
        "ended": "exit",
        "events": 3,
    }
    assert event.pages.open == ()


def test_nested_visits(event):
    for kind, page, at in [
        ("page_enter", "list", 1),
        ("page_enter", "item", 2),
        ("click", "item", 3),
        ("page_exit", "item", 4),
        ("click", "list", 5),
        ("page_exit", "list", 6),
    ]:
        event(kind, page, at)
    assert event.shown() == [("list", 1, 6, "exit", 3), ("item", 2, 4, "exit", 3)]


def test_interleaved_visits(event):
    for kind, page, at in [
        ("page_enter", "a", 1),
        ("page_enter", "b", 2),
        ("click", "a", 3),
        ("page_exit", "a", 4),
        ("click", "b", 5),
        ("page_exit", "b", 6),
    ]:
        event(kind, page, at)
    assert event.shown() == [("a", 1, 4, "exit", 3), ("b", 2, 6, "exit", 3)]


def test_a_page_that_is_entered_anew_was_left(event):
    event("page_enter", "a", 1)
    event("page_enter", "a", 5)
    event("page_exit", "a", 6)
    assert event.shown() == [("a", 1, 5, "re-entered", 1), ("a", 5, 6, "exit", 2)]
    assert event.pages.ended == {"re-entered": 1, "exit": 1}


def test_without_an_enter_the_first_event_begins_a_visit(event):
    event("click", "a", 1)
    event("page_exit", "a", 2)
    event("page_exit", "a", 3)
    assert event.shown() == [("a?", 1, 2, "exit", 2), ("a?", 3, 3, "exit", 1)]
    assert event.pages.enters_missing == 2


def test_a_visit_without_events_ends_at_its_last_one(event):
    event("page_enter", "a", 1)
    event("click", "a", 9)
    event("page_enter", "b", 9 + SESSION_IDLE_S)
    assert len(event.pages.open) == 2
    event("click", "b", 10 + SESSION_IDLE_S)
    assert event.shown()[0] == ("a", 1, 9, "idle", 2)
    event("page_exit", "a", 11 + SESSION_IDLE_S)
    assert event.shown()[-1] == ("a?", 11 + SESSION_IDLE_S, 11 + SESSION_IDLE_S, "exit", 1)


def test_of_too_many_open_visits_that_without_an_event_for_the_longest_ends(event):
    for number in range(MAX_OPEN_VISITS):
        event("page_enter", f"p{number}", number)
    event("click", "p0", MAX_OPEN_VISITS)
    event("page_enter", "more", MAX_OPEN_VISITS + 1)
    assert len(event.pages.open) == MAX_OPEN_VISITS
    assert [visit.page for visit in event.visits if visit.ended == "displaced"] == ["p1"]


def test_when_a_session_ends_so_do_its_visits(event):
    event("page_enter", "a", 1)
    event("click", "a", 2)
    event.pages.end_all("idle")
    assert event.shown() == [("a", 1, 2, "idle", 2)]
    assert event.pages.open == ()


def test_a_late_event_does_not_belong_to_a_visit_of_the_session_before(event):
    event("page_enter", "a", 1)
    event("page_exit", "a", 9)
    event.pages.end_all("idle")
    event.reached = 0
    event("click", "b", 6)
    assert event("click", "a", 5).enter_missing


LATE = {
    "an event of a visit that has ended": (
        [("page_enter", "a", 1), ("page_exit", "a", 3), ("click", "a", 2)],
        [("a", 1, 3, "exit", 3)],
    ),
    "an event of the moments in which a visit began and ended": (
        [("page_enter", "a", 1), ("page_exit", "a", 2), ("click", "b", 3), ("click", "a", 1), ("click", "a", 2)],
        [("a", 1, 2, "exit", 4), ("b?", 3, None, None, 1)],
    ),
    "an event of a visit before the open one": (
        [("page_enter", "a", 1), ("page_exit", "a", 3), ("page_enter", "a", 4), ("click", "a", 2)],
        [("a", 1, 3, "exit", 3), ("a", 4, None, None, 1)],
    ),
    "the exit of a visit that seemed to be re-entered": (
        [("page_enter", "a", 1), ("page_enter", "a", 4), ("page_exit", "a", 3)],
        [("a", 1, 3, "exit", 2), ("a", 4, None, None, 1)],
    ),
    "the exit of an open visit": (
        [("page_enter", "a", 1), ("page_enter", "b", 3), ("page_exit", "a", 2)],
        [("a", 1, 2, "exit", 2), ("b", 3, None, None, 1)],
    ),
    "the enter of an open visit": (
        [("click", "a", 2), ("page_enter", "a", 1)],
        [("a", 1, None, None, 2)],
    ),
    "all of a visit, backwards": (
        [("page_exit", "a", 4), ("click", "a", 3), ("exposure", "a", 2), ("page_enter", "a", 1)],
        [("a", 1, 4, "exit", 4)],
    ),
    "all of a visit before the open one": (
        [("page_enter", "a", 5), ("page_enter", "a", 1), ("click", "a", 2), ("page_exit", "a", 3)],
        [("a", 1, 3, "exit", 3), ("a", 5, None, None, 1)],
    ),
    "an event from before a visit that was entered": (
        [("page_enter", "a", 5), ("click", "a", 4)],
        [("a?", 4, 5, "re-entered", 1), ("a", 5, None, None, 1)],
    ),
    "an exit from before a visit that was entered": (
        [("page_enter", "a", 5), ("page_exit", "a", 4)],
        [("a?", 4, 4, "exit", 1), ("a", 5, None, None, 1)],
    ),
    "an enter within an open visit": (
        [("page_enter", "a", 1), ("page_enter", "b", 3), ("page_enter", "a", 2)],
        [("a", 1, 2, "re-entered", 1), ("a", 2, None, None, 1), ("b", 3, None, None, 1)],
    ),
    "an enter at the moment of an earlier one": (
        [("page_enter", "a", 1), ("click", "b", 3), ("page_enter", "a", 1)],
        [("a", 1, 1, "re-entered", 1), ("a", 1, None, None, 1), ("b?", 3, None, None, 1)],
    ),
    "an event of a page that was left before it": (
        [("page_enter", "a", 1), ("page_exit", "a", 2), ("page_enter", "b", 4), ("click", "a", 3)],
        [("a", 1, 2, "exit", 2), ("a?", 3, None, None, 1), ("b", 4, None, None, 1)],
    ),
}


@pytest.mark.parametrize("case", LATE)
def test_a_late_event_finds_its_visit(event, case):
    arrivals, visits = LATE[case]
    for arrival in arrivals:
        event(*arrival)
    assert event.shown() == visits
    missing = sum(page.endswith("?") for page, *_ in visits)
    assert event.pages.enters_missing == missing
    assert +event.pages.ended == Counter(how for *_, how, _ in visits if how)


times = st.lists(st.tuples(st.sampled_from(EVENT_KINDS), st.sampled_from("abc"), st.integers(0, 3)), max_size=40)


@given(times)
def test_events_in_order_belong_to_the_visits_that_reading_them_page_by_page_gives(steps):
    event, at = Browsing(), 0.0
    arrivals = []
    for kind, page, elapsed in steps:
        at += elapsed
        arrivals.append((kind, page, at))
        event(kind, page, at)
    expected = [visit for page in "abc" for visit in read([each for each in arrivals if each[1] == page])]
    assert sorted(event.shown(), key=str) == sorted(expected, key=str)


def read(events: list[tuple[Any, str, float]]) -> list[tuple[Any, ...]]:
    """Cut the events of one page, in order, into visits: before each enter and after each exit."""
    visits: list[list[tuple[Any, str, float]]] = [[]]
    for each in events:
        if each[0] == "page_enter":
            visits.append([])
        visits[-1].append(each)
        if each[0] == "page_exit":
            visits.append([])
    full = [visit for visit in visits if visit]
    return [summary(visit, following) for visit, following in zip_longest(full, full[1:])]


def summary(visit: list[tuple[Any, str, float]], following: list[tuple[Any, str, float]] | None) -> tuple[Any, ...]:
    (first, page, entered), (last, _, ended_at) = visit[0], visit[-1]
    name = page if first == "page_enter" else f"{page}?"
    if last == "page_exit":
        return name, entered, ended_at, "exit", len(visit)
    if following:
        return name, entered, following[0][2], "re-entered", len(visit)
    return name, entered, None, None, len(visit)


moments = st.lists(st.tuples(st.sampled_from(EVENT_KINDS), st.sampled_from("ab"), st.floats(0, 60)), max_size=60)


@given(moments)
def test_in_whatever_order_events_come_each_is_counted_in_one_visit_and_each_page_has_one_open(arrivals):
    event = Browsing()
    for arrival in arrivals:
        event(*arrival)
    distinct = {id(visit): visit for visit in event.visits}.values()
    assert sum(visit.events for visit in distinct) == len(arrivals)
    assert +event.pages.ended == Counter(visit.ended for visit in distinct if visit.ended)
    assert event.pages.enters_missing == sum(visit.enter_missing for visit in distinct)
    pages = [visit.page for visit in distinct if visit.ended is None]
    assert sorted(pages) == sorted({visit.page for visit in event.pages.open})
    assert all(visit.ended_at is None or visit.entered <= visit.ended_at for visit in distinct)


def test_the_pages_that_were_not_left():
    kinds = [("page_enter", "a"), ("page_enter", "b"), ("page_exit", "a"), ("click", "c")]
    assert open_pages(BehaviourEvent(kind, kind, page, 1.0) for kind, page in kinds) == {"b", "c"}
