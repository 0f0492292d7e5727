"""Watching releases: what is told, what survives a lost connection, and how it ends."""

from __future__ import annotations

import io
import itertools
import signal
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone
from rich.console import Console

from accounts_app.actors import SYSTEM
from releases_app.models import Release
from releases_app.services.releases import act
from tests.support.waiting import ANSWER_S, wait_for
from walle.cli.commands.release.watching import (
    ENDS,
    LinePrinter,
    ReleaseSnapshot,
    counted,
    follow,
    render_release,
    status_of,
)
from walle.cli.errors import Exit, RequestRefused, ServerUnreachable
from walle.release.states import ENDED, ReleaseAction, ReleaseState

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def at(seconds):
    return (NOW + timedelta(seconds=seconds)).isoformat()


def stage(position, share, *, id_list="", entered=None, left=None):
    kind = "gray" if position else "beta"
    return {
        **{"id": position, "position": position, "kind": kind, "share": share, "id_list": id_list},
        **{"entered_at": None if entered is None else at(entered), "left_at": None if left is None else at(left)},
    }


def counts(**known):
    names = ("drawn", "offered", "installed", "reported", "failed", "silent", "in_stage")
    return {**dict.fromkeys(names, 0), **known}


def release(state="running", position=1, **changes):
    """A release in its gray stage, as REST shows it."""
    common = {"after": "running", "actor": "system"}
    moves = [
        {**common, "action": "start", "position_after": 0, "reason": "go", "at": at(-100)},
        {**common, "action": "promote", "position_after": 1, "reason": "ok", "at": at(-40)},
    ]
    return {
        **{"id": 4, "app": "shop", "task": "camera/digits", "version": "1.1.0", "rule": {}, "created_by": "ada"},
        **{"created_at": at(-200), "state": state, "position": position, "transitions": moves, "verdicts": []},
        "strategy": {
            "stages": [
                {"evidence": 5, "dwell_s": 60},
                {"evidence": 100, "dwell_s": 60},
                {"evidence": 100, "dwell_s": 60},
            ],
            "limits": {"failure_rate": 0.05},
        },
        "stages": [
            stage(0, 0, id_list="testers", entered=-100, left=-40),
            stage(1, 100_000, entered=-40),
            stage(2, 1_000_000),
        ],
        "figures": {
            "treatment": counts(drawn=83, offered=80, installed=70, reported=50, failed=5, silent=3, in_stage=50),
            "control": counts(drawn=7, reported=4),
            "new": counts(),
            "stages": [{"position": 1, "drawn": 83, "installed": 70, "reported": 50, "failed": 5}],
            "errors": {},
        },
        **changes,
    }


def moved(state, reason, seconds=0, position=1):
    move = {"after": state, "position_after": position, "actor": "system", "reason": reason, "at": at(seconds)}
    return {"state": state, "transitions": [*release()["transitions"], move]}


def rendered(renderable, width=100):
    out = io.StringIO()
    Console(file=out, width=width, highlight=False).print(renderable)
    return out.getvalue()


@pytest.mark.parametrize("width", [80, 100, 160])
def test_the_picture_shows_stages_arms_verdict_and_moves(width):
    verdict = {"kind": "inconclusive", "sentence": "50 of the 100 devices needed have reported", "at": at(-1)}
    text = rendered(render_release(ReleaseSnapshot(release(verdicts=[verdict])), NOW), width)
    for part in (
        "Release 4 · camera/digits 1.1.0 → shop   ▸ running",
        "✓ beta testers",
        "▸ gray 10 %",
        "· gray 100 %",
        "70 have it, 50 of 83 reported, 5 failed",
        "0:40",
        "soak time  █████████░░░░░  0:20 of 1:00 left",
        "reports    ███████░░░░░░░  50 of 100 that count",
        "failures   ██████████████  5 of 50, 10 %; the limit is 5 %",
        "treatment",
        "… inconclusive  50 of the 100 devices needed have reported",
        "40 s ago",
    ):
        assert part in text
    assert max(len(line) for line in text.splitlines()) <= width


