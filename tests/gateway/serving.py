"""Serves an ASGI application over real HTTP on loopback, in the test's own event loop."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any, TypeVar

import uvicorn

Found = TypeVar("Found")


class _Server(uvicorn.Server):
    """Ends when it is told to, instead of looking ten times a second whether it should."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ended = asyncio.Event()

    async def main_loop(self) -> None:
        await self.ended.wait()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals belong to pytest."""
        yield


@contextlib.asynccontextmanager
async def serving(app: Any, lifespan: str = "on", http: Any = "auto", **settings: Any) -> AsyncIterator[str]:
    """The address at which the application is served; its lifespan is the block's."""
    usual = {"host": "127.0.0.1", "port": 0, "log_level": "error", "loop": "none", "date_header": False}
    config = uvicorn.Config(app, lifespan=lifespan, http=http, **(usual | settings))
    server = _Server(config)
    task = asyncio.create_task(server.serve())
    try:
        await eventually(lambda: server.started or task.done())
        assert server.started, "the application did not start"
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        with contextlib.suppress(TimeoutError):  # what is left then is closed by the server
            await eventually(lambda: not server.server_state.connections, 0.5)
        server.ended.set()
        await asyncio.wait_for(task, 10)


async def eventually(predicate: Callable[[], Found], timeout: float = 5.0) -> Found:
    """What the predicate returns once that is true; fails after so many seconds."""
    async with asyncio.timeout(timeout):
        while not (found := predicate()):
            await asyncio.sleep(0.01)
        return found


async def raw_request(
    address: str, target: bytes, headers: Iterable[tuple[bytes, bytes]], *, method: bytes = b"GET", body: bytes = b""
) -> tuple[int, dict[str, str], bytes]:
    """Sends bytes that no HTTP client would send; status, headers (lower case) and body of the answer."""
    host, port = address.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    lines = [b"%b %b HTTP/1.1" % (method, target), b"host: walle", b"connection: close"]
    lines += [b"%b: %b" % header for header in headers]
    if body or method == b"POST":
        lines.append(b"content-length: %d" % len(body))
    try:
        writer.write(b"\r\n".join(lines) + b"\r\n\r\n" + body)
        answer = await asyncio.wait_for(reader.read(), 10)
    finally:
        writer.close()
    head, _, content = answer.partition(b"\r\n\r\n")
    status, *fields = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in fields)
    return int(status.split()[1]), {name.lower(): value.strip() for name, _, value in pairs}, content
