"""A serving process with its supervisor, on cores of its own, for as long as a benchmark asks it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Final

import httpx
import psutil

from benchmarks.support.walle import ROOT, START_S, free_port
from benchmarks.support.whitebox.control_plane import AUTHORIZATION, PLANE, ControlPlane, address

RESTART_S: Final = 0.1
END_S: Final = 30.0


class ServedPipelines:
    """A running serving process: its `port`, and the processes."""

    def __init__(self, port: int, manager: _ServiceManager) -> None:
        self.port, self._manager = port, manager

    @property
    def server(self) -> psutil.Process:
        """The process that serves now, the supervisor's oldest child."""
        supervisor = psutil.Process(self._manager.process.pid)
        return min(supervisor.children(), key=lambda child: child.create_time())

    def kill_supervisor(self) -> None:
        """Kill the supervisor; return when the next one has taken over, and the process that it left has ended."""
        left = self.server
        self._manager.process.kill()
        left.wait(START_S)

    @property
    def executors(self) -> list[psutil.Process]:
        """The executors of batches, which a server of forks below the process that serves has started."""
        server = self.server
        return [child for child in server.children(recursive=True) if child.ppid() != server.pid]

    def wait_until_ready(self, pipelines: Sequence[str], record: dict[str, object]) -> None:
        """Return when each pipeline has answered a record and executors run."""
        deadline = time.monotonic() + START_S
        with httpx.Client(base_url=f"http://127.0.0.1:{self.port}", headers={"authorization": AUTHORIZATION}) as client:
            for pipeline in pipelines:
                while not self._answers(client, pipeline, record):
                    if time.monotonic() > deadline:
                        raise SystemExit(f"pipeline {pipeline} did not become ready")
                    time.sleep(0.05)
        # Batches are answered without executors while these start.
        while not self.executors:
            if time.monotonic() > deadline:
                raise SystemExit("no executor started")
            time.sleep(0.1)

    def _answers(self, client: httpx.Client, pipeline: str, record: dict[str, object]) -> bool:
        with contextlib.suppress(httpx.HTTPError):
            found = client.post(address(pipeline), json={"record": record, "caller": "u1"}, timeout=20)
            return found.status_code == 200
        return False


class _ServiceManager:
    """Starts a supervisor, and again as soon as it has ended, as systemd does by the unit of serving processes."""

    def __init__(self, plane: ControlPlane, port: int, cpus: Sequence[int]) -> None:
        program = ("-m", "walle.whitebox.serving", "benchmarks.support.whitebox.control_plane:load")
        places = ("--listen", f"127.0.0.1:{port}", "--folder", str(plane.folder / "serving"))
        self._command = (sys.executable, *program, *places)
        self._environment = {**os.environ, PLANE: str(plane.folder)}
        self._cpus = cpus
        self._ending = threading.Event()
        self.process = self._start()
        self._thread = threading.Thread(target=self._keep, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """End the supervisor, which ends what it started."""
        self._ending.set()
        self.process.terminate()
        self._thread.join(END_S)
        self.process.kill()

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(self._command, cwd=ROOT, env=self._environment)
        os.sched_setaffinity(process.pid, self._cpus)
        return process

    def _keep(self) -> None:
        while True:
            self.process.wait()
            if self._ending.wait(RESTART_S):
                return
            self.process = self._start()


@contextlib.contextmanager
def serving_pipelines(plane: ControlPlane, cpus: Sequence[int]) -> Iterator[ServedPipelines]:
    """Serve what a control plane has released, in processes on the given cores."""
    plane.save()
    port = free_port()
    manager = _ServiceManager(plane, port, cpus)
    try:
        yield ServedPipelines(port, manager)
    finally:
        manager.end()
