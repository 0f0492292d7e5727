"""The tests of the sandbox once more as an ordinary user, and as root where runs can read the interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.container.support import interpreter_is_reachable

pytestmark = pytest.mark.processes

HERE = Path(__file__).parent
NOBODY = 65534


def run_tests_as(uid: int, *only: str) -> str:
    """Run the container's tests in a process of their own; what pytest says."""
    with tempfile.TemporaryDirectory() as home:
        os.chown(home, uid, uid)
        options = ["-q", "-p", "no:cacheprovider", "-p", "no:django", f"--basetemp={home}/tests"]
        tests = [
            str(HERE / f"test_{name}.py") for name in ("sandbox", "hostile", "escapes", "build_emulation", "simulator")
        ]
        become = [sys.executable, "-m", "tests.container.reachable", str(uid)]
        finished = subprocess.run(
            [*become, sys.executable, "-m", "pytest", *options, *only, *tests],
            cwd=HERE.parents[1],
            env={"HOME": home, "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
    assert finished.returncode == 0, finished.stdout[-6000:] + finished.stderr[-2000:]
    return finished.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become someone else")
def test_an_ordinary_user_gets_the_same_walls():
    told = run_tests_as(NOBODY)
    assert "skipped" not in told, told


@pytest.mark.skipif(os.geteuid() != 0 or interpreter_is_reachable(), reason="the tests themselves cover this")
def test_root_without_namespaces_is_covered_too():
    told = run_tests_as(0, "-k", "namespaces")
    assert "skipped" not in told, told
