"""The one ASGI application: devices go to the gateway, sockets to Channels, everything else to Django.

The gateway is plain ASGI and answers from memory, so nothing of Django's stands before it. It is also the
only part with a life of its own (tables to load, reports to write behind), so it gets the server's lifespan.
"""

import importlib.util
import os
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "walleweb.settings")

from channels.auth import AuthMiddlewareStack
from channels.routing import URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.core.asgi import get_asgi_application

GATEWAY_PREFIX = "/walle/v1/"


class Router:
    """Hands each connection to the part that answers it.

    A part is an ASGI application; `gateway` also understands the lifespan protocol.
    """

    def __init__(self, *, django: Any, gateway: Any, sockets: Any) -> None:
        self.django, self.gateway, self.sockets = django, gateway, sockets

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._part(scope)(scope, receive, send)

    def _part(self, scope: Any) -> Any:
        if scope["type"] == "http":
            return self.gateway if scope["path"].startswith(GATEWAY_PREFIX) else self.django
        return self.sockets if scope["type"] == "websocket" else self.gateway


def build_application() -> Router:
    """Put the parts together; Django must be set up before its apps can be imported."""
    django = get_asgi_application()
    routes = _attribute("tasks_app.routing", "websocket_urlpatterns") or []
    sockets = AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(routes)))
    build_gateway = _attribute("devices_app.gateway", "build_application")
    return Router(django=django, gateway=build_gateway() if build_gateway else lifespan_only(django), sockets=sockets)


def _attribute(module: str, name: str) -> Any:
    """An attribute of a module that an app may or may not have."""
    if importlib.util.find_spec(module) is None:
        return None
    return getattr(importlib.import_module(module), name)


def lifespan_only(application: Any) -> Any:
    """`application` with a lifespan that has nothing to start or stop."""

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "lifespan":
            await application(scope, receive, send)
            return
        while (message := await receive())["type"] == "lifespan.startup":
            await send({"type": "lifespan.startup.complete"})
        await send({"type": f"{message['type']}.complete"})

    return answer


application = build_application()
