"""Making a build of walle-device with only what a task needs."""

from __future__ import annotations

import platform
import subprocess

import pytest

from tests.tasks_app.working_copy import TASK

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(platform.system() != "Linux", reason="builds are made on Linux"),
]


@pytest.mark.slow
def test_a_build_is_made_tried_and_told(walle, folder, tmp_path):
    out = tmp_path / "build"
    (folder / "task.toml").write_text(f'{TASK}[requires]\nruntime = ">=1.1.0"\n')
    (folder / "main.py").write_text(
        "import csv\nfrom walle_task import Events, Map\ndef run(inputs, context):\n"
        "    return {'double': sum(Events([inputs['number']]) | Map(lambda number: 2 * number))}\n"
    )
    made = walle("device", "package", "--for", folder, "--with", "sqlite3", "--out", out, "--json")
    assert made.status == 0, made.err
    assert [(run["sample"], run["passed"]) for run in made.json["runs"]] == [("one", True)]
    parts = {one["part"]: one for one in made.json["parts"]}
    library = parts["standard library"]
    assert library["tailored"]["size"] < library["whole"]["size"]
    assert not {"csv", "sqlite3"} & set(library["left_out"])
    assert "wave" in library["left_out"]
    assert "numpy" not in parts
    assert any(name.startswith("libc.so") for name in made.json["system_libraries"])
    started = subprocess.run([out / "bin" / "walle-device", "--help"], env={"PATH": "/usr/bin:/bin"}, check=True)
    assert started.returncode == 0


@pytest.mark.slow
def test_a_sample_that_fails_is_told_before_anything_is_written(walle, folder, tmp_path):
    (folder / "main.py").write_text("def run(inputs, context):\n    raise ValueError('never')\n")
    out = tmp_path / "build"
    made = walle("device", "package", "--for", folder, "--out", out)
    assert made.status == 1
    assert "sample 1: exception:ValueError: ValueError: never" in made.err
    assert not out.exists()


def test_what_is_there_already_is_not_overwritten(walle, folder, tmp_path):
    refused = walle("device", "package", "--for", folder, "--out", folder)
    assert refused.status == 2
    assert f"expected a new folder for the build, found {folder}" in refused.err
    assert (folder / "task.toml").read_text() == TASK


@pytest.mark.parametrize("name", ["no_such_module_at_all", "json.no_such_module", "numpy.no_such_module"])
def test_a_module_that_is_not_here_cannot_be_added(walle, folder, tmp_path, name):
    refused = walle("device", "package", "--for", folder, "--out", tmp_path / "build", "--with", name)
    assert refused.status == 1
    assert name in refused.err
    assert not (tmp_path / "build").exists()


def test_a_task_is_needed(walle):
    assert walle("device", "package").status == 2
