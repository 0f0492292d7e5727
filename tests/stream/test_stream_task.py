"""What a manifest says of a stream task, and what older manifests leave out."""

import pytest

from walle.stream.conditions import TriggerCondition, WithinEvents
from walle.stream.retention import Retention
from walle.stream.stream_task import StreamTask, TableRead
from walle.stream.windows import EventsWindow, PageWindow, SecondsWindow, parse_window


def test_a_task_without_events_is_no_stream_task():
    assert StreamTask.from_manifest("shop/rank", {"trigger": {"every_s": 60}}) is None
    assert StreamTask.from_manifest("shop/rank", {}) is None


def test_a_manifest_of_before_streams_has_the_defaults():
    found = StreamTask.from_manifest("shop/ipv", {"trigger": {"on": ["click"]}, "outputs": {"x": {"type": "number"}}})
    assert found == StreamTask(
        "shop/ipv",
        TriggerCondition(("click",)),
        PageWindow(),
        sees_private=False,
        schema=1,
        retain=Retention(10_000, 30 * 86_400, 4 * 1024 * 1024),
        readers=(),
        reads={},
        columns={"x": "number"},
    )


def test_a_manifest_says_all():
    stream = {
        "window": {"events": 7},
        "schema": 3,
        "private": True,
        "retain": {"rows": 5, "age_s": 60.0, "bytes": 1 << 20},
        "readers": ["shop/*"],
        "reads": {"recent": {"table": "shop/other", "last": 4}, "own": {"last": 1}},
    }
    trigger = {"on": ["page_enter", "click"], "within": {"events": 5}}
    found = StreamTask.from_manifest("shop/ipv", {"trigger": trigger, "stream": stream})
    assert found == StreamTask(
        "shop/ipv",
        TriggerCondition(("page_enter", "click"), WithinEvents(5)),
        EventsWindow(7),
        sees_private=True,
        schema=3,
        retain=Retention(5, 60.0, 1 << 20),
        readers=("shop/*",),
        reads={"recent": TableRead("shop/other", 4), "own": TableRead("shop/ipv", 1)},
        columns={},
    )


def test_windows():
    assert parse_window("page") == PageWindow()
    assert parse_window({"events": 10_000}) == EventsWindow(10_000)
    assert parse_window({"seconds": 86_400}) == SecondsWindow(86_400.0)


WRONG_COUNTS = [{"events": count} for count in (0, 10_001, 2.5, True, "7")]
WRONG_SECONDS = [{"seconds": seconds} for seconds in (0.5, 86_401, True, "60")]


@pytest.mark.parametrize(
    "value", [None, "session", ["page"], {}, {"events": 5, "seconds": 5}, *WRONG_COUNTS, *WRONG_SECONDS]
)
def test_a_window_that_does_not_exist_is_refused(value):
    with pytest.raises(ValueError, match=r"stream\.window: expected .*, found "):
        parse_window(value)
