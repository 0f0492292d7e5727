"""Claim: with a million devices, 500 releases and ten million reports, every list and detail page is fast.

The requests come from the OpenAPI document: the first page of every list and one in its middle, with each of its
filters, and every detail (support/api/requests.py); then every list and page of the admin. Each is sent as site staff
and as somebody with a role in one scope only, over HTTP to one server process, one request after the other. Then every
operation that writes (support/api/writing.py); those that compile a new table of an app with all its releases are
reported separately. Last, eight clients read pages at once in a random order and write with every tenth request,
alternating with a single such client: together they must get as many answers as the one, and none may wait for more
than its share. Counts of devices are estimates in 50 ms, marked as such, and exact in 1.5 s; both are compared. The
number of database queries of each request is compared with a Walle a thousand times smaller.

`BENCH_KEEP=FOLDER` keeps the seeded Walle there and uses it the next time.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.support.api import writing
from benchmarks.support.api.crowd import Visit, client_of, crowded
from benchmarks.support.api.large import large_server, large_walle, run_in
from benchmarks.support.api.seed import TINY, Size
from benchmarks.support.harness import Benchmark, Dimension, is_tiny
from benchmarks.support.outcome import Target
from benchmarks.support.walle import Server

PAGE_MS, EXACT_MS, WRITE_MS, PUBLISH_MS = 50.0, 1500.0, 100.0, 1000.0
CLIENTS: Final = 8
BENCHMARK: Final = Benchmark(
    "api",
    scale={
        "devices": Dimension(1_000_000, 5_000),
        "releases": Dimension(500, 20),
        "reports": Dimension(10_000_000, 5_000),
        "exposures": Dimension(600_000, 600),
        "features": Dimension(1_000_000, 1_000),
        "rounds": Dimension(20, 1),
        "clients": Dimension(CLIENTS, 2),
        "crowd_pairs": Dimension(9, 1),
        "crowd_s": Dimension(5.0, 0.5),
    },
    targets=(
        Target("worst_p95_ms", at_most=PAGE_MS),
        Target("worst_estimate_p95_ms", at_most=PAGE_MS),
        Target("worst_exact_p95_ms", at_most=EXACT_MS),
        Target("worst_admin_p95_ms", at_most=4 * PAGE_MS),
        Target("estimates_within_margin", at_least=0.9),
        Target("most_queries_more_than_when_small", at_most=0),
        Target("refused", at_most=0),
        Target("worst_write_p95_ms", at_most=WRITE_MS),
        Target("worst_publishing_p95_ms", at_most=PUBLISH_MS),
        Target("crowd_rate_ratio", at_least=1.0),
        Target("crowd_p95_ms", at_most=CLIENTS * PAGE_MS),
    ),
    assumptions=(
        "one server process; clients, server and PostgreSQL share all cores of one machine, without TLS or a network",
        "the first answer to each request, with cold caches, does not count",
        "rows are made by PostgreSQL from a few patterns, and stay in its memory or the page cache",
        "workers are not running: jobs that a writing starts are rows only",
    ),
)
SIZE: Final = Size(
    devices=BENCHMARK.size("devices"),
    releases=BENCHMARK.size("releases"),
    reports=BENCHMARK.size("reports"),
    exposures=BENCHMARK.size("exposures"),
    features=BENCHMARK.size("features"),
    **(TINY | {"audit": 500, "jobs": 200} if is_tiny() else {}),
)
SMALL: Final = Size(
    devices=1_000, releases=20, reports=2_000, exposures=600, few_exposures=10, audit=500, jobs=200, members=30,
    list_devices=100, features=1_000,
)  # fmt: skip
ROUNDS: Final = BENCHMARK.size("rounds")
COLD: Final = 0 if is_tiny() else 1
"""How many answers to each request, with cold caches, do not count; in a tiny run none is judged anyway."""
SHOWN: Final = 40

console = Console(width=200)


@dataclass
class Measured:
    """The times in ms of one request that one person sent repeatedly."""

    person: str
    case: dict[str, Any]
    times: list[float] = field(default_factory=list)

    @property
    def is_exact(self) -> bool:
        body, query = self.case["body"] or {}, dict(self.case["query"])
        return bool(body.get("exact") or query.get("exact"))

    @property
    def is_admin(self) -> bool:
        return str(self.case["path"]).startswith("/admin/")

    @property
    def is_page(self) -> bool:
        """Whether it reads a list or a detail of REST, within the usual limit."""
        return not (self.is_admin or self.is_exact or self.case["body"] or self.case["operation"] in _COUNTING)

    @property
    def limit_ms(self) -> float:
        return EXACT_MS if self.is_exact else PAGE_MS

    @property
    def address(self) -> str:
        return str(httpx.URL(self.case["path"], params=self.case["query"]))

    def percentile(self, share: float) -> float:
        return float(np.percentile(self.times, share))

    @property
    def excess(self) -> float:
        return self.percentile(95) / self.limit_ms


def main() -> int:
    BENCHMARK.announce()
    with tempfile.TemporaryDirectory(prefix="walle-bench-") as folder:
        Path(folder).chmod(0o755)  # for the account that PostgreSQL runs under if root starts it
        keep = Path(os.environ.get("BENCH_KEEP") or f"{folder}/large")
        few = {}
        if not is_tiny():
            with large_walle(Path(f"{folder}/small"), SMALL) as small:
                few = requests_of(small)
        with large_walle(keep, SIZE) as large:
            many = requests_of(large)
            with large_server(large) as running:
                before = running.resident_mb()
                measured = [each for person, found in many.items() for each in measure(running, person, found)]
                session = many["staff"]["session"]
                figures = write(running, session) | crowd(running, session, measured)
                memory = {"server_memory_start_mb": before, "server_memory_end_mb": running.resident_mb()}
    # A tiny Walle is the small one, too.
    return BENCHMARK.judge(figures | report(measured, few or many, many) | memory)


def requests_of(folder: Path) -> dict[str, Any]:
    """Return the requests and the number of database queries of each, by person."""
    file = folder / "asked.json"
    run_in(folder, "-m", "benchmarks.support.api.inside", str(file))
    found: dict[str, Any] = json.loads(file.read_text())
    return found


def measure(running: Server, person: str, found: dict[str, Any]) -> Iterator[Measured]:
    """Measure every request of one person, each several times in a row after one that does not count."""
    with client_of(running, found["session"]) as client:
        for case in found["cases"]:
            measured = Measured(person, case)
            if case["status"] == 404:
                continue  # not theirs to see
            for _ in range(COLD + ROUNDS):
                started = time.perf_counter()
                method = "GET" if case["body"] is None else "POST"
                answer = client.request(method, measured.address, json=case["body"])
                measured.times.append((time.perf_counter() - started) * 1000)
                if answer.status_code != case["status"]:
                    raise SystemExit(f"{measured.address} answered {answer.status_code}: {answer.text[:300]}")
            del measured.times[:COLD]
            yield measured


def write(running: Server, session: str) -> dict[str, float]:
    """Measure every operation that writes, one after the other."""
    with client_of(running, session) as client:
        times = writing.measured(client, ROUNDS)
    table = Table("operation", "p50", "p95", "p99", "limit", "met", title="writing (ms)")
    worst = {False: 0.0, True: 0.0}
    for operation, found in sorted(times.items(), key=lambda item: -np.percentile(item[1], 95)):
        publishes = operation in writing.PUBLISHING
        p50, p95, p99 = (float(np.percentile(found, share)) for share in (50, 95, 99))
        limit = PUBLISH_MS if publishes else WRITE_MS
        worst[publishes] = max(worst[publishes], p95)
        table.add_row(
            operation, *(f"{value:.1f}" for value in (p50, p95, p99)), f"{limit:g}", "yes" if p95 <= limit else "NO"
        )
    console.print(table)
    medians = {f"write_{operation}_p50_ms": float(np.median(found)) for operation, found in times.items()}
    return medians | {"worst_write_p95_ms": worst[False], "worst_publishing_p95_ms": worst[True]}


def crowd(running: Server, session: str, measured: list[Measured]) -> dict[str, float]:
    """Measure eight clients at once on the pages of staff, alternating with one."""
    pages = [entry.address for entry in measured if entry.person == "staff" and entry.is_page]
    clients = BENCHMARK.size("clients")
    visit = Visit(running, session, pages, BENCHMARK.amount("crowd_s"))
    figures = crowded(visit, clients, BENCHMARK.size("crowd_pairs"))
    figures["crowd_p95_ms"] = figures[f"crowd_{clients}_p95_ms"]
    text = ", ".join(f"{name.removeprefix('crowd_')} {value:.3g}" for name, value in figures.items())
    console.print(f"{clients} clients at once and one, in turn: {text}")
    return figures


def report(measured: list[Measured], few: dict[str, Any], many: dict[str, Any]) -> dict[str, float]:
    """Print a table of the slowest requests, and the figures of all."""
    table = Table("who", "what", "p50", "p95", "p99", "limit", "met", "queries", "request", title="slowest (ms)")
    for entry in sorted(measured, key=lambda entry: entry.excess, reverse=True)[:SHOWN]:
        times = [f"{entry.percentile(share):.1f}" for share in (50, 95, 99)]
        met = "yes" if entry.excess <= 1 else "NO"
        row = (
            f"{entry.limit_ms:g}",
            met,
            str(entry.case["queries"]),
            f"{entry.case['path']} {entry.case['note']}"[:110],
        )
        table.add_row(entry.person, entry.case["operation"], *times, *row)
    console.print(table)
    estimates = [entry for entry in measured if entry.case["operation"] in _COUNTING and not entry.is_exact]
    exact = [entry for entry in measured if entry.is_exact]
    pages = [entry for entry in measured if not entry.is_admin and entry not in estimates and entry not in exact]
    admin = [entry for entry in measured if entry.is_admin]
    groups = {"": pages, "admin_": admin, "estimate_": estimates, "exact_": exact}
    figures = {f"worst_{name}p95_ms": max(entry.percentile(95) for entry in group) for name, group in groups.items()}
    figures |= {
        f"median_{name}p95_ms": float(np.median([entry.percentile(95) for entry in group]))
        for name, group in groups.items()
    }
    figures |= {f"{name or 'page_'}requests": len(group) for name, group in groups.items()}
    figures["pages_within_50_ms"] = sum(entry.excess <= 1 for entry in pages) / len(pages)
    figures |= _queries(few, many) | _errors(many)
    figures["refused"] = sum(case["status"] not in (200, 404) for found in many.values() for case in found["cases"])
    return figures


def _queries(few: dict[str, Any], many: dict[str, Any]) -> dict[str, float]:
    """Return how many more queries requests make than in a small Walle; windows of a search may need three more."""
    table = Table("who", "request", "queries when small", "when large", title="asks more often than when small")
    most = 0
    for person, found in many.items():
        before = {_key(case): case["queries"] for case in few[person]["cases"] if case["status"] == 200}
        for case in found["cases"]:
            more = case["queries"] - before.get(_key(case), case["queries"]) - _SEARCH.get(case["operation"], 0)
            most = max(most, more)
            if more > 0:
                table.add_row(person, f"{case['path']} {case['note']}", str(before[_key(case)]), str(case["queries"]))
    if most:
        console.print(table)
    return {"most_queries_more_than_when_small": most}


_COUNTING: Final = ("count_devices", "preview_targeting", "plan_release")
_SEARCH: Final = {
    "list_devices": 2, "list_reports": 2, "list_audit": 2,
    "count_devices": 4, "preview_targeting": 10, "plan_release": 10,
}  # fmt: skip
"""The additional queries of a search whose first window does not fill the page, and of a count that takes a sample."""


def _key(case: dict[str, Any]) -> tuple[str, str]:
    return case["operation"], case["note"]


def _errors(many: dict[str, Any]) -> dict[str, float]:
    """Return the relative errors of estimated counts."""
    exact = {
        case["note"].removeprefix("exact ").removeprefix("exact=true "): case["counted"]["count"]
        for case in many["staff"]["cases"]
        if "counted" in case and case["note"].startswith("exact")
    }
    estimates = [case for case in many["staff"]["cases"] if "counted" in case and not case["counted"]["exact"]]
    compared = [(case["counted"], exact[case["note"]]) for case in estimates if case["note"] in exact]
    off = [abs(counted["count"] - number) for counted, number in compared]
    within = [error <= counted["margin"] for error, (counted, _) in zip(off, compared, strict=True)]
    relative = [error / number for error, (_, number) in zip(off, compared, strict=True) if number >= 10_000]
    return {
        "estimates_compared": len(compared),
        "estimates_within_margin": sum(within) / len(within) if within else 1.0,
        "worst_relative_error_above_10000": max(relative, default=0.0),
    }


if __name__ == "__main__":
    sys.exit(main())
