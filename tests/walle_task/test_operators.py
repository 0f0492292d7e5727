"""KeyBy, TimeWindow, Filter and Map give what plain list comprehensions give; lazily, composed, and again."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle_task import Events, Filter, KeyBy, Map, Operator, TimeWindow

KINDS = ["page_enter", "click", "page_exit"]
EVENTS = st.lists(
    st.fixed_dictionaries(
        {
            "kind": st.sampled_from(KINDS),
            "page": st.sampled_from(["item/1", "item/2"]),
            "at": st.integers(0, 100).map(float) | st.floats(0, 100),
        },
        optional={"item": st.integers(0, 3)},
    ),
    max_size=12,
)


def clicked(event) -> bool:
    return event["kind"] == "click"


def shown(event) -> str:
    return f"{event['page']} at {event['at']}"


@given(EVENTS, st.sampled_from(["page", "item", "colour"]), st.sampled_from(["item/1", 1, None]))
def test_key_by_gives_the_events_with_a_key(events, key, value):
    expected = [event for event in events if key in event and event[key] == value]
    assert list(Events(events) | KeyBy(key, value)) == expected


@given(EVENTS, st.integers(0, 3))
def test_a_key_can_be_computed(events, value):
    expected = [event for event in events if event.get("item") == value]
    assert list(Events(events) | KeyBy(lambda event: event.get("item"), value)) == expected


@given(EVENTS, st.integers(0, 50), st.integers(0, 100) | st.none())
def test_a_time_window_ends_at_a_time_or_with_the_newest_event(events, seconds, until):
    end = until if until is not None else max([event["at"] for event in events], default=0)
    expected = [event for event in events if end - seconds <= event["at"] <= end]
    assert list(Events(events) | TimeWindow(seconds, until)) == expected


@given(EVENTS)
def test_filter_and_map_apply_a_function(events):
    assert list(Events(events) | Filter(clicked)) == [event for event in events if clicked(event)]
    assert list(Events(events) | Map(shown)) == [shown(event) for event in events]


@given(EVENTS, st.integers(0, 50))
def test_what_is_composed_is_the_comprehension_and_can_be_used_again(events, seconds):
    lately: Operator = KeyBy("page", "item/1") | TimeWindow(seconds, 80) | Filter(clicked)
    found = Events(events) | lately | Map(shown)
    expected = [
        shown(event)
        for event in events
        if event["page"] == "item/1" and 80 - seconds <= event["at"] <= 80 and clicked(event)
    ]
    assert list(found) == expected
    assert list(found) == expected
    other = [{"kind": "click", "page": "item/1", "at": 80.0}]
    assert list(Events(other) | lately) == other


def test_events_are_taken_one_at_a_time_and_only_when_asked_for():
    seen = []

    def noted(event):
        seen.append(event["at"])
        return event

    endless = Endless()
    first = Events(endless) | Map(noted) | TimeWindow(10, until=3) | Filter(lambda event: event["at"] > 1)
    assert seen == []
    assert [event["at"] for event in itertools.islice(first, 2)] == [2, 3]
    assert seen == [0, 1, 2, 3]


class Endless:
    """Events without an end, from the beginning each time."""

    def __iter__(self):
        return ({"kind": "click", "page": "home", "at": at} for at in itertools.count())


@pytest.mark.parametrize("source", [(n for n in range(3)), 7])
def test_what_cannot_be_gone_through_again_is_refused(source):
    with pytest.raises(TypeError, match=r"Events: expected a list of events, found (generator|int)"):
        Events(source)


def test_only_operators_follow_events():
    with pytest.raises(TypeError, match="unsupported operand"):
        Events([]) | sorted
    with pytest.raises(TypeError, match="unsupported operand"):
        Filter(clicked) | sorted


@pytest.mark.parametrize("late", [KeyBy("page", "home"), TimeWindow(60)])
def test_what_needs_events_says_so_after_a_map(late):
    with pytest.raises(TypeError, match=f"{type(late).__name__}: expected an event, found str; Map comes last"):
        list(Events([{"page": "home", "at": 1.0}]) | Map(shown) | late)


@pytest.mark.parametrize("seconds", [-1, float("nan")])
def test_a_window_has_a_length(seconds):
    with pytest.raises(ValueError, match="TimeWindow: expected 0 seconds or more, found"):
        TimeWindow(seconds)
