"""A real uvicorn server on the loopback interface around an ASGI application that counts what passes."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn

from tests.support.waiting import wait_for


@dataclass
class Traffic:
    """The application under test, with the requests in progress and the body bytes that it has handed over."""

    application: Any
    active: int = 0
    sent: int = 0
    failures: list[BaseException] = field(default_factory=list)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def counting(message: Any) -> None:
            await send(message)
            self.sent += len(message.get("body", b""))

        self.active += 1
        try:
            await self.application(scope, receive, counting)
        except BaseException as error:
            self.failures.append(error)
            raise
        finally:
            self.active -= 1


@contextmanager
def serving(application: Any, http: Any = "httptools", **settings: Any) -> Iterator[int]:
    """Serve until the block ends; yields the port."""
    listener = socket.create_server(("127.0.0.1", 0))
    usual = {"loop": "uvloop", "lifespan": "off", "log_level": "critical"}
    config = uvicorn.Config(application, http=http, **(usual | settings))
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        wait_for(lambda: server.started, describe="uvicorn to start")
        yield listener.getsockname()[1]
    finally:
        server.should_exit = server.force_exit = True
        thread.join()
        listener.close()
