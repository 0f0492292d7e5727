"""Real child processes of a test: the environment they need, their logs, and their end."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from tests.support.waiting import ANSWER_S
from walleweb.config import BASE_DIR
from walleweb.embedded.process import spawn, stop

STOP_SIGNALS = ((signal.SIGTERM, 10.0), (signal.SIGKILL, 5.0))


def child_environment(**extra: str) -> dict[str, str]:
    """The environment of a process that works on this test's database and data folder.

    Ask for it while the test database exists (a test marked `django_db(transaction=True)`: a child
    sees only what was committed).
    """
    from django.conf import settings
    from django.db import connection

    from walleweb.databases import plain_url

    own = {
        "DJANGO_SETTINGS_MODULE": "walleweb.settings",
        "DATABASE_URL": plain_url(connection.settings_dict),
        "WALLE_DATA_DIR": str(settings.WALLE_DATA_DIR),
        "SECRET_KEY": settings.SECRET_KEY,
        "WALLE_MASTER_KEY": settings.WALLE_MASTER_KEY,
        "PYTHONPATH": str(BASE_DIR),
        "PYTHONUNBUFFERED": "1",
    }
    return {**os.environ, **own, **extra}


def free_port() -> int:
    """A TCP port of the loopback interface that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Child:
    """A started process and the file its output goes to."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process = process
        self.log = log

    @property
    def pid(self) -> int:
        return self.process.pid

    def output(self) -> str:
        """Everything the process has written so far."""
        return self.log.read_text(errors="replace")

    def ended(self) -> bool:
        return self.process.poll() is not None

    def kill(self) -> None:
        """kill -9, and wait until the process is gone."""
        self.process.kill()
        self.process.wait(timeout=ANSWER_S)

    def kill_family(self) -> None:
        """kill -9 for it and for all below it, and wait until they are gone."""
        with suppress(psutil.NoSuchProcess):
            family = psutil.Process(self.pid).children(recursive=True)
            self.process.kill()
            for process in family:
                with suppress(psutil.NoSuchProcess):
                    process.kill()
            psutil.wait_procs(family, timeout=ANSWER_S)
        self.process.wait(timeout=ANSWER_S)

    def stop(self) -> None:
        """Ask the process to end; insist after a while."""
        stop(self.process, signals=STOP_SIGNALS)


class Children:
    """The processes of one test."""

    def __init__(self, *, logs: Path) -> None:
        self.logs = logs
        self.started: list[Child] = []

    def start(
        self, *argv: str, env: Mapping[str, str] | None = None, cwd: Path = BASE_DIR, name: str = "child"
    ) -> Child:
        """Run `argv` with output to a log of its own."""
        self.logs.mkdir(parents=True, exist_ok=True)
        log = self.logs / f"{len(self.started)}-{name}.log"
        with log.open("wb") as output:
            process = spawn(argv, output=output, env=env, cwd=cwd)
        child = Child(process, log)
        self.started.append(child)
        return child

    def python(self, *argv: str, env: Mapping[str, str] | None = None, name: str = "python") -> Child:
        """Run this interpreter, as in `python -m ...`."""
        return self.start(sys.executable, *argv, env=env, name=name)

    def manage(self, *argv: str, name: str = "manage", **extra: str) -> Child:
        """Run manage.py on this test's database."""
        return self.python("manage.py", *argv, env=child_environment(**extra), name=name)

    def stop_all(self) -> None:
        """Stop what still runs: all are asked at the same time, then the last started is waited for first."""
        for child in reversed(self.started):
            if not child.ended():
                child.process.terminate()
        for child in reversed(self.started):
            child.stop()


def run(argv: Sequence[str], **options: object) -> subprocess.CompletedProcess[str]:
    """Run a short command to its end, with its output as text."""
    return subprocess.run(argv, capture_output=True, text=True, check=False, **options)
