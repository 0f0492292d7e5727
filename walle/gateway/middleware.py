"""The check-in riding on any service's own requests.

Wrapped around an ASGI application, it answers Walle's request headers with Walle's response headers and leaves
the rest of request and response alone. Whatever is wrong with a check-in, the business request goes through.
"""

from __future__ import annotations

import asyncio
from typing import Any

from walle.gateway.application import Gateway, Receive, Scope, Send
from walle.gateway.checkin import walle_headers


class CheckInMiddleware:
    """Adds the check-in of a gateway to an ASGI application, and shares its lifespan."""

    def __init__(self, app: Any, gateway: Gateway) -> None:
        self._app = app
        self._gateway = gateway

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(scope, receive, send)
            return
        raw = walle_headers(scope["headers"]) if scope["type"] == "http" else None
        if raw is None or not raw.device:
            await self._app(scope, receive, send)
            return
        answer = self._gateway.check_ins.answer(raw)

        async def send_with_answer(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *answer.headers]}
            await send(message)

        await self._app(scope, receive, send_with_answer)

    async def _lifespan(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Starts the gateway before the application and stops it after, passing the server's messages on."""
        stopped = asyncio.Event()

        async def receive_around() -> dict[str, Any]:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await self._gateway.start()
            return message

        async def send_around(message: dict[str, Any]) -> None:
            if message["type"] in ("lifespan.shutdown.complete", "lifespan.shutdown.failed"):
                await self._gateway.stop()
                stopped.set()
            await send(message)

        try:
            await self._app(scope, receive_around, send_around)
        finally:
            if not stopped.is_set():
                await self._gateway.stop()
