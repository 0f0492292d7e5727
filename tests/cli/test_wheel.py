"""What developers and services install: the wheel `walle` in an empty environment, and the command with its extra."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.environments import PIP, environment_with, output_of
from walleweb.config import BASE_DIR

pytestmark = pytest.mark.processes

CLOUD_ONLY = {
    "django",
    "djangorestframework",
    "celery",
    "channels",
    "psycopg",
    "redis",
    "gitpython",
    "torch",
    "uvicorn",
}


@pytest.fixture(scope="module")
def python(tmp_path_factory) -> Path:
    """The interpreter of an environment in which the wheel is installed."""
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(BASE_DIR / "walle", folder / "source" / "walle", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(BASE_DIR / name, folder / "source" / name)
    output_of(*PIP, "wheel", "-q", "--no-deps", "-w", folder, folder / "source")
    return environment_with(next(folder.glob("walle-*.whl")), folder / "venv")


@pytest.mark.slow
def test_the_wheel_brings_no_dependency_of_the_cloud(python):
    installed = json.loads(output_of(*PIP, "--python", python, "list", "--format", "json"))
    names = {package["name"].lower() for package in installed}
    assert "walle" in names
    assert not names & CLOUD_ONLY


@pytest.mark.slow
def test_the_command_line_says_what_it_needs_and_works_with_it(python, tmp_path):
    walle = python.parent / "walle"
    bare = subprocess.run([walle, "--help"], capture_output=True, text=True, check=False)
    assert bare.returncode == 1
    assert "pip install 'walle[cli]'" in bare.stderr
    complete = environment_with(f"{python.parents[2] / 'source'}[cli]", tmp_path / "venv")
    (tmp_path / "task").mkdir()
    refused = subprocess.run(
        [complete.with_name("walle"), "version", "validate", tmp_path / "task"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (refused.returncode, refused.stdout.partition(":")[0]) == (1, "task.toml")
