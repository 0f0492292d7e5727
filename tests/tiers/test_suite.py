"""What the suite's plugin promises, on a small suite of its own that real workers run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from walleweb.config import BASE_DIR

pytestmark = pytest.mark.processes

SETTINGS = """
[pytest]
addopts = --strict-markers -p tests.tiers.plugin -p no:django
"""
FLAKY = """
import pathlib, pytest

@pytest.mark.processes
@pytest.mark.xdist_group("together")
def test_passes_the_second_time():
    seen = pathlib.Path(__file__).with_name("seen")
    if not seen.exists():
        seen.touch()
        pytest.fail("somebody was in the way")

@pytest.mark.parametrize("number", range(20))
def test_passes(number):
    pass
"""
BROKEN = """
import pytest

@pytest.mark.processes
def test_never_passes():
    pytest.fail("it is broken")
"""
STARTS = """
import subprocess

def test_starts_a_process():
    try:
        subprocess.run(["true"])
    except Exception:
        pass
"""
SKIPPED = """
import pytest

def test_needs_a_program():
    pytest.skip("there is no such program")
"""
COUNTS = """
from hypothesis import given, settings, strategies as st

seen = []

@settings(max_examples=10)
@given(st.integers())
def test_tries(number):
    seen.append(number)

def test_tried():
    print("tried", len(seen), hash(tuple(seen)))
"""


def run_suite(folder: Path, source: str, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(source)
    # In a file, because a test that is run once more alone is run with what that says.
    (folder / "pytest.ini").write_text(SETTINGS)
    inherited = {name: value for name, value in os.environ.items() if name not in ("CI", "WALLE_EXAMPLES")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), *options],
        cwd=folder,
        env={**inherited, "PYTHONPATH": str(BASE_DIR), "PYTHONHASHSEED": "0", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


WORKERS = ("-n", "2", "--dist", "loadgroup")


def test_what_passes_alone_is_named_flaky_and_fails_nothing(tmp_path):
    done = run_suite(tmp_path, FLAKY, *WORKERS, "--again")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "somebody was in the way" in done.stdout
    *_, name, closing = done.stdout.strip().splitlines()
    assert name == "FLAKY test_it.py::test_passes_the_second_time"
    assert closing.startswith("20 passed, 1 flaky")
    rows = {line.split()[0]: line.split()[1] for line in done.stdout.splitlines() if line.startswith(("pure ", "proc"))}
    assert rows == {"pure": "20", "processes": "1"}, "each tier is measured by the workers"


def test_what_fails_again_fails(tmp_path):
    done = run_suite(tmp_path, BROKEN, *WORKERS, "--again")
    assert done.returncode == 1
    assert done.stdout.strip().splitlines()[-1].startswith("1 failed")


def test_a_pure_test_starts_no_process(tmp_path):
    done = run_suite(tmp_path, STARTS)
    assert done.returncode == 1
    assert "pytestmark = pytest.mark.processes" in done.stdout


@pytest.mark.parametrize(("environment", "status"), [({"CI": "true"}, 1), ({}, 0)])
def test_in_ci_nothing_is_skipped_silently(tmp_path, environment, status):
    done = run_suite(tmp_path, SKIPPED, **environment)
    assert done.returncode == status
    assert "there is no such program" in run_suite(tmp_path, SKIPPED, "-rs").stdout


def test_examples_are_the_same_and_fewer_in_ci_and_as_many_as_asked_for(tmp_path):
    def tried(**environment):
        told = run_suite(tmp_path, COUNTS, "-s", **environment).stdout
        return next(line for line in told.splitlines() if "tried" in line).split("tried ")[1].split()

    first, again = tried(CI="true"), tried(CI="true")
    assert first == again
    assert first[0] == "4"
    assert tried(WALLE_EXAMPLES="3")[0] == "30"
