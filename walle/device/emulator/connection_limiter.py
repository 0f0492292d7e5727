"""Lets a thousand devices share a few connections.

Whenever a request ends, httpcore goes through all waiting requests, and for each of them through all connections: with
hundreds of waiting requests it does little else (measured: no answer within a minute of starting 1000 devices).
Therefore requests wait here, in a queue that costs nothing, and the pool never has more requests than connections.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import httpx


class ConnectionLimiter(httpx.AsyncBaseTransport):
    """Passes at most `parallel` requests on at a time; each holds its place until its response is closed."""

    def __init__(self, inner: httpx.AsyncBaseTransport, parallel: int) -> None:
        self._inner, self._turns = inner, asyncio.Semaphore(parallel)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await self._turns.acquire()
        try:
            response = await self._inner.handle_async_request(request)
        except BaseException:
            self._turns.release()
            raise
        return httpx.Response(
            response.status_code,
            headers=response.headers,
            stream=_Body(response.stream, self._turns.release),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Body(httpx.AsyncByteStream):
    """The body of a response, which calls back once when it is closed."""

    def __init__(self, stream: object, closed: Callable[[], None]) -> None:
        if not isinstance(stream, httpx.AsyncByteStream):
            raise TypeError(f"expected an asynchronous stream, found {type(stream).__name__}")
        self._stream, self._closed, self._open = stream, closed, True

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            yield part

    async def aclose(self) -> None:
        try:
            await self._stream.aclose()
        finally:
            if self._open:
                self._open = False
                self._closed()
