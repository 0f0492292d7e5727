"""What a device installs: the wheel in an empty environment, without the control plane's dependencies."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.device.conftest import TASK
from walleweb.config import BASE_DIR

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
PIP = (sys.executable, "-m", "pip")
CODE = b"def run(inputs, context):\n    return {'y': inputs['x'] * 2}\n"


def output_of(*command: str | Path) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def environment_with(package: Path | str, folder: Path) -> Path:
    """The interpreter of a new environment with the package and what that needs; pip stays outside."""
    output_of(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin" / "python"
    output_of(*PIP, "--python", python, "install", "-q", package)
    return python


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
def test_a_device_runs_from_the_wheel_alone(python, address, repository, tmp_path):
    repository.publish(TASK, "1.0.0", {"main.py": CODE})
    (tmp_path / "inputs.jsonl").write_text('{"inputs": {"x": 4}}\n')
    told = output_of(
        *(python, "-I", "-m", "walle.device", "--server", address, "--app", "shop", "--app-key", "app-key", "--once"),
        *("--store", tmp_path / "device", "--inputs", f"{TASK}={tmp_path / 'inputs.jsonl'}"),
    )
    assert f"{TASK} 1.0.0: {{'y': 8}}" in told
    assert [report["kind"] for report in repository.reports] == ["install", "run"]


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


@pytest.mark.slow
def test_what_the_device_imports_is_small(python):
    """Beside the standard library: its declared dependencies and what those need."""
    source = "import sys, walle.device.__main__; print(*{name.partition('.')[0] for name in sys.modules})"
    imported = set(output_of(python, "-I", "-c", source).split())
    assert not imported & {"django", "celery", "torch", "numpy", "uvicorn"}
