"""The gateway as a bare ASGI application: check-in, enrolment, reports, roots, files and tunnels under one prefix."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import random
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, Protocol

from walle.artifacts import ArtifactStore
from walle.artifacts.http import ArtifactApplication, serve_file
from walle.gateway.buffer import (
    CheckInBuffer,
    ReportWriter,
    flush,
    flush_for_ever,
    record_presence_for_ever,
    report_enrolments,
)
from walle.gateway.checkin import STATE_KEY, CheckInHandler, app_state, named, walle_headers
from walle.gateway.counts import CountedRequest, GatewayCounts, watch_loop
from walle.gateway.enrolment import EnrolmentHandler, new_device_id
from walle.gateway.enrolment_limits import EnrolmentLimiter, EnrolmentLimits
from walle.gateway.intake import ReportHandler
from walle.gateway.pacing import OfferPacer
from walle.gateway.ports import AppState, PortUnavailable, QuotaSource, ReportSink, TableSource, VariantSource
from walle.gateway.problems import HttpProblem, problem_of, refuse_handshake, send_problem, unavailable
from walle.gateway.relay import RelayHandler, authorize, write_state
from walle.gateway.table_cache import TableCache
from walle.gateway.tunnel.endpoint import STATE_KEY as TUNNELS
from walle.gateway.tunnel.endpoint import TunnelEndpoint
from walle.protocol.errors import CredentialRefused, HeaderMalformed
from walle.protocol.headers import VARIANT, write_variant
from walle.protocol.keyed import peek_exclusive_app
from walle.protocol.names import check_bundle_path, is_valid
from walle.protocol.tunnel_frames import PATH as TUNNEL_PATH

log = logging.getLogger(__name__)

PREFIX: Final = "/walle/v1"
CHECK_IN: Final = f"{PREFIX}/checkin"
_CHECK_IN_METHODS: Final = ("POST", "GET")
_NO_BODY: Final = {"type": "http.response.body", "body": b""}
MAX_BODY: Final = 2 << 20
MAX_ENROLMENT: Final = 64 << 10
"""The limit in bytes of an enrolment's body. Anybody may send one, and it is parsed on the event loop."""
_NOT_CACHED: Final = (b"cache-control", b"no-store")

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Endpoint = Callable[[Scope, Receive, Send, str], Awaitable[None]]
RelayEndpoint = Callable[[AppState, Scope, Receive, Send], Awaitable[None]]


