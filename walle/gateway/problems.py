"""Errors as devices receive them: problem details (RFC 9457) with stable codes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from walle.protocol.errors import CredentialRefused, ProtocolError


@dataclass(frozen=True)
class HttpProblem(Exception):
    """A refusal: HTTP status, stable code, and a text that says what was expected.

    `retry_after` is the number of seconds after which another attempt makes sense, if that is known.
    """

    status: int
    code: str
    detail: str
    retry_after: int | None = None

    def body(self) -> bytes:
        title = HTTPStatus(self.status).phrase
        return json.dumps(
            {"type": "about:blank", "title": title, "status": self.status, "code": self.code, "detail": self.detail}
        ).encode()

    def headers(self) -> list[tuple[bytes, bytes]]:
        """Return the response headers. They forbid caching: what is missing now may be there a moment later."""
        headers = [
            (b"content-type", b"application/problem+json"),
            (b"content-length", str(len(self.body())).encode()),
            (b"cache-control", b"no-store"),
            (b"walle-error", self.code.encode()),
        ]
        if self.retry_after is not None:
            headers.append((b"retry-after", str(self.retry_after).encode()))
        return headers


def problem_of(error: HttpProblem | ProtocolError) -> HttpProblem:
    """Return the refusal that an error in a request's headers results in."""
    if isinstance(error, HttpProblem):
        return error
    return HttpProblem(401 if isinstance(error, CredentialRefused) else 400, error.code, str(error))


def unavailable(detail: str) -> HttpProblem:
    return HttpProblem(503, "unavailable", detail)


async def send_problem(send: Any, problem: HttpProblem) -> None:
    """Answer an ASGI request with a problem."""
    await send({"type": "http.response.start", "status": problem.status, "headers": problem.headers()})
    await send({"type": "http.response.body", "body": problem.body()})


async def refuse_handshake(send: Any, problem: HttpProblem) -> None:
    """Answer the handshake of a WebSocket with a problem (ASGI's extension websocket.http.response)."""
    await send({"type": "websocket.http.response.start", "status": problem.status, "headers": problem.headers()})
    await send({"type": "websocket.http.response.body", "body": problem.body()})
