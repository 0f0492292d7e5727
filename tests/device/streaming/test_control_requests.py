"""What a device answers on its control socket, and `walle device track` and `walle device events`, which ask it."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager

import pytest

from tests.device.streaming.conftest import IPV, Counting, publish
from walle.cli.app import run
from walle.device.streaming.control import ControlRefused, ControlSocket
from walle.device.streaming.control_requests import MAX_EVENTS_BYTES, StreamRequests

VISIT = [
    {"kind": "page_enter", "page": "item/1"},
    {"kind": "click", "page": "item/1", "id": "add_to_cart", "contents": {"n": 2}, "private": {"name": "Ada"}},
    {"kind": "page_exit", "page": "item/1"},
]


@pytest.fixture
async def device(repository, devices):
    """One with a task that visits of pages trigger, and that was never told of any."""
    publish(repository)
    started = await devices.start(executor=Counting(), inputs=lambda task, manifest: None)
    await started.agent.once()
    return started


def requests_of(device) -> StreamRequests:
    return StreamRequests(device.parts.streams, clock=device.clock)


def track(device, event):
    return requests_of(device).answer({"request": "track", "event": event})


def events(device, **more):
    return requests_of(device).answer({"request": "events", **more})


async def test_events_are_taken_and_told_with_what_they_triggered_and_cost(device):
    for event in VISIT:
        assert track(device, event) == {"taken": True}
    await device.agent.once()
    told = events(device)
    assert [(event["kind"], event["id"], event["triggered"]) for event in told["events"]] == [
        ("page_enter", "page_enter", []),
        ("click", "add_to_cart", []),
        ("page_exit", "page_exit", [IPV]),
    ]
    assert (told["events"][1]["contents"], told["events"][1]["private"]) == ({"n": 2}, True)
    assert (told["tasks"][IPV]["count"], told["tasks"][IPV]["max_ms"], told["tasks"][IPV]["skipped"]) == (1, 3.0, 0)
    assert told["counts"]["events"] == 3


async def test_failures_are_told_without_messages_which_may_be_private(device):
    device.bench.error_of = lambda code: "exception:KeyError"
    for event in VISIT:
        track(device, event)
    await device.agent.once()
    assert events(device)["tasks"][IPV]["failures"] == [{"error_class": "exception:KeyError", "count": 1}]


async def test_what_came_since_an_answer_is_told_once(device):
    track(device, VISIT[0])
    await device.agent.once()
    before = events(device, last=0)
    assert (before["events"], before["missed"]) == ([], 0)
    # A duplicate is told of as well: the app did report it.
    for event in (VISIT[1], VISIT[0], VISIT[2]):
        track(device, event)
    await device.agent.once()
    since = events(device, after=before["next"])
    assert [event["kind"] for event in since["events"]] == ["click", "page_enter", "page_exit"]
    assert since["missed"] == 0
    assert events(device, after=since["next"])["events"] == []
    assert [event["kind"] for event in events(device, last=2)["events"]] == ["page_enter", "page_exit"]


async def test_an_answer_is_bounded(device):
    for _ in range(100):
        device.clock.now += 1
        track(device, {"kind": "click", "page": "p", "contents": {"text": "ü" * 8000}})
    await device.agent.once()
    told = events(device, after=0)
    assert 0 < len(json.dumps(told["events"])) < MAX_EVENTS_BYTES
    assert len(told["events"]) + told["missed"] == 100
    assert told["events"][-1]["at"] == device.clock.now


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ({}, "request: expected one of track, events, found nothing"),
        ({"request": ["track"]}, "request: expected one of track, events"),
        ({"request": "stop"}, "request: expected one of track, events, found 'stop'"),
        ({"request": "track"}, "event: expected a table with kind, page"),
        ({"request": "track", "event": {"kind": "click"}}, "event.page: expected text, found nothing"),
        ({"request": "track", "event": {**VISIT[0], "at": "now"}}, "event.at: expected Unix seconds"),
        ({"request": "track", "event": {**VISIT[0], "contents": [1]}}, "event.contents: expected an object"),
        ({"request": "track", "event": {**VISIT[0], "x": 1}}, "event.x: expected one of the keys"),
        ({"request": "events", "last": -1}, "last: expected an integer"),
        ({"request": "events", "last": 1001}, "last: expected an integer"),
        ({"request": "events", "after": 1.5}, "after: expected an integer"),
    ],
)
async def test_a_malformed_request_says_what_was_expected(device, request_, told):
    with pytest.raises(ControlRefused) as refused:
        requests_of(device).answer(request_)
    assert refused.value.code == "malformed"
    assert told in str(refused.value)


async def test_a_refused_event_is_counted_as_an_apps_and_says_why(device):
    with pytest.raises(ControlRefused, match="kind: expected page_enter") as refused:
        track(device, {"kind": "swipe", "page": "item/1"})
    assert refused.value.code == "unknown-kind"
    with pytest.raises(ControlRefused) as refused:
        track(device, {**VISIT[0], "at": device.clock.now + 61})
    assert refused.value.code == "time-from-future"
    assert (
        events(device)["counts"] | {"refused_unknown-kind": 1, "refused_time-from-future": 1}
        == (events(device)["counts"])
    )


async def test_a_full_queue_is_said(device):
    while device.parts.streams.track("click", "page"):
        pass
    with pytest.raises(ControlRefused, match="too many events wait") as refused:
        track(device, VISIT[0])
    assert refused.value.code == "queue-full"


@asynccontextmanager
async def reachable(device):
    """The device while commands on the same machine can reach it."""
    async with ControlSocket(device.store.root, requests_of(device).answer):
        yield device.store.root


@pytest.fixture
def walle(capsys):
    """Runs a command beside the loop of the device: its status, and what it printed."""

    async def call(*words):
        capsys.readouterr()
        status = await asyncio.to_thread(run, [str(word) for word in words])
        told = capsys.readouterr()
        return status, told.out, told.err

    return call


async def test_a_command_tracks_an_event(device, walle):
    async with reachable(device) as folder:
        status, out, _ = await walle(
            *("device", "track", folder, "click", "--page", "item/1", "--id", "buy", "--at", "2023-11-14T22:13:20Z"),
            *("--contents", '{"n": 1}', "--private", '{"name": "Ada"}'),
        )
        assert (status, out) == (0, "✓ buy on item/1\n")
        status, out, _ = await walle("device", "track", folder, "page_exit", "--page", "item/1", "--json")
        assert (status, json.loads(out)) == (0, {"taken": True})
    await device.agent.once()
    first, _ = device.parts.streams.recent(2)
    assert first.event.to_dict() == {
        "kind": "click",
        "id": "buy",
        "page": "item/1",
        "at": 1_700_000_000.0,
        "contents": {"n": 1},
        "private": {"name": "Ada"},
    }


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "which event?"),
        (("click",), "on which page?"),
        (("swipe", "--page", "p"), "kind: expected page_enter"),
        (("click", "--page", "p", "--contents", "{"), "--contents: expected a JSON object"),
        (("click", "--page", "p", "--private", "[1]"), "--private: expected a JSON object"),
        (("click", "--page", "p", "--at", "soon"), "--at: expected a time such as"),
        (("--session", "none.jsonl"), "cannot read none.jsonl: No such file"),
        (("click", "--session", "none.jsonl"), "leave out KIND"),
    ],
)
async def test_a_command_says_what_is_wrong_with_an_event(device, walle, words, told):
    async with reachable(device) as folder:
        status, _, err = await walle("device", "track", folder, *words)
    assert (status, told in err) == (2, True), err


def session(path, *times):
    lines = [json.dumps({**event, "at": at}) for event, at in zip(VISIT, times, strict=False)]
    path.write_text("\n".join(lines))
    return path


async def test_a_session_is_played_as_if_it_had_just_ended(device, walle, tmp_path, monkeypatch):
    monkeypatch.setattr("walle.cli.commands.device.tracking.time", device.clock)
    recorded = session(tmp_path / "view.jsonl", 100, 160, 400)
    async with reachable(device) as folder:
        status, out, _ = await walle("device", "track", folder, "--session", recorded, "--fast")
        assert (status, out) == (0, "✓ 3 events played, 5 min of use\n")
        await device.agent.once()
        now = device.clock.now
        assert [one.event.at for one in device.parts.streams.recent(3)] == [now - 300, now - 240, now]
        device.clock.now += 200
        status, _, err = await walle("device", "track", folder, "--session", recorded, "--fast")
        assert (status, "Next: wait 101 s" in err or "wait 2 min" in err) == (1, True), err
        device.clock.now += 101
        assert (await walle("device", "track", folder, "--session", recorded, "--fast"))[0] == 0


async def test_a_session_is_played_in_the_time_that_it_took(device, walle, tmp_path, monkeypatch):
    slept = []
    monkeypatch.setattr("walle.cli.commands.device.tracking.sleep", slept.append)
    monkeypatch.setattr("walle.cli.commands.device.tracking.monotonic", lambda: 7.0)
    monkeypatch.setattr("walle.cli.commands.device.tracking.time", device.clock)
    async with reachable(device) as folder:
        status, out, _ = await walle("device", "track", folder, "--session", session(tmp_path / "s", 100, 101, 102.5))
    assert (status, slept) == (0, [0, 1, 2.5])
    assert [line.split()[-2:] for line in out.splitlines()[:-1]] == [[one["kind"], "item/1"] for one in VISIT]


async def test_events_are_listed_with_visits_and_costs(device, walle):
    for event in VISIT:
        device.clock.now += 1
        track(device, event)
    await device.agent.once()
    async with reachable(device) as folder:
        status, out, err = await walle("device", "events", folder, "--json")
        told = json.loads(out)
        assert (status, err, [event["kind"] for event in told["events"]]) == (0, "", [one["kind"] for one in VISIT])
        [visit] = told["pages"]
        assert (visit["page"], visit["stayed"], visit["ended"], visit["events"]) == ("item/1", 2.0, "exit", 3)
        assert (told["tasks"][0]["task"], told["tasks"][0]["count"]) == (IPV, 1)
        _, out, _ = await walle("device", "events", folder)
    rows = [line.split("\t") for line in out.splitlines()]
    assert rows[1][1:] == ["click", "add_to_cart", "item/1", '+private {"n": 2}', ""]
    assert rows[2][1:] == ["page_exit", "", "item/1", "", IPV]
    assert ["Tasks"] in rows
    assert "Ada" not in out


async def test_events_can_be_followed_until_the_device_ends(device, walle, monkeypatch):
    track(device, VISIT[0])
    await device.agent.once()
    loop = asyncio.get_running_loop()

    async def more():
        track(device, VISIT[2])
        await device.agent.once()

    polls = [lambda: asyncio.run_coroutine_threadsafe(more(), loop).result()]
    async with reachable(device) as folder:

        def rest(_):
            if polls:
                polls.pop()()
            else:
                (folder / "control.sock").unlink()

        monkeypatch.setattr("walle.cli.commands.device.events.sleep", rest)
        status, out, err = await walle("device", "events", folder, "--follow")
    assert [line.split("\t")[1:] for line in out.splitlines()] == [
        ["page_enter", "", "item/1", "", ""],
        ["page_exit", "", "item/1", "", IPV],
    ]
    assert (status, "no device runs in" in err) == (6, True)


async def test_without_a_process_the_events_come_from_the_log(device, walle):
    folder = device.store.root
    for event in VISIT:
        track(device, event)
    await device.agent.once()
    before = {path.name: path.read_bytes() for path in (folder / "events").iterdir()}
    status, out, err = await walle("device", "events", folder, "--last", "2")
    assert (status, "these are the events in its log" in err) == (0, True)
    assert [line.split("\t")[1] for line in out.splitlines()[:2]] == ["click", "page_exit"]
    assert "Ada" not in out
    assert json.loads((await walle("device", "events", folder, "--json"))[1])["tasks"] == []
    assert {path.name: path.read_bytes() for path in (folder / "events").iterdir()} == before


@pytest.mark.parametrize("words", [("track", "click", "--page", "p"), ("events",)])
async def test_where_no_device_runs_it_is_said_how_to_start_one(walle, tmp_path, words):
    status, _, err = await walle("device", words[0], tmp_path, *words[1:])
    assert status == 6
    assert f"no device runs in {tmp_path}" in err
    assert f"python -m walle.device --server URL --app APP --app-key KEY --store {tmp_path}" in err
