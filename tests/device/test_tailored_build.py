"""A tailored build of walle-device, where there is nothing else but it and the shared libraries that it names."""

from __future__ import annotations

import json
import os
import platform
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.device.conftest import TASK
from tests.support.alone import run_alone
from walle.cli.trial import prepare
from walle.container.sandbox import Sandbox
from walle.packaging.making import InstalledTask, TailoredBuild, make_build
from walleweb.config import BASE_DIR

pytestmark = [
    pytest.mark.processes,
    pytest.mark.slow,
    pytest.mark.skipif(platform.system() != "Linux", reason="builds are made on Linux"),
]

IMAGE = BASE_DIR / "examples" / "image" / "task"
DOUBLES = b"""
import statistics

def run(inputs, context):
    return {"y": int(statistics.mean([inputs["x"], 3 * inputs["x"]]))}
"""
OUTSIDE = b"""
import os

def run(inputs, context):
    return {"y": len([name for name in os.listdir("/") if name in ("tasks", "shared", "home")])}
"""
LEFT_OUT = b"""
import wave

def run(inputs, context):
    return {"y": 1}
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> tuple[Path, TailoredBuild]:
    """A build for the task of the image example, and for what needs `statistics`."""
    folder = tmp_path_factory.mktemp("tailored")
    trial = prepare(IMAGE, folder / "image", inputs=None, variants={})
    task = InstalledTask("image", trial.bundle, trial.manifest, trial.cases)
    return folder, make_build([task], folder / "build", asked=["statistics"], tell=lambda _: None)


Alone = Callable[..., CompletedProcess[str]]


@pytest.fixture
def alone(made, tmp_path) -> Alone:
    """Runs the build's own interpreter where there is nothing else."""
    folder, build = made
    with Sandbox() as sandbox:
        if reason := sandbox.missing().get("namespaces"):
            pytest.skip(f"this machine has no namespaces: {reason}")
    (program,) = (folder / "build" / "bin").glob("python*")

    def call(*arguments: str, given: str = "") -> CompletedProcess[str]:
        os.chmod(tmp_path, 0o755)
        (tmp_path / "shared").mkdir()
        if (tmp_path / "inputs.jsonl").exists():
            shutil.copy(tmp_path / "inputs.jsonl", tmp_path / "shared")
        folders = {"/app": folder / "build", "/tasks": folder, "/shared": tmp_path / "shared"}
        words = (f"/app/bin/{program.name}", *arguments)
        return run_alone(tmp_path / "root", folders, build.plan.system_libraries, *words, given=given)

    return call


def test_the_samples_passed_in_the_build(made):
    _, build = made
    assert {task: [one.passed for one in results] for task, results in build.trials.items()} == {"image": [True, True]}


def test_it_has_a_part_of_what_is_installed(made):
    _, build = made
    for part in ("standard library", "numpy", "securesystemslib"):
        sizes = build.sizes[part]
        assert sizes.tailored.plain < 0.8 * sizes.whole.plain
        assert sizes.tailored.compressed < 0.8 * sizes.whole.compressed
    assert build.plan.left_out_whole() >= ["pycparser"]
    assert {"numpy.testing", "numpy.f2py"} <= set(build.plan.left_out("numpy"))
    assert "wave" in build.plan.left_out("standard library")


RUN = """
import json, sys
from pathlib import Path
from walle.container.sandbox import Sandbox
given = json.load(sys.stdin)
with Sandbox() as sandbox:
    result = sandbox.run(Path("/tasks/image"), given["manifest"], given["inputs"])
print(json.dumps([result.output, result.message, sorted(result.enforced), sys.path]))
"""


def test_a_task_with_numpy_runs_where_there_is_nothing_else(made, alone):
    folder, _ = made
    trial = prepare(IMAGE, folder / "again", inputs=None, variants={})
    given = {"manifest": trial.manifest, "inputs": trial.cases[0].inputs}
    done = alone("-I", "-c", RUN, given=json.dumps(given))
    assert done.returncode == 0, done.stderr
    output, message, enforced, path = json.loads(done.stdout)
    assert (output["label"], message) == (7, None)
    assert {"files", "memory", "time"} <= set(enforced)
    assert all(folder.startswith("/app/lib/") for folder in path)


def device(alone: Alone, address: str, tmp_path: Path) -> str:
    """What a device tells that runs once, alone."""
    (tmp_path / "inputs.jsonl").write_text('{"inputs": {"x": 4}}\n')
    done = alone(
        *("-I", "-m", "walle.device", "--server", address, "--app", "shop", "--app-key", "app-key", "--once"),
        *("--store", "/tmp/device", "--inputs", f"{TASK}=/shared/inputs.jsonl"),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_device_does_its_work_where_there_is_nothing_else(alone, address, repository, tmp_path):
    repository.publish(TASK, "1.0.0", {"main.py": DOUBLES})
    told = device(alone, address, tmp_path)
    assert f"{TASK} 1.0.0: {{'y': 8}}" in told
    assert [report["kind"] for report in repository.reports] == ["install", "run"]


def test_the_walls_stand_in_the_build(alone, address, repository, tmp_path):
    repository.publish(TASK, "1.0.0", {"main.py": OUTSIDE})
    assert f"{TASK} 1.0.0: {{'y': 0}}" in device(alone, address, tmp_path)


def test_a_module_that_was_left_out_is_missing_with_a_hint(alone, address, repository, tmp_path):
    repository.publish(TASK, "1.0.0", {"main.py": LEFT_OUT})
    told = device(alone, address, tmp_path)
    report: dict[str, Any] = repository.reports[-1]
    assert (report["kind"], report["error_class"]) == ("run", "import-missing"), told
    assert report["message"].endswith("add it with walle device package --with wave")
