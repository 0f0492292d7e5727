"""uvicorn's WebSockets with what tunnels need: `uvicorn --ws walle.gateway.uvicorn_tunnels:TunnelProtocol`.

On SIGTERM, uvicorn closes every WebSocket before the application hears that the server stops. Here tunnels are drained
first: their devices are told to connect elsewhere, and until they have gone they are acknowledged what they sent.
Besides, uvicorn closes a connection that sends no pong in time, which is not read while its reading is paused; and it
waits for ever for a peer that does not take what was sent before the connection was closed. It keeps the answers to
all pings for a peer that takes none of them, and all fragments of a message, which may be without content and end.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Final, cast

from uvicorn._types import ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

from walle.gateway.tunnel.endpoint import STATE_KEY, TunnelEndpoint
from walle.protocol.tunnel_frames import PATH

log = logging.getLogger(__name__)
log.setLevel(logging.WARNING)

PING_S: Final = 60.0
"""Seconds between pings through a tunnel: devices should not be woken up more often than their network demands."""
ABORT_S: Final = 15.0
"""Seconds until a connection is cut off that its application has left."""
LOST_S: Final = 5.0
"""Seconds for which an application may go on whose connection is lost: one that waits for its turn does not notice."""
MOST_FRAGMENTS: Final = 256
MOST_CONTROL: Final = 1000
"""The most pings and pongs of a peer between two pings of ours."""
_POLICY: Final = 1008


class TunnelProtocol(WebSocketsSansIOProtocol):
    """uvicorn's protocol, which tunnels leave in good order."""

    controls = 0
    task: asyncio.Task[None] | None = None

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # That a device has connected is no news: metrics count it, and nginx's log has a line for each tunnel.
        self.logger = self.conn.logger = log

    def shutdown(self) -> None:
        tunnels: TunnelEndpoint | None = self.app_state.get(STATE_KEY)
        if tunnels is not None and self._is_open_tunnel():
            tunnels.drain()
        else:
            super().shutdown()

    def start_keepalive(self) -> None:
        """Begin to ping, after the handshake."""
        if self.scope["path"] == PATH:
            self.ping_interval = self.ping_interval and max(self.ping_interval, PING_S)
            self._forget_handshake()
        super().start_keepalive()

    def keepalive_timeout(self) -> None:
        if self.read_paused:
            # The pong may be among what is not read.
            self.pong_timer = None
            self.schedule_ping()
        else:
            super().keepalive_timeout()

    def send_receive_event_to_app(self) -> None:
        """Hand a message over; reading pauses only once another one waits, since to pause takes calls of the system."""
        first = not self.read_paused and self.queue.empty()
        self.read_paused = self.read_paused or first
        super().send_receive_event_to_app()
        self.read_paused = self.read_paused and not first

    async def run_asgi(self) -> None:
        self.task = asyncio.current_task()
        await super().run_asgi()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self.task is not None:
            self.loop.call_later(LOST_S, self.task.cancel)

    async def send(self, message: ASGISendEvent) -> None:
        await super().send(message)
        if self.initial_response is not None and self.close_sent:
            # Else a refused handshake, which any stranger can bring about, would be logged as an error of the server.
            self.handshake_complete = True

    def send_keepalive_ping(self) -> None:
        self.controls = 0
        super().send_keepalive_ping()

    def handle_ping(self) -> None:
        """Answer a ping; one whose peer does not take what it is sent gets no answer."""
        if self.writable.is_set():
            super().handle_ping()
        else:
            self.conn.data_to_send()
        self._count_control()

    def handle_pong(self, event: Frame) -> None:
        super().handle_pong(event)
        self._count_control()

    def handle_cont(self, event: Frame) -> None:
        if len(self.frames) < MOST_FRAGMENTS:
            super().handle_cont(event)
        else:
            self._refuse(f"expected a message in at most {MOST_FRAGMENTS} fragments")

    def _count_control(self) -> None:
        self.controls += 1
        if self.controls > MOST_CONTROL:
            self._refuse(f"expected at most {MOST_CONTROL} pings and pongs")

    def _refuse(self, reason: str) -> None:
        """Fail the connection, of which more may have been read already."""
        self.frames = []
        if not self.close_sent:
            self.conn.fail(_POLICY, reason)
            self.handle_parser_exception()

    def on_task_complete(self, task: asyncio.Task[None]) -> None:
        super().on_task_complete(task)
        if not self.disconnected:
            self.loop.call_later(ABORT_S, self.transport.abort)

    def _forget_handshake(self) -> None:
        """Free the headers of both sides, a fifth of what an idle tunnel occupies; the application has read them."""
        del self.request, self.response
        cast(list[Any], self.scope["headers"]).clear()

    def _is_open_tunnel(self) -> bool:
        return self.handshake_complete and not self.close_sent and self.scope["path"] == PATH
