"""A device at the other end of a tunnel, frame by frame, over a real WebSocket."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any, Self, TypeVar

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from walle.protocol.compression import Dictionary, compress
from walle.protocol.tunnel_frames import (
    PATH,
    SUBPROTOCOL,
    Acknowledge,
    CloudFrame,
    Feature,
    Frame,
    Hello,
    OpenStream,
    Welcome,
    messages,
    read_cloud_frame,
    write_frame,
)
from walle.protocol.tunnel_messages import write_values

SPOOL = b"spool-01"
TASK = "camera/digits"
DIGEST = b"\x11" * 12
AT_MS = 1_750_000_000_000

Found = TypeVar("Found", bound=CloudFrame)


def feature(sequence: int, *, stream: int = 1, values: Mapping[str, Any] | None = None, **changes: Any) -> Feature:
    encoding, body = compress(write_values(values or {"number": sequence}), None)
    return Feature(sequence, stream, AT_MS, AT_MS - 50, encoding, body, 0)._replace(**changes)


def compressed(sequence: int, values: Mapping[str, Any], dictionary: Dictionary) -> Feature:
    encoding, body = compress(write_values(values), dictionary)
    return feature(sequence)._replace(encoding=encoding, body=body)


class Wire:
    """One connection; as a context manager it closes in the end."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    @classmethod
    async def open(cls, address: str, headers: Mapping[str, str], **options: Any) -> Self:
        settings: dict[str, Any] = {"subprotocols": [SUBPROTOCOL], "compression": None, "proxy": None}
        url = address.replace("http", "ws", 1) + PATH
        return cls(await connect(url, additional_headers=headers, **(settings | options)))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.close()

    async def send(self, *frames: Frame) -> None:
        for frame in frames:
            written = write_frame(frame)
            for message in messages(frame.sequence, written) if isinstance(frame, Feature) else [written]:
                await self.socket.send(message)

    async def hello(self, following: int = 1, *, spool: bytes = SPOOL, task: str = TASK) -> Welcome:
        """Say hello and open the stream 1; what comes back of the latter is left to be read."""
        await self.send(Hello(spool, following))
        welcome = await self.next(Welcome)
        await self.send(OpenStream(1, task, DIGEST, b""))
        return welcome

    async def next(self, kind: type[Found]) -> Found:
        """The next frame of a kind; others are passed over."""
        async with asyncio.timeout(10):
            while True:
                data = await self.socket.recv()
                assert isinstance(data, bytes)
                frame = read_cloud_frame(data)
                if isinstance(frame, kind):
                    return frame

    async def acknowledged(self, sequence: int) -> Acknowledge:
        """The acknowledgement that covers a sequence."""
        while (found := await self.next(Acknowledge)).sequence < sequence:
            pass
        return found

    async def closed(self) -> tuple[int, str]:
        """The code of the close frame that comes, and the stable code in its reason."""
        async with asyncio.timeout(20):
            with contextlib.suppress(ConnectionClosed):
                while True:
                    await self.socket.recv()
        return self.socket.close_code or 0, (self.socket.close_reason or "").partition(":")[0]
