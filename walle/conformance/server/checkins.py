"""Checks of check-ins: the answers, and that headers are read exactly as the vectors say."""

from __future__ import annotations

from typing import Any, Final

import httpx

from walle.conformance.checks import ExpectationUnmet, Skipped, Suite, expect
from walle.conformance.server.target import TASK, Enrolled, Target, describe, expect_refused
from walle.conformance.vectors import load
from walle.protocol import headers as wire
from walle.protocol.deferrals import DEFERRAL
from walle.protocol.kinds import fact_of
from walle.release.withdrawal import MOST_INTERVALS

SUITE: Final = Suite[Target]()
_ALIEN: Final = {TASK: bytes(12)}
_HIGHEST: Final = 999_999_999_999_999
_WAITS: Final = 8
"""How many check-ins are looked at: each is spread by itself."""


def expect_answered(response: httpx.Response) -> None:
    """Check for a 204 without a body and with Walle-Retry-After."""
    expect(response.status_code == 204, "204", describe(response))
    expect(not response.content, "no body", f"{len(response.content)} bytes")
    wait = response.headers.get(wire.RETRY_AFTER, "")
    expect(wait.isdecimal() and int(wait) >= 1, "Walle-Retry-After: seconds, 1 or more", wait or "none")


@SUITE.check("checkin.answer", "endpoints", "A check-in by GET or POST is answered 204, with Walle-Retry-After")
async def answered(target: Target) -> None:
    headers = target.headers(await target.device())
    for method in ("GET", "POST"):
        expect_answered(await target.check_in(headers, method))


@SUITE.check("checkin.spread", "walle-retry-after", "Nobody is asked to wait for more than 1.1 intervals")
async def spread(target: Target) -> None:
    if target.options.app_key is None:
        raise Skipped("needs --app-key")
    known = await target.device()
    renewed = await target.enrol(device=known.device, credential=known.credential)
    headers = target.headers(target.enrolled(renewed))
    most = round(MOST_INTERVALS * renewed.json()["interval"])
    for _ in range(_WAITS):
        response = await target.check_in(headers)
        expect_answered(response)
        wait = int(response.headers[wire.RETRY_AFTER])
        expect(wait <= most, f"at most {most} s", f"{wait} s")


@SUITE.check("checkin.no-store", "endpoints", "The answer to a GET is never cached")
async def not_cached(target: Target) -> None:
    response = await target.check_in(target.headers(await target.device()))
    expect("no-store" in response.headers.get("cache-control", ""), "Cache-Control: no-store", dict(response.headers))


@SUITE.check("checkin.method", "errors", "Other methods are refused: 405 method-not-allowed")
async def method(target: Target) -> None:
    headers = target.headers(await target.device())
    for other in ("PUT", "DELETE"):
        expect_refused(await target.check_in(headers, other), 405, "method-not-allowed")


@SUITE.check("checkin.headers", "errors", "Without Walle-Device or Walle-App: 400 header-malformed")
async def missing_header(target: Target) -> None:
    for name in (wire.DEVICE, wire.APP):
        headers = target.headers(await target.device())
        del headers[name]
        expect_refused(await target.check_in(headers), 400, "header-malformed")


@SUITE.check("checkin.credential", "errors", "A credential that was not issued to this device: 401 credential-invalid")
async def credential(target: Target) -> None:
    device, other = await target.device(), await target.device("second")
    last = device.credential[-1]
    damaged = device.credential[:-1] + ("0" if last != "0" else "1")
    for wrong in (Enrolled(device.device, other.credential), Enrolled(device.device, damaged)):
        response = await target.check_in(target.headers(wrong))
        expect_refused(response, 401, "credential-invalid", "credential-key-retired")


@SUITE.check("checkin.app-unknown", "errors", "An unknown app: 400 app-unknown")
async def app_unknown(target: Target) -> None:
    headers = target.headers(await target.device()) | {wire.APP: '"conformance-no-such-app";v="1.0.0"'}
    expect_refused(await target.check_in(headers), 400, "app-unknown")


@SUITE.check("checkin.unknown-task", "table", "A task that the server never had is left alone")
async def unknown_task(target: Target) -> None:
    response = await target.check_in(target.headers(await target.device(), profile=_ALIEN))
    expect_answered(response)
    offers = response.headers.get(wire.OFFERS, "")
    expect(f"{TASK};" not in offers, f"nothing about {TASK}", offers[:80])


@SUITE.check("checkin.kinds", "walle-app", "A device that knows a kind of tasks that the server never had is answered")
async def unknown_kind(target: Target) -> None:
    device = await target.device()
    headers = target.headers(device)
    expect_answered(await target.check_in(headers | {wire.APP: f"{headers[wire.APP]};{fact_of('unheard-of')}"}))


@SUITE.check("checkin.lines", "structured-fields", "A profile in several header lines is read as one")
async def several_lines(target: Target) -> None:
    headers = [*target.headers(await target.device()).items()]
    lines = [(wire.PROFILE, wire.write_profile({task: bytes(12)})) for task in (TASK, f"{TASK}-2")]
    expect_answered(await target.request("GET", "/checkin", headers=headers + lines))
    twice = [*headers, *lines, lines[0]]
    expect_refused(await target.request("GET", "/checkin", headers=twice), 400, "header-malformed")


