"""Stream tasks as versions of them come, go, fail and come back: what goes on, what starts afresh, and what is told."""

from __future__ import annotations

import asyncio

import pytest

from tests.device.conftest import Clock, running, stopped, until
from tests.device.streaming.conftest import EXIT, IPV, Counting, publish, runs, visit
from walle.device.running.taking_turns import Turns

RECENT = {"events": {"type": "list"}, "recent": {"type": "list"}}
READS = {"reads": {"recent": {"last": 9}}}
FOLLOWED = {"on": ["page_exit", "page_enter"], "within": {"events": 5}}


@pytest.fixture
def start(devices):
    async def started(**more):
        return await devices.start(**{"executor": Counting(), "inputs": lambda task, manifest: None, **more})

    return started


async def visited(device, *clicks):
    """Make a visit with so many clicks each, and return the rows that the last run read."""
    for number in clicks:
        visit(device, clicks=number)
        await device.agent.once()
    return [row["clicks"] for row in device.bench.ran[-1][1]["recent"]]


def tables(device):
    return {path.parent.name for path in (device.store.root / "streams").glob("*/table.sqlite")}


async def test_a_version_goes_on_from_the_table_of_the_one_before(repository, start, devices):
    publish(repository, inputs=RECENT, stream=READS)
    device = await start()
    await device.agent.once()
    assert await visited(device, 1, 2) == [1]
    publish(repository, "1.1.0", inputs=RECENT, stream=READS)
    await device.agent.once()
    assert await visited(device, 3) == [1, 2]
    assert device.bench.ran[-1][0] == b"shop/ipv 1.1.0"
    assert device.notices_named("starts-afresh") == []
    await device.parts.streams.stop()
    device = await devices.restart(device, inputs=lambda task, manifest: None)
    await device.agent.once()
    assert await visited(device, 4) == [1, 2, 3]
    assert device.notices_named("starts-afresh") == []


async def test_another_schema_starts_afresh_and_that_is_told_and_reported(repository, start):
    publish(repository, inputs=RECENT, stream=READS)
    device = await start()
    await device.agent.once()
    await visited(device, 1, 2)
    publish(repository, "2.0.0", inputs=RECENT, stream={**READS, "schema": 2})
    await device.agent.once()
    [notice] = device.notices_named("starts-afresh")
    assert (notice.data, "its schema is 2" in notice.text) == ({"task": IPV, "version": "2.0.0"}, True)
    repository.reports.clear()
    assert await visited(device, 3, 4) == [3]
    first, second = runs(repository)
    assert (first.outcome, "its schema is 2" in str(first.message)) == ("success", True)
    assert second.message is None


async def test_a_failing_version_is_given_up_and_the_old_one_goes_on_from_its_own_table(repository, start, devices):
    publish(repository, inputs=RECENT, stream=READS)
    device = await start(fall_back_after=3)
    await device.agent.once()
    await visited(device, 1, 2)
    publish(repository, "2.0.0", inputs=RECENT, stream=READS)
    device.bench.error_of = lambda code: "timeout" if b"2.0.0" in code else None
    await device.agent.once()
    life = await running(device)
    repository.reports.clear()
    await visited_live(device, 3)
    await until(lambda: device.notices_named("fell-back"))
    await until(lambda: any(report["kind"] == "remove" for report in repository.reports))
    await stopped(device, life)
    assert device.version(IPV) == "1.0.0"
    [failed] = [report for report in runs(repository) if report.version == "2.0.0"]
    assert (failed.outcome, failed.error_class, failed.runs["count"]) == ("failure", "timeout", 3)
    assert failed.runs["failures"][0] == {"error_class": "timeout", "count": 3, "message": "Ada is at fault"}
    [removal] = [report for report in repository.reports if report["kind"] == "remove"]
    assert (removal["version"], removal["error_class"]) == ("2.0.0", "fell-back")
    device = await devices.restart(device, inputs=lambda task, manifest: None)
    await device.agent.once()
    assert await visited(device, 5) == [1, 2]
    assert tables(device) == {device.store.task(IPV).current.folder}, "that of the bad version is gone"


