"""Start git without blocking the event loop.

uvloop copies the page tables of the complete server to start a process, on the loop: 10 ms at 200 MB.
`subprocess.Popen` borrows them (vfork) and takes 0.2 ms whatever the server's size; only its three streams and its end
are awaited here.
"""

import asyncio
import os
import subprocess
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

_NICENESS: Final = 5
"""The niceness of git: one person's computation must not delay everybody else's answers."""


class GitProcess:
    """A process with its streams piped, the first of a process group of its own; `close` ends the streams."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.pid = process.pid
        self._process = process
        self._transports: list[asyncio.BaseTransport] = []
        self.stdout = asyncio.StreamReader()
        self.stderr = asyncio.StreamReader()

    @classmethod
    async def start(
        cls, words: Sequence[str], *, environment: Mapping[str, str], cwd: Path, pass_fds: Sequence[int]
    ) -> "GitProcess":
        """Start a program; raises FileNotFoundError if the program or the folder does not exist."""
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            cwd=cwd,
            pass_fds=pass_fds,
            start_new_session=True,
        )
        os.setpriority(os.PRIO_PGRP, process.pid, os.getpriority(os.PRIO_PROCESS, 0) + _NICENESS)
        started = cls(process)
        await started._connect()
        return started

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        for reader, pipe in ((self.stdout, self._process.stdout), (self.stderr, self._process.stderr)):
            receiving, _ = await loop.connect_read_pipe(partial(asyncio.StreamReaderProtocol, reader), pipe)
            self._transports.append(receiving)
        sending, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, self._process.stdin)
        self._transports.append(sending)
        self.stdin = asyncio.StreamWriter(sending, protocol, None, loop)

    async def wait(self) -> int:
        """Return its exit status, once it has ended; may be awaited any number of times."""
        if self._process.returncode is None:
            await _ended(self.pid)
        return self._process.wait()

    def close(self) -> None:
        for transport in self._transports:
            transport.close()


async def _ended(pid: int) -> None:
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    descriptor = os.pidfd_open(pid)
    loop.add_reader(descriptor, ended.set)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)