@SUITE.check("checkin.most-lines", "limits", "8 lines of one header are read, 9 are refused: 431 headers-too-large")
async def most_lines(target: Target) -> None:
    headers = [*target.headers(await target.device()).items()]
    tasks = [f"{TASK}-{number}" for number in range(wire.MAX_LINES + 1)]
    lines = [(wire.PROFILE, wire.write_profile({task: bytes(12)})) for task in tasks]
    expect_answered(await target.request("GET", "/checkin", headers=headers + lines[:-1]))
    for method, path in (("GET", "/checkin"), ("POST", "/reports")):
        response = await target.request(method, path, headers=headers + lines)
        expect_refused(response, 431, "headers-too-large")


@SUITE.check("checkin.many-headers", "limits", "Headers without number are refused, and their sender sees it: 431")
async def many_headers(target: Target) -> None:
    """Check that a sender of a megabyte of headers, of which the server reads a part, still receives the answer."""
    headers = [*target.headers(await target.device()).items()]
    for many in ([("x-walle", "1")] * 200, [("x-walle", "x" * 100)] * 10_000):
        response = await target.request("GET", "/checkin", headers=headers + many)
        if wire.ERROR in response.headers:
            expect_refused(response, 431, "headers-too-large")
        else:  # by a proxy
            expect(response.status_code in (400, 431), "431 (or 400 from a proxy)", describe(response))


@SUITE.check("vectors.walle-device", "walle-device", "Walle-Device is read as the vectors say")
async def device_vectors(target: Target) -> None:
    await _hold_to_vectors(target, wire.DEVICE)


@SUITE.check("vectors.walle-app", "walle-app", "Walle-App is read as the vectors say")
async def app_vectors(target: Target) -> None:
    await _hold_to_vectors(target, wire.APP)


@SUITE.check("vectors.walle-profile", "walle-profile", "Walle-Profile is read as the vectors say")
async def profile_vectors(target: Target) -> None:
    await _hold_to_vectors(target, wire.PROFILE)


@SUITE.check("vectors.walle-deferral", "walle-deferral", "Walle-Deferral is read as the vectors say")
async def deferral_vectors(target: Target) -> None:
    await _hold_to_vectors(target, DEFERRAL)


async def _hold_to_vectors(target: Target, header: str) -> None:
    """Send each vector of a header beside valid other headers, and report all wrong answers together."""
    device = await target.device()
    wrong = []
    vectors = load("headers.json")[header]
    for vector in vectors:
        raw = _own(vector, target, device)
        if raw is None:
            continue
        response = await target.check_in(target.headers(device) | {header: raw.strip(" ").encode("latin-1")})
        try:
            expect_refused(response, 400, "header-malformed") if "error" in vector else expect_answered(response)
        except ExpectationUnmet as unmet:
            if not _too_long_for_a_proxy(raw, response):
                wrong.append(f"{raw[:60]}: expected {unmet.expected}, found {unmet.found}")
    if wrong:
        raise ExpectationUnmet(
            f"all {len(vectors)} vectors of {header} as they say", f"{len(wrong)} not: {'; '.join(wrong[:3])}"
        )


def _own(vector: dict[str, Any], target: Target, device: Enrolled) -> str | None:
    """Return a vector's text with the app, device and credential of this run, so that only its form can be refused.

    None for a valid one of another device id, which can have no credential here.
    """
    raw = str(vector["raw"])
    if "error" not in vector and vector["value"] and vector["value"].get("device", "device-1") != "device-1":
        return None
    credential = "k1.1807776000..0123456789abcdef0123456789abcdef"
    raw = raw.replace(credential, device.credential).replace('"device-1"', f'"{device.device}"')
    return raw.replace('"shop"', f'"{target.options.app}"')


def _too_long_for_a_proxy(raw: str, response: httpx.Response) -> bool:
    """Return whether a proxy in front of the server may have refused a long header with an error of its own."""
    return len(raw) > wire.MAX_HEADER_BYTES and response.status_code in (400, 431)


@SUITE.check("checkin.higher-number", "table-numbers", "A device that has seen a higher number is offered nothing")
async def higher_number(target: Target) -> None:
    await target.offers()
    response = await target.check_in(target.headers(await target.device(), number=_HIGHEST))
    expect_answered(response)
    offers = response.headers.get(wire.OFFERS)
    expect(offers is None, f"no offers to a device that has seen number {_HIGHEST}", (offers or "")[:80])


@SUITE.check("checkin.removal", "assignment", "A retired task is to be removed", mandatory=False)
async def removal(target: Target) -> None:
    task = target.options.removed
    if task is None:
        raise Skipped("needs --removed TASK, a task that was retired")
    offers = await target.offered(await target.device(), profile={task: bytes(12)})
    offer = next((offer for offer in offers if offer.task == task), None)
    if offer is None or offer.action != "remove":
        raise ExpectationUnmet(f"an offer to remove {task}", offer.action if offer else "no offer for it")
    expect(target.assignment(offer).action == "remove", "an assignment that says remove", target.assignment(offer))
