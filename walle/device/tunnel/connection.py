"""One WebSocket to the cloud: its handshake, its messages, and why it ended."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterable, Mapping
from typing import Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import (
    ConnectionClosed,
    InvalidHandshake,
    InvalidProxyStatus,
    InvalidStatus,
    InvalidURI,
    WebSocketException,
)
from websockets.typing import Subprotocol

from walle.device.errors import DeviceError, ServerRefused, Unreachable
from walle.device.tunnel.tls import ResumingContext
from walle.protocol.errors import FrameMalformed
from walle.protocol.headers import ERROR, RETRY_AFTER
from walle.protocol.tunnel_frames import (
    MALFORMED,
    MAX_MESSAGE,
    SUBPROTOCOL,
    CloudFrame,
    DeviceFrame,
    close_code,
    close_reason,
    read_cloud_frame,
    write_frame,
)

KEEPALIVE_S: Final = 60.0
"""Seconds between two pings, which keep a connection known to what is between device and cloud."""
PONG_S: Final = 20.0
"""Seconds within which a ping is answered, or else the connection is dead."""
OPEN_S: Final = 15.0
ABNORMAL: Final = 1006
"""The code of a connection that ended without a close frame (RFC 6455, section 7.1.5)."""


class TunnelEnded(DeviceError):
    """The connection ended; `status` is its close code, and `reason` what the cloud said with it."""

    code = "tunnel-ended"

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"the tunnel was closed with {status}: {reason or 'no reason'}")
        self.status, self.reason = status, reason


class _NoRedirects(connect):
    """The credential goes to no other address."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


class TunnelConnector:
    """Opens connections to the tunnel of a gateway; `base` is the gateway's address with its prefix /walle/v1.

    `tls` is used for an https address. Times are in seconds.
    """

    def __init__(self, base: str, *, tls: ResumingContext | None = None, keepalive: float = KEEPALIVE_S) -> None:
        scheme, _, rest = base.partition("://")
        self._secure = scheme == "https"
        self._url = f"{'wss' if self._secure else 'ws'}://{rest}/tunnel"
        self._tls, self._keepalive = tls, keepalive

    async def open(self, headers: Mapping[str, str]) -> CloudConnection:
        """Return a connection for the device of these headers. Raises Unreachable, ServerRefused."""
        if self._secure and self._tls is None:
            self._tls = await asyncio.to_thread(ResumingContext)
        try:
            socket = await _NoRedirects(
                self._url,
                ssl=self._tls if self._secure else None,
                additional_headers=dict(headers),
                subprotocols=[Subprotocol(SUBPROTOCOL)],
                compression=None,
                max_size=MAX_MESSAGE,
                open_timeout=OPEN_S,
                close_timeout=2.0,
                ping_interval=self._keepalive,
                ping_timeout=PONG_S,
            )
        except InvalidStatus as error:
            raise _refusal(error) from error
        except (InvalidHandshake, InvalidProxyStatus, InvalidURI, WebSocketException, OSError, EOFError) as error:
            raise Unreachable(f"/tunnel: {error or type(error).__name__}") from error
        if socket.subprotocol != SUBPROTOCOL:
            await socket.close()
            raise ServerRefused(404, "the server speaks another protocol at the tunnel's address")
        return CloudConnection(socket, self._tls)


class CloudConnection:
    """An open connection, of one event loop. `sent` counts the bytes of its messages; `resumed` is about its TLS."""

    def __init__(self, socket: ClientConnection, tls: ResumingContext | None) -> None:
        self._socket, self._tls = socket, tls
        self._sending = asyncio.Lock()
        self.sent = 0
        self._session: ssl.SSLObject | None = socket.transport.get_extra_info("ssl_object")
        self.resumed = bool(self._session and self._session.session_reused)

    async def send(self, frame: DeviceFrame) -> None:
        """Send a frame that fits into one message. Raises TunnelEnded."""
        await self.send_messages([write_frame(frame)])

    async def send_messages(self, messages: Iterable[bytes]) -> None:
        """Send messages that belong together, with none of another frame between them. Raises TunnelEnded."""
        async with self._sending:
            try:
                for message in messages:
                    await self._socket.send(message)
                    self.sent += len(message)
            except ConnectionClosed as error:
                raise _ended(error) from error

    async def receive(self) -> CloudFrame:
        """Return the next frame of the cloud. Raises TunnelEnded, also after what is not one."""
        try:
            message = await self._socket.recv(decode=False)
        except ConnectionClosed as error:
            raise _ended(error) from error
        self._keep_session()
        try:
            return read_cloud_frame(message)
        except FrameMalformed as error:
            await self.close(close_code(error), close_reason(error.code, str(error)))
            raise TunnelEnded(MALFORMED, f"the cloud sent what is not a frame: {error}") from error

    async def close(self, status: int = 1000, reason: str = "") -> None:
        """End the connection, in two seconds at most."""
        await self._socket.close(status, reason)

    def _keep_session(self) -> None:
        """Tickets of TLS 1.3 come after the handshake, before the first frame."""
        if self._session is not None and self._tls is not None:
            self._tls.keep(self._session)
            self._session = None


def _refusal(error: InvalidStatus) -> DeviceError:
    """Return the error of a handshake that was answered like a refused check-in."""
    status, headers = error.response.status_code, error.response.headers
    reason = (headers.get(ERROR) or error.response.reason_phrase).strip()[:80]
    if status == 429 or status >= 500:
        wait = headers.get(RETRY_AFTER) or headers.get("Retry-After") or ""
        return Unreachable(f"/tunnel: the server answered {status} {reason}", float(wait) if wait.isdecimal() else None)
    return ServerRefused(status, reason)


def _ended(error: ConnectionClosed) -> TunnelEnded:
    return TunnelEnded(error.rcvd.code, error.rcvd.reason) if error.rcvd else TunnelEnded(ABNORMAL, str(error)[:200])
