"""The serving process as a bare ASGI application: predictions below PREFIX, health and readiness beside them."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final

from walle.whitebox.serving.bodies import BodyHold, BodyLimits, BodyReader
from walle.whitebox.serving.callers import CALLER, Authenticated
from walle.whitebox.serving.engine import PlanBarred
from walle.whitebox.serving.exchange import ARROW, JSON, Target, begin
from walle.whitebox.serving.json_steps import STEP
from walle.whitebox.serving.limits import SenderLimits
from walle.whitebox.serving.problems import PredictionRefused
from walle.whitebox.serving.process import RoutedApp, ServingProcess
from walle.whitebox.serving.requests import PredictionRequest, RequestLimits, read_json, read_json_in_steps
from walle.whitebox.serving.routing import RoutedCaller

log = logging.getLogger(__name__)

PREFIX: Final = "/predict/v1/"
_NOT_STORED: Final = (b"cache-control", b"no-store")
_ARROW: Final = "walle.whitebox.serving.arrow"
_CALLER: Final = CALLER.lower().encode()

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True)
class ServingLimits:
    """The limits of requests, and the records that one sender may have answered a second (0 for no limit)."""

    body: BodyLimits = field(default_factory=BodyLimits)
    request: RequestLimits = field(default_factory=RequestLimits)
    records_a_second: float = 0.0


class ServingApplication:
    """Routes requests to the parts of a serving process. `operations` are further endpoints, by path."""

    def __init__(
        self,
        process: ServingProcess,
        limits: ServingLimits | None = None,
        operations: dict[str, Callable[[Scope, Receive, Send], Awaitable[None]]] | None = None,
    ) -> None:
        self.process = process
        self.limits = limits or ServingLimits()
        self._bodies = BodyReader(self.limits.body)
        self._reading = asyncio.Lock()
        self._senders = SenderLimits(self.limits.records_a_second, process.monotonic)
        self._operations = {"/healthz": self._alive, "/readyz": self._ready, **(operations or {})}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            operation = self._operations.get(scope["path"])
            await (operation or self._answer)(scope, receive, send)
        else:
            await receive()
            await send({"type": "websocket.close"})

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await self.process.start()
                await send({"type": "lifespan.startup.complete"})
            else:
                await self.process.stop()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _alive(self, scope: Scope, receive: Receive, send: Send) -> None:
        await respond(send, 200, b"alive\n", b"text/plain; charset=utf-8")

    async def _ready(self, scope: Scope, receive: Receive, send: Send) -> None:
        problems = self.process.problems()
        checks = {name: {"ok": not text, **({"detail": text} if text else {})} for name, text in problems.items()}
        ready = self.process.is_ready
        body = {"ready": ready, "impaired": any(problems.values()), "checks": checks}
        await respond(send, 200 if ready else 503, json.dumps(body).encode(), JSON)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request for predictions; whatever is refused or fails is answered as a problem."""
        counts = self.process.counts
        counts.requests += 1
        try:
            with self._bodies.holding() as hold:
                body, content_type = await self._predict(scope, receive, hold)
        except PredictionRefused as refusal:
            counts.refusals[refusal.code] += 1
            await _refuse(send, refusal)
        except Exception:
            log.exception("a request for %s failed", scope["path"][:200])
            counts.refusals["internal-error"] += 1
            await _refuse(send, PredictionRefused(500, "internal-error", "the request failed: try again later"))
        else:
            await respond(send, 200, body, content_type)
        finally:
            counts.requests -= 1

    async def _predict(self, scope: Scope, receive: Receive, hold: BodyHold) -> tuple[bytes, bytes]:
        """Return the body of the answer and its content type. Raises PredictionRefused."""
        began = self.process.monotonic()
        headers: dict[bytes, bytes] = dict(scope["headers"])
        slug, task = _path(scope)
        app = self.process.apps.get(slug)
        sender = await self.process.authentication.authenticate(headers, slug, app.state if app else None)
        if app is None or task not in app.routes.tasks:
            raise PredictionRefused(404, "plan-unknown", f"no pipeline {task[:81]!r} is released in this app")
        if scope["method"] != "POST":
            raise PredictionRefused(405, "method-not-allowed", "expected POST")
        content_type = headers.get(b"content-type", JSON).partition(b";")[0].strip().lower()
        if content_type not in (JSON, ARROW):
            raise PredictionRefused(415, "content-type-unknown", f"expected {JSON.decode()} or {ARROW.decode()}")
        body = await self._bodies.read(headers, receive, hold)
        request = await self._read(content_type, body, headers)
        self._senders.take(sender.sender, len(request.records))
        caller = _caller(sender, request, headers, app)
        while True:
            exchange = await begin(self.process, Target(slug, app, task), caller, began)
            try:
                return await exchange.answer(request, content_type)
            except PlanBarred:
                continue  # it answered nothing, and is not ready any more: another version may be

    async def _read(self, content_type: bytes, body: bytes, headers: dict[bytes, bytes]) -> PredictionRequest:
        if content_type == JSON:
            if len(body) <= STEP:
                return read_json(body, self.limits.request)
            return await self._read_in_turns(body)
        if _ARROW not in sys.modules:
            # Loading pyarrow takes a while, in which others are answered.
            await asyncio.to_thread(import_module, _ARROW)
        from walle.whitebox.serving.arrow import read_arrow

        return read_arrow(body, self.limits.request)

    async def _read_in_turns(self, body: bytes) -> PredictionRequest:
        """Read a large body while others are answered; one at a time, so that others do not wait for several."""
        async with self._reading:
            steps = read_json_in_steps(body, self.limits.request)
            while True:
                try:
                    next(steps)
                except StopIteration as end:
                    request: PredictionRequest = end.value
                    return request
                await asyncio.sleep(0)


def _path(scope: Scope) -> tuple[str, str]:
    """Return the app and the task of a request. Raises PredictionRefused."""
    parts = scope["path"].removeprefix(PREFIX).split("/") if scope["path"].startswith(PREFIX) else []
    if len(parts) != 3:
        raise PredictionRefused(404, "not-found", f"expected POST {PREFIX}<app>/<scenario>/<task>")
    slug, scenario, task = parts
    return slug, f"{scenario}/{task}"


def _caller(
    sender: Authenticated, request: PredictionRequest, headers: dict[bytes, bytes], app: RoutedApp
) -> RoutedCaller:
    named = request.caller
    if named is None and (said := headers.get(_CALLER)) is not None:
        named = said.decode("latin-1")
    return sender.caller(named, request.facts, app.state.held)


async def respond(send: Send, status: int, body: bytes, content_type: bytes, more: Headers | None = None) -> None:
    """Send one response that nobody may store."""
    headers = [(b"content-type", content_type), (b"content-length", b"%d" % len(body)), _NOT_STORED, *(more or ())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _refuse(send: Send, refusal: PredictionRefused) -> None:
    await respond(send, refusal.status, refusal.body(), b"application/problem+json", refusal.headers())
