"""[upload] and [cloud] in task.toml: what devices are told of them, and each mistake at its field."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from walle.bundle.manifest import build_manifest
from walle.bundle.taskfile import parse_task
from walle.bundle.tunnel_keys import upload_warnings

MISTAKES = tomllib.loads((Path(__file__).parent / "tunnel_mistakes.toml").read_text())["mistake"]
NAMES = {"scenario": "shop", "task": "ipv", "version": "1.0.0", "commit": "0" * 40}
TUNNEL_TOML = """
[task]
entry_point = "main:run"

[outputs.encoding]
type = "list"
[outputs.unsure]
type = "boolean"
[outputs.page]
type = "text"

[trigger]
on = ["page_exit:item"]

[stream]
private = false

[upload]
outputs = ["encoding"]
when = "unsure"
answer_s = 2.5

[cloud]
main = "cloud/recommend.py"
modules = ["numpy"]
time_ms = 500
"""


def manifest_of(toml: str) -> dict[str, object]:
    parsed = parse_task(toml.encode())
    assert parsed.problems == ()
    return build_manifest(parsed.sound, [], lambda _: "0" * 64, **NAMES)


def test_the_manifest_says_what_goes_up_and_nothing_of_the_cloud_half():
    manifest = manifest_of(TUNNEL_TOML)
    assert manifest["upload"] == {"outputs": ["encoding"], "when": "unsure", "answer_ms": 2500}
    assert "cloud" not in manifest


def test_all_outputs_of_every_run_go_up_and_await_nothing_unless_the_task_says_otherwise():
    manifest = manifest_of(TUNNEL_TOML.partition("[upload]")[0] + "[upload]\n")
    assert manifest["upload"] == {"outputs": ["encoding", "unsure", "page"]}


def test_other_tasks_say_nothing_of_it():
    assert "upload" not in manifest_of(TUNNEL_TOML.partition("[upload]")[0])


def test_a_task_that_runs_by_the_clock_uploads_as_well():
    manifest = manifest_of(TUNNEL_TOML.replace('on = ["page_exit:item"]\n\n[stream]\nprivate = false', "every_s = 60"))
    assert manifest["upload"]["answer_ms"] == 2500


def test_a_cloud_half_has_limits_whether_it_says_so_or_not():
    cloud = parse_task(TUNNEL_TOML.encode()).sound.cloud
    assert (cloud.main, cloud.module, cloud.modules) == ("cloud/recommend.py", "cloud.recommend", ("numpy",))
    assert (cloud.time_ms, cloud.memory_mb) == (500, 256)


def test_a_cloud_half_without_an_upload_is_refused():
    alone = TUNNEL_TOML.partition("[upload]")[0] + '[cloud]\nmain = "cloud/recommend.py"'
    assert [problem.field for problem in parse_task(alone.encode()).problems] == ["cloud"]


def test_a_task_without_outputs_has_nothing_to_upload():
    toml = 'task = {entry_point = "main:run"}\ntrigger = {every_s = 5}\nupload = {}'
    [problem] = parse_task(toml.encode()).problems
    assert problem.text == "task.toml: upload: expected to stand in a task with outputs, found it in one without"


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake["problem"].partition(":")[0])
def test_one_mistake_gives_one_problem(mistake):
    assert mistake["old"] in TUNNEL_TOML
    wrong = TUNNEL_TOML.replace(mistake["old"], mistake["new"], 1)
    expected = [f"task.toml: {mistake[key]}" for key in ("problem", "also") if key in mistake]
    assert [problem.text for problem in parse_task(wrong.encode()).problems] == expected


@pytest.mark.parametrize(
    ("runtime", "without"),
    [(None, "1.0.0 or 1.1.0"), (">=1.1.0", "1.1.0"), ("<1.1.0", "1.0.0"), (">=1.2.0", None)],
)
def test_an_author_is_warned_of_devices_that_know_no_tunnel(runtime, without):
    warnings = upload_warnings({"outputs": ["encoding"]}, {} if runtime is None else {"runtime": runtime})
    assert [warning.partition(" run the task")[0] for warning in warnings] == (
        [f"Devices with runtime {without}"] if without else []
    )
    assert upload_warnings({}, {}) == []
