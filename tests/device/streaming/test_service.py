"""What a device does with behaviour events: which tasks run, on what, what is kept, and what is told."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from unittest.mock import Mock, patch

import pytest

from tests.device.conftest import Clock, running, stopped, until
from tests.device.streaming.conftest import IPV, Counting, publish, runs, visit
from walle.device.running.runner import Execution
from walle.device.running.taking_turns import Turns
from walle.device.storage.disk import Disk
from walle.device.streaming.service import BATCH
from walle.device.streaming.tracking import QUEUED
from walle.device.streaming.writing import FLUSH_S
from walle.stream.events import EventRefused
from walle.stream.processor import WindowEvents


@pytest.fixture
def start(devices):
    async def started(**more):
        return await devices.start(**{"executor": Counting(), "inputs": lambda task, manifest: None, **more})

    return started


async def test_a_task_runs_on_the_events_of_its_page_and_what_it_returns_is_kept_and_reported(repository, start):
    publish(repository, inputs={"events": {"type": "list"}, "page": {"type": "object"}})
    device = await start()
    await device.agent.once()
    assert device.bench.ran == []
    visit(device, clicks=2)
    await device.agent.once()
    [(_, inputs)] = device.bench.ran
    assert [event["kind"] for event in inputs["events"]] == ["page_enter", "click", "click", "page_exit"]
    assert inputs["page"]["page"] == "item/1"
    assert set(inputs) == {"events", "page"}, "only what the task declares"
    assert not any("private" in event for event in inputs["events"])
    [report] = runs(repository)
    assert (report.task, report.outcome, report.output, report.metrics) == (IPV, "success", {"clicks": 2}, {"seen": 1})
    assert (report.runs["count"], report.runs["events"], report.runs["cpu_ms"]) == (1, 4, 2)
    assert (report.start, report.peak_memory_kb) == ("warm", 9000)
    [told] = device.notices_named("ran")
    assert told.data["output"] == {"clicks": 2}


async def test_events_of_any_moment_are_matched_while_the_device_lives(repository, start):
    publish(repository)
    device = await start()
    life = await running(device)
    await until(lambda: device.notices_named("installed"))
    visit(device)
    await until(lambda: device.notices_named("ran"))
    publish(repository, task="shop/late", trigger={"on": ["click"]})
    await until(lambda: len(device.notices_named("installed")) == 2)
    visit(device, "item/2", clicks=3)
    await until(lambda: len(device.notices_named("ran")) == 5)
    repository.remove(IPV)
    await until(lambda: device.notices_named("removed"))
    visit(device, "item/3")
    await until(lambda: len(device.notices_named("ran")) == 6)
    await stopped(device, life)
    ran = [code for code, _ in device.bench.ran]
    assert ran[0] == b"shop/ipv 1.0.0"
    assert sorted(ran[1:5]) == [b"shop/ipv 1.0.0", *[b"shop/late 1.0.0"] * 3]
    assert ran[5:] == [b"shop/late 1.0.0"]


async def test_without_a_place_for_events_and_tables_tasks_run_on_what_is_in_memory(repository, start):
    publish(
        repository, inputs={"events": {"type": "list"}, "recent": {"type": "list"}}, stream={"reads": {"recent": {}}}
    )
    device = await start()
    for name in ("events", "streams"):
        (device.store.root / name).write_text("in the way")
    await device.agent.once()
    for _ in range(2):
        visit(device)
        await device.agent.once()
    first, second = (given for _, given in device.bench.ran)
    assert (len(first["events"]), first["recent"]) == (3, [])
    assert [row["clicks"] for row in second["recent"]] == [1]
    [notice] = device.notices_named("error")
    assert "events are kept in memory only" in notice.text


async def test_each_burst_of_events_wakes_the_service(repository, start):
    publish(repository)
    device = await start(interval=1000)
    await device.agent.once()
    life = await running(device)
    for number in range(1, 4):
        visit(device, f"item/{number}")
        await until(lambda number=number: len(device.notices_named("ran")) == number)
    await stopped(device, life)


async def test_others_of_the_loop_have_their_turn_while_many_events_are_processed(start):
    device = await start()
    await device.agent.once()
    for number in range(4 * BATCH):
        assert device.parts.streams.track("click", "home", contents={"number": number})
    turn = asyncio.create_task(device.parts.streams.turn())
    others = 0
    while not turn.done():
        await asyncio.sleep(0)
        others += 1
    assert others >= 4
    assert len(device.parts.streams.recent()) == 100


async def test_a_flood_of_events_does_not_keep_the_rest_of_a_turn_from_its_end(start):
    device = await start()
    await device.agent.once()
    track = device.parts.streams.track
    for number in range(QUEUED):
        assert track("click", "home", contents={"number": number})
    turn, floods = asyncio.create_task(device.parts.streams.turn()), 0
    while not turn.done():
        assert floods <= QUEUED // BATCH
        for number in range(BATCH):
            track("exposure", "home", contents={"number": floods * BATCH + number})
        floods += 1
        await asyncio.sleep(0)
    assert turn.result() == 0, "the rest is due at once"


class Waiting(Counting):
    """Notes how often the windows of events had been read when a run was begun, and when its inputs were looked at."""

    def __init__(self, read: Mock) -> None:
        super().__init__()
        self.read, self.noted = read, []

    async def __call__(self, bundle: Path, manifest: Any, inputs: Any) -> Execution:
        self.noted.append(self.read.call_count)
        execution = await super().__call__(bundle, manifest, inputs)
        self.noted.append(self.read.call_count)
        return execution


async def test_the_log_of_events_is_read_by_whoever_makes_the_run(repository, start):
    """That is in a thread of its own, where it may wait for the disk."""
    publish(repository)
    with patch.object(WindowEvents, "get", autospec=True, side_effect=WindowEvents.get) as read:
        device = await start(executor=Waiting(read))
        await device.agent.once()
        visit(device)
        await device.agent.once()
    assert device.bench.noted == [0, 1]


async def test_inputs_that_are_neither_events_nor_rows_come_from_the_app(repository, start):
    publish(repository, inputs={"events": {"type": "list"}, "x": {"type": "number"}})
    given = iter([None, {"x": 5, "events": "not from the app", "other": 1}])
    device = await start(inputs=lambda task, manifest: next(given))
    await device.agent.once()
    visit(device)
    await device.agent.once()
    assert device.bench.ran == []
    assert device.parts.streams.costs()[IPV].skipped == 1
    visit(device)
    await device.agent.once()
    [(_, inputs)] = device.bench.ran
    assert inputs["x"] == 5
    assert len(inputs["events"]) == 3
    assert set(inputs) == {"events", "x"}


async def test_a_task_reads_its_own_table_and_those_that_let_it(repository, start):
    recent = {"events": {"type": "list"}, "recent": {"type": "list"}}
    publish(repository, inputs=recent, stream={"reads": {"recent": {"last": 2}}, "readers": ["shop/rank"]})
    device = await start()
    await device.agent.once()
    for clicks in (1, 2, 3, 4):
        visit(device, clicks=clicks)
        await device.agent.once()
    rows = [[row["clicks"] for row in inputs["recent"]] for _, inputs in device.bench.ran]
    assert rows == [[], [1], [1, 2], [2, 3]]
    reads = {"reads": {"recent": {"table": IPV, "last": 3}}}
    publish(repository, task="shop/rank", inputs=recent, trigger={"on": ["click"]}, stream=reads)
    publish(repository, task="shop/spy", inputs=recent, trigger={"on": ["click"]}, stream=reads)
    await device.agent.once()
    device.bench.ran.clear()
    device.parts.streams.track("click", "home")
    await device.agent.once()
    rows = {code: [row["clicks"] for row in inputs["recent"]] for code, inputs in device.bench.ran}
    assert rows == {b"shop/rank 1.0.0": [2, 3, 4], b"shop/spy 1.0.0": []}


async def test_a_row_has_the_time_of_its_run_whatever_the_app_says_of_the_event(repository, start):
    recent = {"recent": {"type": "list"}}
    publish(repository, inputs=recent, trigger={"on": ["click"]}, stream={"reads": {"recent": {"last": 2}}})
    device = await start()
    await device.agent.once()
    for ago in (100, 50):
        device.parts.streams.track("click", "home", at=device.clock.now - ago)
        await device.agent.once()
    [row] = device.bench.ran[-1][1]["recent"]
    assert row["at"] == device.clock.now


async def test_a_private_task_sees_private_contents_and_nothing_of_its_own_is_reported(repository, start):
    publish(repository, stream={"private": True})
    device = await start()
    await device.agent.once()
    visit(device)
    await device.agent.once()
    device.bench.error_of = lambda code: "exception:Ada"
    visit(device)
    await device.agent.once()
    assert device.bench.ran[0][1]["events"][1]["private"] == {"name": "Ada"}
    success, failure = runs(repository)
    assert (success.outcome, success.output, success.metrics) == ("success", None, {})
    assert (failure.error_class, failure.message) == ("exception", None)
    assert failure.runs["failures"] == [{"error_class": "exception", "count": 1}]
    assert "Ada" not in str(repository.reports)


async def test_one_run_of_a_task_at_a_time_and_the_oldest_of_too_many_triggers_is_shed(repository, start):
    publish(repository, task="shop/slow", trigger={"on": ["click"]}, stream={"window": {"events": 1}})
    publish(repository)
    device = await start(turns=Turns(2))
    gate = device.bench.gates[b"shop/slow 1.0.0"] = asyncio.Event()
    life = await running(device)
    await until(lambda: len(device.notices_named("installed")) == 2)
    for number in range(20):
        assert device.parts.streams.track("click", "home", contents={"number": number})
    await until(lambda: device.bench.ran)
    for number in range(20, 30):
        assert device.parts.streams.track("click", "home", contents={"number": number})
    visit(device, clicks=0)
    await until(lambda: device.notices_named("ran"))
    assert [notice.data["task"] for notice in device.notices_named("ran")] == [IPV], "others do not wait"
    assert len(device.bench.ran) == 2
    gate.set()
    await until(lambda: len(device.notices_named("ran")) > 17)
    await stopped(device, life)
    slow = [inputs["events"][0]["contents"]["number"] for code, inputs in device.bench.ran if b"slow" in code]
    assert slow[1:] == list(range(14, 30))
    totals = device.parts.streams.costs()["shop/slow"]
    assert (totals.count, totals.shed) == (17, 13)


async def test_a_task_that_keeps_failing_rests_longer_and_longer_and_others_go_on(repository, start):
    publish(repository, task="shop/broken")
    publish(repository)
    seconds = Clock(0.0)
    device = await start(monotonic=seconds)
    device.bench.error_of = lambda code: "timeout" if b"broken" in code else None
    await device.agent.once()

    async def rounds(count):
        for _ in range(count):
            visit(device)
            await device.agent.once()
        costs = device.parts.streams.costs()
        return costs["shop/broken"].failed, costs["shop/broken"].shed, costs[IPV].count

    assert await rounds(5) == (3, 2, 5)
    seconds.now += 1
    assert await rounds(2) == (4, 3, 7)
    seconds.now += 1.9
    assert await rounds(1) == (4, 4, 8)
    seconds.now += 0.1
    device.bench.error_of = lambda code: None
    assert await rounds(3) == (4, 4, 11)
    assert device.parts.streams.costs()["shop/broken"].count == 7


async def test_a_success_that_changes_nothing_leaves_the_disk_alone_but_for_its_marker(repository, start):
    publish(repository)
    steps = []
    device = await start(disk=Disk(checkpoint=steps.append, sync=False), monotonic=Clock(0.0))
    await device.agent.once()
    for _ in range(3):
        visit(device)
        await device.parts.streams.turn()
        await device.parts.streams._lanes[IPV].settle()
    assert "report: renamed" in steps, "the first three are reported"
    await device.agent.once()
    steps.clear()
    visit(device)
    await device.parts.streams.turn()
    await device.parts.streams._lanes[IPV].settle()
    assert len(device.bench.ran) == 4
    assert {step.partition(":")[0] for step in steps} == {"run marker"}
    assert len(steps) == 7


async def test_a_run_that_ends_when_nothing_was_due_has_the_service_look_again(repository, start):
    publish(repository)
    seconds = Clock(0.0)
    device = await start(monotonic=seconds)
    await device.agent.once()
    streams, lanes = device.parts.streams, device.parts.streams._lanes
    gate = device.bench.gates[b"shop/ipv 1.0.0"] = asyncio.Event()
    visit(device)
    assert await streams.turn() == FLUSH_S
    seconds.now += FLUSH_S
    assert await streams.turn() is None
    await until(streams._writer._writing.done)
    woken = []
    streams.wake.up = lambda: woken.append(seconds.now)
    gate.set()
    await lanes[IPV].settle()
    assert woken == [FLUSH_S]
    assert await streams.turn() == FLUSH_S, "the row is to be written, and the report is due in a minute"
    seconds.now += FLUSH_S
    assert await streams.turn() == 60 - FLUSH_S
    seconds.now += 60 - FLUSH_S
    await streams.turn()
    await device.parts.sender.once()
    assert len(runs(repository)) == 1


async def test_rows_are_written_when_there_are_many_and_not_one_by_one(repository, start):
    publish(repository)
    device = await start(monotonic=Clock(0.0))
    await device.agent.once()
    table = device.parts.streams._current[IPV].table
    for number in range(70):
        visit(device, f"item/{number}", clicks=0)
        await device.parts.streams.turn()
        await device.parts.streams._lanes[IPV].settle()
    await until(lambda: table.rows >= 64)
    assert table.transactions == 1


async def test_what_track_refuses_is_told_to_the_listener_and_raised_to_debug(repository, start):
    device = await start()
    assert device.parts.streams.track("swipe", "home") is False
    await device.agent.once()
    [notice] = device.notices_named("events-refused")
    assert notice.data == {"reason": "unknown-kind", "count": 1}
    assert device.parts.streams.counts()["refused_unknown-kind"] == 1
    await device.parts.streams.stop()
    assert device.parts.streams.track("click", "home") is False
    debug = await start(name="two", debug=True)
    with pytest.raises(EventRefused):
        debug.parts.streams.track("swipe", "home")


async def test_recent_events_and_what_they_triggered(repository, start):
    publish(repository)
    device = await start()
    await device.agent.once()
    visit(device)
    await device.agent.once()
    recent = device.parts.streams.recent(2)
    assert [(each.event.kind, each.triggered) for each in recent] == [("click", ()), ("page_exit", (IPV,))]
    assert len(device.parts.streams.recent()) == 3
    assert device.parts.streams.recent(0) == []


async def test_a_trigger_that_makes_no_sense_keeps_no_other_task_from_running(repository, start):
    publish(repository, task="shop/odd", trigger={"on": ["not an id!"]}, stream={"window": "sometimes"})
    publish(repository)
    device = await start()
    await device.agent.once()
    visit(device)
    await device.agent.once()
    assert [code for code, _ in device.bench.ran] == [b"shop/ipv 1.0.0"]


async def test_a_run_that_cannot_be_made_is_told_and_keeps_nothing_back(repository, start):
    def broken(task, manifest):
        raise LookupError("no such sensor")

    publish(repository, inputs={"x": {"type": "number"}}, task="shop/broken")
    publish(repository)
    device = await start(inputs=broken)
    await device.agent.once()
    visit(device)
    await device.agent.once()
    assert [code for code, _ in device.bench.ran] == [b"shop/ipv 1.0.0"]
    [notice] = device.notices_named("error")
    assert "LookupError: no such sensor" in notice.text
