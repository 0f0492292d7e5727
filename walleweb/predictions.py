"""Pass requests for predictions on to a serving process, so that `make run` needs one port; in production nginx does.

The serving process authenticates them and bounds their bodies: here nothing is read of them but the head.
"""

import asyncio
import hashlib
import json
import os
import tempfile
from collections.abc import AsyncIterator
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import httpx
import structlog

from kit.problems import CONTENT_TYPE, problem
from walle.gateway.ports import GatewayState
from walle.whitebox.serving.ports import KIND
from walleweb.embedded.places import LONGEST_SOCKET_PATH
from walleweb.plain_answers import Receive, Scope, Send, answer

log = structlog.get_logger(__name__)

TIMEOUT_S: Final = 60.0
_PASSED_ON: Final = frozenset(
    (b"accept", b"authorization", b"content-length", b"content-type", b"walle-app", b"walle-caller", b"walle-device")
)
_PASSED_BACK: Final = frozenset(
    (b"cache-control", b"content-length", b"content-type", b"retry-after", b"walle-error", b"www-authenticate")
)


def serving_socket(data_dir: Path) -> Path:
    """Return the Unix socket of the serving process of `make run`; a short path elsewhere if it would be too long."""
    usual = data_dir / "run" / "serving.sock"
    if len(os.fsencode(usual)) <= LONGEST_SOCKET_PATH:
        return usual
    name = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"walle-serving-{os.getuid()}-{name}.sock"


class PredictionForwarder:
    """The ASGI application of /predict/: `address` is the serving process's, or else it listens at `path`."""

    def __init__(self, address: str, path: Path) -> None:
        transport = httpx.AsyncHTTPTransport(
            uds=None if address else str(path), limits=httpx.Limits(max_connections=64)
        )
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
            log.info("no serving process answers", error=str(error))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(name, value) for name, value in scope["headers"] if name in _PASSED_ON]
        request = self._client.build_request(
            scope["method"], scope["raw_path"].decode("ascii"), headers=headers, content=_body(receive)
        )
        try:
            response = await self._client.send(request, stream=True)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            log.warning("no serving process answers", error=f"{type(error).__name__}: {error}")
            await _unavailable(send)
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


async def _unavailable(send: Send) -> None:
    detail = "No serving process answers now: try again."
    document: dict[str, Any] = problem(HTTPStatus.SERVICE_UNAVAILABLE, code="serving-unavailable", detail=detail)
    await answer(send, 503, json.dumps(document).encode(), CONTENT_TYPE, [(b"retry-after", b"2")])
