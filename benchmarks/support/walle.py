"""A throw-away Walle for one benchmark: its own data folder and PostgreSQL, deleted afterwards."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from benchmarks.support.harness import is_tiny

ROOT = Path(__file__).resolve().parents[2]
START_S = 120.0
CLUSTER = "BENCH_CLUSTER"
"""Names a folder with a migrated, empty cluster that is copied, so that many tiny runs migrate once."""


@contextlib.contextmanager
def temporary_walle() -> Iterator[Path]:
    """Set Django up on a new, migrated database in a temporary folder, which is yielded."""
    with tempfile.TemporaryDirectory(prefix="walle-bench-") as folder:
        directory = Path(folder)
        directory.chmod(0o755)
        os.environ |= {"WALLE_DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "walleweb.settings"}
        os.environ |= {"WALLE_LOG_LEVEL": "warning", "PYTHONPATH": str(ROOT)}
        os.environ.pop("DATABASE_URL", None)
        from walleweb.embedded.postgres import running

        is_migrated = copy_cluster(directory)
        with running(directory / "postgres", log=directory / "postgres.log", settings=postgres_settings()):
            set_up_django(migrate=not is_migrated)
            try:
                yield directory
            finally:
                _close_connections()


def set_up_django(*, migrate: bool) -> None:
    """Set Django up for this process on the database that the environment names, migrating it where that is needed."""
    import django
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    if migrate:
        call_command("migrate", verbosity=0)
    connection.close()


def copy_cluster(directory: Path) -> bool:
    """Copy the migrated cluster in BENCH_CLUSTER into a Walle's folder; return whether that variable names one."""
    source = os.environ.get(CLUSTER)
    if source is None:
        return False
    # With the owners of all files: PostgreSQL runs under an account of its own if root starts it.
    subprocess.run(["cp", "-a", source, str(directory / "postgres")], check=True)
    return True


def postgres_settings() -> dict[str, str]:
    """Return PostgreSQL's settings for this run: the product's, but a tiny run does not wait for the disk."""
    from walleweb.embedded.postgres import VOLATILE

    return VOLATILE if is_tiny() else {}


def _close_connections() -> None:
    from django.db import connections

    for connection in connections.all():
        connection.close()
        connection.close_pool()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass(frozen=True)
class Server:
    """A running server process and its resource usage."""

    port: int
    process: subprocess.Popen[bytes]

    def resident_mb(self) -> float:
        """Return its resident memory in MB."""
        return psutil.Process(self.process.pid).memory_info().rss / 1e6

    def cpu_seconds(self) -> float:
        """Return the CPU time that it has used so far, all threads together."""
        # Linux derives a process's CPU clock from its id (clock_getcpuclockid(3)); /proc counts in hundredths only.
        return time.clock_gettime(~self.process.pid << 3 | 2)


@contextlib.contextmanager
def serving(
    application: str,
    *options: str,
    cpus: Sequence[int],
    protocol: str = "httptools",
    environment: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """Run one uvicorn process (uvloop, httptools) with an ASGI application on the given CPUs."""
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", application, "--port", str(port), "--log-level", "warning", *options]
    command += ["--no-access-log", "--loop", "uvloop", "--http", protocol, "--no-server-header", "--no-date-header"]
    with _running(command, port, cpus, environment) as server:
        yield server


@contextlib.contextmanager
def serving_product(*options: str, cpus: Sequence[int], protocol: str | None = None) -> Iterator[Server]:
    """Run the web server of `make run` by its own command, on the given CPUs and this process's database.

    `options` are further ones of uvicorn; `protocol` replaces its HTTP protocol in that command.
    """
    from walleweb.config import Config
    from walleweb.embedded.commands import WEB_DATABASE_POOL, web_command

    port = free_port()
    arguments = list(web_command(replace(Config.from_env(), port=port)))
    if protocol is not None:
        arguments[arguments.index("--http") + 1] = protocol
    environment = {**os.environ, "WALLE_DATABASE_POOL": WEB_DATABASE_POOL, "WALLE_PORT": str(port)}
    with _running([sys.executable, *arguments, *options], port, cpus, environment) as server:
        yield server


@contextlib.contextmanager
def _running(
    command: Sequence[str], port: int, cpus: Sequence[int], environment: Mapping[str, str] | None
) -> Iterator[Server]:
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    os.sched_setaffinity(process.pid, cpus)  # before it starts threads, which inherit this
    try:
        wait_for_port(port, process)
        yield Server(port, process)
    finally:
        process.terminate()
        process.wait(20)


def wait_for_port(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise RuntimeError(f"the server on port {port} did not start")
