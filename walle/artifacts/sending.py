"""Parts of files go to sockets without passing through the interpreter: sendfile in threads (Linux).

One epoll instance holds every socket that is being sent to, and each of a few threads takes from it the next one that
has room, sends a portion, and puts it back behind the others. So a slow reader costs no thread and keeps nobody
waiting, and a slow disk holds up one thread.
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
# In bytes: long enough to be worth two more system calls, short enough to take turns.
PORTION: Final = 512 << 10
_THREADS: Final = 2


class Transfer:
    """A part of a file on its way to a socket.

    Whoever starts one awaits `finished` at once. Until that returns or raises, the file must stay open, and nobody else
    may write to the socket.
    """

    def __init__(self, connection: int, file: int, part: range) -> None:
        # A descriptor of its own: the connection may be closed meanwhile, and its number given to a stranger's.
        self.socket = socket.socket(fileno=os.dup(connection))
        self.file = file
        self.part = part
        self._loop = asyncio.get_running_loop()
        self._done: asyncio.Future[None] = self._loop.create_future()

    async def finished(self) -> None:
        """Returns once the kernel has everything. Raises ConnectionError if the client goes away, OSError from the
        disk, ArtifactError if the file is shorter than the part."""
        try:
            await asyncio.wait([self._done])
        except asyncio.CancelledError:
            self.abort()
            while not self._done.done():  # until then a thread may use both descriptors, whoever else loses patience
                with suppress(asyncio.CancelledError):
                    await asyncio.wait([self._done])
            self._done.exception()
            raise
        finally:
            self.socket.close()
        self._done.result()

    def abort(self) -> None:
        """Breaks the connection, so that the transfer ends at once."""
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)

    def advance(self) -> None:
        """Sends what there is room for, a portion at most."""
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
    """The threads that send; they start with the first transfer."""

    def __init__(self) -> None:
        self._transfers: dict[int, Transfer] = {}
        self._epoll: select.epoll | None = None

    def start(self, connection: int, file: int, part: range) -> Transfer:
        """Begins to send a part of a file to a non-blocking stream socket; both are descriptors."""
        transfer = Transfer(connection, file, part)
        descriptor = transfer.socket.fileno()
        self._transfers[descriptor] = transfer
        self._armed().register(descriptor, select.EPOLLOUT | select.EPOLLONESHOT)
        return transfer

    def _armed(self) -> select.epoll:
        if self._epoll is None:
            self._epoll = select.epoll()
            for number in range(_THREADS):
                name = f"walle-sending-{number}"
                threading.Thread(target=self._work, args=(self._epoll,), name=name, daemon=True).start()
        return self._epoll

    def _work(self, epoll: select.epoll) -> None:
        while True:
            for descriptor, _ in epoll.poll(maxevents=1):
                self._take_turn(epoll, descriptor)

    def _take_turn(self, epoll: select.epoll, descriptor: int) -> None:
        transfer = self._transfers[descriptor]
        error = None
        try:
            transfer.advance()
        except (OSError, ArtifactError) as found:
            error = found
        if transfer.part and error is None:
            epoll.modify(descriptor, select.EPOLLOUT | select.EPOLLONESHOT)
        else:
            del self._transfers[descriptor]
            epoll.unregister(descriptor)
            transfer.end(error)
