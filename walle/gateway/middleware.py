"""Middleware that answers the check-in in a service's own requests.

Wrapped around an ASGI application, it answers Walle's request headers with Walle's response headers and leaves the rest
of request and response alone. A check-in that fails never affects the service's own request.
"""

from __future__ import annotations

import logging
from typing import Any, Final

from walle.gateway.application import Gateway, Receive, Scope, Send, run_lifespan
from walle.gateway.checkin import RawHeaders, walle_headers

log = logging.getLogger(__name__)

# A shared cache must not hand one device's offers to another.
_VARY: Final = (b"vary", b"walle-device")


class CheckInMiddleware:
    """Adds the check-in of a gateway to an ASGI application and shares the application's lifespan."""

    def __init__(self, app: Any, gateway: Gateway) -> None:
        self._app = app
        self._gateway = gateway

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _Lifespan(self._app, self._gateway)(scope, receive, send)
            return
        added = self._answer(scope["headers"]) if scope["type"] == "http" else []
        if not added:
            await self._app(scope, receive, send)
            return

        async def send_with_answer(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *added]}
            await send(message)

        await self._app(scope, receive, send_with_answer)

    def _answer(self, headers: RawHeaders) -> list[tuple[bytes, bytes]]:
        """Return the headers to add: none for a request without a check-in."""
        raw = walle_headers(headers)
        if not raw.device:
            return []
        try:
            return [*self._gateway.check_ins.answer(raw).headers, _VARY]
        except Exception:
            log.exception("a check-in failed; the request it rode on goes through")
            return []


class _Lifespan:
    """Starts the gateway before the application and stops it afterwards; the server's messages are passed on."""

    def __init__(self, app: Any, gateway: Gateway) -> None:
        self._app = app
        self._gateway = gateway
        self._running = False
        self._answered = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def receive_around() -> dict[str, Any]:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await self._start()
            return message

        async def send_around(message: dict[str, Any]) -> None:
            self._answered = self._answered or message["type"].startswith("lifespan.")
            if message["type"] in ("lifespan.shutdown.complete", "lifespan.shutdown.failed"):
                await self._stop()
            await send(message)

        try:
            await self._run_application(scope, receive_around, send_around)
            if not self._answered:
                await self._run_alone(receive, send)
        finally:
            await self._stop()

    async def _run_application(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the application. Like Django's, it may refuse the lifespan by any exception (ASGI lifespan protocol)."""
        try:
            await self._app(scope, receive, send)
        except Exception as error:
            if self._answered:
                raise
            log.info("the application has no lifespan of its own: %s", error)

    async def _run_alone(self, receive: Receive, send: Send) -> None:
        if not self._running:
            await run_lifespan(self._gateway, receive, send)
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self._stop()
        await send({"type": "lifespan.shutdown.complete"})

    async def _start(self) -> None:
        await self._gateway.start()
        self._running = True

    async def _stop(self) -> None:
        if self._running:
            self._running = False
            await self._gateway.stop()
