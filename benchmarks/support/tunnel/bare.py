"""The bare link: messages over TCP alone, of which is known when the last byte of each arrived."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

from benchmarks.support.tunnel.shaping import Link, shaped

_HEAD = 8


class BareLink:
    """A connection over a link to a receiver in this process. Messages arrive in the order in which they are sent."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self.arrived: dict[int, float] = {}
        """When each message arrived, by its number, in Unix seconds."""
        self._sent = 0

    def send(self, size: int) -> int:
        """Send a message of `size` bytes, at least its head of 8; return its number."""
        size = max(size, _HEAD)
        self._sent += 1
        self._writer.write(size.to_bytes(_HEAD, "big") + bytes(size - _HEAD))
        return self._sent

    @property
    def idle(self) -> bool:
        return len(self.arrived) == self._sent

    async def receive(self, reader: asyncio.StreamReader) -> None:
        """Note when each message has arrived, until the connection ends."""
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            for number in range(1, 1 << 62):
                size = int.from_bytes(await reader.readexactly(_HEAD), "big")
                await reader.readexactly(size - _HEAD)
                self.arrived[number] = time.time()


@contextlib.asynccontextmanager
async def bare(link: Link) -> AsyncIterator[BareLink]:
    """Open a connection over the link to a receiver in this process."""
    accepted: asyncio.Queue[asyncio.StreamReader] = asyncio.Queue()
    receiving = await asyncio.start_server(lambda reader, writer: accepted.put_nowait(reader), "127.0.0.1", 0)
    async with shaped(link, receiving.sockets[0].getsockname()[1]) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        measured = BareLink(writer)
        task = asyncio.create_task(measured.receive(await accepted.get()))
        try:
            yield measured
        finally:
            task.cancel()
            writer.close()
            receiving.close()
