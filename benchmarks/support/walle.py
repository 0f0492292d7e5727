"""A throw-away Walle for one benchmark: its own data folder and PostgreSQL, gone afterwards."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]


@contextlib.contextmanager
def temporary_walle() -> Iterator[Path]:
    """Sets Django up on a fresh, migrated database in a temporary folder, which it yields."""
    with tempfile.TemporaryDirectory(prefix="walle-bench-") as folder:
        directory = Path(folder)
        directory.chmod(0o755)
        os.environ |= {"WALLE_DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "walleweb.settings"}
        os.environ |= {"WALLE_LOG_LEVEL": "warning", "PYTHONPATH": str(ROOT)}
        os.environ.pop("DATABASE_URL", None)
        import django
        from django.core.management import call_command

        from walleweb.embedded.postgres import running

        with running(directory / "postgres", log=directory / "postgres.log"):
            django.setup()
            call_command("migrate", verbosity=0)
            try:
                yield directory
            finally:
                _close_connections()


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
    """A running server process, and what it costs."""

    port: int
    process: subprocess.Popen[bytes]

    def resident_mb(self) -> float:
        """Its resident memory in MB."""
        return psutil.Process(self.process.pid).memory_info().rss / 1e6

    def cpu_seconds(self) -> float:
        """The CPU time that it has used so far, all threads together."""
        times = psutil.Process(self.process.pid).cpu_times()
        return float(times.user + times.system)


@contextlib.contextmanager
def serving(
    application: str,
    *options: str,
    cpus: Sequence[int],
    protocol: str = "httptools",
    environment: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """One uvicorn process (uvloop, httptools) that serves an ASGI application on the given CPUs."""
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", application, "--port", str(port), "--log-level", "warning", *options]
    command += ["--no-access-log", "--loop", "uvloop", "--http", protocol, "--no-server-header", "--no-date-header"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    os.sched_setaffinity(process.pid, cpus)  # before it has loaded anything: its threads will inherit this
    try:
        wait_for_port(port, process)
        yield Server(port, process)
    finally:
        process.terminate()
        process.wait(20)


def wait_for_port(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise RuntimeError(f"the server on port {port} did not start")
