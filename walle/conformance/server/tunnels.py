"""A device's end of the tunnel, as the checks use it."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Mapping
from typing import Final, NamedTuple, TypeVar

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage, InvalidStatus
from websockets.typing import Subprotocol

from walle.conformance.checks import Absent, ExpectationUnmet, expect
from walle.conformance.server.target import TASK, Enrolled, Target
from walle.protocol import headers as wire
from walle.protocol.errors import FrameMalformed
from walle.protocol.tunnel_frames import (
    MAX_MESSAGE,
    RAW,
    SPOOL_BYTES,
    SUBPROTOCOL,
    Acknowledge,
    CloudFrame,
    DeviceFrame,
    Feature,
    Hello,
    OpenStream,
    StreamOpened,
    Welcome,
    messages,
    read_cloud_frame,
    write_frame,
)

Expected = TypeVar("Expected", bound=CloudFrame)
_ANSWER_S: Final = 20.0
_AT_MS: Final = 1_800_000_000_000


class Refusal(NamedTuple):
    """The answer to a refused handshake."""

    status: int
    code: str


class TunnelClient:
    """An open tunnel of one device."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def send(self, *frames: DeviceFrame) -> None:
        """Send frames, long features in parts. A connection that the server has closed is noticed when reading."""
        for frame in frames:
            written = write_frame(frame)
            for message in messages(frame.sequence, written) if isinstance(frame, Feature) else (written,):
                await self.send_message(message)

    async def send_message(self, message: bytes | str) -> None:
        with contextlib.suppress(ConnectionClosed):
            await self.socket.send(message)

    async def greet(self, spool: bytes, following: int = 1) -> Welcome:
        """Say Hello, and open stream 1."""
        await self.send(Hello(spool, following))
        welcome = await self.receive(Welcome)
        await self.send(OpenStream(1, TASK, bytes(wire.SHORT_DIGEST_BYTES), b""))
        await self.receive(StreamOpened)
        return welcome

    async def receive(self, expected: type[Expected]) -> Expected:
        """Return the next frame of this type. Raises ExpectationUnmet if the server closes, or sends what is none."""
        try:
            async with asyncio.timeout(_ANSWER_S):
                while True:
                    frame = read_cloud_frame(await self.socket.recv(decode=False))
                    if isinstance(frame, expected):
                        return frame
        except ConnectionClosed as error:
            raise ExpectationUnmet(expected.__name__, f"the connection closed: {_closed(error)}") from error
        except (TimeoutError, FrameMalformed) as error:
            raise ExpectationUnmet(expected.__name__, str(error) or f"nothing in {_ANSWER_S:.0f} s") from error

    async def acknowledged(self, sequence: int) -> None:
        """Wait until everything up to this sequence is acknowledged; more must not be."""
        while (found := (await self.receive(Acknowledge)).sequence) != sequence:
            expect(found < sequence, f"at most {sequence} acknowledged", found)

    async def expect_closed(self, status: int, code: str) -> None:
        """Check that the server closes with this status, for a reason that begins with the code."""
        await self.expect_ending({status}, code)

    async def expect_ending(self, statuses: set[int], code: str) -> None:
        expected = f"a close with {' or '.join(map(str, sorted(statuses)))} {code}"
        try:
            async with asyncio.timeout(_ANSWER_S):
                while True:
                    await self.socket.recv(decode=False)
        except ConnectionClosed as error:
            found = error.rcvd
            named = found is not None and (found.reason.startswith(f"{code}: ") or found.code == 1009)
            expect(found is not None and found.code in statuses and named, expected, _closed(error))
        except TimeoutError as error:
            raise ExpectationUnmet(expected, "an open connection") from error


def _closed(error: ConnectionClosed) -> str:
    return f"{error.rcvd.code} {error.rcvd.reason}" if error.rcvd else "without a close frame"


def new_spool() -> bytes:
    return os.urandom(SPOOL_BYTES)


def feature(sequence: int, body: bytes = b'{"label":7}', *, stream: int = 1, encoding: int = RAW) -> Feature:
    return Feature(sequence, stream, _AT_MS, _AT_MS, encoding, body, 0)


@contextlib.asynccontextmanager
async def tunnel(target: Target, device: Enrolled) -> AsyncIterator[TunnelClient]:
    """Connect a device for the length of the block. Raises Absent if the server has no tunnel."""
    async with _connected(target, target.headers(device)) as found:
        if isinstance(found, Refusal):
            if found.status == 404:
                raise Absent("the server has no tunnel")
            raise ExpectationUnmet("101 Switching Protocols", f"{found.status} {found.code}")
        yield found


async def refusal(target: Target, headers: Mapping[str, str], *protocols: str) -> Refusal:
    """Return the answer to a handshake that should be refused."""
    async with _connected(target, headers, protocols or (SUBPROTOCOL,)) as found:
        if isinstance(found, TunnelClient):
            raise ExpectationUnmet("a refused handshake", "101 Switching Protocols")
        return found


@contextlib.asynccontextmanager
async def _connected(
    target: Target, headers: Mapping[str, str], protocols: tuple[str, ...] = (SUBPROTOCOL,)
) -> AsyncIterator[TunnelClient | Refusal]:
    address = f"ws{target.base.removeprefix('http')}/tunnel"
    try:
        socket = await connect(
            address,
            additional_headers=dict(headers),
            subprotocols=[Subprotocol(each) for each in protocols if each],
            compression=None,
            max_size=2 * MAX_MESSAGE,
            open_timeout=_ANSWER_S,
            ping_interval=None,
            close_timeout=1,
            proxy=None,
        )
    except InvalidStatus as error:
        yield Refusal(error.response.status_code, error.response.headers.get(wire.ERROR) or "without a Walle-Error")
        return
    except (InvalidHandshake, InvalidMessage, OSError, TimeoutError) as error:
        raise ExpectationUnmet("an answer to the handshake", f"{type(error).__name__}: {error}") from error
    try:
        yield TunnelClient(socket)
    finally:
        await socket.close()
