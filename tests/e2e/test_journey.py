"""`make demo` as a test: git, web server, worker and devices are real processes, and every step is checked there."""

import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cluster import copy_template
from walleweb.config import BASE_DIR
from walleweb.embedded.postgres import VOLATILE, database_url, running

pytestmark = [pytest.mark.processes, pytest.mark.slow]


@pytest.fixture
def database() -> Iterator[str]:
    """The address of a migrated database without rows; `make run` migrates one in tests/walleweb/test_run.py."""
    with tempfile.TemporaryDirectory(prefix="walle-test-") as name:
        folder = Path(name)
        # The account of PostgreSQL needs to pass through.
        folder.chmod(0o711)
        copy_template(folder / "postgres")
        with running(folder / "postgres", log=folder / "postgres.log", settings=VOLATILE):
            yield database_url(folder / "postgres")


def test_a_task_travels_from_git_to_devices_and_is_removed_again(database):
    command = [sys.executable, "-m", "walleweb.demo.journey"]
    keys = {name: secrets.token_urlsafe(50) for name in ("SECRET_KEY", "WALLE_MASTER_KEY")}
    environment = {**os.environ, **keys, "DATABASE_URL": database}

    done = subprocess.run(
        command, cwd=BASE_DIR, env=environment, capture_output=True, text=True, timeout=3600, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "The whole journey happened" in done.stdout
