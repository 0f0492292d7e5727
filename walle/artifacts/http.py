"""The HTTP endpoint of a store: immutable, resumable downloads as a bare ASGI application.

A server with the ASGI extension `http.response.zerocopysend` (or, for complete files, `http.response.pathsend`) sends
files itself. With other servers they are read in threads, 256 KiB at a time, each chunk when the connection has room
for it; reading ends when the client disconnects. A request for one chunk at most costs a single call in a thread on any
server.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, TypeVar

from walle.artifacts.selection import ContentSelection, RequestFields, select
from walle.artifacts.single_flight import SingleFlight
from walle.artifacts.store import ArtifactError, ArtifactMissing, ArtifactStore, StoreUnavailable
from walle.protocol.names import InvalidNameError

log = logging.getLogger(__name__)

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Result = TypeVar("Result")
Headers = list[tuple[bytes, bytes]]

PREFIX: Final = "/artifacts/"
IMMUTABLE: Final = "public, max-age=31536000, immutable"
CHUNK: Final = 256 << 10
ZERO_COPY: Final = "http.response.zerocopysend"
_PATHSEND: Final = "http.response.pathsend"
_METHODS: Final = ("GET", "HEAD")
# A pool of its own, so that a slow disk does not block other parts of the process.
_readers = ThreadPoolExecutor(max_workers=16, thread_name_prefix="walle-artifacts")


class ArtifactApplication:
    """Serves /artifacts/<digest> of a store as an ASGI application, to anyone and cacheable for ever."""

    def __init__(self, store: ArtifactStore) -> None:
        self._store = store
        self._local_files = SingleFlight(store)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise ValueError(f"expected an HTTP request, got {scope['type']}")
        exchange = _FileRequest(scope, receive, send)
        path: str = scope["path"]
        digest = path.removeprefix(PREFIX)
        if digest == path:
            await exchange.refuse(404, "not-found", f"expected {PREFIX}<digest>")
            return
        try:
            find = await self._finder(digest)
            await exchange.serve(find, f'"{digest}"', IMMUTABLE)
        except InvalidNameError as error:
            await exchange.refuse(400, "digest-malformed", str(error))
        except ArtifactMissing:
            await exchange.refuse_missing()
        except StoreUnavailable as error:
            log.warning("%s", error)
            await exchange.refuse(503, "store-unavailable", "the artifact store cannot be reached now: try again")

    async def _finder(self, digest: str) -> Callable[[], Path]:
        if not self._store.remote:
            return partial(self._store.path, digest)
        path = await self._local_files.path(digest)
        return lambda: path


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

    `etag` is a strong entity tag with its quotes; `extra_headers` are part of complete, partial and 304 responses. A
    missing file is answered 404. A failing disk raises OSError, a file truncated while it is sent ArtifactError.
    """
    await _FileRequest(scope, receive, send).serve(lambda: path, etag, cache_control, extra_headers)


