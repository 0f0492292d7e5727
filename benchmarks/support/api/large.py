"""A large Walle in a folder: seeded once, then running with its PostgreSQL, and served by one process."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from rich.console import Console

from benchmarks.support.api.seed import Size
from benchmarks.support.harness import is_tiny
from benchmarks.support.walle import ROOT, Server, copy_cluster, postgres_settings, serving

CPUS: Final = sorted(os.sched_getaffinity(0))
# The memory and disk settings of a server for a fleet of this size.
POSTGRES: Final = {"shared_buffers": "2GB", "random_page_cost": "1.1", "max_wal_size": "8GB"}

console = Console()


@contextlib.contextmanager
def large_walle(folder: Path, size: Size | None) -> Iterator[Path]:
    """Run PostgreSQL with a Walle of this size, or with an empty one, in a folder; a seeded one is used again."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    from walleweb.embedded.postgres import DATABASE, SUPERUSER, database_url, running

    is_migrated = not (folder / "postgres").exists() and copy_cluster(folder)
    settings = {} if is_tiny() else POSTGRES
    with running(folder / "postgres", log=folder / "postgres.log", settings=settings | postgres_settings()):
        if not is_migrated:
            _manage(folder, "migrate", "--verbosity", "0")
        if size is not None and not (folder / "seeded").exists():
            started = time.monotonic()
            address = database_url(folder / "postgres", DATABASE, SUPERUSER)
            run_in(folder, "-m", "benchmarks.support.api.seed", json.dumps(vars(size)), address)
            (folder / "seeded").touch()
            console.print(f"seeded {size.devices:,} devices in {time.monotonic() - started:.0f} s")
        if not is_tiny():
            _manage(folder, "collectstatic", "--noinput", "--verbosity", "0")
        yield folder


@contextlib.contextmanager
def large_server(folder: Path) -> Iterator[Server]:
    """Serve it with one process on all CPUs."""
    with serving("walleweb.asgi:application", cpus=CPUS, environment=_environment(folder)) as running:
        yield running


def run_in(folder: Path, *arguments: str) -> None:
    """Run Python in a process of its own, whose Django uses the Walle in this folder."""
    subprocess.run([sys.executable, *arguments], cwd=ROOT, env=_environment(folder), check=True)


def _manage(folder: Path, *arguments: str) -> None:
    run_in(folder, str(ROOT / "manage.py"), *arguments)


def _environment(folder: Path) -> dict[str, str]:
    """Return the environment of a Walle that others can reach, with arbitrary secrets."""
    secrets = {"SECRET_KEY": "benchmark-" * 6, "WALLE_MASTER_KEY": "benchmark-" * 6}
    limits = {"WALLE_API_READS_PER_MINUTE": "0", "WALLE_API_WRITES_PER_MINUTE": "0"}
    switches = {"WALLE_DEBUG": "off", "WALLE_HTTPS": "off", "WALLE_LOG_LEVEL": "error"}
    switches["WALLE_ALLOWED_HOSTS"] = "127.0.0.1,testserver"
    switches["WALLE_DATABASE_POOL"] = "8"  # as in deploy/systemd and `make run`
    places = {"WALLE_DATA_DIR": str(folder), "PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "walleweb.settings"}
    return {**os.environ, **secrets, **limits, **switches, **places}