async def visited_live(device, times):
    for number in range(times):
        visit(device)
        await until(lambda number=number: len(device.notices_named("failed")) == number + 1)


async def test_failures_of_triggered_runs_count_in_a_row_only(repository, start):
    publish(repository, inputs=RECENT, stream=READS)
    device = await start(fall_back_after=3)
    await device.agent.once()
    await visited(device, 1)
    publish(repository, "2.0.0", inputs=RECENT, stream=READS)
    await device.agent.once()
    for bad in (True, True, False, True, True):
        device.bench.error_of = lambda code, bad=bad: "timeout" if bad else None
        visit(device)
        await device.parts.streams.turn()
        await device.parts.streams._lanes[IPV].settle()
    assert device.version(IPV) == "2.0.0"
    assert device.store.task(IPV).failures == 2


async def test_a_new_version_need_not_rest_for_the_failures_of_the_one_before(repository, start):
    publish(repository)
    device = await start(monotonic=Clock(0.0))
    device.bench.error_of = lambda code: "timeout" if b"1.0.0" in code else None
    await device.agent.once()
    for _ in range(4):
        visit(device)
        await device.agent.once()
    assert len(device.bench.ran) == 3
    publish(repository, "1.0.1")
    await device.agent.once()
    visit(device)
    await device.agent.once()
    assert device.bench.ran[-1][0] == b"shop/ipv 1.0.1"


async def test_an_upgrade_with_an_equal_condition_keeps_what_has_matched(repository, start):
    publish(repository, trigger=FOLLOWED)
    device = await start()
    await device.agent.once()
    track = device.parts.streams.track
    track("page_exit", "a")
    await device.agent.once()
    publish(repository, "1.1.0", trigger=FOLLOWED)
    await device.agent.once()
    track("page_enter", "b")
    await device.agent.once()
    assert [code for code, _ in device.bench.ran] == [b"shop/ipv 1.1.0"]
    track("page_exit", "b")
    await device.agent.once()
    publish(repository, "1.2.0", trigger={**FOLLOWED, "within": {"events": 6}})
    await device.agent.once()
    track("page_enter", "c")
    await device.agent.once()
    assert len(device.bench.ran) == 1


async def test_a_removed_task_leaves_no_table(repository, start):
    publish(repository, inputs=RECENT, stream=READS)
    device = await start()
    await device.agent.once()
    await visited(device, 1)
    assert len(tables(device)) == 1
    repository.remove(IPV)
    await device.agent.once()
    assert tables(device) == set()
    visit(device)
    await device.agent.once()
    assert len(device.bench.ran) == 1


async def test_a_version_that_comes_back_is_reported_on_soon_again(repository, start):
    publish(repository)
    device = await start(monotonic=Clock(0.0), interval=0, report_interval=0)
    streams = device.parts.streams
    for _ in range(2):
        await device.agent.once()
        for number in range(3):
            visit(device, f"item/{number}")
            await streams.turn()
            await streams._lanes[IPV].settle()
        assert runs(repository) == []
        await device.parts.sender.once()
        [report] = runs(repository)
        assert report.runs["count"] == 3
        repository.remove(IPV)
        await device.agent.once()
        repository.reports.clear()
        publish(repository)


async def test_triggers_that_wait_are_given_up_where_the_next_version_sees_other_events(repository, start):
    publish(repository, trigger={"on": ["click"]}, stream={"private": True})
    device = await start()
    gate = device.bench.gates[b"shop/ipv 1.0.0"] = asyncio.Event()
    life = await running(device)
    await until(lambda: device.notices_named("installed"))
    for number in range(3):
        device.parts.streams.track("click", "a", contents={"n": number}, private={"name": "Ada"})
    await until(lambda: device.bench.ran)
    publish(repository, "2.0.0", trigger={"on": ["click"]})
    await until(lambda: len(device.notices_named("installed")) == 2)
    await until(lambda: (totals := device.parts.streams.costs().get(IPV)) is not None and totals.shed == 2)
    gate.set()
    await until(lambda: device.notices_named("ran"))
    device.parts.streams.track("click", "a", private={"name": "Ada"})
    await until(lambda: len(device.notices_named("ran")) == 2)
    await stopped(device, life)
    assert [code for code, _ in device.bench.ran] == [b"shop/ipv 1.0.0", b"shop/ipv 2.0.0"]
    assert "Ada" not in str(device.bench.ran[1])


