"""Generated sessions: the same for the same seed, and of the shape and the size that their documentation states."""

import itertools
import random
from collections import defaultdict

import pytest

from walle.stream.events import BehaviourEvent
from walle.stream.session_generator import shop_session
from walle.stream.sessions import session_line

SESSIONS = [shop_session(random.Random(seed), start=1000.0) for seed in range(120)]


def item_views(events: list[BehaviourEvent]) -> list[list[BehaviourEvent]]:
    """The events of each item's page that was entered and left."""
    views = defaultdict(list)
    for event in events:
        if event.page.startswith("item/"):
            views[event.page].append(event)
    return [view for view in views.values() if view[-1].id == "item_exit"]


def test_the_same_seed_makes_the_same_session_and_another_one_another():
    assert shop_session(random.Random(5), 1000.0) == SESSIONS[5] != SESSIONS[6]


def test_a_view_of_an_item_has_19_events_and_21_kilobytes_on_average():
    views = [view for events in SESSIONS for view in item_views(events)]
    assert sum(map(len, views)) / len(views) == pytest.approx(19.3, rel=0.05)
    size = sum(len(session_line(event).encode()) for view in views for event in view) / len(views)
    assert size == pytest.approx(21_200, rel=0.05)


def test_all_kinds_of_events_occur_and_each_item_is_viewed_once_in_a_session():
    assert {event.kind for events in SESSIONS for event in events} == {
        *("page_enter", "page_scroll", "exposure", "click", "page_exit")
    }
    for events in SESSIONS:
        entered = [event.page for event in events if event.id == "item_enter"]
        assert len(entered) == len(set(entered))


def test_pages_are_nested_and_interleaved_and_some_are_never_left():
    found = set()
    for events in SESSIONS:
        open_pages: list[str] = []
        for event in events:
            if event.kind == "page_enter":
                found |= {"nested"} if open_pages and open_pages[-1].startswith("item/") else set()
                open_pages.append(event.page)
            elif event.kind == "page_exit":
                found |= {"interleaved"} if open_pages[-1] != event.page else set()
                open_pages.remove(event.page)
        found |= {"missing exit"} if open_pages else set()
    assert found == {"nested", "interleaved", "missing exit"}


def test_some_exposures_are_reported_late_and_nothing_else_is():
    late = [after for events in SESSIONS for before, after in itertools.pairwise(events) if after.at < before.at]
    assert late
    assert {event.kind for event in late} == {"exposure"}


def test_what_was_searched_for_is_private():
    searches = [
        event for events in SESSIONS for event in events if event.page == "list/search" and event.id == "list_enter"
    ]
    assert searches
    assert all("query" in event.private and "query" not in event.contents for event in searches)
