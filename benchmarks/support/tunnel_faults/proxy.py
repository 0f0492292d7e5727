"""A proxy of WebSockets that passes messages on, but for the one that it is told to spoil, and remembers what was said.

What devices sent is remembered as they sent it, and acknowledgements as the server gave them, whatever becomes of the
messages afterwards: an acknowledgement counts as soon as it is given.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, Literal, NamedTuple

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from walle.protocol.compression import decompress
from walle.protocol.errors import FrameMalformed
from walle.protocol.headers import DEVICE, read_device
from walle.protocol.tunnel_frames import (
    MAX_MESSAGE,
    PATH,
    SUBPROTOCOL,
    Acknowledge,
    Feature,
    Hello,
    Joiner,
    Part,
    Skip,
    Welcome,
    read_frame,
)
from walle.protocol.tunnel_messages import MAX_VALUES

Spoiling = Literal["cut", "duplicated", "reordered", "corrupted"]
Direction = Literal["up", "down"]
_OURS: Final = ("walle-device", "walle-app", "walle-profile")
_HOLD_S: Final = 0.5
"""Seconds after which a message that waits for the next one goes without it."""


class SpoolName(NamedTuple):
    """A spool of a device."""

    device: str
    spool: bytes


@dataclass
class Ledger:
    """What was said: the SHA-256 of each feature's values by sequence, and what was acknowledged last, by spool."""

    sent: dict[SpoolName, dict[int, bytes]] = field(default_factory=dict)
    acknowledged: dict[SpoolName, int] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)
    """Sequences that were sent again with other values, in words."""
    given_up: dict[SpoolName, set[int]] = field(default_factory=dict)
    """Sequences that were sent and not acknowledged, before their device said that it no longer has them."""
    acknowledgements: dict[str, int] = field(default_factory=dict)
    """How many frames acknowledged something new, by device."""

    def feature(self, name: SpoolName, feature: Feature) -> None:
        values = decompress(feature.encoding, feature.body, None, MAX_VALUES)
        digest = sha256(values).digest()
        if self.sent.setdefault(name, {}).setdefault(feature.sequence, digest) != digest:
            self.changed.append(f"{name.device} {feature.sequence}")

    def skip(self, name: SpoolName, to: int) -> None:
        """Note that a device has nothing below a sequence any more but what was acknowledged."""
        acknowledged = self.acknowledged.get(name, 0)
        gone = {sequence for sequence in self.sent.get(name, ()) if acknowledged < sequence < to}
        self.given_up.setdefault(name, set()).update(gone)

    def acknowledge(self, name: SpoolName, sequence: int) -> None:
        if sequence > self.acknowledged.get(name, 0):
            self.acknowledged[name] = sequence
            self.acknowledgements[name.device] = self.acknowledgements.get(name.device, 0) + 1


@dataclass
class _Order:
    """A message to be spoiled: the next one in a direction, of this device."""

    kind: Spoiling
    device: str
    direction: Direction
    done: threading.Event = field(default_factory=threading.Event)


class _Held(NamedTuple):
    """A message that comes after the next one, by an order."""

    message: bytes
    order: _Order


