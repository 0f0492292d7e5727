"""Serves the simulated cloud on a free port of this machine, in the running event loop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Iterator
from typing import Any

import uvicorn


class _Server(uvicorn.Server):
    """A server that leaves signals to the program and does not wait for connections at its end."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextlib.asynccontextmanager
async def serving(application: Any) -> AsyncIterator[int]:
    """Serve the application for the length of the block; yields the port."""
    # Checks break connections on purpose, which need not be logged.
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    settings: dict[str, Any] = {"host": "127.0.0.1", "port": 0, "lifespan": "off", "log_config": None, "loop": "none"}
    settings |= {"ws": "websockets-sansio", "ws_per_message_deflate": False}
    server = _Server(uvicorn.Config(application, access_log=False, timeout_graceful_shutdown=1, **settings))
    task = asyncio.create_task(server.serve())
    try:
        while not server.started and not task.done():
            await asyncio.sleep(0.005)
        if not server.started:
            raise RuntimeError("the simulated cloud did not start")
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = server.force_exit = True
        await task
