"""A device client as a command; docs/conformance.md defines its interface."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol


class ClientProcess(Protocol):
    """A running client."""

    async def wait(self) -> int:
        """Wait for the end and return the exit status; a negative one is the signal that ended the client."""

    def kill(self) -> None:
        """Kill the client and the processes that it started with kill -9."""

    def terminate(self) -> None:
        """Ask the client to end with SIGTERM."""


class ClientLauncher(Protocol):
    """Starts the client with arguments; its output is appended to a log."""

    async def __call__(self, arguments: Sequence[str], log: Path) -> ClientProcess: ...


class ClientCommand:
    """A client that is started by a command line, in a process group of its own."""

    def __init__(self, command: Sequence[str]) -> None:
        self.command = tuple(command)

    async def __call__(self, arguments: Sequence[str], log: Path) -> ClientProcess:
        with log.open("ab") as output:
            nothing = asyncio.subprocess.DEVNULL
            started = await asyncio.create_subprocess_exec(
                *self.command, *arguments, stdin=nothing, stdout=output, stderr=output, start_new_session=True
            )
        return _Started(started)

    async def query(self, arguments: Sequence[str], lines: bytes, timeout: float) -> tuple[int, bytes]:
        """Run the client with lines as its input; return its exit status and output."""
        pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        started = await asyncio.create_subprocess_exec(
            *self.command, *arguments, stdin=pipe, stdout=pipe, stderr=nothing, start_new_session=True
        )
        try:
            output, _ = await asyncio.wait_for(started.communicate(lines), timeout)
        finally:
            _Started(started).kill()
        return started.returncode or 0, output


class _Started:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def wait(self) -> int:
        return await self._process.wait()

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def terminate(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
