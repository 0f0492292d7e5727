"""A shop's own service, with Walle's check-ins on the requests that the app makes anyway.

    WALLE_SERVER=https://walle.example WALLE_APP=shop WALLE_GATEWAY_KEY=wg_... WALLE_ROOT=root.json \
        uvicorn examples.service.service:app
"""

import os
from pathlib import Path

from fastapi import FastAPI

from walle.gateway.application import Gateway
from walle.gateway.middleware import CheckInMiddleware
from walle.gateway.remote import HttpQuotaSource, HttpReportSink, HttpTableSource

app = FastAPI()


@app.get("/cart/{user}")
def cart(user: str) -> dict[str, object]:
    """What this service does: nothing in here knows of Walle."""
    return {"user": user, "items": ["milk", "bread"]}


def make_gateway() -> Gateway:
    """A gateway of this process, fed by Walle's server over HTTP and held to the root of trust in a file."""
    walle = os.environ["WALLE_SERVER"], os.environ["WALLE_APP"], os.environ["WALLE_GATEWAY_KEY"]
    root = Path(os.environ["WALLE_ROOT"]).read_bytes()
    return Gateway(HttpTableSource(*walle, root), HttpReportSink(*walle), HttpQuotaSource(*walle))


app.add_middleware(CheckInMiddleware, gateway=make_gateway())
