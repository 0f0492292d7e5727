"""Request bodies, bounded before they are read: one by one, in time, and all that are being read together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from walle.whitebox.serving.problems import PredictionRefused

Receive = Callable[[], Awaitable[dict[str, Any]]]
Headers = dict[bytes, bytes]


@dataclass(frozen=True)
class BodyLimits:
    """The most bytes of one body and of all that are being read or answered, and the seconds that one may take."""

    body: int = 8 << 20
    together: int = 256 << 20
    seconds: float = 15.0


class BodyReader:
    """Reads bodies within limits."""

    def __init__(self, limits: BodyLimits) -> None:
        self.limits = limits
        self.held = 0
        """The bytes of all bodies that are being read or answered."""

    def holding(self) -> BodyHold:
        """Return what counts a request's body among all for the length of its block."""
        return BodyHold(self)

    async def read(self, headers: Headers, receive: Receive, hold: BodyHold) -> bytes:
        """Return the body. Raises PredictionRefused: 400 if it ends early, 408, 413, or 503 if there are too many."""
        declared = headers.get(b"content-length", b"0")
        if declared.isdigit() and int(declared[:20]) > self.limits.body:
            raise self._too_large()
        message = await self._first(receive)
        body: bytes = message.get("body", b"")
        if not message.get("more_body"):
            hold.grow(len(body))
            if len(body) > self.limits.body:
                raise self._too_large()
            return body
        try:
            async with asyncio.timeout(self.limits.seconds):
                return await self._rest(body, receive, hold)
        except TimeoutError as error:
            text = f"the body took longer than {self.limits.seconds:g} s"
            raise PredictionRefused(408, "body-too-slow", text) from error

    async def _first(self, receive: Receive) -> dict[str, Any]:
        try:
            async with asyncio.timeout(self.limits.seconds):
                message = await receive()
        except TimeoutError as error:
            text = f"the body did not begin within {self.limits.seconds:g} s"
            raise PredictionRefused(408, "body-too-slow", text) from error
        return _checked(message)

    async def _rest(self, first: bytes, receive: Receive, hold: BodyHold) -> bytes:
        body = bytearray(first)
        hold.grow(len(first))
        while True:
            message = _checked(await receive())
            part = message.get("body", b"")
            hold.grow(len(part))
            body += part
            if len(body) > self.limits.body:
                raise self._too_large()
            if not message.get("more_body"):
                return bytes(body)

    def _too_large(self) -> PredictionRefused:
        return PredictionRefused(413, "body-too-large", f"expected at most {self.limits.body} bytes")


class BodyHold:
    """The part of one request in the bytes of all bodies, until its block ends."""

    __slots__ = ("_reader", "bytes")

    def __init__(self, reader: BodyReader) -> None:
        self._reader = reader
        self.bytes = 0

    def __enter__(self) -> BodyHold:
        return self

    def __exit__(self, *error: object) -> None:
        self._reader.held -= self.bytes

    def grow(self, size: int) -> None:
        """Count more bytes. Raises PredictionRefused (503) if all bodies together would be too many."""
        if self._reader.held + size > self._reader.limits.together:
            raise PredictionRefused(503, "bodies-busy", "too many large requests at a time", retry_after=1)
        self._reader.held += size
        self.bytes += size


def _checked(message: dict[str, Any]) -> dict[str, Any]:
    if message["type"] == "http.disconnect":
        raise PredictionRefused(400, "body-incomplete", "the connection closed before the body ended")
    return message
