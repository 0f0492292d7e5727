"""Pass requests for predictions on to a serving process, so that `make run` needs one port; in production nginx does.

The serving process authenticates them and bounds their bodies: here nothing is read of them but the head.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from http import HTTPStatus
from pathlib import Path
from typing import Final

import httpx
import structlog

from kit.problems import CONTENT_TYPE, problem
from walle.gateway.ports import GatewayState
from walle.protocol.connections import IDLE_S
from walle.whitebox.serving.ports import KIND
from walleweb.plain_answers import Receive, Scope, Send, answer

log = structlog.get_logger(__name__)

TIMEOUT_S: Final = 60.0
MOST_CONNECTIONS: Final = 64
_PATH: Final = re.compile(rb"/predict/v1/[A-Za-z0-9-]+/[A-Za-z0-9-]+/[A-Za-z0-9-]+")
_PASSED_ON: Final = frozenset(
    (b"accept", b"authorization", b"content-length", b"content-type", b"walle-app", b"walle-caller", b"walle-device")
)
_PASSED_BACK: Final = frozenset(
    (b"cache-control", b"content-length", b"content-type", b"retry-after", b"walle-error", b"www-authenticate")
)


class PredictionForwarder:
    """The ASGI application of /predict/: `address` is the serving process's, or else it listens at `path`."""

    def __init__(self, address: str, path: Path) -> None:
        limits = httpx.Limits(max_connections=MOST_CONNECTIONS, keepalive_expiry=IDLE_S)
        transport = httpx.AsyncHTTPTransport(uds=None if address else str(path), limits=limits)
        base = address or "http://serving"
        self._client = httpx.AsyncClient(base_url=base, transport=transport, timeout=TIMEOUT_S)
        self._waking: asyncio.Task[None] | None = None

    def notice(self, state: GatewayState) -> None:
        """Wake the serving process once a table names a pipeline: it loads nothing before the first connection."""
        named = any(entry.kind == KIND for app in state.apps.values() for entry in app.table.table.entries)
        if named and self._waking is None:
            self._waking = asyncio.create_task(self._wake())

    async def _wake(self) -> None:
        try:
            await self._client.get("/healthz")
        except httpx.HTTPError as error:
            log.info("no serving process answers", error=f"{type(error).__name__}: {error}")
            self._waking = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: bytes = scope["raw_path"]
        if not _PATH.fullmatch(path):
            detail = "Expected POST /predict/v1/<app>/<scenario>/<task>."
            await _refuse(send, HTTPStatus.NOT_FOUND, "not-found", detail)
            return
        headers = [(name, value) for name, value in scope["headers"] if name in _PASSED_ON]
        request = self._client.build_request(scope["method"], path.decode(), headers=headers, content=_body(receive))
        try:
            response = await self._client.send(request, stream=True)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            log.warning("no serving process answers", error=f"{type(error).__name__}: {error}")
            detail = "No serving process answers now: try again."
            await _refuse(send, HTTPStatus.SERVICE_UNAVAILABLE, "serving-unavailable", detail, (b"retry-after", b"2"))
            return
        try:
            await _pass_back(response, send)
        finally:
            await response.aclose()


async def _body(receive: Receive) -> AsyncIterator[bytes]:
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise httpx.ReadError("the client has gone")
        yield message.get("body", b"")
        if not message.get("more_body"):
            return


async def _pass_back(response: httpx.Response, send: Send) -> None:
    headers = [(name.lower(), value) for name, value in response.headers.raw if name.lower() in _PASSED_BACK]
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
    async for part in response.aiter_raw():
        await send({"type": "http.response.body", "body": part, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def _refuse(send: Send, status: HTTPStatus, code: str, detail: str, *headers: tuple[bytes, bytes]) -> None:
    document = problem(status, code=code, detail=detail)
    await answer(send, status, json.dumps(document).encode(), CONTENT_TYPE, headers)
