"""MQTT 3.1.1 (OASIS, 2014) as far as a publisher with QoS 1 needs it: connect, publish, acknowledgements."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

_CONNECT, _PUBLISH_QOS1, _SUBSCRIBE = 0x10, 0x32, 0x82
_CONNACK, _PUBACK, _SUBACK = 0x20, 0x40, 0x90
_KEEP_SESSION: Final = 0x00
_CLEAN_SESSION: Final = 0x02
_MOST_INFLIGHT: Final = 65_535


class Publisher(asyncio.Protocol):
    """A connection to a broker. `acknowledged` is called with the number of each message that it acknowledged."""

    def __init__(self, client: str, acknowledged: Callable[[int], None], *, clean: bool = True) -> None:
        self._client, self._clean, self._acknowledged = client, clean, acknowledged
        self._rest = b""
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.subscribed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]
        flags = _CLEAN_SESSION if self._clean else _KEEP_SESSION
        head = _text("MQTT") + bytes((4, flags)) + (0).to_bytes(2, "big")
        self.transport.write(_packet(_CONNECT, head + _text(self._client)))

    def publish(self, number: int, topic: str, payload: bytes) -> None:
        """Send a message with QoS 1; `number` is 1 to 65535, and none that is still unacknowledged."""
        self.transport.write(message(number, topic, payload))

    def subscribe(self, topic: str) -> None:
        """Ask for the messages of a topic with QoS 1, which a session that is kept is sent later."""
        self.transport.write(_packet(_SUBSCRIBE, (1).to_bytes(2, "big") + _text(topic) + b"\x01"))

    def data_received(self, data: bytes) -> None:
        rest = self._rest + data
        while len(rest) >= 2 and len(rest) >= 2 + rest[1]:  # what a broker tells a publisher is short
            self._take(rest[0] & 0xF0, rest[2 : 2 + rest[1]])
            rest = rest[2 + rest[1] :]
        self._rest = rest

    def _take(self, kind: int, body: bytes) -> None:
        if kind == _PUBACK:
            self._acknowledged(int.from_bytes(body[:2], "big"))
        elif kind == _CONNACK:
            if body[1]:
                self.ready.set_exception(ConnectionError(f"expected the broker to accept, found code {body[1]}"))
            else:
                self.ready.set_result(None)
        elif kind == _SUBACK:
            self.subscribed.set_result(None)

    def connection_lost(self, error: Exception | None) -> None:
        for waiting in (self.ready, self.subscribed):
            if not waiting.done():
                waiting.cancel()


def message(number: int, topic: str, payload: bytes) -> bytes:
    """Return the PUBLISH packet of a message with QoS 1."""
    if not 1 <= number <= _MOST_INFLIGHT:
        raise ValueError(f"expected a packet number of 1 to {_MOST_INFLIGHT}, found {number}")
    return _packet(_PUBLISH_QOS1, _text(topic) + number.to_bytes(2, "big") + payload)


def _text(value: str) -> bytes:
    written = value.encode()
    return len(written).to_bytes(2, "big") + written


def _packet(kind: int, body: bytes) -> bytes:
    length, size = bytearray(), len(body)
    while True:
        size, low = divmod(size, 128)
        length.append(low | 0x80 if size else low)
        if not size:
            return bytes((kind,)) + bytes(length) + body
