"""Serves an ASGI application to devices: in a thread, so that a device may have the test's event loop."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import uvicorn

from tests.support.waiting import ANSWER_S, wait_for


@contextlib.contextmanager
def serve(app: Any) -> Iterator[str]:
    """Serves it on a free loopback port; gives its address."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="off", timeout_keep_alive=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        wait_for(lambda: server.started)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(timeout=ANSWER_S)
