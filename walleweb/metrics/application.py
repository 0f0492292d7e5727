"""/metrics: the counts of this process and metrics from the database, for Prometheus; answered without Django."""

import asyncio
import time
from typing import Any, Final

import structlog
from prometheus_client import CollectorRegistry, ProcessCollector

from walle.gateway.application import GatewayApplication
from walleweb.broker import BrokerReading
from walleweb.metrics import web
from walleweb.metrics.broker import BrokerCollector
from walleweb.metrics.database import DatabaseCollector
from walleweb.metrics.endpoint import MetricsEndpoint, headers_of
from walleweb.metrics.gateway import GatewayCollector
from walleweb.metrics.live import LiveCollector
from walleweb.metrics.tunnels import TunnelCollector
from walleweb.plain_answers import Receive, Scope, Send
from walleweb.requests import request_id

_SERVICES: Final = ("git-upload-pack", "git-receive-pack")


class Metrics(MetricsEndpoint):
    """The ASGI application of /metrics in a web process."""

    def __init__(self, gateway: GatewayApplication, token: str, broker: BrokerReading) -> None:
        self._database = DatabaseCollector()
        self._broker = BrokerCollector(broker)
        registry = CollectorRegistry()
        for collector in (GatewayCollector(gateway), self._database, self._broker, LiveCollector(), web.REGISTRY):
            registry.register(collector)
        if gateway.tunnel is not None:
            registry.register(TunnelCollector(gateway.tunnel))
        ProcessCollector(registry=registry)
        super().__init__(registry, token)

    async def refresh(self) -> None:
        await asyncio.gather(self._database.refresh(), self._broker.refresh())


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