def gauge(name, **changes):
    """What the picture of a release says beside one of its gauges; "" without it."""
    text = rendered(render_release(ReleaseSnapshot(release(**changes)), NOW))
    return next((line.removeprefix(name).strip() for line in text.splitlines() if line.startswith(name)), "")


def test_a_stage_that_waits_for_nothing_more_says_so():
    strategy = {"stages": 3 * [{"evidence": 20, "dwell_s": 30}], "limits": {"failure_rate": 0.2}}
    assert gauge("soak time", strategy=strategy) == "██████████████  0:30 over"
    assert gauge("reports", strategy=strategy) == "██████████████  50, at least 20 needed"
    assert gauge("failures", strategy=strategy) == "███████░░░░░░░  5 of 50, 10 %; the limit is 20 %"
    bare = {"stages": 3 * [{"evidence": 0, "dwell_s": 0}], "limits": {"failure_rate": 0.2}}
    assert (gauge("soak time", strategy=bare), gauge("reports", strategy=bare)) == ("", "")
    assert gauge("failures", state="complete", strategy=strategy) == ""


def test_soak_time_stands_still_in_a_pause_and_cannot_be_told_within_a_time_window():
    paused = {"after": "paused", "position_after": 1, "actor": "ada", "reason": "look", "at": at(-30)}
    resumed = {"after": "running", "position_after": 1, "actor": "ada", "reason": "on", "at": at(-5)}
    moves = release()["transitions"]
    told = "0:50 of 1:00 left, stands still while it is paused"
    assert gauge("soak time", state="paused", transitions=[*moves, paused]).endswith(told)
    assert gauge("soak time", transitions=[*moves, paused, resumed]).endswith("0:45 of 1:00 left")
    windowed = {**release()["strategy"], "window": {"from": "01:00"}}
    assert gauge("soak time", strategy=windowed).endswith("1:00 within its time window")


def test_the_bar_of_a_stage_is_as_far_as_what_is_slowest_to_come():
    def bars(**changes):
        text = rendered(render_release(ReleaseSnapshot(release(**changes)), NOW)).splitlines()
        return [line.count("█") for line in text if "beta" in line or "gray" in line][:3]

    assert bars() == [14, 7, 0]
    assert bars(strategy={"stages": 3 * [{"evidence": 10, "dwell_s": 400}], "limits": {}}) == [14, 1, 0]
    assert bars(state="complete", position=2) == [14, 14, 0]


def test_new_devices_that_nobody_vouches_for_are_told_apart():
    figures = release()["figures"]
    figures["treatment"]["in_stage"], figures["new"] = 2, counts(drawn=81, reported=48)
    text = rendered(render_release(ReleaseSnapshot(release(figures=figures)), NOW))
    assert "70 have it, 50 of 83 reported, 5 failed" in text
    assert "reports    █░░░░░░░░░░░░░  2 of 100 that count" in text
    assert "81 of them are new, and nobody vouches for them: they do not count (docs/guides/app-keys.md)." in text
    assert "are new" not in rendered(render_release(ReleaseSnapshot(release()), NOW))


def test_a_lost_connection_is_told_beside_what_was_seen_last():
    text = rendered(render_release(ReleaseSnapshot(release(), None, "cannot reach it", NOW.timestamp() - 12), NOW))
    assert "! reconnecting: no answer for 12 s (cannot reach it)" in text
    assert "▸ gray 10 %" in text


def test_a_pause_says_what_to_do():
    text = rendered(render_release(ReleaseSnapshot(release(**moved("paused", "not enough evidence"))), NOW))
    assert "walle release resume 4, promote 4 or roll-back 4" in text


