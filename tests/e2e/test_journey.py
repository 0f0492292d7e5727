"""`make demo` as a test: git, web server, worker and devices are real processes, and every step is checked there."""

import subprocess
import sys

import pytest

from walleweb.config import BASE_DIR

pytestmark = [pytest.mark.processes, pytest.mark.slow]


def test_a_task_travels_from_git_to_devices_and_is_removed_again():
    command = [sys.executable, "-m", "walleweb.demo.journey"]

    done = subprocess.run(command, cwd=BASE_DIR, capture_output=True, text=True, timeout=900, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "The whole journey happened" in done.stdout