class Gateway:
    """The parts of a gateway process, started and stopped together."""

    def __init__(
        self,
        source: TableSource,
        sink: ReportSink,
        quotas: QuotaSource,
        *,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.source = source
        self.sink = sink
        self.quotas = quotas
        self.clock = clock
        self.jitter = jitter
        self.tables = TableCache(source, monotonic)
        self.counts = GatewayCounts(monotonic)
        self.buffer = CheckInBuffer(self.counts)
        self.pacer = OfferPacer(quotas, monotonic)
        self.check_ins = CheckInHandler(self.tables, self.buffer, self.pacer.take, clock, jitter)
        self._background: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Read the state and start to refresh it; a source that cannot be reached is tried again in the background."""
        try:
            await self.tables.refresh()
        except PortUnavailable as error:
            log.warning("starting without tables: %s", error)
        self._background = [
            asyncio.create_task(self.tables.run()),
            asyncio.create_task(flush_for_ever(self.buffer, self.sink)),
            asyncio.create_task(record_presence_for_ever(self.sink)),
            asyncio.create_task(self.pacer.run(lambda: self.tables.state)),
            asyncio.create_task(watch_loop(self.counts, self.check_ins.measure_next)),
        ]

    async def stop(self) -> None:
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        await flush(self.buffer, self.sink)
        await report_enrolments(self.counts, self.sink)
        await self.source.close()
        await self.sink.close()
        await self.quotas.close()


class GatewayApplication:
    """Routes requests below PREFIX to the gateway; all other paths are not found."""

    def __init__(
        self,
        gateway: Gateway,
        store: ArtifactStore,
        variants: VariantSource,
        limits: EnrolmentLimits | None = None,
        tunnel: TunnelEndpoint | None = None,
    ) -> None:
        self.gateway = gateway
        self.tunnel = tunnel
        """The tunnels of devices; without a sink for their features there are none."""
        self._variants = variants
        self._store = store
        self._artifacts = ArtifactApplication(store)
        limiter = EnrolmentLimiter(limits or EnrolmentLimits(), gateway.counts, gateway.jitter)
        new_id = partial(new_device_id, secrets.token_urlsafe)
        self._enrolment = EnrolmentHandler(gateway.counts, limiter, gateway.clock, new_id)
        self.report_writer = ReportWriter(gateway.sink)
        self._reports = ReportHandler(self.report_writer, gateway.counts, gateway.clock)
        self._relay_handler = RelayHandler(gateway.sink, gateway.quotas, gateway.counts, gateway.clock)
        self.endpoints: Mapping[str, Endpoint] = {
            "enrol": self._enrol,
            "reports": self._report,
            "artifacts": self._artifact,
            "roots": self._root,
            "relay": self._relay,
            "exclusive": self._exclusive,
        }
        """The endpoints by the first part of a path below PREFIX; check-ins are answered without them."""
        self.relay_endpoints: Mapping[str, RelayEndpoint] = {
            "state": self._relay_state,
            "check-ins": self._relay_check_ins,
            "quotas": self._relay_quotas,
            "reports": self._relay_reports,
        }
        """The endpoints for other gateways of an app, by the part of the path after the app."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(scope, receive, send)
        elif scope["path"] == CHECK_IN:
            # The answer is sent here and not in a method of its own, because nearly all requests are check-ins.
            answer = self.gateway.check_ins.answer(walle_headers(scope["headers"]))
            if answer.problem is None and scope["method"] in _CHECK_IN_METHODS:
                headers = answer.headers if scope["method"] == "POST" else [_NOT_CACHED, *answer.headers]
                await send({"type": "http.response.start", "status": 204, "headers": headers})
                await send(_NO_BODY)
            else:
                await send_problem(
                    send, answer.problem or HttpProblem(405, "method-not-allowed", "expected GET or POST")
                )
        elif scope["type"] == "websocket":
            await self._connect(scope, receive, send)
        else:
            await self._answer(scope, receive, send)

    async def start(self) -> None:
        await self.gateway.start()
        if self.tunnel is not None:
            await self.tunnel.start()

    async def stop(self) -> None:
        if self.tunnel is not None:
            await self.tunnel.stop()
        await self.gateway.stop()

    async def _live(self, scope: Scope, receive: Receive, send: Send) -> None:
        state = scope.get("state", {})
        state[STATE_KEY] = self.gateway.check_ins
        if self.tunnel is not None:
            state[TUNNELS] = self.tunnel
        await run_lifespan(self, receive, send)

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the handshake of a WebSocket."""
        if self.tunnel is not None and scope["path"] == TUNNEL_PATH:
            await self.tunnel(scope, receive, send)
            return
        await receive()
        await refuse_handshake(send, HttpProblem(404, "not-found", "expected a tunnel, which this gateway has not"))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        counts = self.gateway.counts
        exchange = CountedRequest(counts, scope["path"].removeprefix(PREFIX + "/").partition("/")[0], send)
        try:
            await self._dispatch(scope, receive, exchange.send)
        except Exception as error:
            problem = _problem_of(error, scope)
            counts.refusals[exchange.endpoint, problem.code] += 1
            if exchange.status is not None:
                raise  # the answer has begun and can only be cut off
            await send_problem(exchange.send, problem)
        finally:
            exchange.ended()

    async def _dispatch(self, scope: Scope, receive: Receive, send: Send) -> None:
        first, _, rest = scope["path"].removeprefix(PREFIX + "/").partition("/")
        endpoint = self.endpoints.get(first)
        if endpoint is None:
            raise _not_found(scope)
        await endpoint(scope, receive, send, rest)

    async def _artifact(self, scope: Scope, receive: Receive, send: Send, rest: str) -> None:
        await self._artifacts({**scope, "path": f"/artifacts/{rest}"}, receive, send)

    async def _enrol(self, scope: Scope, receive: Receive, send: Send, rest: str) -> None:
        if rest:
            raise _not_found(scope)
        body = await _read_post(scope, receive, MAX_ENROLMENT)
        await send_json(send, self._enrolment.enrol(self.gateway.tables.state, body, client_address(scope)))

    async def _report(self, scope: Scope, receive: Receive, send: Send, rest: str) -> None:
        if rest:
            raise _not_found(scope)
        state, device, _ = self.gateway.check_ins.identify(walle_headers(scope["headers"]))
        body = await _read_post(scope, receive)
        await send_json(send, await self._reports.accept(state, device.device, body))

    async def _root(self, scope: Scope, receive: Receive, send: Send, name: str) -> None:
        if scope["method"] != "GET":
            raise _not_found(scope)
        state = self.gateway.tables.state
        number = name.removesuffix(".json")
        if state is None:
            raise unavailable("the gateway has not read its tables yet")
        root = state.roots.get(int(number)) if number.isascii() and number.isdigit() and len(number) < 10 else None
        if root is None:
            raise HttpProblem(404, "root-unknown", f"there is no root {number[:20]}")
        await _send(send, 200, root, b"application/json", [(b"cache-control", b"public, max-age=60")])

    async def _relay(self, scope: Scope, receive: Receive, send: Send, rest: str) -> None:
        slug, _, path = rest.partition("/")
        app = app_state(self.gateway.tables.state, slug)
        authorize(app, dict(scope["headers"]).get(b"authorization", b""))
        endpoint = self.relay_endpoints.get(path)
        if endpoint is None:
            raise HttpProblem(404, "not-found", f"expected {', '.join(self.relay_endpoints)}")
        await endpoint(app, scope, receive, send)

    async def _relay_state(self, app: AppState, scope: Scope, receive: Receive, send: Send) -> None:
        state = self.gateway.tables.state
        if state is None or not self.gateway.tables.may_offer():
            # Otherwise another gateway would hand out an outdated state.
            raise unavailable("the tables cannot be read now")
        tag = f'"{state.revision}"'.encode()
        if dict(scope["headers"]).get(b"if-none-match") == tag:
            await _send(send, 304, b"", b"application/json", [(b"etag", tag)])
        else:
            headers = [(b"etag", tag), _NOT_CACHED]
            await _send(send, 200, write_state(state, app.keyring.app), b"application/json", headers)

    async def _relay_check_ins(self, app: AppState, scope: Scope, receive: Receive, send: Send) -> None:
        await self._relay_handler.check_ins(app, await _read_post(scope, receive))
        await send_json(send, {})

    async def _relay_quotas(self, app: AppState, scope: Scope, receive: Receive, send: Send) -> None:
        await send_json(send, await self._relay_handler.quotas(app, await _read_post(scope, receive)))

    async def _relay_reports(self, app: AppState, scope: Scope, receive: Receive, send: Send) -> None:
        await self._relay_handler.reports(app, await _read_post(scope, receive))
        await send_json(send, {})

    async def _exclusive(self, scope: Scope, receive: Receive, send: Send, rest: str) -> None:
        if scope["method"] not in ("GET", "HEAD"):
            raise _not_found(scope)
        token, _, path = rest.partition("/")
        state = app_state(self.gateway.tables.state, peek_exclusive_app(token))
        grant = state.keyring.read_exclusive_token(token, self.gateway.clock())
        if grant.device in state.revoked:
            raise HttpProblem(401, "device-revoked", "this device may no longer pull")
        found = await self._variants.find(grant, path) if is_valid(check_bundle_path, path) else None
        if found is None:
            raise HttpProblem(404, "variant-missing", f"no variant of {path[:200]} for this device")
        await serve_file(
            scope,
            receive,
            send,
            found.path,
            etag=f'"{found.digest}"',
            cache_control="private, no-store",
            extra_headers=[(VARIANT.lower().encode(), write_variant(found.statement).encode())],
        )


def _not_found(scope: Scope) -> HttpProblem:
    return HttpProblem(404, "not-found", f"{scope['method']} {scope['path'][:200]} is not part of the protocol")


def _problem_of(error: Exception, scope: Scope) -> HttpProblem:
    """Return the problem that an exception means to a device; errors of the server are logged."""
    match error:
        case HttpProblem() | HeaderMalformed() | CredentialRefused():
            return problem_of(error)
        case PortUnavailable():
            log.warning("%s: %s", scope["path"], error, extra=named(walle_headers(scope["headers"])))
            return unavailable("the control plane cannot be reached now: try again")
    log.error("%s failed", scope["path"], exc_info=error, extra=named(walle_headers(scope["headers"])))
    return HttpProblem(500, "internal-error", "the request failed: try again later")


class HasLifespan(Protocol):
    """A component that starts and stops with the server."""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


async def run_lifespan(gateway: HasLifespan, receive: Receive, send: Send) -> None:
    """Start and stop a gateway with the ASGI server."""
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            await gateway.start()
            await send({"type": "lifespan.startup.complete"})
        elif message["type"] == "lifespan.shutdown":
            with contextlib.suppress(PortUnavailable):
                await gateway.stop()
            await send({"type": "lifespan.shutdown.complete"})
            return


def client_address(scope: Scope) -> str | None:
    """Return the address that a request comes from, as the ASGI server states it: the other end of the connection.

    A server that sets `client` from a header must make sure that a proxy of its own wrote that header.
    """
    client = scope.get("client")
    return client[0] if client else None


async def send_json(send: Send, value: object) -> None:
    await _send(send, 200, json.dumps(value).encode(), b"application/json", [_NOT_CACHED])


async def _send(send: Send, status: int, body: bytes, content_type: bytes, extra: list[tuple[bytes, bytes]]) -> None:
    headers = [(b"content-type", content_type), (b"content-length", str(len(body)).encode()), *extra]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _read_post(scope: Scope, receive: Receive, most: int = MAX_BODY) -> bytes:
    if scope["method"] != "POST":
        raise HttpProblem(405, "method-not-allowed", "expected POST")
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise HttpProblem(400, "body-incomplete", "the connection closed before the body ended")
        body += message.get("body", b"")
        if len(body) > most:
            raise HttpProblem(413, "body-too-large", f"expected at most {most} bytes")
        if not message.get("more_body"):
            return bytes(body)
