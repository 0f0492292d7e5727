"""Sends parts of files to sockets without copying them through the interpreter: sendfile in threads (Linux).

A few threads each wait for room in the sockets that they send to, and send a portion to every one that has some in
turn. So a slow reader occupies no thread and delays nobody, and a file on a slow disk delays only one lane.
"""

from __future__ import annotations

import asyncio
import os
import select
import socket
import threading
from contextlib import suppress
from typing import Final

from walle.artifacts.store import ArtifactError

AVAILABLE: Final = hasattr(os, "sendfile") and hasattr(select, "epoll")
# In bytes: large enough to be worth the system call, small enough to alternate between sockets.
PORTION: Final = 1 << 20
_LANES: Final = 4


class Transfer:
    """The transfer of a part of a file to a socket.

    Its creator awaits `finished` at once. Until that returns or raises, the file must stay open, and nobody else may
    write to the socket.
    """

    def __init__(self, connection: int, file: int, part: range) -> None:
        # A duplicate, because the connection may be closed meanwhile and its descriptor be reused for another one.
        self.socket = socket.socket(fileno=os.dup(connection))
        self.file = file
        self.part = part
        self._loop = asyncio.get_running_loop()
        self._done: asyncio.Future[None] = self._loop.create_future()

    async def finished(self) -> None:
        """Return once the kernel has everything.

        Raises ConnectionError if the client disconnects, OSError from the disk, ArtifactError if the file is shorter
        than the part.
        """
        try:
            await asyncio.wait([self._done])
        except asyncio.CancelledError:
            self.abort()
            while not self._done.done():  # until then a thread may use both descriptors
                with suppress(asyncio.CancelledError):
                    await asyncio.wait([self._done])
            self._done.exception()
            raise
        finally:
            self.socket.close()
        self._done.result()

    def abort(self) -> None:
        """Break the connection, so that the transfer ends at once."""
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)

    def advance(self) -> None:
        """Send what there is room for, a portion at most."""
        with suppress(BlockingIOError):
            count = min(PORTION, len(self.part))
            sent = os.sendfile(self.socket.fileno(), self.file, self.part.start, count)
            if not sent:
                raise ArtifactError(f"a file ended at byte {self.part.start} while it was sent")
            self.part = self.part[sent:]

    def end(self, error: Exception | None) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits
            self._loop.call_soon_threadsafe(self._settle, error)

    def _settle(self, error: Exception | None) -> None:
        if self._done.done():
            return
        if error is None:
            self._done.set_result(None)
        else:
            self._done.set_exception(error)


class FileSender:
    """The lanes that transfers are spread over; they are created by the first one."""

    def __init__(self) -> None:
        self._lanes: list[_Lane] = []

    def start(self, connection: int, file: int, part: range) -> Transfer:
        """Start to send a part of a file to a non-blocking stream socket; both are descriptors."""
        if not self._lanes:
            self._lanes = [_Lane(number) for number in range(_LANES)]
        transfer = Transfer(connection, file, part)
        # One file, one lane: its readers share the page cache, and wait for the disk without affecting the others.
        self._lanes[os.fstat(file).st_ino % _LANES].take(transfer)
        return transfer


class _Lane:
    """A thread with the sockets that it sends to."""

    def __init__(self, number: int) -> None:
        self._transfers: dict[int, Transfer] = {}
        self._epoll = select.epoll()
        threading.Thread(target=self._work, name=f"walle-sending-{number}", daemon=True).start()

    def take(self, transfer: Transfer) -> None:
        descriptor = transfer.socket.fileno()
        self._transfers[descriptor] = transfer
        self._epoll.register(descriptor, select.EPOLLOUT)

    def _work(self) -> None:
        while True:
            for descriptor, _ in self._epoll.poll():
                self._take_turn(descriptor)

    def _take_turn(self, descriptor: int) -> None:
        transfer = self._transfers[descriptor]
        error = None
        try:
            transfer.advance()
        except (OSError, ArtifactError) as found:
            error = found
        if error or not transfer.part:
            del self._transfers[descriptor]
            self._epoll.unregister(descriptor)
            transfer.end(error)
