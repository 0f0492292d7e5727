"""[serving] in task.toml: what serving hosts are told of a pipeline, and each mistake at its field."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from walle.bundle.manifest import build_manifest
from walle.bundle.taskfile import parse_task

MISTAKES = tomllib.loads((Path(__file__).parent / "serving_mistakes.toml").read_text())["mistake"]
NAMES = {"scenario": "shop", "task": "mood", "version": "1.0.0", "commit": "0" * 40}
PIPELINE_TOML = """
[task]
kind = "pipeline"
description = "Whether a review is a good one"

[inputs.text]
type = "text"

[outputs.label]
type = "integer"

[serving]
engine = "batch"
cache = true
batch_delay_ms = 2.5
max_batch = 200
reserve_cores = 1
reserve_mb = 64

[limits]
failure_rate = 0.02
"""


def manifest_of(toml: str) -> dict[str, object]:
    parsed = parse_task(toml.encode())
    assert parsed.problems == ()
    return build_manifest(parsed.sound, [], lambda _: "0" * 64, **NAMES)


def test_the_manifest_says_how_a_pipeline_is_served():
    manifest = manifest_of(PIPELINE_TOML)
    assert (manifest["kind"], manifest["entry_point"], manifest["trigger"]) == ("pipeline", "", {})
    assert manifest["limits"]["failure_rate"] == 0.02
    assert manifest["serving"] == {
        "engine": "batch",
        "cache": True,
        "batch_delay_ms": 2.5,
        "max_batch": 200,
        "reserve_cores": 1,
        "reserve_mb": 64,
    }


def test_what_is_not_said_of_serving_is_written_out_too():
    assert manifest_of(PIPELINE_TOML.partition("[serving]")[0])["serving"] == {
        "engine": "auto",
        "cache": False,
        "batch_delay_ms": 0,
        "max_batch": 1000,
        "reserve_cores": 0,
        "reserve_mb": 0,
    }


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake["new"].strip().partition("\n")[0])
def test_each_mistake_is_one_problem_at_its_field(mistake):
    assert PIPELINE_TOML.count(mistake["old"]) == 1
    [problem] = parse_task(PIPELINE_TOML.replace(mistake["old"], mistake["new"]).encode()).problems
    assert problem.text == f"task.toml: {mistake['problem']}"


def test_a_task_of_a_device_is_not_served():
    toml = '[task]\nentry_point = "main:run"\n[trigger]\nevery_s = 5\n[serving]\ncache = true'
    assert [problem.field for problem in parse_task(toml.encode()).problems] == ["serving"]
    device = parse_task(toml.partition("[serving]")[0].encode())
    assert "serving" not in build_manifest(device.sound, [], lambda _: "0" * 64, **NAMES)