class _OpenFile:
    """A file open for reading at any offset. All methods except `close` may wait for the disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = path.open("rb", buffering=0)
        self.size = os.fstat(self.file.fileno()).st_size

    def close(self) -> None:
        self.file.close()

    def read(self, part: range) -> bytes:
        """Return the beginning of a part of the file: all of it or at least one byte."""
        chunk = os.pread(self.file.fileno(), min(CHUNK, len(part)), part.start)
        if part and not chunk:
            raise ArtifactError(f"{self.path} ended at byte {part.start}, expected {self.size} bytes")
        return chunk


@dataclass(frozen=True, slots=True)
class _FileRequest:
    """One request and its response."""

    scope: Scope
    receive: Receive
    send: Send

    async def serve(
        self,
        find: Callable[[], Path],
        etag: str,
        cache_control: str,
        extra_headers: Iterable[tuple[bytes, bytes]] = (),
    ) -> None:
        """Answer with the file that `find`, called in a thread, returns."""
        if self.scope["method"] not in _METHODS:
            await self.refuse(405, "method-not-allowed", "expected GET or HEAD", [(b"allow", b"GET, HEAD")])
            return
        try:
            file, selection, chunk = await _in_thread(lambda: self._open(find, etag))
        except (ArtifactMissing, FileNotFoundError):
            await self.refuse_missing()
            return
        with closing(file):
            headers = [(b"etag", etag.encode()), (b"cache-control", cache_control.encode()), *extra_headers]
            await self._answer(file, selection, chunk, headers)

    def _open(self, find: Callable[[], Path], etag: str) -> tuple[_OpenFile, ContentSelection, bytes]:
        """Return the file, the selected part of it, and the part's first chunk unless the server itself sends it."""
        with ExitStack() as stack:
            file = stack.enter_context(closing(_OpenFile(find())))
            selection = select(self.scope["method"], RequestFields(self.scope["headers"]), etag, file.size)
            left_to_server = self._offers(ZERO_COPY) and len(selection.body) > CHUNK
            chunk = b"" if self.scope["method"] == "HEAD" or left_to_server else file.read(selection.body)
            stack.pop_all()
            return file, selection, chunk

    async def refuse_missing(self) -> None:
        await self.refuse(404, "artifact-missing", "there is no such file here")

    async def refuse(self, status: int, code: str, detail: str, headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
        """Send problem details (RFC 9457). They are not cached: what is missing now may be there a moment later."""
        title = HTTPStatus(status).phrase
        problem = {"type": "about:blank", "title": title, "status": status, "code": code, "detail": detail}
        body = json.dumps(problem).encode()
        start = [
            (b"content-type", b"application/problem+json"),
            (b"content-length", b"%d" % len(body)),
            (b"cache-control", b"no-store"),
            (b"walle-error", code.encode()),
            *headers,
        ]
        await self.send({"type": "http.response.start", "status": status, "headers": start})
        await self.send({"type": "http.response.body", "body": b"" if self.scope["method"] == "HEAD" else body})

    async def _answer(self, file: _OpenFile, selection: ContentSelection, chunk: bytes, headers: Headers) -> None:
        match selection.status:
            case 412:
                await self.refuse(412, "precondition-failed", "If-Match names other content")
            case 416:
                detail = f"expected a range within {file.size} bytes"
                unsatisfied = [(b"content-range", b"bytes */%d" % file.size)]
                await self.refuse(416, "range-not-satisfiable", detail, unsatisfied)
            case 304:
                await self._start(304, headers)
                await self._finish()
            case status:
                await self._start(status, headers + _content_headers(selection, file.size))
                await self._send_file(file, selection.body, chunk)

    async def _start(self, status: int, headers: Headers) -> None:
        await self.send({"type": "http.response.start", "status": status, "headers": headers})

    async def _finish(self, body: bytes = b"") -> None:
        await self.send({"type": "http.response.body", "body": body})

    async def _send_file(self, file: _OpenFile, body: range, chunk: bytes) -> None:
        if len(chunk) == len(body) or self.scope["method"] == "HEAD":
            await self._finish(chunk)
        elif self._offers(ZERO_COPY):
            await self.send({"type": ZERO_COPY, "file": file.file, "offset": body.start, "count": len(body)})
        elif self._offers(_PATHSEND) and len(body) == file.size:
            await self.send({"type": _PATHSEND, "path": str(file.path)})
        else:
            await self._send_chunks(file, body, chunk)

    def _offers(self, extension: str) -> bool:
        return extension in (self.scope.get("extensions") or {})

    async def _send_chunks(self, file: _OpenFile, body: range, chunk: bytes) -> None:
        """Send the body in chunks; each `send` waits while the connection's buffer is full."""
        disconnected = asyncio.create_task(_disconnection(self.receive))
        try:
            while not disconnected.done():
                body = body[len(chunk) :]
                await self.send({"type": "http.response.body", "body": chunk, "more_body": bool(body)})
                if not body:
                    return
                chunk = await _in_thread(partial(file.read, body))
        finally:
            disconnected.cancel()


def _content_headers(selection: ContentSelection, size: int) -> Headers:
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
