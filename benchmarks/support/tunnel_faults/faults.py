"""The faults: processes killed with SIGKILL, and messages spoiled on their way."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, get_args

import psutil

from benchmarks.support.live.processes import WalleProcesses
from benchmarks.support.tunnel_faults.proxy import Direction, FaultyProxy, Spoiling
from benchmarks.support.walle import ROOT

KINDS: Final = (
    "kill -9 device",
    "kill -9 server",
    "kill -9 PostgreSQL",
    "connection cut",
    "connection cut",
    "message duplicated",
    "message duplicated",
    "message reordered",
    "message corrupted",
    "message corrupted",
)
"""Each as often as it stands here."""
DOWN_S: Final = (0.0, 0.5)
"""Seconds for which a killed process stays away, at least and at most."""
_MESSAGE_S: Final = 10.0


class DeviceProcess:
    """A device that is started again in its folder."""

    def __init__(self, name: str, folder: Path, log: Path) -> None:
        self.name, self.folder, self.log = name, folder, log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "benchmarks.support.tunnel_faults.device", str(self.folder)]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def wait(self, seconds: float) -> bool:
        """Wait for the end; return whether there was one."""
        if self._process is None:
            return True
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds) == 0
        return False


class FaultMaker:
    """Causes faults, one at a time, in the thread that started the processes."""

    def __init__(
        self, processes: WalleProcesses, proxy: FaultyProxy, devices: Sequence[DeviceProcess], rng: random.Random
    ) -> None:
        self._processes, self._proxy, self._devices, self._rng = processes, proxy, devices, rng

    def plan(self, count: int) -> list[str]:
        """Return kinds in a random order."""
        kinds = [KINDS[index % len(KINDS)] for index in range(count)]
        self._rng.shuffle(kinds)
        return kinds

    def strike(self, kind: str) -> bool:
        """Cause a fault and repair it; return False if there was nothing that it could hit."""
        device = self._rng.choice(self._devices)
        match kind:
            case "kill -9 device":
                device.kill()
                self._pause()
                device.start()
            case "kill -9 server":
                process = self._processes.web.process
                assert process is not None
                process.kill()
                process.wait()
                self._pause()
                self._processes.web.start()
                self._processes.wait_for_server()
            case "kill -9 PostgreSQL":
                self._kill_postgres()
                self._pause()
                self._processes.restart_postgres()
            case _:
                spoiling = kind.split()[1]
                assert spoiling in get_args(Spoiling)
                direction: Direction = self._rng.choice(("up", "down"))
                return self._proxy.strike(spoiling, device.name, direction, _MESSAGE_S)  # type: ignore[arg-type]
        return True

    def _kill_postgres(self) -> None:
        """Kill the server and its backends: one that goes on after the server is no crash."""
        process = self._processes.postgres.process
        assert process is not None
        children = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child.pid, signal.SIGKILL)
        process.wait()

    def _pause(self) -> None:
        time.sleep(self._rng.uniform(*DOWN_S))
