"""Checks of offers that a client puts off because its app says that now is not the moment."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from walle.conformance.checks import ExpectationUnmet, Suite, expect
from walle.conformance.client.bench import TASK, Bench
from walle.protocol.deferrals import DEFERRAL, Deferral, read_deferral
from walle.protocol.errors import HeaderMalformed

SUITE: Final = Suite[Bench]()
_SECTION: Final = "walle-deferral"
_REASON: Final = "in-call"
_NOT_NOW: Final = ("--not-now", f"{_REASON}:600")
_BOUND_S: Final = 3
_LONG_S: Final = 3600


def _allow(bench: Bench, seconds: int | None) -> None:
    """Let devices put off all offers for so many seconds; for None, not at all."""
    bench.repository.mangle = lambda offer: replace(offer, defer_s=seconds)


def _said(bench: Bench) -> list[Deferral | None]:
    """Return what each check-in of this run said of the moment."""
    try:
        return [read_deferral(each.headers.get(DEFERRAL.lower(), "").encode("latin-1")) for each in bench.check_ins()]
    except HeaderMalformed as error:
        raise ExpectationUnmet("a Walle-Deferral that can be read", error) from error


@SUITE.check("deferral.said", _SECTION, "What may wait is not installed now, and the check-in says why and how long")
async def said(bench: Bench) -> None:
    bench.needs("deferral")
    first = await bench.installed()
    second = bench.publish("2.0.0")
    _allow(bench, _LONG_S)
    await bench.once(*_NOT_NOW)
    bench.expect_installed(first)
    found = _said(bench)[0]
    if found is None or found.reason != _REASON or not 500 <= found.seconds <= 600:
        raise ExpectationUnmet(f"{DEFERRAL}: {_REASON};for=600", found or "no such header")
    refused = [each for each in bench.repository.reports if each.get("outcome") == "failure"]
    expect(not refused, "no report of a failure", refused[:1])
    await bench.once()
    expect(_said(bench)[0] is None, f"no {DEFERRAL} any more", _said(bench)[0])
    bench.expect_installed(second)


@SUITE.check(
    "deferral.not-allowed", _SECTION, "An offer without defer is carried out, whatever the moment; so is a removal"
)
async def not_allowed(bench: Bench) -> None:
    bench.needs("deferral")
    manifest = bench.publish()
    await bench.once(*_NOT_NOW)
    bench.expect_installed(manifest)
    bench.repository.remove(TASK)
    await bench.once(*_NOT_NOW)
    bench.expect_installed(None)


@SUITE.check(
    "deferral.bound", _SECTION, "An offer is put off no longer than it may be, also by a client that was killed"
)
async def bound(bench: Bench) -> None:
    bench.needs("deferral")
    manifest = bench.publish()
    _allow(bench, _LONG_S)
    await bench.once(*_NOT_NOW)
    bench.expect_installed(None)
    _allow(bench, _BOUND_S)
    async with bench.living(*_NOT_NOW):
        await bench.until(
            lambda: any(each.get("outcome") == "success" for each in bench.repository.reports), 30, "an installation"
        )
    bench.expect_reported(kind="install", outcome="success", manifest=manifest.digest)
    due = [each.due for each in _said(bench) if each is not None and each.due]
    expect(due and due[0] == {TASK}, f'{DEFERRAL} with due="{TASK}" once it may wait no longer', due or "none")
