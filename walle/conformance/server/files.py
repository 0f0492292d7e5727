"""Checks of files: they are immutable, and resumable in the way devices resume (RFC 9110)."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import httpx

from walle.conformance.checks import Skipped, Suite, expect
from walle.conformance.server.target import Target, describe, expect_refused

SUITE: Final = Suite[Target]()
_ENOUGH: Final = 64 << 20
"""The most bytes of shared files that are fetched to compare their digests."""
IDENTITY: Final = {"Accept-Encoding": "identity"}


@dataclass(frozen=True)
class Part:
    """A complete file of the server."""

    url: str
    content: bytes
    etag: str


async def envelope(target: Target) -> Part:
    """Return the envelope of an offered manifest: a file like any other, which exists wherever there is an offer."""
    url = target.url(str((await target.installation()).url))
    response = await target.request("GET", url, headers=IDENTITY)
    if response.status_code != 200 or len(response.content) < 4:
        raise Skipped(f"the file of an offer was answered {response.status_code}")
    return Part(url, response.content, response.headers.get("etag", ""))


@SUITE.check("files.digests", "files", "Shared files lie beside the manifest, each with its size and digest (check 11)")
async def digests(target: Target) -> None:
    offer = await target.installation()
    beside, fetched = httpx.URL(target.url(str(offer.url))), 0
    for entry in (await target.manifest(offer)).files:
        if entry.digest is None or fetched > _ENOUGH:
            continue
        response = await target.request("GET", str(beside.join(entry.digest)), headers=IDENTITY)
        fetched += len(response.content)
        expect(response.status_code == 200, f"200 for {entry.path}", describe(response))
        expect(len(response.content) == entry.size, f"{entry.path} with {entry.size} bytes", len(response.content))
        found = sha256(response.content).hexdigest()
        expect(found == entry.digest, f"{entry.path} with the digest {entry.digest}", found)


@SUITE.check("files.etag", "files", "A file has a strong ETag, the same each time")
async def strong_etag(target: Target) -> None:
    file = await envelope(target)
    expect(file.etag.startswith('"') and file.etag.endswith('"'), "a strong ETag in quotes", file.etag or "none")
    repeated = await envelope(target)
    expect(repeated.etag == file.etag, file.etag, repeated.etag)


@SUITE.check("files.immutable", "files", "Files are immutable to caches too", mandatory=False)
async def immutable(target: Target) -> None:
    control = (await target.request("HEAD", (await envelope(target)).url)).headers.get("cache-control", "")
    expect("immutable" in control and "public" in control, "Cache-Control: public, immutable", control or "none")


@SUITE.check("files.range", "files", "Range with If-Range goes on where a transfer broke: 206 and Content-Range")
async def continues(target: Target) -> None:
    file = await envelope(target)
    await expect_resumes(target, file)


async def expect_resumes(target: Target, file: Part) -> httpx.Response:
    """Check that the second half of a file can be fetched on its own; return the response."""
    size = len(file.content)
    headers = {"Range": f"bytes={size // 2}-", "If-Range": file.etag, **IDENTITY}
    response = await target.request("GET", file.url, headers=headers)
    expect(response.status_code == 206, "206", describe(response))
    expected = f"bytes {size // 2}-{size - 1}/{size}"
    found = response.headers.get("content-range")
    expect(found == expected, f"Content-Range: {expected}", found or "none")
    expect(
        response.content == file.content[size // 2 :], "the rest of the file", f"{len(response.content)} other bytes"
    )
    expect(response.headers.get("etag") == file.etag, f"the ETag {file.etag}", response.headers.get("etag"))
    return response


@SUITE.check("files.if-range", "files", "Range with another If-Range begins again: 200 and the whole file")
async def restarts(target: Target) -> None:
    file = await envelope(target)
    headers = {"Range": "bytes=2-", "If-Range": '"conformance"', **IDENTITY}
    response = await target.request("GET", file.url, headers=headers)
    expect(response.status_code == 200, "200", describe(response))
    expect(response.content == file.content, "the whole file", f"{len(response.content)} bytes")


@SUITE.check("files.range-behind", "files", "A range behind the end: 416 range-not-satisfiable, with the size")
async def behind_the_end(target: Target) -> None:
    file = await envelope(target)
    headers = {"Range": f"bytes={len(file.content)}-", "If-Range": file.etag, **IDENTITY}
    response = await target.request("GET", file.url, headers=headers)
    expect_refused(response, 416, "range-not-satisfiable")
    found = response.headers.get("content-range")
    expect(found == f"bytes */{len(file.content)}", f"Content-Range: bytes */{len(file.content)}", found or "none")


@SUITE.check("files.not-modified", "files", "If-None-Match with its ETag: 304 without a body")
async def not_modified(target: Target) -> None:
    file = await envelope(target)
    response = await target.request("GET", file.url, headers={"If-None-Match": file.etag})
    expect(response.status_code == 304, "304", describe(response))
    expect(not response.content, "no body", f"{len(response.content)} bytes")


@SUITE.check("files.precondition", "errors", "If-Match with other content: 412 precondition-failed")
async def precondition(target: Target) -> None:
    file = await envelope(target)
    expect_refused(await target.request("GET", file.url, headers={"If-Match": '"x"'}), 412, "precondition-failed")
    response = await target.request("GET", file.url, headers={"If-Match": file.etag})
    expect(response.status_code == 200, "200 for If-Match with its own ETag", describe(response))


@SUITE.check("files.identity", "files", "With Accept-Encoding: identity the bytes on the wire are the file's")
async def identity(target: Target) -> None:
    file = await envelope(target)
    response = await target.request("HEAD", file.url, headers=IDENTITY)
    expect("content-encoding" not in response.headers, "no Content-Encoding", response.headers.get("content-encoding"))
    length = response.headers.get("content-length")
    expect(length == str(len(file.content)), f"Content-Length: {len(file.content)}", length or "none")


@SUITE.check("files.anonymous", "endpoints", "Shared files are for anyone: no credential is asked for")
async def anonymous(target: Target) -> None:
    url = (await envelope(target)).url
    async with httpx.AsyncClient(timeout=10) as stranger:
        response = await stranger.get(url)
    expect(response.status_code == 200, "200 to a stranger", describe(response))


@SUITE.check("files.missing", "errors", "A digest that the server does not have: 404 artifact-missing")
async def missing(target: Target) -> None:
    digest = sha256(b"walle conformance: nobody stores this").hexdigest()
    expect_refused(await target.request("GET", f"/artifacts/{digest}"), 404, "artifact-missing")


@SUITE.check("files.digest-malformed", "errors", "What is no digest: 400 digest-malformed")
async def malformed(target: Target) -> None:
    for digest in ("x", "AB" * 32, "ab" * 31, "ab" * 33, "..%2f..%2fetc%2fpasswd"):
        expect_refused(await target.request("GET", f"/artifacts/{digest}"), 400, "digest-malformed")
