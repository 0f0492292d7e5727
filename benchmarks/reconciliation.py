"""Claim: reconciling a release costs the same however many devices it has selected, and so does publishing after years.

Running releases with 10^3, 10^4, ... exposures lie in one database. In each round and for each of them, in turn, a few
devices report through the product's intake, and then the release is reconciled, as a worker does after every report.
Beside it stands what counting the exposures of the release takes, which every reconciliation did before they were
tallied. Then an app with thousands of ended releases publishes its table, which happens under a lock that all releases
of all apps wait for.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from math import log10
from typing import Any, Final

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.support.harness import Benchmark, Dimension, is_tiny
from benchmarks.support.outcome import Target
from benchmarks.support.reconciliation.ended import make_ended
from benchmarks.support.reconciliation.exposures import Filled, fill, fill_devices, filling, report
from benchmarks.support.reconciliation.releases import draft, make_app, make_task, make_version, move
from benchmarks.support.walle import temporary_walle

BENCHMARK = Benchmark(
    "reconciliation",
    scale={
        "exposures": Dimension(10_000_000, 2_000),
        "devices": Dimension(1_000_000, 2_000),
        "rounds": Dimension(150, 2),
        "ended": Dimension(2_000, 10),
        "publications": Dimension(40, 2),
    },
    targets=(
        Target("reconcile_p50_to_smallest", at_most=2),
        Target("reconcile_p99_to_smallest", at_most=2),
        Target("report_p50_to_smallest", at_most=2),
        Target("publish_p99_ms", at_most=200),
    ),
    assumptions=(
        "every device checked in lately or reported, so that no silence timeout ends meanwhile",
        "the registry has a tenth of the devices of the largest release; all releases lie in one table of exposures",
        "nobody waits for the table's lock: one publication after the other",
        "ended releases are covered by a newer complete one, as those of a task that goes on being released",
    ),
)
REPORTS: Final = 3
"""How many devices report before each reconciliation."""
COUNTS: Final = 3
WARM: Final = 0 if is_tiny() else 5
"""Rounds that do not count."""

console = Console(width=110)


def main() -> int:
    BENCHMARK.announce()
    with temporary_walle() as folder:
        from walleweb.embedded.postgres import DATABASE, SUPERUSER, database_url

        now = datetime.now(UTC).replace(microsecond=0)
        app = make_app(now - timedelta(days=11))
        filled = _filled(app, database_url(folder / "postgres", DATABASE, SUPERUSER), now)
        reconciliations, reports = _rounds(filled)
        counts = _counts(filled)
        published = _published(app, now)
    _show(filled, reconciliations, reports, counts)
    return BENCHMARK.judge(_figures(reconciliations, reports, counts, published))


def _filled(app: Any, superuser: str, now: datetime) -> list[Filled]:
    """Make a running release for each power of ten, and begin to tally it."""
    from releases_app.services.tallies import ensure_tallied

    began, most = now - timedelta(days=10), BENCHMARK.size("exposures")
    sizes = sorted({*(10**power for power in range(3, int(log10(most)) + 1)), most})
    filled = []
    for size in sizes:
        release = draft(app, make_version(make_task(f"reconciled-{size}"), "1.0.0", began), began)
        for action in ("start", "promote"):
            move(release, action, began)
        release.baseline |= {"latency_ms": 80.0, "median": 0.5}
        release.save(update_fields=["baseline"])
        filled.append(Filled(release, size))
    started = time.monotonic()
    with filling(superuser) as connection:
        fill_devices(connection, app.pk, BENCHMARK.size("devices"), now)
        for each in filled:
            fill(connection, each, began, now)
            console.print(f"{each.exposures:,} exposures after {time.monotonic() - started:.0f} s")
    console.print(f"indexed after {time.monotonic() - started:.0f} s")
    for each in filled:
        ensure_tallied(each.release)
    return filled


def _rounds(filled: Sequence[Filled]) -> tuple[Mapping[int, list[float]], Mapping[int, list[float]]]:
    """Return the times in ms of reconciliations, and of storing the reports before them, by the number of exposures."""
    from releases_app.services.reconciliation import reconcile

    reconciliations: dict[int, list[float]] = defaultdict(list)
    reports: dict[int, list[float]] = defaultdict(list)
    waiting = {each.exposures: iter(each.waiting()) for each in filled}
    for number in range(WARM + BENCHMARK.size("rounds")):
        for each in filled:
            now = datetime.now(UTC)
            devices = [next(waiting[each.exposures]) for _ in range(REPORTS)]
            started = time.perf_counter()
            report(each, devices, now)
            stored = time.perf_counter()
            step = reconcile(release=each.release.pk, now=now)
            ended = time.perf_counter()
            if step is None or step.action is not None:
                raise RuntimeError(f"expected a release that waits, found {step}")
            if number >= WARM:
                reports[each.exposures].append(1000 * (stored - started))
                reconciliations[each.exposures].append(1000 * (ended - stored))
    return reconciliations, reports


def _counts(filled: Sequence[Filled]) -> Mapping[int, float]:
    """Return how long counting the exposures takes, in ms; raises RuntimeError if the tallies say something else."""
    from releases_app.models import TalliedRelease
    from releases_app.services.tallies import compare

    found = {}
    for each in filled:
        times = []
        for _ in range(COUNTS):
            started = time.perf_counter()
            differences = compare(TalliedRelease.objects.get(release=each.release.pk), now=datetime.now(UTC))
            times.append(1000 * (time.perf_counter() - started))
            if differences:
                raise RuntimeError(f"tallies differ from exposures: {differences[0]}")
        found[each.exposures] = float(np.median(times))
    return found


def _published(app: Any, now: datetime) -> list[float]:
    """Return the times in ms of pausing and resuming releases of an app with many ended ones."""
    started = time.monotonic()
    running = make_ended(app, BENCHMARK.size("ended"), now)
    console.print(f"{BENCHMARK.size('ended'):,} ended releases after {time.monotonic() - started:.0f} s")
    times = []
    for number in range(BENCHMARK.size("publications")):
        release = running[number // 2 % len(running)]
        started = time.perf_counter()
        move(release, "resume" if number % 2 else "pause", now)
        times.append(1000 * (time.perf_counter() - started))
    return times


def _figures(
    reconciliations: Mapping[int, list[float]],
    reports: Mapping[int, list[float]],
    counts: Mapping[int, float],
    published: Sequence[float],
) -> dict[str, float]:
    smallest, largest = min(reconciliations), max(reconciliations)
    figures = {}
    for share in (50, 99):
        figures[f"reconcile_p{share}_to_smallest"] = _worst(reconciliations, share) / _percentile(
            reconciliations[smallest], share
        )
        figures[f"report_p{share}_to_smallest"] = _worst(reports, share) / _percentile(reports[smallest], share)
        figures[f"reconcile_p{share}_ms"] = _percentile(reconciliations[largest], share)
        figures[f"report_p{share}_ms"] = _percentile(reports[largest], share)
        figures[f"publish_p{share}_ms"] = _percentile(published, share)
    return {**figures, "count_ms": counts[largest], "count_to_reconcile": counts[largest] / figures["reconcile_p50_ms"]}


def _worst(times: Mapping[int, list[float]], share: int) -> float:
    return max(_percentile(each, share) for each in times.values())


def _percentile(times: Sequence[float], share: int) -> float:
    return float(np.percentile(times, share))


def _show(
    filled: Sequence[Filled],
    reconciliations: Mapping[int, list[float]],
    reports: Mapping[int, list[float]],
    counts: Mapping[int, float],
) -> None:
    table = Table("exposures", title="A reconciliation, storing the reports before it, and counting the exposures (ms)")
    for heading in ("reconcile p50", "reconcile p99", "reports p50", "reports p99", "counting"):
        table.add_column(heading, justify="right")
    for each in filled:
        size = each.exposures
        cells = [_percentile(times[size], share) for times in (reconciliations, reports) for share in (50, 99)]
        table.add_row(f"{size:,}", *(f"{cell:.1f}" for cell in cells), f"{counts[size]:,.1f}")
    console.print(table)


if __name__ == "__main__":
    sys.exit(main())
