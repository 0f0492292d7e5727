"""A lean client of the tunnel, to load a server with thousands: no spool, no retries, frames prepared beforehand.

What is sent is masked with zeros, as RFC 6455 allows, so that masking costs the load generator nothing; servers unmask
all the same.
"""

from __future__ import annotations

import asyncio
import base64
import os
import ssl
from collections.abc import Callable
from typing import Any, Final

from walle.gateway.checkin import RawCheckIn
from walle.protocol.tunnel_frames import (
    PATH,
    SUBPROTOCOL,
    Acknowledge,
    Drain,
    Feature,
    Frame,
    Hello,
    OpenStream,
    StreamOpened,
    Welcome,
    read_frame,
    write_frame,
)

_BINARY: Final = 0x82
_CLOSE, _PING, _PONG = 0x8, 0x9, 0x8A
_MASKED: Final = 0x80
_NO_MASK: Final = bytes(4)


class TunnelRefused(Exception):
    """The server did not accept a tunnel, or ended it; the text says how."""


class LeanTunnel(asyncio.Protocol):
    """One tunnel. `acknowledged` is called with the highest durable sequence, `taken` with every other frame."""

    def __init__(
        self,
        headers: RawCheckIn,
        acknowledged: Callable[[int], None] = lambda sequence: None,
        taken: Callable[[Frame], None] = lambda frame: None,
    ) -> None:
        loop = asyncio.get_running_loop()
        self._headers, self._acknowledged, self._taken = headers, acknowledged, taken
        self._rest, self._upgraded = b"", False
        self.spool = os.urandom(8)
        self.accepted: asyncio.Future[None] = loop.create_future()
        self.welcome: asyncio.Future[Welcome] = loop.create_future()
        self.opened: asyncio.Future[StreamOpened] = loop.create_future()
        self.ended: asyncio.Future[str] = loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]
        key = base64.b64encode(os.urandom(16))
        self.transport.write(
            b"GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\nSec-WebSocket-Protocol: %s\r\n"
            b"Walle-Device: %s\r\nWalle-App: %s\r\nWalle-Profile: %s\r\n\r\n"
            % (PATH.encode(), key, SUBPROTOCOL.encode(), *self._headers[:3])
        )

    async def greet(self, task: str, manifest: bytes, dictionary: bytes = b"") -> StreamOpened:
        """Say hello with a new spool, and open the stream 1. Raises TunnelRefused."""
        await self._or_end(self.accepted)
        self.send(Hello(self.spool, 1))
        await self._or_end(self.welcome)
        self.send(OpenStream(1, task, manifest, dictionary))
        await self._or_end(self.opened)
        return self.opened.result()

    async def _or_end(self, awaited: asyncio.Future[Any]) -> None:
        await asyncio.wait((awaited, self.ended), return_when=asyncio.FIRST_COMPLETED, timeout=60)
        if not awaited.done():
            raise TunnelRefused(self.ended.result() if self.ended.done() else "expected an answer within 60 s")

    def send(self, frame: Frame) -> None:
        self.transport.write(message(write_frame(frame)))

    def data_received(self, data: bytes) -> None:
        rest = self._rest + data
        if not self._upgraded:
            head, found, rest = rest.partition(b"\r\n\r\n")
            if not found:
                self._rest = head
                return
            if not head.startswith(b"HTTP/1.1 101"):
                self._end(head.decode(errors="replace"))
                return
            self._upgraded = True
            self.accepted.set_result(None)
        while (whole := _whole_message(rest)) is not None:
            kind, body, rest = whole
            self._take(kind, body)
        self._rest = rest

    def _take(self, kind: int, body: bytes) -> None:
        if kind == _PING:
            self.transport.write(bytes((_PONG, _MASKED | len(body))) + _NO_MASK + body)
        elif kind == _CLOSE:
            self._end(f"{int.from_bytes(body[:2], 'big')} {body[2:].decode(errors='replace')}")
        else:
            self._take_frame(read_frame(body))

    def _take_frame(self, frame: Frame) -> None:
        if isinstance(frame, Acknowledge):
            self._acknowledged(frame.sequence)
        elif isinstance(frame, Welcome):
            self.welcome.set_result(frame)
        elif isinstance(frame, StreamOpened) and not self.opened.done():
            self.opened.set_result(frame)
        elif isinstance(frame, Drain):
            self._end("drain")
        else:
            self._taken(frame)

    def connection_lost(self, error: Exception | None) -> None:
        self._end(str(error or "the connection ended"))

    def _end(self, why: str) -> None:
        if not self.ended.done():
            self.ended.set_result(why)
        self.transport.close()


def message(frame: bytes) -> bytes:
    """Return a WebSocket message of a client with a written frame."""
    size = len(frame)
    if size < 126:
        return bytes((_BINARY, _MASKED | size)) + _NO_MASK + frame
    if size < 1 << 16:
        return bytes((_BINARY, _MASKED | 126)) + size.to_bytes(2, "big") + _NO_MASK + frame
    return bytes((_BINARY, _MASKED | 127)) + size.to_bytes(8, "big") + _NO_MASK + frame


def feature(sequence: int, now: float, encoding: int, body: bytes) -> bytes:
    """Return the WebSocket message of a feature on stream 1 that was tracked now (Unix seconds)."""
    return message(write_frame(Feature(sequence, 1, int(now * 1000), int(now * 1000), encoding, body, 0)))


def _whole_message(data: bytes) -> tuple[int, bytes, bytes] | None:
    """Split off a server's first message: its kind, its body, and what follows; None if it is not complete."""
    if len(data) < 2:
        return None
    size, begin = data[1], 2
    if size == 126:
        size, begin = int.from_bytes(data[2:4], "big"), 4
    elif size == 127:
        size, begin = int.from_bytes(data[2:10], "big"), 10
    if len(data) < begin + size:
        return None
    return data[0] & 0x0F, data[begin : begin + size], data[begin + size :]


async def open_tunnel(port: int, tunnel: Callable[[], LeanTunnel], *, tls: ssl.SSLContext | None = None) -> LeanTunnel:
    """Connect a tunnel to a port of this machine."""
    _, made = await asyncio.get_running_loop().create_connection(
        tunnel, "127.0.0.1", port, ssl=tls, server_hostname="localhost" if tls else None
    )
    return made
