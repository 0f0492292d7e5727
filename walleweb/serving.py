"""The program of a serving process: `python -m walle.whitebox.serving walleweb.serving:load` supervises and loads it.

Django is there for the database only: predictions are answered by walle.whitebox.serving alone.
"""

import os
import socket
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "walleweb.settings")

import django
import uvicorn
from django.conf import settings

from walle.gateway.uvicorn_heads import BoundedHeadProtocol
from walle.whitebox.runtime.service import RuntimeSettings
from walle.whitebox.serving.application import ServingApplication, ServingLimits
from walle.whitebox.serving.bodies import BodyLimits
from walle.whitebox.serving.heartbeat import Heartbeat
from walle.whitebox.serving.installation.folders import PlanFolders
from walle.whitebox.serving.isolation import IsolatedPlan
from walle.whitebox.serving.process import ServingProcess
from walle.whitebox.serving.requests import RequestLimits
from walle.whitebox.serving.runtime_engine import RuntimeEngine, warm_up
from walle.whitebox.serving.supervisor import Serve

GRACEFUL_S: Final = 10
_LOADED: Final = (
    *("serving_app.serving_ports", "devices_app.stores", "walleweb.metrics.serving"),
    *("psycopg", "uvloop", "uvicorn.loops.uvloop", "uvicorn.lifespan.on", "uvicorn.protocols.http.httptools_impl"),
)
"""What would otherwise be imported by every new process: a fork has it at once."""


def load() -> Serve:
    """Load everything that a serving process needs, compiled kernels included; no thread and no connection begins."""
    django.setup()
    for module in _LOADED:
        import_module(module)
    warm_up()
    return serve


def serve(listener: socket.socket, heartbeat: Heartbeat, isolated: Mapping[str, IsolatedPlan]) -> None:
    """Serve a socket until SIGTERM."""
    application = build_application(settings.WALLE_SERVING_DIR, name_of(listener), heartbeat, isolated)
    config = uvicorn.Config(
        application,
        loop="uvloop",
        http=BoundedHeadProtocol,
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=GRACEFUL_S,
    )
    uvicorn.Server(config).run(sockets=[listener])


def build_application(
    folder: Path, name: str, heartbeat: Heartbeat, isolated: Mapping[str, IsolatedPlan]
) -> ServingApplication:
    """Return the serving process as an ASGI application; `name` names it among all of them."""
    ports = import_module("serving_app.serving_ports").serving_ports(folder)
    store = import_module("devices_app.stores").artifact_store()
    runtime = RuntimeSettings(
        parameter_bytes=settings.WALLE_SERVING_MEMORY, batch_records=settings.WALLE_SERVING_MAX_BATCH
    )
    engine = RuntimeEngine(PlanFolders(folder).parameters, heartbeat, runtime)
    ahead = settings.WALLE_SERVING_LOAD == "ahead"
    process = ServingProcess(
        ports, store, engine, folder=folder, name=name, heartbeat=heartbeat, isolated=isolated, ahead=ahead
    )
    metrics = import_module("walleweb.metrics.serving").ServingMetrics(process, settings.WALLE_METRICS_TOKEN)
    return ServingApplication(process, limits(), {"/metrics": metrics})


def limits() -> ServingLimits:
    """Return the limits of requests that are configured."""
    return ServingLimits(
        BodyLimits(body=settings.WALLE_SERVING_MAX_BODY),
        RequestLimits(records=settings.WALLE_SERVING_MAX_BATCH),
        records_a_second=settings.WALLE_SERVING_RECORDS_PER_SECOND,
    )


def name_of(listener: socket.socket) -> str:
    """Return the name of the process that serves a socket: this machine, and the port."""
    address: Any = listener.getsockname()
    port = f":{address[1]}" if isinstance(address, tuple) else ""
    return f"{socket.gethostname()}{port}"
