"""The tunnel of the simulated cloud."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from walle.protocol.compression import decompress
from walle.protocol.errors import FrameMalformed
from walle.protocol.tunnel_frames import (
    MALFORMED,
    SUBPROTOCOL,
    Acknowledge,
    CloudFrame,
    DeviceFrame,
    Feature,
    Hello,
    Joiner,
    Offers,
    OpenStream,
    Part,
    Received,
    Skip,
    StreamOpened,
    Welcome,
    close_code,
    close_reason,
    read_device_frame,
    write_frame,
)
from walle.protocol.tunnel_messages import MAX_VALUES, read_values

if TYPE_CHECKING:
    from walle.conformance.client.repository import ReferenceRepository

WINDOW = 1 << 20


class ReceivedFeature(NamedTuple):
    """A feature as it was received, and the spool and stream that it belongs to."""

    spool: bytes
    stream: OpenStream
    feature: Feature
    values: dict[str, Any]


@dataclass
class SimulatedTunnels:
    """All tunnels to the simulated cloud, and what came by them."""

    opened: list[ServedTunnel] = field(default_factory=list)
    features: list[ReceivedFeature] = field(default_factory=list)
    """Every feature in every frame, including repetitions."""
    acknowledged: dict[bytes, int] = field(default_factory=dict)
    """The highest acknowledged sequence by spool."""
    refused: list[ReceivedFeature] = field(default_factory=list)
    """Every feature that was refused while `refusing` was the code to do so with."""
    refusing: str = ""
    acknowledging: bool = True
    window: int = WINDOW
    malformed: list[str] = field(default_factory=list)
    """What was wrong with the frames of devices."""
    numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    async def serve(self, repository: ReferenceRepository, scope: dict[str, Any], receive: Any, send: Any) -> None:
        from walle.conformance.client.repository_http import Refused, who

        headers = {name.decode(): value.decode("latin-1") for name, value in scope["headers"]}
        await receive()
        try:
            device = who(repository, headers)
        except Refused as refused:
            await _refuse(send, refused.status, refused.code)
            return
        if SUBPROTOCOL not in scope["subprotocols"]:
            self.malformed.append(f"a handshake without the subprotocol {SUBPROTOCOL}")
            await _refuse(send, 400, "header-malformed")
            return
        await send({"type": "websocket.accept", "subprotocol": SUBPROTOCOL})
        tunnel = ServedTunnel(self, device, headers, send)
        self.opened.append(tunnel)
        await tunnel.converse(receive)

    @property
    def newest(self) -> ServedTunnel:
        return self.opened[-1]


async def _refuse(send: Any, status: int, code: str) -> None:
    headers = [(b"walle-error", code.encode()), (b"content-length", b"0")]
    await send({"type": "websocket.http.response.start", "status": status, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": b""})


class ServedTunnel:
    """One connection of a device; `left` is the code with which the device closed it, None as long as it has not."""

    def __init__(self, tunnels: SimulatedTunnels, device: str, headers: dict[str, str], send: Any) -> None:
        self.device, self.headers = device, headers
        self.frames: list[DeviceFrame] = []
        self.ended = asyncio.Event()
        self.left: int | None = None
        self._tunnels, self._transmit = tunnels, send
        self._joiner = Joiner()
        self._streams: dict[int, OpenStream] = {}
        self._spool = b""
        self._due = 1

    async def send(self, frame: CloudFrame) -> None:
        await self.send_message(write_frame(frame))

    async def send_message(self, message: bytes) -> None:
        await self._transmit({"type": "websocket.send", "bytes": message})

    async def offer(self, value: str) -> int:
        """Push offers, the value of a header; return their number."""
        number = next(self._tunnels.numbers)
        await self.send(Offers(number, value.encode("latin-1")))
        return number

    async def close(self, code: int, reason: str = "") -> None:
        self.ended.set()
        await self._transmit({"type": "websocket.close", "code": code, "reason": reason})

    def received(self, number: int) -> bool:
        """Return whether the device acknowledged these offers."""
        return Received(number) in self.frames

    async def converse(self, receive: Any) -> None:
        try:
            while (message := await receive())["type"] == "websocket.receive":
                await self._take(message.get("bytes") or b"")
            self.left = message["code"]
        except FrameMalformed as error:
            self._tunnels.malformed.append(str(error))
            await self.close(close_code(error), close_reason(error.code, str(error)))
        finally:
            self.ended.set()

    async def _take(self, message: bytes) -> None:
        frame = read_device_frame(message)
        self.frames.append(frame)
        if isinstance(frame, Hello) != (len(self.frames) == 1):
            raise FrameMalformed("frame-unexpected", f"expected Hello first, and once, found {type(frame).__name__}")
        if isinstance(frame, Part):
            whole = self._joiner.add(frame)
            if whole is not None:
                await self._take_feature(whole)
        elif isinstance(frame, Feature):
            await self._take_feature(frame)
        elif isinstance(frame, Hello):
            await self._welcome(frame)
        elif isinstance(frame, OpenStream):
            self._streams[frame.stream] = frame
            await self.send(StreamOpened(frame.stream, b"", ""))
        elif isinstance(frame, Skip):
            self._due = max(self._due, frame.to)

    async def _welcome(self, hello: Hello) -> None:
        self._spool = hello.spool
        acknowledged = self._tunnels.acknowledged.get(hello.spool, 0)
        self._due = max(acknowledged + 1, hello.next)
        await self.send(Welcome(acknowledged, self._tunnels.window))

    async def _take_feature(self, feature: Feature) -> None:
        if feature.stream not in self._streams:
            raise FrameMalformed("frame-out-of-order", f"expected a stream that is open, found {feature.stream}")
        if feature.sequence > self._due:
            raise FrameMalformed("frame-out-of-order", f"expected feature {self._due}, found {feature.sequence}")
        self._due = max(self._due, feature.sequence + 1)
        values = read_values(decompress(feature.encoding, feature.body, None, MAX_VALUES))
        received = ReceivedFeature(self._spool, self._streams[feature.stream], feature, values)
        if code := self._tunnels.refusing:
            self._tunnels.refused.append(received)
            await self.close(MALFORMED, close_reason(code, "the simulated cloud says so"))
            return
        self._tunnels.features.append(received)
        if self._tunnels.acknowledging:
            self._tunnels.acknowledged[self._spool] = self._due - 1
            await self.send(Acknowledge(self._due - 1, self._tunnels.window))
