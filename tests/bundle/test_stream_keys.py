"""Stream tasks in task.toml: what the manifest says of them, and each mistake at its field."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from walle.bundle.manifest import build_manifest
from walle.bundle.taskfile import parse_task
from walle.protocol.canonical import canonical_json
from walle.protocol.documents import Manifest

MISTAKES = tomllib.loads((Path(__file__).parent / "stream_mistakes.toml").read_text())["mistake"]
NAMES = {"scenario": "shop", "task": "ipv", "version": "1.0.0", "commit": "0" * 40}
STREAM_TOML = """
[task]
entry_point = "main:run"

[inputs.events]
type = "list"
[inputs.page]
type = "object"
[inputs.recent]
type = "list"
[inputs.clicks]
type = "list"

[outputs.feature]
type = "object"

[[samples]]
name = "a view"
session = "samples/view.jsonl"
fires = 2

[trigger]
on = ["page_enter:item", "click"]
within = { events = 20 }

[stream]
window = { seconds = 90.5 }
schema = 3
private = true
retain = { rows = 50, days = 0.5 }
readers = ["shop/rank", "other/*"]
[stream.reads.recent]
[stream.reads.clicks]
table = "shop/clicks"
last = 5
"""
LITTLE = 'task = {entry_point = "main:run"}\n'


def payload_of(toml: str) -> bytes:
    parsed = parse_task(toml.encode())
    assert parsed.problems == ()
    return canonical_json(build_manifest(parsed.sound, [], lambda _: "0" * 64, **NAMES))


def test_the_manifest_writes_out_what_a_stream_task_is():
    values = Manifest.from_payload(payload_of(STREAM_TOML)).values
    assert values["trigger"] == {"on": ["page_enter:item", "click"], "within": {"events": 20}}
    assert values["stream"] == {
        "window": {"seconds": 90.5},
        "schema": 3,
        "private": True,
        "retain": {"rows": 50, "age_s": 43200, "bytes": 4 * 1024 * 1024},
        "readers": ["shop/rank", "other/*"],
        "reads": {"recent": {"table": "shop/ipv", "last": 20}, "clicks": {"table": "shop/clicks", "last": 5}},
    }


def test_what_a_stream_task_leaves_out_is_in_the_manifest_all_the_same():
    values = Manifest.from_payload(payload_of(f'{LITTLE}trigger = {{on = ["click"], within = "next"}}')).values
    assert values["trigger"] == {"on": ["click"]}
    assert values["stream"] == {
        "window": "page",
        "schema": 1,
        "private": False,
        "retain": {"rows": 10000, "age_s": 2592000, "bytes": 4194304},
        "readers": [],
        "reads": {},
    }


def test_other_tasks_say_nothing_of_it():
    assert b"stream" not in payload_of(f"{LITTLE}trigger = {{every_s = 5}}")


def test_a_sample_is_a_session_and_how_often_it_fires():
    [sample] = parse_task(STREAM_TOML.encode()).sound.samples
    assert (sample.session, sample.fires, sample.input) == ("samples/view.jsonl", 2, None)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake["problem"].partition(":")[0])
def test_one_mistake_gives_one_problem(mistake):
    assert mistake["old"] in STREAM_TOML
    wrong = STREAM_TOML.replace(mistake["old"], mistake["new"], 1)
    assert [problem.text for problem in parse_task(wrong.encode()).problems] == [f"task.toml: {mistake['problem']}"]


def test_mistakes_are_reported_together():
    wrong = STREAM_TOML.replace("events = 20", "events = 0").replace("schema = 3", "schema = 0")
    wrong = wrong.replace("fires = 2", "fires = 0")
    fields = [problem.field for problem in parse_task(wrong.encode()).problems]
    assert fields == ["samples[0].fires", "trigger.within.events", "stream.schema"]
