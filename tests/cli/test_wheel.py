"""What developers and services install: the wheel `walle` in an empty environment, and the command with its extra."""

from __future__ import annotations

import shutil
import subprocess
from importlib.metadata import PathDistribution
from zipfile import Path as ZipPath
from zipfile import ZipFile

import pytest

from tests.support.environments import PIP, bare_environment, lend, output_of
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


@pytest.mark.slow
def test_the_wheel_needs_nothing_of_the_cloud_and_its_extra_brings_the_command_line(tmp_path):
    """One environment for all of it, which has what the wheel declares to need, lent by that of the tests."""
    source = tmp_path / "source"
    shutil.copytree(BASE_DIR / "walle", source / "walle", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(BASE_DIR / name, source / name)
    output_of(*PIP, "wheel", "-q", "--no-deps", "-w", tmp_path, source)
    (wheel,) = tmp_path.glob("walle-*.whl")
    (metadata,) = {name.split("/")[0] for name in ZipFile(wheel).namelist() if ".dist-info/" in name}
    declared = PathDistribution(ZipPath(wheel, f"{metadata}/")).requires or []

    python = bare_environment(tmp_path / "venv")
    output_of(*PIP, "--python", python, "install", "-q", "--no-index", "--no-deps", "--no-compile", wheel)
    assert not lend(python, declared) & CLOUD_ONLY
    walle = python.parent / "walle"
    bare = subprocess.run([walle, "--help"], capture_output=True, text=True, check=False)
    assert bare.returncode == 1
    assert "pip install 'walle[cli]'" in bare.stderr

    lend(python, declared, extra="cli")
    (tmp_path / "task").mkdir()
    command = [walle, "version", "validate", tmp_path / "task"]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout.partition(":")[0]) == (1, "task.toml")
