"""The least that a push to all connected devices costs: a server that sends one frame to each WebSocket."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final
from urllib.parse import parse_qs

from walle.protocol.tunnel_frames import SUBPROTOCOL, Offers, write_frame

Send = Callable[[dict[str, Any]], Awaitable[None]]


class BarePush:
    """`GET /push?bytes=1500` sends a frame with so many bytes to every socket that is open."""

    def __init__(self) -> None:
        self._sockets: set[Send] = set()

    async def __call__(self, scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Send) -> None:
        if scope["type"] == "http":
            await self._push(int(parse_qs(scope["query_string"].decode())["bytes"][0]))
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body"})
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept", "subprotocol": SUBPROTOCOL})
            self._sockets.add(send)
            while (await receive())["type"] != "websocket.disconnect":
                pass
            self._sockets.discard(send)

    async def _push(self, size: int) -> None:
        frame = write_frame(Offers(1, bytes(size)))
        for send in list(self._sockets):
            await send({"type": "websocket.send", "bytes": frame})


application: Final = BarePush()
