"""Injected faults: processes killed without warning, gateways cut off from the database, and their repair."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import psutil

from benchmarks.support.live.processes import WalleProcesses
from walleweb.embedded.supervisor import Program

KINDS: Final = (
    "kill -9 worker",
    "kill -9 worker's process",
    "kill -9 web server",
    "kill -9 gateway",
    "kill -9 PostgreSQL",
    "kill -9 database backend",
    "gateway cut off, silent",
    "gateway cut off, reset",
)
BY_ITSELF: Final = "ended by itself"
DOWN_S: Final = (0.2, 2.0)
CUT_S: Final = (2.0, 11.0)
"""Shorter and longer than the five seconds for which a gateway relies on its tables."""


@dataclass
class Fault:
    """One fault: its target, when it occurred (Unix seconds), and when it was repaired; None while it lasts."""

    kind: str
    victim: str
    at: float
    repaired: float | None = None

    @property
    def seconds(self) -> float:
        return (self.repaired or time.time()) - self.at


class Saboteur:
    """Causes faults and repairs them when their time is over; all in one thread, which must stay alive."""

    def __init__(self, processes: WalleProcesses, rng: random.Random, log: Callable[[str], None]) -> None:
        self._processes, self._rng, self._log = processes, rng, log
        self._repairs: list[tuple[float, Callable[[], None], Fault]] = []
        self.faults: list[Fault] = []

    @property
    def caused(self) -> list[Fault]:
        return [fault for fault in self.faults if fault.kind != BY_ITSELF]

    def plan(self, count: int) -> list[str]:
        """Return kinds in a random order, each as often as the others or once more."""
        kinds = [KINDS[index % len(KINDS)] for index in range(count)]
        self._rng.shuffle(kinds)
        return kinds

    def strike(self, kind: str, *, seconds: float | None = None) -> bool:
        """Cause a fault; return False if there was no target left."""
        if "cut off" in kind:
            return self._cut(kind, seconds)
        if kind == "kill -9 database backend":
            return self._kill_process(kind, self._processes.backends())
        if kind == "kill -9 worker's process":
            return self._kill_process(kind, [pid for worker in self._processes.workers for pid in _pool(worker)])
        if kind == "kill -9 PostgreSQL":
            return self._kill_postgres(kind)
        victims = {
            "worker": self._processes.workers,
            "web server": [self._processes.web],
            "gateway": self._processes.gateways,
        }
        return self._kill_program(kind, victims[kind.removeprefix("kill -9 ")])

    @property
    def broken(self) -> bool:
        """Return whether anything is still to be repaired."""
        return bool(self._repairs)

    def repair(self) -> None:
        """Repair the faults whose time is over, and restart processes that ended without a fault."""
        hit = {fault.victim for _, _, fault in self._repairs}
        for program in self._processes.programs:
            if program.poll() is not None and program.name not in hit:
                self._begin(BY_ITSELF, program.name, program.start, DOWN_S[0])
        for repair in [repair for repair in self._repairs if repair[0] <= time.time()]:
            self._repairs.remove(repair)
            repair[1]()
            repair[2].repaired = time.time()
            self._log(f"{repair[2].victim} again after {repair[2].seconds:.1f} s")

    def cut_at(self, moment: float) -> set[int]:
        """Return the gateways that were cut off at a moment."""
        return {
            int(fault.victim.removeprefix("gateway-"))
            for fault in self.faults
            if "cut off" in fault.kind and fault.at <= moment <= (fault.repaired or time.time())
        }

    def _begin(self, kind: str, victim: str, repair: Callable[[], None] | None, seconds: float) -> bool:
        self._log(f"{kind}: {victim}")
        fault = Fault(kind, victim, time.time())
        self.faults.append(fault)
        if repair is None:
            fault.repaired = fault.at
        else:
            self._repairs.append((fault.at + seconds, repair, fault))
        return True

    def _cut(self, kind: str, seconds: float | None) -> bool:
        connected = [index for index in range(len(self._processes.links)) if index not in self.cut_at(time.time())]
        if not connected:
            return False
        index = self._rng.choice(connected)
        link = self._processes.links[index]
        link.cut("silence" if kind.endswith("silent") else "reset")
        return self._begin(kind, f"gateway-{index}", link.mend, seconds or self._rng.uniform(*CUT_S))

    def _kill_process(self, kind: str, pids: list[int]) -> bool:
        """Kill a process whose own parent starts another."""
        if not pids:
            return False
        pid = self._rng.choice(sorted(pids))
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            return self._begin(kind, f"process {pid}", None, 0)
        return False

    def _kill_postgres(self, kind: str) -> bool:
        process = self._processes.postgres.process
        if process is None or process.poll() is not None:
            return False
        process.kill()
        process.wait()
        return self._begin(kind, "postgres", self._processes.restart_postgres, self._rng.uniform(*DOWN_S))

    def _kill_program(self, kind: str, programs: list[Program]) -> bool:
        living = [program for program in programs if program.poll() is None]
        if not living:
            return False
        program = self._rng.choice(living)
        assert program.process is not None
        program.process.kill()
        program.process.wait()
        return self._begin(kind, program.name, program.start, self._rng.uniform(*DOWN_S))


def _pool(worker: Program) -> list[int]:
    """Return the processes in which a worker runs jobs; its scheduler is not one of them."""
    with contextlib.suppress(psutil.Error):
        children = psutil.Process(worker.process.pid).children() if worker.process else []
        return [child.pid for child in children]
    return []
