"""The HTTP face of a store: immutable, resumable downloads as a bare ASGI application.

A response is read in chunks of 256 KiB, never more than one ahead of what the connection takes, and never on the
event loop unless the kernel has the bytes in memory; it ends when the client goes away.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, TypeVar

from walle.artifacts.selection import RequestFields, Selection, select
from walle.artifacts.store import ArtifactError, ArtifactMissing, Store
from walle.protocol.names import InvalidNameError

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Result = TypeVar("Result")
Headers = list[tuple[bytes, bytes]]

PREFIX: Final = "/artifacts/"
IMMUTABLE: Final = "public, max-age=31536000, immutable"
CHUNK: Final = 256 << 10
_PATHSEND: Final = "http.response.pathsend"
_METHODS: Final = ("GET", "HEAD")
# Threads of our own: a slow disk must not take those in which other parts of the process wait.
_readers = ThreadPoolExecutor(max_workers=16, thread_name_prefix="walle-artifacts")


class ArtifactApplication:
    """ASGI application that serves /artifacts/<digest> out of a store, to anyone, to be cached for ever."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise ValueError(f"expected an HTTP request, got {scope['type']}")
        exchange = _Exchange(scope, receive, send)
        path: str = scope["path"]
        digest = path.removeprefix(PREFIX)
        if digest == path:
            await exchange.refuse(404, "not-found", f"expected {PREFIX}<digest>")
            return
        headers = _identity(f'"{digest}"', IMMUTABLE)
        try:
            await exchange.serve(lambda: self._store.path(digest), headers)
        except InvalidNameError as error:
            await exchange.refuse(400, "digest-malformed", str(error))


async def serve_file(
    scope: Scope,
    receive: Receive,
    send: Send,
    path: Path,
    *,
    etag: str,
    cache_control: str,
    extra_headers: Iterable[tuple[bytes, bytes]] = (),
) -> None:
    """Answer a GET or HEAD request with a file that does not change while it is served.

    etag: a strong entity tag with its quotes.  extra_headers: sent along with the file, whole, in part or unmodified.
    A missing file is answered 404. A failing disk raises OSError, a file cut short while it is sent ArtifactError.
    """
    await _Exchange(scope, receive, send).serve(lambda: path, _identity(etag, cache_control) + list(extra_headers))


def _identity(etag: str, cache_control: str) -> Headers:
    return [(b"etag", etag.encode()), (b"cache-control", cache_control.encode())]


class _OpenFile:
    """A file open for reading at any offset. Made in a thread, because opening may wait for the disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self.size = os.fstat(self._descriptor).st_size

    def close(self) -> None:
        os.close(self._descriptor)

    async def read(self, offset: int, length: int) -> bytes:
        """Between one and `length` bytes."""
        chunk = await _in_thread(lambda: os.pread(self._descriptor, length, offset))
        if not chunk:
            raise ArtifactError(f"{self.path} ended at byte {offset}, expected {self.size} bytes")
        return chunk


@dataclass(frozen=True, slots=True)
class _Exchange:
    """One request and its response."""

    scope: Scope
    receive: Receive
    send: Send

    async def serve(self, find: Callable[[], Path], identity: Headers) -> None:
        """Answer with the file that `find` names in a thread; identity: headers that begin with the entity tag."""
        if self.scope["method"] not in _METHODS:
            await self.refuse(405, "method-not-allowed", "expected GET or HEAD", [(b"allow", b"GET, HEAD")])
            return
        try:
            file = await _in_thread(lambda: _OpenFile(find()))
        except (ArtifactMissing, FileNotFoundError):
            await self.refuse(404, "artifact-missing", "there is no such file here")
            return
        with closing(file):
            fields, etag = RequestFields(self.scope["headers"]), identity[0][1].decode()
            await self._answer(file, select(self.scope["method"], fields, etag, file.size), identity)

    async def refuse(self, status: int, code: str, detail: str, headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
        """Problem details (RFC 9457). Not to be cached: what is missing now may be there in a moment."""
        title = HTTPStatus(status).phrase
        problem = {"type": "about:blank", "title": title, "status": status, "code": code, "detail": detail}
        body = json.dumps(problem).encode()
        start = [
            (b"content-type", b"application/problem+json"),
            (b"content-length", b"%d" % len(body)),
            (b"cache-control", b"no-store"),
            *headers,
        ]
        await self.send({"type": "http.response.start", "status": status, "headers": start})
        await self.send({"type": "http.response.body", "body": b"" if self.scope["method"] == "HEAD" else body})

    async def _answer(self, file: _OpenFile, selection: Selection, identity: Headers) -> None:
        match selection.status:
            case 412:
                await self.refuse(412, "precondition-failed", "If-Match names other content")
            case 416:
                detail = f"expected a range within {file.size} bytes"
                unsatisfied = [(b"content-range", b"bytes */%d" % file.size)]
                await self.refuse(416, "range-not-satisfiable", detail, unsatisfied)
            case 304:
                await self._start(304, identity)
                await self._finish()
            case status:
                await self._start(status, identity + _content_headers(selection, file.size))
                await self._send_file(file, selection.body)

    async def _start(self, status: int, headers: Headers) -> None:
        await self.send({"type": "http.response.start", "status": status, "headers": headers})

    async def _finish(self) -> None:
        await self.send({"type": "http.response.body", "body": b""})

    async def _send_file(self, file: _OpenFile, body: range) -> None:
        if self.scope["method"] == "HEAD" or not body:
            await self._finish()
        elif len(body) == file.size and _PATHSEND in (self.scope.get("extensions") or {}):
            await self.send({"type": _PATHSEND, "path": str(file.path)})
        else:
            await self._send_chunks(file, body)

    async def _send_chunks(self, file: _OpenFile, body: range) -> None:
        """Each `send` waits while the connection's buffer is full."""
        gone = asyncio.create_task(_disconnection(self.receive))
        try:
            while body and not gone.done():
                chunk = await file.read(body.start, min(CHUNK, len(body)))
                body = body[len(chunk) :]
                await self.send({"type": "http.response.body", "body": chunk, "more_body": bool(body)})
        finally:
            gone.cancel()


def _content_headers(selection: Selection, size: int) -> Headers:
    body = selection.body
    headers = [
        (b"content-type", b"application/octet-stream"),
        (b"x-content-type-options", b"nosniff"),
        (b"accept-ranges", b"bytes"),
        (b"content-length", b"%d" % len(body)),
    ]
    if selection.status == 206:
        headers.append((b"content-range", b"bytes %d-%d/%d" % (body.start, body.stop - 1, size)))
    return headers


async def _disconnection(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _in_thread(call: Callable[[], Result]) -> Result:
    return await asyncio.get_running_loop().run_in_executor(_readers, call)
