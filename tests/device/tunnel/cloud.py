"""The cloud's end of the tunnel for tests of a device: it keeps what came in memory, and does what it is told to."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import Any

from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from walle.gateway.tunnel.order import SpoolOrder
from walle.protocol import tunnel_frames as wire
from walle.protocol.compression import Dictionary, decompress
from walle.protocol.errors import FrameMalformed
from walle.protocol.tunnel_messages import MAX_VALUES, read_values


class TunnelCloud:
    """`stored` has the values by spool and sequence; the other lists are frames in the order in which they came.

    `refusal` is the status and code that handshakes are answered with, `told` further headers; with `acknowledges`
    False nothing is; `refuses` says of values whether their feature closes the connection, with the code `complaint`.
    """

    def __init__(self) -> None:
        self.stored: dict[bytes, dict[int, Any]] = defaultdict(dict)
        self.features: list[wire.Feature] = []
        self.hellos: list[wire.Hello] = []
        self.streams: list[wire.OpenStream] = []
        self.skips: list[int] = []
        self.profiles: list[bytes] = []
        self.received: list[int] = []
        self.handshakes: list[Headers] = []
        self.resumed: list[bool] = []
        self.refusal: tuple[int, str] | None = None
        self.told: dict[str, str] = {}
        self.acknowledges, self.window = True, 1 << 20
        self.most_unacknowledged = 0
        self.refuses: Callable[[Any], bool] = lambda values: False
        self.complaint = "body-malformed"
        self.dictionaries: dict[str, tuple[Dictionary, str]] = {}
        self.open: list[CloudSide] = []

    @property
    def values(self) -> list[Any]:
        """All stored values in the order of their sequences, the spools in the order in which they said hello."""
        spools = dict.fromkeys(hello.spool for hello in self.hellos)
        return [self.stored[spool][number] for spool in spools for number in sorted(self.stored[spool])]

    def acknowledge(self) -> None:
        """From now on acknowledge everything, also what has come already."""
        self.acknowledges = True
        for side in self.open:
            side.acknowledge()

    async def send(self, frame: wire.CloudFrame) -> None:
        await self.open[-1].socket.send(wire.write_frame(frame))

    async def check(self, _: ServerConnection, request: Request) -> Response | None:
        self.handshakes.append(request.headers)
        if self.refusal is None:
            return None
        status, code = self.refusal
        return Response(
            status, HTTPStatus(status).phrase, Headers({"Walle-Error": code, "Content-Length": "0", **self.told})
        )

    async def handle(self, socket: ServerConnection) -> None:
        side = CloudSide(self, socket)
        tls = socket.transport.get_extra_info("ssl_object")
        self.resumed.append(bool(tls and tls.session_reused))
        self.open.append(side)
        try:
            await side.converse()
        except FrameMalformed as error:
            await socket.close(wire.close_code(error), wire.close_reason(error.code, error.text))
        except ConnectionClosed:
            pass
        finally:
            self.open.remove(side)


class CloudSide:
    """One connection."""

    def __init__(self, cloud: TunnelCloud, socket: ServerConnection) -> None:
        self.cloud, self.socket = cloud, socket
        self.streams: dict[int, tuple[str, Dictionary | None]] = {}
        self.joiner, self.unacknowledged = wire.Joiner(), 0
        self.spool, self.order = b"", SpoolOrder(0, 1)
        self.acknowledging: set[asyncio.Task[None]] = set()

    async def converse(self) -> None:
        hello = wire.read_device_frame(await self.socket.recv())
        assert isinstance(hello, wire.Hello)
        self.cloud.hellos.append(hello)
        self.spool = hello.spool
        stored = max(self.cloud.stored[hello.spool], default=0)
        self.order = SpoolOrder(stored, hello.next)
        await self.socket.send(wire.write_frame(wire.Welcome(stored, self.cloud.window)))
        async for message in self.socket:
            frame = wire.read_device_frame(message)
            if isinstance(frame, (wire.Feature, wire.Part)):
                self.unacknowledged += len(message)
                self.cloud.most_unacknowledged = max(self.cloud.most_unacknowledged, self.unacknowledged)
            await self.take(self.joiner.add(frame) if isinstance(frame, wire.Part) else frame)

    async def take(self, frame: wire.DeviceFrame | None) -> None:
        match frame:
            case wire.Feature():
                self.store(frame)
            case wire.OpenStream():
                self.cloud.streams.append(frame)
                dictionary, url = self.cloud.dictionaries.get(frame.task, (None, ""))
                self.streams[frame.stream] = (frame.task, dictionary)
                digest = dictionary.digest if dictionary else b""
                await self.socket.send(wire.write_frame(wire.StreamOpened(frame.stream, digest, url)))
            case wire.Skip():
                self.cloud.skips.append(frame.to)
                self.order.skip(frame.to)
            case wire.Profile():
                self.cloud.profiles.append(frame.value)
            case wire.Received():
                self.cloud.received.append(frame.number)

    def store(self, frame: wire.Feature) -> None:
        self.cloud.features.append(frame)
        if not self.order.is_new(frame.sequence):
            return
        _, dictionary = self.streams[frame.stream]
        values = read_values(decompress(frame.encoding, frame.body, dictionary, MAX_VALUES))
        if self.cloud.refuses(values):
            raise FrameMalformed(self.cloud.complaint, "the test does not like it")
        self.cloud.stored[self.spool][frame.sequence] = values
        self.order.received = frame.sequence
        if self.cloud.acknowledges:
            self.acknowledge()

    def acknowledge(self) -> None:
        self.unacknowledged = 0
        frame = wire.Acknowledge(self.order.received, self.cloud.window)
        sending = asyncio.create_task(self._send(wire.write_frame(frame)))
        self.acknowledging.add(sending)
        sending.add_done_callback(self.acknowledging.discard)

    async def _send(self, message: bytes) -> None:
        with suppress(ConnectionClosed):
            await self.socket.send(message)


@asynccontextmanager
async def serving(cloud: TunnelCloud, **more: Any) -> AsyncIterator[str]:
    """Serves the tunnel on a free loopback port; gives the address of its gateway."""
    options = {"subprotocols": [wire.SUBPROTOCOL], "process_request": cloud.check, "compression": None}
    async with serve(cloud.handle, "localhost", 0, **{**options, "close_timeout": 1, **more}) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"{'https' if 'ssl' in more else 'http'}://localhost:{port}/walle/v1"
