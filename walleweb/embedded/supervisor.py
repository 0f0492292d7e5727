"""Supervise a few child processes, and leave none behind."""

import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from walleweb.config import BASE_DIR
from walleweb.embedded.process import spawn

# A child that ran this long before it ended is not counted as failing again and again.
HEALTHY_SECONDS = 60.0
FIRST_DELAY, LONGEST_DELAY = 0.5, 30.0
STOP_SECONDS = 15.0
LARGEST_LOG = 10 << 20


class Service(Protocol):
    """A service that runs beside this process."""

    name: str

    def start(self) -> None:
        """Start it, or restart it; may raise."""

    def poll(self) -> int | None:
        """Return its exit status once it has ended, None while it runs."""

    def stop(self) -> None:
        """End it and wait until it has ended."""


@dataclass
class Program:
    """A child process with a log file; it receives `death_signal` when its parent is killed."""

    name: str
    argv: Sequence[str]
    log: Path
    env: Mapping[str, str] | None = None
    death_signal: signal.Signals = signal.SIGTERM
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.log.parent.mkdir(parents=True, exist_ok=True)
        if self.log.exists() and self.log.stat().st_size > LARGEST_LOG:
            self.log.replace(self.log.with_suffix(".old.log"))
        with self.log.open("ab") as output:
            self.process = spawn(self.argv, output=output, env=self.env, cwd=BASE_DIR, death_signal=self.death_signal)

    def poll(self) -> int | None:
        return None if self.process is None else self.process.poll()

    def stop(self) -> None:
        stop_together([self])


@dataclass
class _Watched:
    service: Service
    may_end: bool = False
    failures: int = 0
    started_at: float = 0.0
    next_start: float | None = None


@dataclass
class Supervisor:
    """Starts services in order, restarts those that end, and stops them in reverse order.

    All methods belong to one thread: the one that lives as long as the children should. `report` receives a line for
    people whenever a service ends or restarts.
    """

    report: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    _watched: list[_Watched] = field(default_factory=list)

    def start(self, service: Service, *, may_end: bool = False) -> None:
        """Start a service and supervise it from now on; errors of its start are raised.

        One that `may_end` has done its work when it ends with status 0, and is not restarted.
        """
        watched = _Watched(service, may_end)
        self._watched.append(watched)
        self._start(watched)

    def tick(self) -> None:
        """Check every service once: notice the ended ones, restart those whose pause is over."""
        for watched in list(self._watched):
            if watched.next_start is None:
                self._notice(watched)
            elif self.clock() >= watched.next_start:
                self._start_again(watched)

    def stop(self) -> None:
        """Stop everything: programs at the same time, then the other services, last started first."""
        services = [watched.service for watched in reversed(self._watched)]
        stop_together([service for service in services if isinstance(service, Program)])
        for service in services:
            service.stop()
        self._watched.clear()

    def _start(self, watched: _Watched) -> None:
        watched.service.start()
        watched.started_at, watched.next_start = self.clock(), None

    def _notice(self, watched: _Watched) -> None:
        status = watched.service.poll()
        if status is None:
            return
        if status == 0 and watched.may_end:
            self._watched.remove(watched)
            return
        self._fall_back(watched, f"{watched.service.name} {describe_exit(status)}")

    def _start_again(self, watched: _Watched) -> None:
        try:
            self._start(watched)
        except Exception as error:
            self._fall_back(watched, f"{watched.service.name} does not start: {error}")
        else:
            self.report(f"{watched.service.name} is back")

    def _fall_back(self, watched: _Watched, problem: str) -> None:
        lasted = self.clock() - watched.started_at
        watched.failures = 1 if lasted >= HEALTHY_SECONDS else watched.failures + 1
        delay = restart_delay(watched.failures)
        watched.next_start = self.clock() + delay
        self.report(f"{problem}; next start in {delay:g} s")


def restart_delay(failures: int) -> float:
    """Return the seconds before the next start after so many failures in a row: half a second, doubled up to 30."""
    return min(FIRST_DELAY * 2.0 ** min(failures - 1, 16), LONGEST_DELAY)


def describe_exit(status: int) -> str:
    """Describe an exit status in words."""
    if status >= 0:
        return f"ended with status {status}"
    return f"was ended by {signal.Signals(-status).name}"


def stop_together(programs: Sequence[Program], *, seconds: float = STOP_SECONDS) -> None:
    """Tell all programs to end at the same time; kill those that have not after `seconds`."""
    running = [program.process for program in programs if program.process and program.process.poll() is None]
    for process in running:
        process.terminate()
    deadline = time.monotonic() + seconds
    for process in running:
        try:
            process.wait(timeout=max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