class FaultyProxy:
    """The proxy, in a thread of its own; `strike` may be called from any other one."""

    def __init__(self, upstream_port: int, rng: random.Random) -> None:
        self.ledger = Ledger()
        self.port = 0
        self._upstream = f"ws://127.0.0.1:{upstream_port}{PATH}"
        self._rng = rng
        self._orders: list[_Order] = []
        self._loop = asyncio.new_event_loop()

    def strike(self, kind: Spoiling, device: str, direction: Direction, timeout: float) -> bool:
        """Spoil the next message of a device in a direction; return whether there was one in so many seconds."""
        order = _Order(kind, device, direction)
        self._orders.append(order)
        if order.done.wait(timeout):
            return True
        with contextlib.suppress(ValueError):
            self._orders.remove(order)
        return order.done.is_set()

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        ready = threading.Event()
        thread = threading.Thread(target=self._run, args=(ready,), daemon=True)
        thread.start()
        ready.wait()
        try:
            yield
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            thread.join()

    def _run(self, ready: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(self._serve())
        self.port = next(iter(server.sockets)).getsockname()[1]
        ready.set()
        self._loop.run_forever()

    async def _serve(self) -> Server:
        return await serve(
            self._relay,
            "127.0.0.1",
            0,
            process_request=self._connect,
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            compression=None,
            max_size=MAX_MESSAGE + 1,
            ping_interval=None,
        )

    async def _connect(self, connection: ServerConnection, request: Request) -> Response | None:
        """Connect to the server first, and refuse what it refuses."""
        headers = {name: request.headers[name] for name in _OURS if name in request.headers}
        try:
            connection.upstream = await connect(  # type: ignore[attr-defined]
                self._upstream,
                additional_headers=headers,
                subprotocols=[Subprotocol(SUBPROTOCOL)],
                compression=None,
                max_size=MAX_MESSAGE + 1,
                ping_interval=None,
                proxy=None,
            )
        except InvalidStatus as error:
            response = connection.respond(error.response.status_code, "")
            if code := error.response.headers.get("walle-error"):
                response.headers["walle-error"] = code
            return response
        except (OSError, EOFError, TimeoutError, WebSocketException):
            return connection.respond(502, "")
        return None

    async def _relay(self, connection: ServerConnection) -> None:
        upstream: ClientConnection = connection.upstream  # type: ignore[attr-defined]
        assert connection.request is not None
        device = read_device(connection.request.headers[DEVICE].encode()).device
        conversation = _Conversation(self.ledger, device)
        up = asyncio.create_task(self._pump(connection, upstream, "up", conversation))
        down = asyncio.create_task(self._pump(upstream, connection, "down", conversation))
        await asyncio.wait([up, down])

    async def _pump(self, source: Any, target: Any, direction: Direction, conversation: _Conversation) -> None:
        """Pass messages on until one of the ends closes, and close the other one as it did."""
        held: _Held | None = None
        try:
            while True:
                try:
                    async with asyncio.timeout(_HOLD_S if held else None):
                        message = await source.recv(decode=False)
                except TimeoutError:
                    assert held is not None
                    await target.send(held.message)
                    self._orders.append(held.order)  # for another message, which one follows soon
                    held = None
                    continue
                conversation.hear(message, direction)
                order = None if held else self._due(conversation.device, direction)
                if order is not None and order.kind == "reordered":
                    held = _Held(message, order)
                    continue
                for each in self._spoiled(order, message, source, target):
                    await target.send(each)
                if held:
                    await target.send(held.message)
                    held.order.done.set()
                    held = None
        except ConnectionClosed as error:
            closed = error.rcvd
            if closed is not None and closed.code not in (1005, 1006):
                await target.close(closed.code, closed.reason)
            else:
                target.transport.abort()

    def _due(self, device: str, direction: Direction) -> _Order | None:
        for order in self._orders:
            if (order.device, order.direction) == (device, direction):
                self._orders.remove(order)
                return order
        return None

    def _spoiled(self, order: _Order | None, message: bytes, source: Any, target: Any) -> tuple[bytes, ...]:
        """Return what goes on in place of a message."""
        if order is None:
            return (message,)
        order.done.set()
        if order.kind == "duplicated":
            return message, message
        if order.kind == "cut":
            source.transport.abort()
            target.transport.abort()
            return ()
        spoiled = bytearray(message)
        bit = self._rng.randrange(8 * len(message))
        spoiled[bit // 8] ^= 1 << bit % 8
        return (bytes(spoiled),)


class _Conversation:
    """Hears one connection of a device."""

    def __init__(self, ledger: Ledger, device: str) -> None:
        self.device = device
        self._ledger, self._joiner = ledger, Joiner()
        self._name = SpoolName(device, b"")

    def hear(self, message: bytes, direction: Direction) -> None:
        with contextlib.suppress(FrameMalformed):
            frame = read_frame(message)
            if direction == "down" and isinstance(frame, Acknowledge):
                self._ledger.acknowledge(self._name, frame.sequence)
            elif direction == "down" and isinstance(frame, Welcome):
                self._ledger.acknowledge(self._name, frame.acknowledged)
            elif isinstance(frame, Hello):
                self._name = SpoolName(self.device, frame.spool)
                self._ledger.skip(self._name, frame.next)
            elif isinstance(frame, Skip):
                self._ledger.skip(self._name, frame.to)
            elif isinstance(frame, Feature | Part):
                whole = self._joiner.add(frame) if isinstance(frame, Part) else frame
                if whole is not None:
                    self._ledger.feature(self._name, whole)
