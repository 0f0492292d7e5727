"""Checks of a business service with the check-in middleware."""

from __future__ import annotations

from typing import Final

import httpx

from walle.conformance.checks import Skipped, Suite, expect
from walle.conformance.server.target import Enrolled, Target
from walle.protocol import headers as wire

SUITE: Final = Suite[Target]()
_SECTION: Final = "check-in-on-an-apps-own-requests"
_OURS: Final = (wire.OFFERS, wire.RETRY_AFTER, wire.ERROR)


async def _answers(target: Target, headers: dict[str, str]) -> tuple[httpx.Response, httpx.Response]:
    """Return the service's response without a check-in, and the same with these headers."""
    if target.options.riding is None:
        raise Skipped("needs --riding URL, an address of a service with the middleware")
    bare = await target.request("GET", target.options.riding)
    return bare, await target.request("GET", target.options.riding, headers=headers)


def _expect_undisturbed(bare: httpx.Response, ridden: httpx.Response) -> None:
    expect(bare.status_code == ridden.status_code, f"the service's own status {bare.status_code}", ridden.status_code)
    expect(bare.content == ridden.content, "the service's own body", f"{len(ridden.content)} other bytes")


@SUITE.check("riding.answered", _SECTION, "A check-in on a request of the app's is answered beside it", mandatory=False)
async def answered(target: Target) -> None:
    bare, ridden = await _answers(target, target.headers(await target.device()))
    _expect_undisturbed(bare, ridden)
    wait = ridden.headers.get(wire.RETRY_AFTER, "")
    expect(wait.isdecimal() and int(wait) >= 1, "Walle-Retry-After: seconds, 1 or more", wait or "none")
    vary = ridden.headers.get("vary", "").lower()
    expect(wire.DEVICE.lower() in vary, "Vary: walle-device", vary or "no Vary")


@SUITE.check("riding.refused", _SECTION, "A refused check-in adds Walle-Error and disturbs nothing", mandatory=False)
async def refused(target: Target) -> None:
    device = await target.device()
    forged = target.headers(Enrolled(device.device, "k1.1.x.0"))
    malformed = {**forged, wire.DEVICE: "nobody"}
    for headers, code in ((forged, "credential-"), (malformed, "header-malformed")):
        bare, ridden = await _answers(target, headers)
        _expect_undisturbed(bare, ridden)
        found = ridden.headers.get(wire.ERROR, "")
        expect(found.startswith(code), f"Walle-Error: {code}", found or "none")
        expect(wire.RETRY_AFTER not in ridden.headers, "nothing but Walle-Error", dict(ridden.headers))


@SUITE.check("riding.alone", _SECTION, "A request without Walle-Device is left alone", mandatory=False)
async def left_alone(target: Target) -> None:
    bare, _ = await _answers(target, {})
    found = [name for name in _OURS if name in bare.headers]
    expect(not found, "none of Walle's headers", found)
