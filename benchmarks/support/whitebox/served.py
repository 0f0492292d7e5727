"""A serving process with its supervisor, on cores of its own, for as long as a benchmark asks it."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path

import httpx
import psutil

from benchmarks.support.walle import START_S, free_port
from benchmarks.support.whitebox.control_plane import AUTHORIZATION, ControlPlane, address, load_serving
from walle.whitebox.serving.__main__ import listen
from walle.whitebox.serving.supervisor import ServingSupervisor


class ServedPipelines:
    """A running serving process: `port`, and the process id of its supervisor."""

    def __init__(self, port: int, supervisor: int) -> None:
        self.port, self.supervisor = port, supervisor

    @property
    def server(self) -> psutil.Process:
        """The process that serves now, the supervisor's oldest child."""
        return min(psutil.Process(self.supervisor).children(), key=lambda child: child.create_time())

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


@contextlib.contextmanager
def serving_pipelines(plane: ControlPlane, cpus: Sequence[int]) -> Iterator[ServedPipelines]:
    """Serve what a control plane has released, in processes on the given cores."""
    port = free_port()
    process = get_context("fork").Process(target=_supervise, args=(plane, port, cpus, plane.folder / "isolated.json"))
    process.start()
    try:
        yield ServedPipelines(port, process.pid or 0)
    finally:
        process.terminate()
        process.join(30)
        if process.is_alive():
            process.kill()


def _supervise(plane: ControlPlane, port: int, cpus: Sequence[int], isolated: Path) -> None:
    os.sched_setaffinity(0, cpus)
    supervisor = ServingSupervisor(listen(f"127.0.0.1:{port}"), lambda: load_serving(plane), isolated)
    supervisor.run(lazy=False)
