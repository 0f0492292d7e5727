"""Runs crowds of devices in processes of their own, which do what the benchmark asks over pipes."""

from __future__ import annotations

import asyncio
import inspect
import multiprocessing
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

import uvloop

from benchmarks.support.withdrawal.devices import ConnectedFleet, Crowd


class CrowdProcess:
    """A process with a Crowd, whose methods `ask` calls there."""

    def __init__(self, fleet: ConnectedFleet) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_run, args=(fleet, theirs), daemon=True)
        self._process.start()
        theirs.close()

    def begin(self, method: str, *arguments: Any) -> None:
        """Have a method called; `result` returns what it returns."""
        self._pipe.send((method, arguments))

    def result(self) -> Any:
        """Return what the method returned. Raises RuntimeError if it raised."""
        failed, value = self._pipe.recv()
        if failed:
            raise RuntimeError(value)
        return value

    def ask(self, method: str, *arguments: Any) -> Any:
        self.begin(method, *arguments)
        return self.result()

    def close(self) -> None:
        self._process.terminate()
        self._process.join(10)


def ask_all(processes: Sequence[CrowdProcess], method: str, *arguments: Any) -> list[Any]:
    """Call a method in all processes at the same time."""
    for process in processes:
        process.begin(method, *arguments)
    return [process.result() for process in processes]


def _run(fleet: ConnectedFleet, pipe: Connection) -> None:
    uvloop.run(_serve(fleet, pipe))


async def _serve(fleet: ConnectedFleet, pipe: Connection) -> None:
    crowd, loop = Crowd(fleet), asyncio.get_running_loop()
    while True:
        try:
            method, arguments = await loop.run_in_executor(None, pipe.recv)
        except EOFError:
            return
        try:
            found = getattr(crowd, method)(*arguments)
            pipe.send((False, await found if inspect.isawaitable(found) else found))
        except Exception as error:
            pipe.send((True, f"{method}: {type(error).__name__}: {error}"))