def withdrawn(**changes):
    """A withdrawal that began 27 s ago, as REST shows it."""
    curve = [[int(NOW.timestamp()) - 27, 32], [int(NOW.timestamp()) - 7, 12]]
    known = {"began_at": at(-27), "told_by": at(41), "devices": 32, "remaining": 12, "offline": 0, "curve": curve}
    return {**known, "counted_at": at(0), "ended_at": None, **changes}


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "12 of 32, none that can be reached in 0:41"),
        ({"told_by": at(-1), "offline": 12}, "12 of 32: offline, they give it up when they check in"),
        (
            {"told_by": at(-1), "offline": 4},
            "12 of 32, 4 offline: the others keep it",
        ),
        ({"remaining": 0, "ended_at": at(-5)}, "0 of 32, after 20 s"),
        ({"ended_at": at(-5)}, "12 of 32: the version may be released again"),
    ],
)
def test_a_release_being_undone_shows_who_is_still_on_it(changes, text):
    shown = release(**moved("rolled-back", "wrong file"), withdrawal=withdrawn(**changes))
    told = rendered(render_release(ReleaseSnapshot(shown), NOW))
    assert f"still on it  {'░' * 9 if changes.get('remaining') == 0 else '█'}" in told
    assert text in told
    assert "32 at first, 12 after 20 s" in told


def test_watching_a_rollback_may_go_on_until_no_device_has_the_version():
    undone = release(**moved("rolled-back", "wrong file"), withdrawal=withdrawn())
    assert status_of(undone, until_waiting=False) == Exit.ROLLED_BACK
    assert status_of(undone, until_waiting=False, until_withdrawn=True) is None
    undone["withdrawal"] = withdrawn(ended_at=at(-5))
    assert status_of(undone, until_waiting=False, until_withdrawn=True) == Exit.ROLLED_BACK


def test_every_end_has_a_status_of_its_own():
    assert set(ENDS) == ENDED | {ReleaseState.COMPLETE}
    assert len(set(ENDS.values())) == len(ENDS)
    assert status_of(release(), until_waiting=True) is None
    assert status_of(release(state="paused"), until_waiting=False) is None
    assert status_of(release(state="paused"), until_waiting=True) == Exit.WAITING


class WatchedOutput:
    """Lines about looks at moments."""

    def __init__(self):
        self._out = io.StringIO()
        self._lines = LinePrinter(self._out)

    def look(self, seen, seconds=0.0):
        before = self._out.tell()
        self._lines.tell(seen, NOW + timedelta(seconds=seconds))
        text = self._out.getvalue()[before:]
        return [line.split(" ", 1)[1] for line in text.splitlines()]


def test_devices_that_do_not_count_are_told_apart():
    found = release()
    found["figures"]["new"] = counts(drawn=60, reported=60, failed=60)
    assert counted(found).endswith("; 60 are new, and nobody vouches for them: they do not count")


def test_each_change_is_one_line_and_nothing_is_told_twice():
    told = WatchedOutput()
    figures = "83 selected, 80 offered, 70 installed, 50 reported, 5 failed, 3 silent; held back 7, 0 of 4 failed"
    assert told.look(ReleaseSnapshot(release())) == [
        "camera/digits 1.1.0 → beta testers: go",
        "camera/digits 1.1.0 → gray 10 %: ok",
        figures,
    ]
    assert told.look(ReleaseSnapshot(release()), 1) == []
    rolled_back = release(
        **moved("rolled-back", "5 of 50 devices failed"),
        verdicts=[{"kind": "fail", "sentence": "5 of 50 devices failed", "at": at(-1)}],
    )
    assert told.look(ReleaseSnapshot(rolled_back), 2) == [
        "fail: 5 of 50 devices failed",
        "camera/digits 1.1.0 → rolled-back: 5 of 50 devices failed",
    ]


def test_new_counts_are_told_now_and_then():
    told = WatchedOutput()
    told.look(ReleaseSnapshot(release()))
    more = release()
    more["figures"]["treatment"] = counts(drawn=90)
    assert told.look(ReleaseSnapshot(more), 1) == []
    assert len(told.look(ReleaseSnapshot(more), 11)) == 1


