"""Replays of recorded sessions: what fires at which events, on how much, and why a task never fired."""

from __future__ import annotations

import json

from walle.stream.events import BehaviourEvent
from walle.stream.replay import TaskReplay, absent_ids, page_visits, replayed
from walle.stream.run_statistics import RunSample
from walle.stream.stream_task import StreamTask


def event(kind, page, at, **more):
    return BehaviourEvent(**{"kind": kind, "id": kind, "page": page, "at": at, **more})


SESSION = [
    event("page_enter", "item/1", 100.0),
    event("click", "item/1", 101.0, id="buy", contents={"n": 1}, private={"name": "Ada"}),
    event("page_exit", "item/1", 103.5),
    event("page_enter", "home", 104.0),
]


def task(name, *on, **stream):
    made = StreamTask.from_manifest(name, {"trigger": {"on": list(on)}, "stream": stream})
    assert made
    return {name: made}


def test_firings_come_in_the_order_of_their_events_with_the_events_of_their_windows():
    tasks = task("shop/ipv", "page_exit:item/1") | task("shop/buy", "buy", window={"events": 1}, private=True)
    found = [(one.number, one.firing.task.name, len(one.firing.events)) for one in replayed(SESSION, tasks)]
    assert found == [(2, "shop/buy", 1), (3, "shop/ipv", 3)]


def test_bytes_are_those_of_the_events_as_the_task_sees_them():
    [seen] = replayed(SESSION, task("shop/buy", "buy", window={"events": 1}, private=True))
    [unseen] = replayed(SESSION, task("shop/buy", "buy", window={"events": 1}))
    compact = {"separators": (",", ":")}
    assert seen.raw_bytes == len(json.dumps(SESSION[1].to_dict(), **compact))
    assert seen.raw_bytes - unseen.raw_bytes == len(',"private":{"name":"Ada"}')


def test_visits_are_told_once_each_in_the_order_in_which_they_began():
    told = [(one.page, one.entered, one.ended, one.events) for one in page_visits([*SESSION, SESSION[3]])]
    assert told == [("item/1", 100.0, "exit", 3), ("home", 104.0, None, 1)]


def test_ids_that_occur_nowhere_are_named():
    ids = ["buy", "item/1", "buy:item/1", "page_exit:home", "home", "sell"]
    assert absent_ids(SESSION, ids) == ["page_exit:home", "sell"]


def test_a_task_comes_down_to_its_counts_and_to_its_runs_if_there_were_any():
    came_to = TaskReplay()
    for one in replayed(SESSION, task("shop/any", "buy") | task("shop/ipv", "page_exit")):
        came_to.add(one)
    counts = came_to.to_dict()
    assert counts == {"fired": 2, "events": 5, "cut": 0, "raw_bytes": came_to.raw_bytes}
    came_to.add_run(RunSample(1.0, 2.0, duration_ms=4.0), {"clicks": 1})
    came_to.add_run(RunSample(2.0, 3.0, duration_ms=8.0, error_class="timeout"), None)
    ran = came_to.to_dict()
    assert (ran["output_bytes"], ran["runs"]["count"], ran["runs"]["failed"]) == (len('{"clicks":1}'), 2, 1)
