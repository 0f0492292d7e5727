"""A production installation as processes that can be killed and restarted. Begin at `running_installation`."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
import psutil

from benchmarks.support.rehearsal.database import Connection, ReplicatedPostgres
from benchmarks.support.rehearsal.units import program_of_unit
from benchmarks.support.shipped_nginx import write_configuration
from benchmarks.support.walle import ROOT, copy_cluster, free_port, postgres_settings, set_up_django
from walleweb.embedded.supervisor import Program, stop_together

START_S: Final = 120.0
RESTART_S: Final = 1.0
"""Seconds after which systemd starts a process again that was killed (RestartSec of the units)."""
MISSING: Final = "this benchmark needs nginx and Redis: apt-get install -y nginx-light redis-server"
_DATABASE: Final = {"max_connections": "200", "track_commit_timestamp": "on"}


@dataclass(frozen=True)
class Size:
    """How many processes of each kind; without web servers of their own, gateways answer people too."""

    gateways: int
    web: int
    workers: int


class Installation:
    """All processes of one Walle on this machine; start them in the thread that lives longest."""

    def __init__(self, folder: Path, size: Size) -> None:
        self.folder, self.logs = folder, folder / "logs"
        self.https, self._http, self._redis_port = free_port(), free_port(), free_port()
        self.is_migrated = copy_cluster(folder)
        settings = {**_DATABASE, **postgres_settings()}
        self.postgres = ReplicatedPostgres(folder, log=self.logs / "postgres.log", settings=settings)
        self.postgres.start()
        self._ports = [free_port() for _ in range(size.gateways)]
        self._web_ports = [free_port() for _ in range(size.web)]
        self.settings = self._settings()
        self.gateways = self._servers("walle-gateway@", "gateway", self._ports)
        self.web = self._servers("walle-web@", "web", self._web_ports)
        self.workers = [self._of_unit("walle-worker", f"worker-{index}") for index in range(size.workers)]
        self.urgent_worker = self._of_unit("walle-urgent-worker", "urgent-worker")
        self.beat = self._of_unit("walle-beat", "beat")
        self.redis = self._redis()
        self.nginx = self._nginx()

    @property
    def address(self) -> str:
        return f"https://localhost:{self.https}"

    @property
    def certificate(self) -> Path:
        return self.folder / "certificate.pem"

    @property
    def servers(self) -> list[Program]:
        return [*self.gateways, *self.web]

    @property
    def programs(self) -> list[Program]:
        return [self.redis, *self.servers, *self.workers, self.urgent_worker, self.beat, self.nginx]

    def start(self) -> None:
        """Start all programs; return when every server is ready."""
        for program in self.programs:
            program.start()
        for program in self.servers:
            self.wait_until_ready(program)

    def connect(self) -> Connection:
        """Connect as superuser to the database that takes writes."""
        return self.postgres.connect()

    def pids(self) -> dict[str, int]:
        """Return the running programs' processes by name, without Redis, whose memory is what is in it."""
        running = [program for program in self.programs if program.poll() is None and program is not self.redis]
        return {program.name: program.process.pid for program in running if program.process is not None}

    def kill(self, program: Program) -> None:
        """Kill a program with its children: systemd ends what a killed main process leaves of its unit."""
        assert program.process is not None
        program.process.kill()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program.process.pid, signal.SIGKILL)
        program.process.wait()

    def kill_nginx_worker(self) -> None:
        """Kill the first of nginx's workers, which its master replaces at once."""
        assert self.nginx.process is not None
        psutil.Process(self.nginx.process.pid).children()[0].kill()

    def restart(self, program: Program) -> float:
        """End a program as systemd does and start it again; return the seconds until it was there, and answers."""
        assert program.process is not None
        began = time.monotonic()
        program.process.terminate()
        program.process.wait(START_S)
        program.start()
        if program in self.servers:
            self.wait_until_ready(program)
        return time.monotonic() - began

    def wait_until_ready(self, program: Program) -> None:
        """Return when a server answers 200 at /readyz."""
        port = [*self._ports, *self._web_ports][self.servers.index(program)]
        wait(lambda: _is_ready(port), f"{program.name} to be ready; see {program.log}")

    def stop(self) -> None:
        stop_together([self.nginx])
        stop_together([program for program in self.programs if program is not self.nginx])
        self.postgres.stop()

    def _settings(self) -> dict[str, str]:
        """Return what walle.env says."""
        return {
            "WALLE_HTTPS": "on",
            "WALLE_LOG_FORMAT": "json",
            "WALLE_LOG_LEVEL": "warning",
            "WALLE_DEBUG": "off",
            "WALLE_DATA_DIR": str(self.folder),
            "WALLE_PUBLIC_URL": self.address,
            "WALLE_ALLOWED_HOSTS": "localhost",
            "WALLE_TRUSTED_PROXIES": "127.0.0.1,::1",
            "WALLE_TRUSTED_ORIGINS": self.address,
            "DATABASE_URL": self.postgres.address(),
            "REDIS_URL": f"redis://127.0.0.1:{self._redis_port}/0",
            "WALLE_WORKER_PROCESSES": "1",
            **{name: secrets.token_urlsafe(50) for name in ("SECRET_KEY", "WALLE_MASTER_KEY")},
        }

    def _servers(self, unit: str, name: str, ports: list[int]) -> list[Program]:
        return [self._of_unit(unit, f"{name}-{index}", instance=str(port)) for index, port in enumerate(ports)]

    def _of_unit(self, unit: str, name: str, *, instance: str = "") -> Program:
        return program_of_unit(unit, name, self.logs, instance=instance, settings=self.settings)

    def _redis(self) -> Program:
        options = ("--port", str(self._redis_port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no")
        command = (_installed("redis-server"), *options, "--dir", str(self.folder))
        return Program("redis", command, self.logs / "redis.log", death_signal=signal.SIGKILL)

    def _nginx(self) -> Program:
        configuration = write_configuration(
            self.folder, https=self.https, http=self._http, servers=self._ports, web=self._web_ports
        )
        command = (_installed("nginx"), "-c", str(configuration), "-p", str(self.folder))
        return Program("nginx", command, self.logs / "nginx.log")


@contextlib.contextmanager
def running_installation(size: Size, log: Callable[[str], None]) -> Iterator[Installation]:
    """Run a migrated Walle in a temporary folder; Django, git and HTTP clients of this process use it too.

    BENCH_LOGS names a folder that keeps the logs.
    """
    with tempfile.TemporaryDirectory(prefix="walle-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        installation = Installation(folder, size)
        try:
            os.environ |= {**installation.settings, "DJANGO_SETTINGS_MODULE": "walleweb.settings"}
            os.environ |= {"PYTHONPATH": str(ROOT)}
            os.environ |= dict.fromkeys(("SSL_CERT_FILE", "GIT_SSL_CAINFO"), str(installation.certificate))
            set_up_django(migrate=not installation.is_migrated)
            installation.postgres.add_standby()
            log("the standby follows")
            installation.start()
            yield installation
        finally:
            installation.stop()
            if logs := os.environ.get("BENCH_LOGS"):
                shutil.copytree(installation.logs, logs, dirs_exist_ok=True)


def wait(condition: Callable[[], bool], what: str, seconds: float = START_S) -> float:
    """Return after how many seconds a condition held; end the benchmark if it does not in time."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() > began + seconds:
            raise SystemExit(f"waited {seconds:g} s in vain for {what}")
        time.sleep(0.1)
    return time.monotonic() - began


def _is_ready(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=5, trust_env=False).is_success
    except httpx.HTTPError:
        return False


def _installed(program: str) -> str:
    found = shutil.which(program) or shutil.which(program, path="/usr/sbin")
    if found is None:
        raise SystemExit(MISSING)
    return found
