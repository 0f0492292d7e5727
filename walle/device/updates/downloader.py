"""Downloads that can be resumed and are verified before anything else sees them.

A partial file is continued with Range and If-Range under the strong ETag it began with (RFC 9110, sections 13.1.5 and
14); without one, or if the server sends all of it again, it starts over. Content beyond the declared size is refused;
content with another digest than declared is deleted. The number of attempts in a row without a new byte is bounded.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

import httpx

from walle.device.errors import DeviceError, DigestMismatch, Missing, ServerRefused, TooLarge, Unreachable
from walle.device.link.backoff import Backoff, RandomSource
from walle.device.storage.files import Files, Partial, sha256_of

Sleep = Callable[[float], Awaitable[None]]

_CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")
_NO_HEADERS: Mapping[str, str] = {}


@dataclass(frozen=True)
class DownloadTarget:
    """The content to download: SHA-256 in hex and size in bytes."""

    digest: str
    size: int


class Announce(Protocol):
    """Returns the expected content from the head of a response, or raises a DeviceError to refuse it."""

    def __call__(self, response: httpx.Response) -> DownloadTarget: ...


class _Broken(Exception):
    """The transfer was interrupted; `offset` bytes of the content are stored."""

    def __init__(self, reason: str, *, offset: int = 0, retry_after: float = 0.0) -> None:
        super().__init__(reason)
        self.offset = offset
        self.retry_after = retry_after


class Downloader:
    """Downloads files into the device's content-addressed store.

    `attempts` bounds the attempts in a row without progress. Randomness and sleeping are injected.
    """

    def __init__(
        self,
        client: httpx.AsyncClient,
        files: Files,
        *,
        randomness: RandomSource,
        attempts: int = 4,
        backoff: Backoff | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._client, self._files = client, files
        self._randomness, self._attempts = randomness, attempts
        self._backoff = backoff or Backoff(base=0.5, cap=30.0)
        self._sleep = sleep

    async def fetch(self, url: str, content: DownloadTarget, *, headers: Mapping[str, str] = _NO_HEADERS) -> Path:
        """Return the file with this content, from the store or from the network.

        Raises Unreachable after the last attempt, Missing (404, 410), ServerRefused (other 4xx), TooLarge,
        DigestMismatch.
        """
        if self._files.holds(content.digest):
            return self._files.path(content.digest)
        await self._persist(lambda: self._continue(url, content, headers))
        return self._verified(url, content)

    async def fetch_announced(
        self, url: str, announce: Announce, *, headers: Mapping[str, str] = _NO_HEADERS
    ) -> tuple[DownloadTarget, Path]:
        """Download a file whose digest is known only from the (signed) head of the response, like `fetch`."""
        found: list[DownloadTarget] = []
        await self._persist(lambda: self._read_head(url, announce, headers, found))
        content = found[-1]
        return content, await self.fetch(url, content, headers=headers)

    async def _persist(self, attempt: Callable[[], Awaitable[None]]) -> None:
        failures, farthest = 0, 0
        while True:
            try:
                return await attempt()
            except _Broken as broken:
                # Only a new maximum is progress: a file shorter than declared would be fetched again for ever.
                failures = 1 if broken.offset > farthest else failures + 1
                farthest = max(farthest, broken.offset)
                if failures >= self._attempts:
                    raise Unreachable(str(broken)) from broken
                await self._sleep(max(self._backoff.delay(failures, self._randomness), broken.retry_after))

    async def _read_head(
        self, url: str, announce: Announce, headers: Mapping[str, str], found: list[DownloadTarget]
    ) -> None:
        """Read the head of the response, and the body too if none of it is stored yet."""
        async with _DownloadRequest(self._client, url, headers) as response:
            _refuse_errors(url, response)
            content = announce(response)
            found.append(content)
            partial = self._files.partial(content.digest)
            if partial.offset == 0 and not self._files.holds(content.digest):
                partial.restart(_strong_etag(response))
                await self._receive(response, partial, content, url)

    async def _continue(self, url: str, content: DownloadTarget, headers: Mapping[str, str]) -> None:
        partial = self._files.partial(content.digest)
        offset, etag = partial.offset, partial.etag
        if offset > content.size:
            partial.discard()
            offset = 0
        if offset == content.size and partial.path.exists():
            return
        resume = {"Range": f"bytes={offset}-", "If-Range": etag} if offset and etag else {}
        async with _DownloadRequest(self._client, url, {**headers, **resume}) as response:
            if response.status_code == 416 or (response.status_code == 206 and not _continues_at(response, offset)):
                partial.discard()
                raise _Broken(f"{url}: the server does not give the part that was asked for")
            _refuse_errors(url, response)
            if offset == 0 or response.status_code == 200:
                partial.restart(_strong_etag(response))
            await self._receive(response, partial, content, url)

    async def _receive(self, response: httpx.Response, partial: Partial, content: DownloadTarget, url: str) -> None:
        try:
            with partial.path.open("ab") as file:
                await self._append(response, file, partial.offset, content, url)
        except httpx.HTTPError as error:
            raise _Broken(f"{url}: {_reason(error)}", offset=partial.offset) from error
        except TooLarge:
            partial.discard()
            raise
        if partial.offset < content.size:
            raise _Broken(f"{url}: the transfer ended early", offset=partial.offset)

    async def _append(
        self, response: httpx.Response, file: IO[bytes], size: int, content: DownloadTarget, url: str
    ) -> None:
        async for chunk in response.aiter_raw():
            size += len(chunk)
            if size > content.size:
                raise TooLarge(f"{url}: longer than the {content.size} bytes that were declared")
            file.write(chunk)
            file.flush()
            self._files.disk.checkpoint("download: chunk")

    def _verified(self, url: str, content: DownloadTarget) -> Path:
        partial = self._files.partial(content.digest)
        if (found := sha256_of(partial.path)) != content.digest:
            partial.discard()
            raise DigestMismatch(f"{url}: expected SHA-256 {content.digest}, found {found}")
        return self._files.complete(content.digest)


class _DownloadRequest:
    """One GET whose body is not decoded, because digests and offsets count the bytes on the wire."""

    def __init__(self, client: httpx.AsyncClient, url: str, headers: Mapping[str, str]) -> None:
        self._url = url
        self._stream = client.stream("GET", url, headers={**headers, "Accept-Encoding": "identity"})

    async def __aenter__(self) -> httpx.Response:
        try:
            return await self._stream.__aenter__()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise _Broken(f"{self._url}: {_reason(error)}") from error

    async def __aexit__(self, *exception: object) -> None:
        await self._stream.__aexit__(*exception)  # type: ignore[arg-type]


def _refuse_errors(url: str, response: httpx.Response) -> None:
    status = response.status_code
    if status in (200, 206):
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise ServerRefused(status, f"{url} came encoded although identity was asked for")
        return
    if status == 429 or status >= 500:
        raise _Broken(f"{url}: {status}", retry_after=_retry_after(response))
    raise _permanent(url, status, response)


def _permanent(url: str, status: int, response: httpx.Response) -> DeviceError:
    if status in (404, 410):
        return Missing(f"{url}: {status}")
    return ServerRefused(status, response.headers.get("Walle-Error") or url)


def _retry_after(response: httpx.Response) -> float:
    text = response.headers.get("Walle-Retry-After") or response.headers.get("Retry-After") or ""
    return min(float(text), 60.0) if text.isdecimal() else 0.0


def _strong_etag(response: httpx.Response) -> str | None:
    etag = response.headers.get("ETag")
    return etag if etag and etag.startswith('"') else None


def _continues_at(response: httpx.Response, offset: int) -> bool:
    match = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
    return match is not None and int(match[1]) == offset


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
