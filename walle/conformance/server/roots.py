"""Checks of the chain of trust: docs/protocol.md, section Roots."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from walle.conformance.checks import ExpectationUnmet, Suite, expect
from walle.conformance.server.target import Target, describe, expect_refused
from walle.protocol.errors import ProtocolError
from walle.protocol.signing import TrustedRoots

SUITE: Final = Suite[Target]()


@SUITE.check("roots.chain", "roots", "Each root is signed by the one before it and by itself")
async def chain(target: Target) -> None:
    first = target.options.root
    if first is None:
        response = await target.request("GET", "/roots/1.json")
        expect(response.status_code == 200, "200 for /roots/1.json", describe(response))
        first = response.content
    version = 1
    try:
        trusted = TrustedRoots(first)
        version = trusted.version
        while (response := await target.request("GET", f"/roots/{version + 1}.json")).status_code == 200:
            version += 1
            trusted.update(response.content)
    except ProtocolError as error:
        raise ExpectationUnmet(f"root {version} of the chain", f"{error.code}: {error}") from error


@SUITE.check("roots.end", "roots", "Behind the newest root there is none: 404 root-unknown")
async def end(target: Target) -> None:
    newest = (await target.roots()).version
    expect_refused(await target.request("GET", f"/roots/{newest + 1}.json"), 404, "root-unknown")
    for number in ("0", "x", "-1", "1" * 30):
        expect_refused(await target.request("GET", f"/roots/{number}.json"), 404, "root-unknown")


@SUITE.check("roots.expiry", "roots", "The newest root has not expired")
async def expiry(target: Target) -> None:
    try:
        (await target.roots()).check_expiry(datetime.now(UTC))
    except ProtocolError as error:
        raise ExpectationUnmet("a newest root that has not expired", error) from error


@SUITE.check("roots.cached", "endpoints", "A root may be cached for a minute", mandatory=False)
async def cached(target: Target) -> None:
    control = (await target.request("GET", "/roots/1.json")).headers.get("cache-control", "")
    expect("max-age=60" in control, "Cache-Control with max-age=60", control or "no Cache-Control")
