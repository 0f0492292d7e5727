"""Short answers of ASGI applications that stand beside Django."""

import json
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = Iterable[tuple[bytes, bytes]]


async def answer(send: Send, status: int, body: bytes, content_type: str, headers: Headers = ()) -> None:
    """Send one response that nobody may store."""
    fixed = [(b"content-type", content_type.encode()), (b"content-length", b"%d" % len(body))]
    all_headers = [*fixed, (b"cache-control", b"no-store"), *headers]
    await send({"type": "http.response.start", "status": status, "headers": all_headers})
    await send({"type": "http.response.body", "body": body})


async def answer_text(send: Send, status: int, text: str, headers: Headers = ()) -> None:
    await answer(send, status, text.encode(), "text/plain; charset=utf-8", headers)


async def answer_json(send: Send, status: int, value: object) -> None:
    await answer(send, status, json.dumps(value).encode(), "application/json")