def test_a_lost_connection_is_one_line_and_its_return_another():
    told = WatchedOutput()
    told.look(ReleaseSnapshot(release()))
    assert told.look(ReleaseSnapshot(release(), None, "gone", 1.0), 1) == ["reconnecting: gone"]
    assert told.look(ReleaseSnapshot(release(), None, "gone", 1.0), 2) == []
    assert told.look(ReleaseSnapshot(release()), 3) == ["connected again"]


def test_looks_survive_what_will_pass_and_end_with_what_will_not():
    answers = iter(
        [
            release(),
            ServerUnreachable("gone"),
            RequestRefused(503, {}),
            release(state="paused"),
            RequestRefused(404, {}),
        ]
    )
    clock = itertools.count(100)

    def fetch():
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer, None

    looks = follow(fetch, interval=2, clock=lambda: next(clock), sleep=lambda seconds: None)
    first, lost, still, back = itertools.islice(looks, 4)
    assert (first.lost, lost.lost, back.lost) == ("", "gone", "")
    assert lost.release == first.release
    assert lost.lost_at == still.lost_at
    assert back.release["state"] == "paused"
    with pytest.raises(RequestRefused):
        next(looks)


@pytest.fixture
def running(walle, pushed, task):
    """A release that is under way; its number."""
    created = ("--app", "shop", "--app-version", "1.0.0", "--at-once", "--start", "--json")
    return walle("release", "create", task, "1.0.0", *created).json["id"]


def test_the_status_says_what_became_of_it(walle, running, task):
    for action, state, status in (
        (ReleaseAction.PAUSE, "paused", 14),
        (ReleaseAction.RESUME, "running", 15),
        (ReleaseAction.COMPLETE, "complete", 0),
        (ReleaseAction.ROLL_BACK, "rolled-back", 10),
    ):
        act(release=Release.objects.get(), action=action, actor=SYSTEM, now=timezone.now(), reason="because")
        done = walle("release", "watch", running, "--until-waiting", "--timeout", 0, "--interval", 0.1)
        assert done.status == status, (state, done)
    assert f"{task} 1.0.0 → rolled-back: because" in done.out
    found = walle("release", "watch", running, "--json")
    assert (found.status, found.json["state"]) == (10, "rolled-back")
    assert "rolled-back: because" in found.err


def test_watching_survives_a_server_that_falls_silent_and_comes_back(running, server, children):
    """The server stands still, longer than anybody waits for an answer, while somebody watches."""
    watcher = children.python("-m", "walle.cli", "release", "watch", str(running), "--interval", "0.1", name="watch")
    wait_for(lambda: "gray 100 %" in watcher.output(), describe=watcher.output)
    server.child.process.send_signal(signal.SIGSTOP)
    try:
        wait_for(lambda: "reconnecting: cannot reach" in watcher.output(), describe=watcher.output)
    finally:
        server.child.process.send_signal(signal.SIGCONT)
    wait_for(lambda: "connected again" in watcher.output(), describe=watcher.output)
    act(release=Release.objects.get(), action=ReleaseAction.COMPLETE, actor=SYSTEM, now=timezone.now())
    assert watcher.process.wait(ANSWER_S) == 0
    assert watcher.output().rstrip().endswith("→ complete")


def test_devices_that_await_the_condition_of_a_stream_task_are_told_apart():
    found = release()
    assert "await" not in counted(found) + rendered(render_release(ReleaseSnapshot(found), NOW))
    found["figures"]["trigger"] = ["page_enter:item", "click"]
    found["figures"]["treatment"]["awaiting_trigger"] = 20
    assert "3 silent, 20 awaiting page_enter:item, then click" in counted(found)
    told = "20 of the 70 that have installed it await page_enter:item, then click: they check in"
    assert told in " ".join(rendered(render_release(ReleaseSnapshot(found), NOW)).split())
