"""Device clients that start in milliseconds: a helper process has everything imported and forks one per life.

    python -m tests.conformance.forking     orders as JSON lines on stdin, events as JSON lines on stdout

An order: {"number", "arguments", "log", "sabotage"}; events: {"number", "pid"}, then {"number", "status"}. The client
is that of examples/conformance, but runs tasks in its own process. A sabotage is the name of a function of
tests.conformance.sabotage, which spoils the client after the fork.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import runpy
import signal
import sys
import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import httpx

from examples.conformance import client
from tests.conformance import sabotage
from tests.support.warm_parent import TLS, warm_up
from walle.device import __main__ as device
from walle.device.running.runner import Execution


class InProcess:
    """Runs main.py of a bundle here."""

    def __init__(self, sandbox: Any) -> None:
        pass

    async def __call__(self, bundle: Path, manifest: Any, inputs: Any) -> Execution:
        try:
            run = runpy.run_path(str(bundle / "main.py"))["run"]
            return Execution(await asyncio.to_thread(run, inputs, None))
        except Exception as error:
            return Execution(error_class=type(error).__name__, message=str(error))

    async def end(self, bundle: Path) -> None:
        """Nothing is kept."""


def live(order: dict[str, Any]) -> None:
    """The child's whole life."""
    os.setsid()
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(log, 1)
    os.dup2(log, 2)
    device.SandboxExecutor, device.Sandbox = InProcess, lambda **_: contextlib.nullcontext()
    device.http_client = lambda: httpx.AsyncClient(timeout=10, verify=TLS)
    if order["sabotage"]:
        getattr(sabotage, order["sabotage"])()
    sys.argv = ["client", *order["arguments"]]
    status = 70
    try:
        status = client.main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    finally:
        sys.stdout.flush()
        os._exit(status)


def watch(number: int, pid: int, lock: threading.Lock) -> None:
    _, status = os.waitpid(pid, 0)
    emit(lock, number=number, status=os.waitstatus_to_exitcode(status))


def emit(lock: threading.Lock, **event: Any) -> None:
    with lock:
        print(json.dumps(event), flush=True)


def main() -> None:
    asyncio.run(warm_up())
    lock = threading.Lock()
    for line in sys.stdin:
        order = json.loads(line)
        with lock:
            pid = os.fork()
            if pid == 0:
                live(order)
        emit(lock, number=order["number"], pid=pid)
        threading.Thread(target=watch, args=(order["number"], pid, lock), daemon=True).start()


class Forked:
    """A running client, as walle.conformance.client.command.ClientProcess."""

    def __init__(self, pid: int, ended: asyncio.Future[int]) -> None:
        self._pid, self._ended = pid, ended

    async def wait(self) -> int:
        return await asyncio.shield(self._ended)

    def kill(self) -> None:
        if not self._ended.done():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._pid, signal.SIGKILL)

    def terminate(self) -> None:
        if not self._ended.done():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGTERM)


class Forking:
    """Starts clients; a Launcher of walle.conformance. `sabotage` may be changed between checks."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process, self._count, self.sabotage = process, 0, ""
        self._pids: dict[int, asyncio.Future[int]] = {}
        self._ended: dict[int, asyncio.Future[int]] = {}

    async def __call__(self, arguments: Sequence[str], log: Path) -> Forked:
        loop, number = asyncio.get_running_loop(), self._count
        self._count += 1
        self._pids[number], self._ended[number] = loop.create_future(), loop.create_future()
        order = {"number": number, "arguments": list(arguments), "log": str(log), "sabotage": self.sabotage}
        assert self._process.stdin
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        return Forked(await self._pids[number], self._ended[number])

    async def listen(self) -> None:
        assert self._process.stdout
        async for line in self._process.stdout:
            event = json.loads(line)
            if "pid" in event:
                self._pids[event["number"]].set_result(event["pid"])
            else:
                self._ended[event["number"]].set_result(event["status"])


@contextlib.asynccontextmanager
async def forking() -> AsyncIterator[Forking]:
    pipe = asyncio.subprocess.PIPE
    words = (sys.executable, "-m", "tests.conformance.forking")
    process = await asyncio.create_subprocess_exec(*words, stdin=pipe, stdout=pipe)
    made = Forking(process)
    listening = asyncio.create_task(made.listen())
    try:
        yield made
    finally:
        process.kill()
        await process.wait()
        listening.cancel()


if __name__ == "__main__":
    main()
