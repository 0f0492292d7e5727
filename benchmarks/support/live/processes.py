"""Walle's processes: PostgreSQL, a web server, workers, gateways; each can be killed and started again."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import psutil
import psycopg

from benchmarks.support.live.link import Link
from benchmarks.support.walle import ROOT, copy_cluster, free_port, postgres_settings, set_up_django
from walleweb.config import Config
from walleweb.embedded.commands import WEB_DATABASE_POOL, urgent_worker_command, web_command, worker_command
from walleweb.embedded.places import PostgresError, find_folders
from walleweb.embedded.postgres import SUPERUSER, Postgres, database_url, ensure_password
from walleweb.embedded.run import answers
from walleweb.embedded.supervisor import Program, stop_together

START_S = 90.0


class WalleProcesses:
    """All processes of one Walle; start them in the thread that lives longest.

    Each gateway reaches PostgreSQL over a link of its own. The web server, which is the control plane and a gateway
    too, and the workers, one of them for urgent jobs alone, reach it directly. With `workers` 0, no job is run. None is
    for simulations, which no benchmark asks for. With `durable`, what is committed survives the death of PostgreSQL in
    a tiny run too, though not that of the machine.
    """

    def __init__(self, folder: Path, *, gateways: int, workers: int, durable: bool = False) -> None:
        self.folder, self.logs = folder, folder / "logs"
        self._config = replace(Config.from_env(), port=free_port())
        # With commit timestamps, from which the checks derive the order of events.
        self.is_migrated = copy_cluster(folder)
        self.postgres = Postgres(
            folder / "postgres",
            log=self.logs / "postgres.log",
            settings={
                "track_commit_timestamp": "on",
                **postgres_settings(),
                **({"synchronous_commit": "on"} if durable else {}),
            },
        )
        self.postgres.start()
        self.links = [Link(find_folders(folder / "postgres").sockets / ".s.PGSQL.5432") for _ in range(gateways)]
        self._gateway_ports = [free_port() for _ in range(gateways)]
        self.web = self._server("web", self._config.port)
        self.gateways = [
            self._server(f"gateway-{index}", port, DATABASE_URL=self._through(link))
            for index, (port, link) in enumerate(zip(self._gateway_ports, self.links, strict=True))
        ]
        more = {f"worker-{index}": worker_command() for index in range(1, workers)}
        usual = {"worker": worker_command(), "urgent-worker": urgent_worker_command()}
        self.workers = [self._worker(*each) for each in (usual | more).items()] if workers else []

    @property
    def address(self) -> str:
        """The web server's address."""
        return f"http://127.0.0.1:{self._config.port}"

    @property
    def ports(self) -> list[int]:
        """The ports where devices find a gateway: the web server is one only where there is no other."""
        return self._gateway_ports or [self._config.port]

    @property
    def programs(self) -> list[Program]:
        """All programs except PostgreSQL."""
        return [self.web, *self.gateways, *self.workers]

    def start(self) -> None:
        """Start all programs; return when every server answers."""
        for program in self.programs:
            program.start()
        for port in (self._config.port, *self._gateway_ports):
            self._wait_for(port)

    def wait_for_server(self) -> None:
        """Return when the web server answers."""
        self._wait_for(self._config.port)

    def stop(self) -> None:
        for link in self.links:
            link.mend()
        stop_together(self.programs)
        for link in self.links:
            link.close()
        self.postgres.stop()

    def restart_postgres(self) -> None:
        """Start PostgreSQL until it stays up: the first attempts meet leftovers of the killed one."""
        deadline = time.monotonic() + START_S
        while True:
            try:
                self.postgres.start()
            except (PostgresError, psycopg.Error):
                if time.monotonic() > deadline:
                    raise
            else:
                return

    def backends(self) -> list[int]:
        """Return the processes that serve Walle's connections."""
        with contextlib.suppress(psutil.Error):
            children = psutil.Process(self.postgres.process.pid).children() if self.postgres.process else []
            return [child.pid for child in children if _title(child).startswith("postgres: walle walle")]
        return []

    def connect(self) -> psycopg.Connection[tuple[object, ...]]:
        """Connect as superuser, without a link."""
        return psycopg.connect(database_url(self.folder / "postgres", role=SUPERUSER), autocommit=True)

    def _through(self, link: Link) -> str:
        password = quote(ensure_password(self.folder / "postgres"), safe="")
        return f"postgresql://walle:{password}@127.0.0.1:{link.port}/walle"

    def _server(self, name: str, port: int, **extra: str) -> Program:
        command = web_command(replace(self._config, port=port))
        return self._program(name, command, WALLE_DATABASE_POOL=WEB_DATABASE_POOL, **extra)

    def _worker(self, name: str, command: tuple[str, ...]) -> Program:
        worker = self._program(name, command, WALLE_DATABASE_POOL="0")
        worker.death_signal = signal.SIGKILL
        return worker

    def _program(self, name: str, arguments: tuple[str, ...], **extra: str) -> Program:
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", "WALLE_PUBLIC_URL": self.address, **extra}
        return Program(name, (sys.executable, *arguments), self.logs / f"{name}.log", environment)

    def _wait_for(self, port: int) -> None:
        deadline = time.monotonic() + START_S
        while not answers("127.0.0.1", port):
            if time.monotonic() > deadline:
                raise RuntimeError(f"the server on port {port} does not answer; see {self.logs}")
            time.sleep(0.1)


@contextlib.contextmanager
def running_processes(*, gateways: int, workers: int, durable: bool = False) -> Iterator[WalleProcesses]:
    """Run a migrated Walle in a temporary folder; Django of this process uses its database too.

    BENCH_LOGS names a folder that keeps the logs.
    """
    with tempfile.TemporaryDirectory(prefix="walle-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        os.environ |= {"WALLE_DATA_DIR": name, "DJANGO_SETTINGS_MODULE": "walleweb.settings", "PYTHONPATH": str(ROOT)}
        os.environ |= {"WALLE_LOG_LEVEL": "warning", "WALLE_DEBUG": "off"}
        os.environ |= {name: secrets.token_urlsafe(50) for name in ("SECRET_KEY", "WALLE_MASTER_KEY")}
        os.environ.pop("DATABASE_URL", None)
        processes = WalleProcesses(folder, gateways=gateways, workers=workers, durable=durable)
        try:
            set_up_django(migrate=not processes.is_migrated)
            processes.start()
            yield processes
        finally:
            processes.stop()
            if logs := os.environ.get("BENCH_LOGS"):
                shutil.copytree(processes.logs, logs, dirs_exist_ok=True)


def _title(process: psutil.Process) -> str:
    return " ".join(process.cmdline())
