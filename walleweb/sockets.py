"""ASGI middleware of sockets besides Channels' own."""

from typing import Any

import structlog

from kit.database_threads import DATABASE_FAILURES

log = structlog.get_logger(__name__)


class OwnSend:
    """Stores the server's own `send` in the scope, since that of sessions checks for changes with each frame."""

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._application({**scope, "server_send": send}, receive, send)


class DatabaseMayBeAway:
    """Answers 503 if a session cannot be looked up: pages retry by themselves."""

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await self._application(scope, receive, send)
        except DATABASE_FAILURES as error:
            log.warning("socket refused, the database cannot be asked", error=str(error).strip())
            await send({"type": "websocket.http.response.start", "status": 503, "headers": []})
            await send({"type": "websocket.http.response.body", "body": b""})