async def test_so_is_one_that_waits_for_its_turn_beside_other_tasks(repository, start):
    publish(repository, task="shop/slow", trigger={"on": ["page_scroll"]})
    publish(repository, trigger={"on": ["click"]}, stream={"private": True})
    device = await start(turns=Turns(1))
    gate = device.bench.gates[b"shop/slow 1.0.0"] = asyncio.Event()
    life = await running(device)
    await until(lambda: len(device.notices_named("installed")) == 2)
    device.parts.streams.track("page_scroll", "a")
    await until(lambda: device.bench.ran)
    device.parts.streams.track("click", "a", private={"name": "Ada"})
    await until(lambda: len(device.parts.streams.recent()) == 2)
    publish(repository, "2.0.0", trigger={"on": ["click"]})
    await until(lambda: len(device.notices_named("installed")) == 3)
    gate.set()
    await until(lambda: (totals := device.parts.streams.costs().get(IPV)) is not None and totals.shed == 1)
    await stopped(device, life)
    assert [code for code, _ in device.bench.ran] == [b"shop/slow 1.0.0"]


async def test_the_last_runs_of_a_version_that_was_replaced_are_reported(repository, start):
    publish(repository)
    device = await start(monotonic=Clock(0.0))
    await device.agent.once()
    for _ in range(2):
        visit(device)
        await device.parts.streams.turn()
        await device.parts.streams._lanes[IPV].settle()
    publish(repository, "2.0.0")
    await device.parts.check_ins.once()
    await device.parts.streams.turn()
    await device.parts.sender.once()
    [report] = runs(repository)
    assert (report.version, report.runs["count"]) == ("1.0.0", 2)


async def test_the_end_of_the_last_run_of_a_version_that_was_replaced_is_not_waited_for(repository, start):
    publish(repository)
    device = await start(monotonic=Clock(0.0), interval=0, report_interval=0)
    streams = device.parts.streams
    await device.agent.once()
    gate = device.bench.gates[b"shop/ipv 1.0.0"] = asyncio.Event()
    visit(device)
    await streams.turn()
    await until(lambda: device.bench.ran)
    publish(repository, "2.0.0")
    await device.parts.check_ins.once()
    await streams.turn()
    woken = []
    streams.wake.up = lambda: woken.append(len(device.notices_named("ran")))
    gate.set()
    await streams._lanes[IPV].settle()
    assert woken == [1]
    await streams.turn()
    await device.parts.sender.once()
    [report] = runs(repository)
    assert (report.version, report.runs["count"]) == ("1.0.0", 1)


async def test_a_damaged_table_is_set_aside_and_that_is_told_and_reported(repository, start, devices):
    publish(repository, inputs=RECENT, stream=READS)
    device = await start()
    await device.agent.once()
    await visited(device, 1)
    await device.parts.streams.stop()
    [table] = (device.store.root / "streams").glob("*/table.sqlite")
    table.write_bytes(b"not a database" * 100)
    device = await devices.restart(device, inputs=lambda task, manifest: None)
    await device.agent.once()
    [notice] = device.notices_named("damaged")
    assert "its table was damaged and begins anew" in notice.text
    repository.reports.clear()
    assert await visited(device, 2) == []
    [report] = runs(repository)
    assert "its table was damaged" in str(report.message)


async def test_visits_that_were_open_when_the_app_ended_have_ended_with_it(repository, start, devices):
    publish(repository, trigger=EXIT)
    device = await start()
    await device.agent.once()
    device.parts.streams.track("page_enter", "item/1")
    await device.agent.once()
    await device.parts.streams.stop()
    device = await devices.restart(device, inputs=lambda task, manifest: None)
    await device.agent.once()
    device.parts.streams.track("page_exit", "item/1")
    await device.agent.once()
    assert [event["kind"] for event in device.bench.ran[-1][1]["events"]] == ["page_exit"]
    assert device.parts.streams.counts()["visits_restart"] == 1
