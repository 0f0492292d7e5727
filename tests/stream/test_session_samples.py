"""Samples that are sessions: which runs they are, on what inputs, and what is held against their author's words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from walle.bundle.manifest import build_manifest
from walle.bundle.samples import load_samples
from walle.bundle.taskfile import parse_task
from walle.bundle.tree import MemoryTree
from walle.container.result import RunResult, failure
from walle.container.samples import MAX_FIRINGS, run_samples
from walle.schema import Malformed
from walle.stream.session_samples import MAX_SESSION_BYTES, MAX_SESSION_EVENTS, parse_sample_session

NAMES = {"scenario": "shop", "task": "ipv", "version": "1.0.0", "commit": "0" * 40}
TOML = """
[task]
entry_point = "main:run"
[inputs.events]
type = "list"
[inputs.trigger]
type = "object"
[inputs.recent]
type = "list"
[inputs.ranks]
type = "list"
[outputs.count]
type = "integer"
[[samples]]
name = "a view"
session = "view.jsonl"
[samples.expect]
count = { equals = 5 }
[trigger]
on = ["page_exit"]
[stream.reads.recent]
last = 2
[stream.reads.ranks]
table = "shop/rank"
"""


def session(*lines: tuple[str, float] | tuple[str, float, dict[str, Any]]) -> bytes:
    """Events of the page `home` by kind and time, some with private contents, as JSON Lines."""
    events = [
        {"kind": kind, "page": "home", "at": at, **({"private": private[0]} if private else {})}
        for kind, at, *private in lines
    ]
    return "\n".join(map(json.dumps, events)).encode()


VISITS = session(*((kind, 10.0 * n + at) for n in range(4) for at, kind in enumerate(["page_enter", "page_exit"])))


class CountingRuns:
    """Runs in which the task counts them; `given` are their inputs. Those with a number in `failing` fail."""

    def __init__(self, *failing: int) -> None:
        self.given: list[Any] = []
        self._failing = failing

    def __call__(self, _bundle, _manifest, inputs):
        self.given.append(inputs)
        number = len(self.given)
        if number in self._failing:
            return failure("exception:KeyError", "KeyError: 'x'")
        return RunResult("success", output={"count": number})


def result_of(runs, content=VISITS, toml=TOML):
    parsed = parse_task(toml.encode())
    assert parsed.problems == ()
    manifest = build_manifest(parsed.sound, [], lambda _: "0" * 64, **NAMES)
    cases = load_samples(MemoryTree({"view.jsonl": content}), parsed.sound.samples, manifest)
    [result] = run_samples(runs, None, manifest, cases)
    return result


WIDEST = "[stream]\nwindow = { events = 10000 }\n[stream.reads.recent]"


def with_fires(count: int) -> str:
    said = f'session = "view.jsonl"\nfires = {count}'
    return TOML.replace('session = "view.jsonl"', said).replace("equals = 5", "equals = 4")


def test_each_firing_is_a_run_on_the_declared_inputs_and_the_rows_of_those_before():
    runs = CountingRuns()
    result_of(runs)
    assert [given.keys() for given in runs.given] == [{"events", "trigger", "recent", "ranks"}] * 4
    assert [event["kind"] for event in runs.given[1]["events"]] == ["page_enter", "page_exit"]
    assert [given["trigger"]["at"] for given in runs.given] == [1.0, 11.0, 21.0, 31.0]
    assert [given["recent"] for given in runs.given] == [
        [],
        [{"at": 1.0, "count": 1}],
        [{"at": 1.0, "count": 1}, {"at": 11.0, "count": 2}],
        [{"at": 11.0, "count": 2}, {"at": 21.0, "count": 3}],
    ]
    assert [given["ranks"] for given in runs.given] == [[]] * 4


def test_expectations_are_about_the_last_run():
    result = result_of(CountingRuns())
    assert not result.passed
    assert result.mismatches == ("count: expected 5, found 4",)
    assert result_of(CountingRuns(), VISITS + b"\n" + session(("page_enter", 50.0), ("page_exit", 51.0))).passed


@pytest.mark.parametrize(
    ("fires", "words"),
    [
        (4, ()),
        (1, ("expected the session to trigger the task once, found 4 times",)),
        (5, ("expected the session to trigger the task 5 times, found 4 times",)),
    ],
)
def test_how_often_the_session_fires_can_be_expected(fires, words):
    assert result_of(CountingRuns(), toml=with_fires(fires)).mismatches == words


def test_a_session_that_triggers_nothing_fails():
    result = result_of(CountingRuns(), session(("page_enter", 1.0), ("click", 2.0)))
    assert not result.passed
    assert (result.run.error_class, result.run.message) == (
        "input-invalid",
        "no event of the session triggers the task",
    )


def test_the_first_run_that_fails_ends_the_session():
    runs = CountingRuns(2)
    result = result_of(runs)
    assert (len(runs.given), result.run.message, result.mismatches) == (2, "KeyError: 'x'", ())
    assert [one.passed for one in result.by_run()] == [True, False]


def test_a_session_triggers_a_bounded_number_of_runs():
    visits = session(*((kind, float(at)) for at in range(MAX_FIRINGS + 5) for kind in ("page_enter", "page_exit")))
    runs = CountingRuns()
    result = result_of(runs, visits)
    assert len(runs.given) == MAX_FIRINGS + 1
    assert f"at most {MAX_FIRINGS} times, found more" in result.mismatches[0]


@pytest.mark.parametrize("private", [False, True])
def test_private_contents_are_there_for_a_private_task_only(private):
    runs = CountingRuns()
    toml = TOML.replace("[stream.reads.recent]", f"[stream]\nprivate = {str(private).lower()}\n[stream.reads.recent]")
    result_of(runs, session(("page_exit", 1.0, {"name": "Ada"})), toml)
    assert [event.get("private") for event in runs.given[0]["events"]] == [{"name": "Ada"} if private else None]


@pytest.mark.slow
def test_a_replay_needs_no_disk_for_the_largest_session():
    light, heavy = ({"kind": "click", "page": "home", "contents": {"is": "x" * size}} for size in (0, 270))
    lines = [json.dumps({**(light if at < 10_000 else heavy), "at": 0.001 * at}).encode() for at in range(19_999)]
    largest = b"\n".join([*lines, session(("page_exit", 30.0))])
    assert 0.9 * MAX_SESSION_BYTES < len(largest) <= MAX_SESSION_BYTES
    runs = CountingRuns()
    result_of(runs, largest, TOML.replace("[stream.reads.recent]", WIDEST))
    assert len(runs.given[0]["events"]) == 10_000


def test_a_table_gives_no_more_rows_than_it_keeps():
    runs = CountingRuns()
    result_of(
        runs, toml=TOML.replace("[stream.reads.recent]", "[stream]\nretain = { rows = 1 }\n[stream.reads.recent]")
    )
    assert [len(given["recent"]) for given in runs.given] == [0, 1, 1, 1]


def test_the_inputs_of_all_runs_are_known_before_one_takes_place_but_for_their_rows():
    runs = CountingRuns()
    result_of(runs)
    parsed = parse_task(TOML.encode()).sound
    manifest = build_manifest(parsed, [], lambda _: "0" * 64, **NAMES)
    [case] = load_samples(MemoryTree({"view.jsonl": VISITS}), parsed.samples, manifest)
    assert list(case.all_inputs()) == [{**given, "recent": []} for given in runs.given]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"{}\n" * (MAX_SESSION_EVENTS + 1), "at most 20000 lines, found 20001"),
        (b" " * (MAX_SESSION_BYTES + 1), "at most 4194304 bytes, found 4194305"),
        (b'{"kind": "page_enter", "page": "home", "at": 1}\n{"kind": "swipe"}', "view.jsonl:2"),
        (b"[", "line 1"),
    ],
)
def test_a_session_is_bounded_and_well_formed(content, found):
    with pytest.raises(Malformed, match=found):
        parse_sample_session(content, "view.jsonl")
