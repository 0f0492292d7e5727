"""A WebSocket over TLS for tests, read and written by one thread.

The client of websockets.sync reads in a thread of its own, and an SSLSocket that two threads use at once breaks now and
then: the peer seems to have closed the connection (https://github.com/python/cpython/issues/151508).
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

AT_ONCE = 1 << 16


class TlsWebSocket:
    """A WebSocket that sends no pings of its own. Closing it closes the connection without the closing handshake."""

    def __init__(
        self,
        tls: ssl.SSLSocket,
        uri: str,
        *,
        headers: Mapping[str, str] | None = None,
        subprotocols: Sequence[str] = (),
    ) -> None:
        """Shake hands. Raises websockets' InvalidStatus for a refusal, and TimeoutError after the socket's time-out."""
        self._tls = tls
        self._protocol = ClientProtocol(
            parse_uri(uri), subprotocols=[Subprotocol(name) for name in subprotocols] or None
        )
        self._frames: list[Frame] = []
        request = self._protocol.connect()
        request.headers.update(headers or {})
        self._protocol.send_request(request)
        self._write()
        while self._protocol.state is State.CONNECTING and not self._protocol.handshake_exc:
            self._read()
        if self._protocol.handshake_exc:
            raise self._protocol.handshake_exc

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._tls.close()

    def send(self, message: bytes) -> None:
        """Send a binary message."""
        self._protocol.send_binary(message)
        self._write()

    def recv(self) -> bytes:
        """Return the next binary message. Raises ConnectionClosed, and TimeoutError after the socket's time-out."""
        while not self._frames:
            if self._protocol.state is State.CLOSED:
                raise self._protocol.close_exc
            self._read()
        return bytes(self._frames.pop(0).data)

    def _read(self) -> None:
        if data := self._tls.recv(AT_ONCE):
            self._protocol.receive_data(data)
        else:
            self._protocol.receive_eof()
        self._write()
        received = self._protocol.events_received()
        self._frames.extend(one for one in received if isinstance(one, Frame) and one.opcode is Opcode.BINARY)

    def _write(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._tls.sendall(data)
