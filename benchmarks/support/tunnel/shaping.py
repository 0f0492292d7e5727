"""A mobile link in user space: a TCP proxy whose uplink has the rate of a trace, and a delay in both directions."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Final

from benchmarks.support.tunnel.traces import Trace

_CHUNK: Final = 1400
"""About what one packet of a mobile network carries."""
_AHEAD_S: Final = 0.05
"""How far the link is booked ahead of the clock at most, so that a timer that is late costs none of its capacity."""


@dataclass
class Link:
    """The capacity of an uplink, which all connections over it share: first come, first served.

    Times are in seconds of time.monotonic(); `began` is when the trace begins.
    """

    trace: Trace
    delay_s: float
    began: float
    bytes_up: int = 0
    bytes_down: int = 0
    _free: float = field(default=0.0, init=False)

    def passes_at(self, now: float, size: int) -> float:
        """Return when bytes that are sent now would have passed, behind those that are on their way."""
        return self.began + self.trace.passed_at(max(now, self._free) - self.began, size)

    def book(self, now: float, size: int) -> float:
        """Send bytes now; return when the last of them has passed."""
        self._free = self.passes_at(now, size)
        return self._free

    def carries_within(self, now: float, size: int, within: float) -> bool:
        """Return whether the trace alone carries as many bytes from `now` on within so many seconds."""
        return self.trace.passed_at(now - self.began, size) - (now - self.began) <= within


@contextlib.asynccontextmanager
async def shaped(link: Link, target: int) -> AsyncIterator[int]:
    """Serve a port of the loopback interface that leads over the link to the port `target`."""
    busy: set[asyncio.Task[None]] = set()

    async def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        busy.add(task)
        try:
            there, back = await asyncio.open_connection("127.0.0.1", target)
            with contextlib.suppress(ConnectionError):
                await asyncio.gather(_up(link, reader, back), _down(link, there, writer))
        except asyncio.CancelledError:
            pass
        finally:
            writer.close()
            busy.discard(task)

    server = await asyncio.start_server(accepted, "127.0.0.1", 0, limit=_CHUNK * 64)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in list(busy):
            task.cancel()
        await asyncio.gather(*busy, return_exceptions=True)


async def _up(link: Link, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while data := await source.read(_CHUNK):
        link.bytes_up += len(data)
        passed = link.book(time.monotonic(), len(data))
        _deliver(sink, data, passed + link.delay_s)
        if (ahead := passed - time.monotonic()) > _AHEAD_S:
            await asyncio.sleep(ahead - _AHEAD_S / 2)
    _end(sink, link.delay_s)


async def _down(link: Link, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    while data := await source.read(1 << 16):
        link.bytes_down += len(data)
        _deliver(sink, data, time.monotonic() + link.delay_s)
    _end(sink, link.delay_s)


def _deliver(sink: asyncio.StreamWriter, data: bytes, at: float) -> None:
    """Write at a moment; what is written for the same moments stays in order."""
    asyncio.get_running_loop().call_at(at, _write, sink, data)


def _write(sink: asyncio.StreamWriter, data: bytes) -> None:
    if not sink.is_closing():
        sink.write(data)


def _end(sink: asyncio.StreamWriter, delay_s: float) -> None:
    asyncio.get_running_loop().call_later(delay_s + 2 * _AHEAD_S, sink.close)
