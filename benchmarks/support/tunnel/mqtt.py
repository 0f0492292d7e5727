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


class _Client(asyncio.Protocol):
    """A connection to a broker under a client's name. `ready` is done when the broker has accepted it."""

    def __init__(self, name: str, *, clean: bool) -> None:
        loop = asyncio.get_running_loop()
        self._name, self._clean = name, clean
        self._rest = b""
        self.ready: asyncio.Future[None] = loop.create_future()
        self.subscribed: asyncio.Future[None] = loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]
        flags = _CLEAN_SESSION if self._clean else _KEEP_SESSION
        head = _text("MQTT") + bytes((4, flags)) + (0).to_bytes(2, "big")
        self.transport.write(_packet(_CONNECT, head + _text(self._name)))

    def data_received(self, data: bytes) -> None:
        rest = self._rest + data
        while (whole := _whole_packet(rest)) is not None:
            kind, body, rest = whole
            self.take(kind & 0xF0, body)
        self._rest = rest

    def take(self, kind: int, body: bytes) -> None:
        """Take one packet of the broker."""
        if kind == _CONNACK and body[1]:
            self.ready.set_exception(ConnectionError(f"expected the broker to accept, found code {body[1]}"))
        elif kind == _CONNACK:
            self.ready.set_result(None)
        elif kind == _SUBACK:
            self.subscribed.set_result(None)

    def connection_lost(self, error: Exception | None) -> None:
        for waiting in (self.ready, self.subscribed):
            if not waiting.done():
                waiting.cancel()


class Publisher(_Client):
    """Publishes with QoS 1. `acknowledged` is called with the number of each message that the broker acknowledged."""

    def __init__(self, name: str, acknowledged: Callable[[int], None]) -> None:
        super().__init__(name, clean=True)
        self._acknowledged = acknowledged

    def publish(self, number: int, topic: str, payload: bytes) -> None:
        """Send a message; `number` is 1 to 65535, and none that is still unacknowledged."""
        self.transport.write(message(number, topic, payload))

    def take(self, kind: int, body: bytes) -> None:
        if kind == _PUBACK:
            self._acknowledged(int.from_bytes(body[:2], "big"))
        else:
            super().take(kind, body)


class Consumer(_Client):
    """Subscribes with QoS 1 in a session that the broker keeps, and acknowledges what it is sent."""

    def __init__(self, name: str) -> None:
        super().__init__(name, clean=False)

    def subscribe(self, topic: str) -> None:
        self.transport.write(_packet(_SUBSCRIBE, (1).to_bytes(2, "big") + _text(topic) + b"\x01"))

    def take(self, kind: int, body: bytes) -> None:
        if kind == _PUBLISH_QOS1 & 0xF0:
            begin = 2 + int.from_bytes(body[:2], "big")
            self.transport.write(_packet(_PUBACK, body[begin : begin + 2]))
        else:
            super().take(kind, body)


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


def _whole_packet(data: bytes) -> tuple[int, bytes, bytes] | None:
    """Split off the first packet: its first byte, its body, and what follows; None if it is not complete."""
    size = shift = 0
    for place in range(1, min(len(data), 5)):
        size |= (data[place] & 0x7F) << shift
        shift += 7
        if data[place] < 0x80:
            begin = place + 1
            return (data[0], data[begin : begin + size], data[begin + size :]) if len(data) >= begin + size else None
    return None
