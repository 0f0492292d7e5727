"""Checks of runs: a client's reports of them, and when it falls back."""

from __future__ import annotations

import asyncio
from typing import Final

from walle.conformance.checks import Suite, expect
from walle.conformance.client.bench import TASK, Bench

SUITE: Final = Suite[Bench]()
_BAD: Final = b"def run(inputs, context):\n    raise KeyError('bad')\n"
_SLEEPS: Final = b"import time\ndef run(inputs, context):\n    time.sleep(600)\n    return {'y': 1}\n"
_LIVES: Final = 12
_INTO_THE_RUN_S: Final = 2.0


@SUITE.check("runs.reported", "reports", "A run is reported")
async def reported(bench: Bench) -> None:
    bench.needs("runs")
    manifest = await bench.installed()
    bench.expect_reported(kind="run", outcome="success", manifest=manifest.digest, version="1.0.0")


@SUITE.check("runs.failed", "reports", "A run that fails is reported with a class of its error")
async def failed(bench: Bench) -> None:
    bench.needs("runs")
    await bench.installed(code=_BAD)
    report = bench.expect_reported(kind="run", outcome="failure")
    expect(report.get("error_class"), "an error_class", "none")


@SUITE.check("runs.fall-back", "reports", "A version that keeps failing gives way to the last good one")
async def fall_back(bench: Bench) -> None:
    bench.needs("runs")
    good = await bench.installed()
    bad = bench.publish("2.0.0", code=_BAD)
    for _ in range(_LIVES):
        await bench.once()
        if any(report.get("error_class") == "fell-back" for report in bench.repository.reports):
            break
    bench.expect_reported(kind="remove", outcome="failure", error_class="fell-back", manifest=bad.digest)
    del bench.repository.tasks[TASK]
    await bench.once()
    bench.expect_installed(good, which=0)


@SUITE.check("runs.crashed", "reports", "A crash during a run is reported at the next start")
async def crashed(bench: Bench) -> None:
    bench.needs("runs")
    manifest = bench.publish(code=_SLEEPS, limits={"time_ms": 600_000, "memory_mb": 512, "output_kb": 64})
    async with bench.living() as life:
        await bench.until(lambda: len(bench.check_ins()) > 1, 20, "a second check-in after the installation")
        await asyncio.sleep(_INTO_THE_RUN_S)
        bench.expect_installed(manifest)
        life.kill()
    del bench.repository.tasks[TASK]
    async with bench.living():
        await bench.until(lambda: _failed_runs(bench), 20, "a report of the run that the crash ended")


def _failed_runs(bench: Bench) -> bool:
    return any(
        report.get("kind") == "run" and report.get("outcome") == "failure" for report in bench.repository.reports
    )
