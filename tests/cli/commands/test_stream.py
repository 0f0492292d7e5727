"""Replaying recorded sessions: what fires, what runs make of it in the real sandbox, and what stays hidden."""

from __future__ import annotations

import json
import re

import pytest

pytestmark = pytest.mark.processes

TASK = """
[task]
entry_point = "main:run"
[inputs.events]
type = "list"
[inputs.recent]
type = "list"
[outputs.clicks]
type = "integer"
[outputs.before]
type = "integer"
[trigger]
on = ["page_exit"]
[stream.reads.recent]
last = 5
"""
MAIN = """
def run(inputs, context):
    print("from inside")
    clicks = [event for event in inputs["events"] if event["kind"] == "click"]
    if len(clicks) > 2:
        raise KeyError("three")
    return {"clicks": len(clicks), "before": len(inputs["recent"])}
"""


@pytest.fixture
def shop(tmp_path):
    """Makes a task in a folder named shop; more lines of its task.toml may be given."""

    def make(name="clicks", more="", *, task=TASK, main=MAIN):
        folder = tmp_path / "shop" / name
        folder.mkdir(parents=True)
        (folder / "task.toml").write_text(task + more)
        (folder / "main.py").write_text(main)
        return folder

    return make


@pytest.fixture
def view(tmp_path):
    """Two visits of a page, with one click and two."""
    path = tmp_path / "view.jsonl"
    kinds = ["page_enter", "click", "page_exit", "page_enter", "click", "click", "page_exit"]
    events = [
        {"kind": kind, "page": "item/1", "at": 1000.0 + at, "contents": {"n": at}, "private": {"name": "Ada"}}
        for at, kind in enumerate(kinds)
    ]
    path.write_text("\n".join(json.dumps(event) for event in events))
    return path


def test_without_running_it_says_what_fires_on_what(walle, shop, view):
    done = walle("stream", "replay", view, shop(), "--json")
    told = done.json
    assert (done.status, done.err, told["events"], told["seconds"], len(told["pages"])) == (0, "", 7, 6.0, 2)
    assert [(one["number"], one["events"], one["trigger"]["at"]) for one in told["firings"]] == [
        (3, 3, 1002.0),
        (7, 4, 1006.0),
    ]
    [task] = told["tasks"]
    assert (task["task"], task["fired"], task["events"]) == ("shop/clicks", 2, 7)
    assert "Ada" not in done.out
    assert "runs" not in task
    out = walle("stream", "replay", view, shop("other")).out
    assert "view.jsonl: 7 events in 2 page visits" in out
    assert re.search(r"7\t\+0:06\tpage_exit item/1\t4\t\d+ bytes", out)


def test_runs_go_through_the_sandbox_and_read_the_rows_of_earlier_ones(walle, shop, view):
    done = walle("stream", "replay", view, shop(more="[vm]\nkeep = true\n"), "--run", "--json")
    assert done.status == 0, done.err
    told = done.json
    assert [one["output"] for one in told["firings"]] == [{"clicks": 1, "before": 0}, {"clicks": 2, "before": 1}]
    assert [one["start"] for one in told["firings"]] == ["cold", "warm"]
    [task] = told["tasks"]
    assert (task["runs"]["count"], task["runs"]["failed"], task["runs"]["cold"]) == (2, 0, 1)
    assert task["output_bytes"] == 2 * len('{"clicks":1,"before":0}')
    assert task["runs"]["max_ms"] >= task["runs"]["p50_ms"] > 0


def test_a_failed_run_is_told_with_its_log_and_is_status_1(walle, shop, view):
    lines = view.read_text().splitlines()
    click = json.dumps(json.loads(lines[5]) | {"at": 1005.5})
    view.write_text("\n".join([*lines[:6], click, lines[6]]))
    done = walle("stream", "replay", view, shop(), "--run")
    assert done.status == 1
    assert "event 8: shop/clicks failed: exception:KeyError" in done.out
    assert "from inside" in done.out
    assert "failed\t1 of 2 runs" in done.out


def test_private_contents_and_what_comes_of_them_are_shown_only_if_asked_for(walle, shop, view):
    leaks = 'def run(inputs, context):\n    return {"name": inputs["events"][0]["private"]["name"]}\n'
    head, _, rest = TASK.partition("[inputs.recent]")
    task = head + '[outputs.name]\ntype = "text"\n[trigger]\non = ["page_exit"]\n[stream]\nprivate = true\n'
    assert rest
    folder = shop(task=task, main=leaks)
    for words in ((), ("--json",)):
        hidden = walle("stream", "replay", view, folder, "--run", *words)
        assert (hidden.status, "Ada" in hidden.out) == (0, False), hidden.err
    shown = walle("stream", "replay", view, folder, "--run", "--private", "--json").json["firings"][0]
    assert (shown["output"], shown["trigger"]["private"]) == ({"name": "Ada"}, {"name": "Ada"})


def test_a_failure_of_a_task_that_sees_private_contents_shows_none(walle, shop, view):
    leaks = 'def run(inputs, context):\n    print(inputs)\n    raise KeyError(inputs["events"][0]["private"]["name"])\n'
    task = TASK.partition("[inputs.recent]")[0] + (
        '[outputs.name]\ntype = "text"\n[trigger]\non = ["page_exit"]\n[stream]\nprivate = true\n'
    )
    folder = shop(task=task, main=leaks)
    for words in ((), ("--json",)):
        failed = walle("stream", "replay", view, folder, "--run", *words)
        assert (failed.status, "Ada" in failed.out + failed.err, "exception:KeyError" in failed.out) == (1, False, True)
    assert "Ada" in walle("stream", "replay", view, folder, "--run", "--private").out


def test_a_task_that_never_fired_is_warned_of(walle, shop, view):
    never = shop("never", task=TASK.replace('"page_exit"', '"page_exit", "page_exit:item/2"'))
    apart = shop("apart", task=TASK.replace('"page_exit"', '"page_enter", "page_exit"'))
    done = walle("stream", "replay", view, never, apart)
    assert done.status == 0
    assert "shop/never never fired: no event has page_exit:item/2" in done.err
    assert "shop/apart never fired: its ids occur, but not in this way (page_enter then page_exit, one" in done.err


def test_what_the_app_would_give_is_asked_for(walle, shop, view, tmp_path):
    folder = shop(more='[inputs.weight]\ntype = "number"\n')
    done = walle("stream", "replay", view, folder, "--run", "--json")
    assert (done.status, "the app would give weight: say it with --input FILE" in done.err) == (1, True)
    (tmp_path / "inputs.json").write_text('{"weight": 2.5}')
    assert walle("stream", "replay", view, folder, "--run", "--input", tmp_path / "inputs.json").status == 0


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("nonsense", "view.jsonl:1"),
        ('{"kind": "swipe", "page": "p", "at": 1}', "kind: expected"),
        (None, "No such file"),
    ],
)
def test_what_is_no_session_is_status_2(walle, shop, view, line, told):
    view.unlink()
    if line:
        view.write_text(line)
    done = walle("stream", "replay", view, shop())
    assert (done.status, told in done.err) == (2, True), done.err


def test_folders_are_those_of_different_stream_tasks(walle, shop, view, folder):
    plain = walle("stream", "replay", view, folder)
    assert (plain.status, "no events trigger this task" in plain.err) == (2, True)
    twice = shop()
    assert walle("stream", "replay", view, twice, twice).status == 2
    (twice / "task.toml").write_text("x")
    assert walle("stream", "replay", view, twice).status == 1
