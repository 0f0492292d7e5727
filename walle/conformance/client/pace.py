"""Checks of a client's retries: they observe it for a few seconds."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Final

from walle.conformance.checks import Suite, expect
from walle.conformance.client.bench import Bench

SUITE: Final = Suite[Bench]()
_SECTION: Final = "when-to-try-again"
_RETRY_AFTER_S: Final = 2
_LONG_RETRY_AFTER_S: Final = 4
_LATE_S: Final = 0.35
"""How much later check-ins may come on average: a client that adds up to a quarter at random comes 0.5 s later."""
_WATCHED_S: Final = 5.5
_MOST: Final = 16
"""The most requests in that time: full jitter makes about 4, and more than this less than once in a million."""
_CLOCKS_S: Final = 0.05


async def _watch(bench: Bench, seconds: float = _WATCHED_S) -> None:
    await bench.until(lambda: bench.recent_requests, 20, "a first request")
    await asyncio.sleep(seconds)


@SUITE.check("pace.retry-after", "walle-retry-after", "It does not check in again before Walle-Retry-After")
async def retry_after(bench: Bench) -> None:
    bench.repository.retry_after = _RETRY_AFTER_S
    async with bench.living():
        await bench.until(lambda: len(bench.check_ins()) >= 3, 30, "three check-ins")
    times = [request.at for request in bench.check_ins()]
    shortest = min(later - earlier for earlier, later in pairwise(times))
    expected = f"at least {_RETRY_AFTER_S} s between check-ins"
    expect(shortest >= _RETRY_AFTER_S - _CLOCKS_S, expected, f"{shortest:.2f} s")


@SUITE.check("pace.on-time", "walle-retry-after", "It checks in when Walle-Retry-After is over, and adds nothing")
async def on_time(bench: Bench) -> None:
    bench.repository.retry_after = _LONG_RETRY_AFTER_S
    async with bench.living():
        await bench.until(lambda: len(bench.check_ins()) >= 4, 40, "four check-ins")
    times = [request.at for request in bench.check_ins()[:4]]
    usual = (times[-1] - times[0]) / 3
    most = _LONG_RETRY_AFTER_S + _LATE_S
    expect(usual <= most, f"on average at most {most} s between check-ins", f"{usual:.2f} s")


@SUITE.check("pace.back-off", _SECTION, "While the server fails, it tries again ever more rarely")
async def back_off(bench: Bench) -> None:
    bench.repository.status = 503
    async with bench.living():
        await _watch(bench)
    found = len(bench.recent_requests)
    expect(found <= _MOST, f"at most {_MOST} requests in {_WATCHED_S:.0f} s", found)


@SUITE.check("pace.floor", _SECTION, "It does not try again before the Retry-After of a failing server")
async def floor(bench: Bench) -> None:
    for path in ("/checkin", "/enrol"):
        bench.repository.failures[path] = (503, {"retry_after": "5"})
    async with bench.living():
        await bench.until(lambda: bench.recent_requests, 20, "a first request")
        await asyncio.sleep(4)
    expect(len(bench.recent_requests) == 1, "one request in 4 s", len(bench.recent_requests))


@SUITE.check("pace.enrolment", _SECTION, "When enrolments are limited, it does not try again before Retry-After")
async def enrolment(bench: Bench) -> None:
    bench.repository.failures["/enrol"] = (429, {"walle_error": "enrolment-limited", "retry_after": "5"})
    async with bench.living():
        await bench.until(lambda: bench.recent_requests, 20, "a first request")
        await asyncio.sleep(4)
    requests_to = [request.path for request in bench.recent_requests]
    expect(len(requests_to) == 1, "one enrolment in 4 s, and nothing else", requests_to)


@SUITE.check("pace.recovers", _SECTION, "When the server is back, so is the client")
async def recovers(bench: Bench) -> None:
    bench.repository.status = 503
    manifest = bench.publish()
    async with bench.living():
        await _watch(bench, 1.5)
        bench.repository.status = None
        await bench.until(lambda: len(bench.repository.reports) > 0, 30, "a report within 30 s")
    bench.expect_reported(kind="install", outcome="success", manifest=manifest.digest)
