"""/metrics: the counts of this process and metrics from the database, for Prometheus; answered without Django."""

import hmac
import time
from typing import Any, Final

import structlog
from django.conf import settings
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.exposition import choose_encoder

from accounts_app.authentication import bearer_of
from walle.gateway.application import GatewayApplication
from walleweb.clients import is_here
from walleweb.config import LOCAL_HOSTS
from walleweb.metrics import web
from walleweb.metrics.database import DatabaseCollector
from walleweb.metrics.gateway import GatewayCollector
from walleweb.metrics.live import LiveCollector
from walleweb.metrics.tunnels import TunnelCollector
from walleweb.origins import is_own_host
from walleweb.plain_answers import Receive, Scope, Send, answer, answer_text
from walleweb.requests import request_id

_SERVICES: Final = ("git-upload-pack", "git-receive-pack")


class Metrics:
    """The ASGI application of /metrics.

    With a `token`, requests with this bearer token may read. Without one, programs on this machine may that connect
    directly, under a name of this machine or of WALLE_ALLOWED_HOSTS: a browser here may show anybody's page.
    """

    def __init__(self, gateway: GatewayApplication, token: str) -> None:
        self._token = token
        self._database = DatabaseCollector()
        self._registry = CollectorRegistry()
        for collector in (GatewayCollector(gateway), self._database, LiveCollector(), web.REGISTRY):
            self._registry.register(collector)
        if gateway.tunnel is not None:
            self._registry.register(TunnelCollector(gateway.tunnel))
        ProcessCollector(registry=self._registry)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = headers_of(scope)
        if scope["method"] not in ("GET", "HEAD"):
            await answer_text(send, 405, "expected GET\n", [(b"allow", b"GET, HEAD")])
        elif not self._may_read(scope, headers.get("authorization", "")):
            await self._refuse(send)
        else:
            await self._database.refresh()
            encode, content_type = choose_encoder(headers.get("accept", ""))
            await answer(send, 200, encode(self._registry), content_type)

    def _may_read(self, scope: Scope, authorization: str) -> bool:
        if self._token:
            token = bearer_of(authorization)
            return token is not None and hmac.compare_digest(token.encode(), self._token.encode())
        return is_here(scope) and is_own_host(scope["headers"], [*LOCAL_HOSTS, *settings.ALLOWED_HOSTS])

    async def _refuse(self, send: Send) -> None:
        if self._token:
            text = "expected Authorization: Bearer and the value of WALLE_METRICS_TOKEN\n"
            await answer_text(send, 401, text, [(b"www-authenticate", b'Bearer realm="walle metrics"')])
        else:
            text = "only programs on this machine may read this; set WALLE_METRICS_TOKEN to let others\n"
            await answer_text(send, 403, text)


class Observed:
    """Git's part of the server, with its requests counted, and identified as Django's are (walleweb.requests)."""

    def __init__(self, git: Any) -> None:
        self._git = git

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began, status = time.perf_counter(), 0
        id_ = request_id(headers_of(scope).get("x-request-id", ""))

        async def send_with_id(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message["headers"], (b"x-request-id", id_.encode())]}
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=id_):
            try:
                await self._git(scope, receive, send_with_id)
            finally:
                web.count_git(_service(scope), status, time.perf_counter() - began)


def _service(scope: Scope) -> str:
    target = f"{scope['path']} {scope.get('query_string', b'').decode('latin-1')}".strip()
    return next((service for service in _SERVICES if target.endswith(service)), "other")


def headers_of(scope: Scope) -> dict[str, str]:
    """Return the headers by lower-case name; of several with one name the last."""
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
