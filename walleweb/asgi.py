"""The one ASGI application: devices go to the gateway, git to its backend, predictions on, the rest to Django.

The gateway is plain ASGI and answers from memory, so nothing of Django's stands before it. It is also the only part
with background work (loading tables, writing reports), so it receives the server's lifespan. Git is plain ASGI because
Django would read a complete push before it authenticates the sender.
"""

import os
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "walleweb.settings")

from channels.auth import AuthMiddlewareStack
from channels.routing import URLRouter
from django import setup
from django.conf import settings
from django.urls import path, re_path

from walleweb.clients import BehindProxies, OnlyFromHere
from walleweb.origins import OwnHost, OwnOrigin
from walleweb.tuning import tune_server_process

GATEWAY_PREFIX = "/walle/v1/"
TUNNEL = "/walle/v1/tunnel"
GIT_PREFIX = "/git/"
PREDICT_PREFIX = "/predict/"


async def refuse_socket(scope: Any, receive: Any, send: Any) -> None:
    """Refuse a handshake with 403: nothing listens at this address."""
    await receive()
    await send({"type": "websocket.close"})


class Router:
    """Routes each connection to the part that answers it.

    A part is an ASGI application; `gateway` also understands the lifespan protocol. `operations` are the endpoints for
    operators of this process, by path.
    """

    def __init__(
        self,
        *,
        django: Any,
        gateway: Any,
        git: Any,
        sockets: Any,
        predictions: Any = None,
        operations: Mapping[str, Any] | None = None,
    ) -> None:
        self.django, self.gateway, self.git, self.sockets = django, gateway, git, sockets
        self.predictions = predictions or django
        self.operations = operations or {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._part(scope)(scope, receive, send)

    def _part(self, scope: Any) -> Any:
        if scope["type"] == "http":
            return self._answering(scope["path"])
        if scope["type"] == "websocket":
            # Devices are authenticated by their credential, and have no origin to be checked.
            return self.gateway if scope["path"] == TUNNEL else self.sockets
        return self.gateway

    def _answering(self, path: str) -> Any:
        if path.startswith(GATEWAY_PREFIX):
            return self.gateway
        if path.startswith(GIT_PREFIX):
            return self.git
        if path.startswith(PREDICT_PREFIX):
            return self.predictions
        return self.operations.get(path, self.django)


def build_application() -> Router:
    """Build the router of all parts; Django must be set up before its apps can be imported."""
    setup(set_prefix=False)
    django = import_module("walleweb.handler").Handler()
    guarded = import_module("walleweb.bodies").BodyGuard(django)
    live = import_module("live_app.socket").LiveSocket()
    # Channels routes Django's paths to ASGI applications; Django's type stubs know only views.
    routes = URLRouter([path("live", live), re_path("", refuse_socket)])  # type: ignore[list-item, arg-type]
    around = import_module("walleweb.sockets")
    sockets = OwnOrigin(around.DatabaseMayBeAway(around.OwnSend(AuthMiddlewareStack(routes))), refuse_socket)
    catalogue = import_module("tasks_app.tunnel_catalogue").PostgresTunnelCatalogue()
    gateway = import_module("devices_app.gateway").build_application(
        import_module("tasks_app.exclusive_files").PostgresVariantSource(),
        import_module("releases_app.services.pacing").lease,
        partial(import_module("devices_app.tunnels").build_tunnel, dictionaries=catalogue, versions=catalogue),
    )
    metrics = import_module("walleweb.metrics.application")
    git = metrics.Observed(import_module("tasks_app.git_http").application)
    health = import_module("walleweb.health")
    broker = import_module("walleweb.broker").BrokerReading()
    operations = {
        "/metrics": metrics.Metrics(gateway, settings.WALLE_METRICS_TOKEN, broker),
        "/healthz": health.alive,
        "/readyz": health.Readiness(gateway.gateway, broker),
    }
    socket = import_module("walleweb.embedded.places").serving_socket(settings.WALLE_DATA_DIR)
    predictions = import_module("walleweb.predictions").PredictionForwarder(settings.WALLE_SERVING, socket)
    gateway.gateway.tables.watchers.append(predictions.notice)
    tune_server_process()
    pages = for_people(guarded)
    pages = OnlyFromHere(pages) if settings.DEBUG else pages
    return Router(
        django=pages,
        gateway=BehindProxies(gateway, settings.WALLE_TRUSTED_PROXIES),
        git=for_people(git),
        sockets=sockets,
        predictions=predictions,
        operations=operations,
    )


def for_people(application: Any) -> Any:
    """Wrap the part for people and their programs: only own host names, and with the addresses of clients.

    Devices may come by other names, of CDNs for example: the gateway does not check these.
    """
    return OwnHost(BehindProxies(application, settings.WALLE_TRUSTED_PROXIES))


application = build_application()
