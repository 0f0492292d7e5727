"""A device client as a command: the contract of docs/conformance.md."""

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
        """Its exit status; negative: the signal that ended it."""

    def kill(self) -> None:
        """kill -9, of it and of what it started."""

    def terminate(self) -> None:
        """SIGTERM: it should end soon."""


class ClientLauncher(Protocol):
    """Starts the client with arguments; what it prints goes to the end of a log."""

    async def __call__(self, arguments: Sequence[str], log: Path) -> ClientProcess: ...


class ClientCommand:
    """The client that a command line starts. It has a process group of its own."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)

    async def __call__(self, arguments: Sequence[str], log: Path) -> ClientProcess:
        with log.open("ab") as output:
            nothing = asyncio.subprocess.DEVNULL
            started = await asyncio.create_subprocess_exec(
                *self.words, *arguments, stdin=nothing, stdout=output, stderr=output, start_new_session=True
            )
        return _Started(started)

    async def ask(self, arguments: Sequence[str], lines: bytes, timeout: float) -> tuple[int, bytes]:
        """Exit status and output of a client that is given lines to read."""
        pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        started = await asyncio.create_subprocess_exec(
            *self.words, *arguments, stdin=pipe, stdout=pipe, stderr=nothing, start_new_session=True
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
