"""Events on their way into the stream service: taken in any thread, bounded, and no refusal is an error."""

from __future__ import annotations

import threading

import pytest

from tests.device.conftest import Clock
from walle.device.streaming.tracking import EventDropped, EventTracker
from walle.stream.events import EventRefused


class Wakes:
    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> None:
        self.count += 1


@pytest.fixture
def wakes() -> Wakes:
    return Wakes()


@pytest.fixture
def seconds() -> Clock:
    return Clock(100.0)


@pytest.fixture
def make(wakes, seconds):
    return lambda **more: EventTracker(wakes, clock=Clock(1_700_000_000.0), monotonic=seconds, **more)


def test_events_come_out_as_they_came_with_the_clocks_of_that_moment(make, seconds):
    tracker = make()
    assert tracker.track("page_enter", "item/1")
    seconds.now += 1
    assert tracker.track("click", "item/1", id="buy", contents={"a": [1]}, private={"b": 2}, at=1_699_999_999.0)
    first, second = tracker.take(10)
    assert (first.event.id, first.event.at, first.reading.monotonic) == ("page_enter", 1_700_000_000.0, 100.0)
    assert (second.event.id, second.event.contents, second.event.private) == ("buy", {"a": [1]}, {"b": 2})
    assert (second.event.at, second.reading.wall, second.reading.monotonic) == (1_699_999_999.0, 1_700_000_000.0, 101.0)
    assert tracker.take(10) == []


def test_a_burst_wakes_the_service_once_until_it_rests(make, wakes):
    tracker = make()
    for _ in range(5):
        tracker.track("click", "a")
    assert wakes.count == 1
    tracker.rest()
    tracker.track("click", "a")
    assert wakes.count == 2
    assert len(tracker.take(4)) == 4
    assert len(tracker.take(4)) == 2


def test_nothing_is_lost_between_threads(make):
    tracker = make(limit=10_000)
    threads = [
        threading.Thread(target=lambda page=page: [tracker.track("click", page, at=float(n)) for n in range(1000)])
        for page in ("a", "b", "c", "d")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    events = [tracked.event for tracked in tracker.take(10_000)]
    for page in ("a", "b", "c", "d"):
        assert [event.at for event in events if event.page == page] == [float(n) for n in range(1000)]


@pytest.mark.parametrize(
    ("reason", "arguments"),
    [
        ("unknown-kind", {"kind": "swipe"}),
        ("page-malformed", {"page": "a b"}),
        ("id-malformed", {"id": "a b"}),
        ("contents-not-json", {"contents": {"a": object()}}),
        ("contents-too-large", {"contents": {"a": "x" * 20_000}}),
        ("time-malformed", {"at": "now"}),
        ("time-from-future", {"at": 1_700_000_100.0}),
    ],
)
def test_what_is_refused_is_counted_and_told_and_raised_only_to_debug(make, reason, arguments):
    event = {"kind": "click", "page": "a", **arguments}
    tracker = make()
    assert tracker.track(**event) is False
    assert tracker.refused == {reason: 1}
    [notice] = tracker.tell()
    assert (notice.name, notice.data) == ("events-refused", {"reason": reason, "count": 1})
    with pytest.raises(EventRefused) as raised:
        make(debug=True).track(**event)
    assert raised.value.reason == reason


def test_a_full_queue_and_a_stopped_service_take_nothing_more(make):
    tracker = make(limit=2)
    assert [tracker.track("click", "a") for _ in range(3)] == [True, True, False]
    tracker.take(1)
    assert tracker.track("click", "a")
    tracker.take(2)
    tracker.stop()
    assert not tracker.track("click", "a")
    assert tracker.refused == {"queue-full": 1, "stopped": 1}
    assert tracker.take(1) == []
    debug = make(limit=0, debug=True)
    with pytest.raises(EventDropped, match="0 events wait"):
        debug.track("click", "a")


def test_events_that_wait_are_bounded_in_bytes(make):
    tracker = make(limit_bytes=40)
    assert tracker.track("click", "home", contents={"text": "x" * 9})
    assert tracker.track("click", "home", private={"text": "x" * 9})
    assert not tracker.track("click", "home", contents={"text": ""})
    assert tracker.track("click", "home"), "what has no contents takes none"
    assert tracker.refused == {"queue-full": 1}
    assert len(tracker.take(1)) == 1
    assert tracker.track("click", "home", contents={"text": ""})


def test_a_reason_is_told_once_a_minute_with_the_number_since(make, wakes, seconds):
    tracker = make()
    tracker.track("click", "a b")
    assert wakes.count == 1, "or nobody would be told"
    assert tracker.due <= seconds.now
    assert len(tracker.tell()) == 1
    assert tracker.due == float("inf")
    for _ in range(3):
        tracker.track("click", "a b")
    tracker.track("swipe", "a")
    assert [notice.data["reason"] for notice in tracker.tell()] == ["unknown-kind"]
    assert tracker.due == 160.0
    seconds.now = 159.9
    assert tracker.tell() == []
    seconds.now = 160.0
    [notice] = tracker.tell()
    assert notice.data == {"reason": "page-malformed", "count": 3}
    assert tracker.tell() == []


def test_a_loop_that_has_just_been_closed_is_no_error_of_the_app(seconds):
    def closed() -> None:
        raise RuntimeError("Event loop is closed")

    assert EventTracker(closed, clock=Clock(1.0), monotonic=seconds).track("click", "a")
