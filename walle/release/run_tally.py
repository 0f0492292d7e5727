"""What a report adds to the counts of runs: one run, or the several of an aggregate, cold and warm ones apart.

Of an aggregate's run times only some quantiles are known. Each of its runs is counted with the least time that it
certainly did not exceed: half of them with the median, and so on up to the longest. What is computed from such counts
is therefore never too small: so many of the runs took at most so long. An aggregate does not tell warm runs from cold
ones in its quantiles and failures: warm runs are counted as though the cold ones were the fastest of all, and failures
as warm ones as far as there are so many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any, Final

from walle.protocol.reports import Report
from walle.release.histogram import bucket_of
from walle.release.run_classes import backend_class, vm_end_class

SMALLEST_MS: Final = 0.1
SMALLEST_KB: Final = 64.0
MOST_RUNS: Final = 1_000_000
"""The maximum number of runs, and of shed ones, that one report adds: counts do not overflow by a few invented ones."""
_LEVELS: Final = ((50, "p50_ms"), (90, "p90_ms"), (99, "p99_ms"), (100, "max_ms"))


@dataclass(slots=True)
class RunTally:
    """Counts of runs, either cold or warm ones.

    `durations` and `memory` are histograms (walle.release.histogram) of milliseconds and of kibibytes; `shed` are runs
    that did not take place, `vm_ends` the ends of kept VMs by cause. `backends` are the runs in which a
    backend ran a model.
    """

    runs: int = 0
    failed: int = 0
    shed: int = 0
    durations: Counter[int] = field(default_factory=Counter)
    memory: Counter[int] = field(default_factory=Counter)
    vm_ends: Counter[str] = field(default_factory=Counter)
    backends: Counter[str] = field(default_factory=Counter)

    def add(self, other: RunTally) -> None:
        self.runs += other.runs
        self.failed += other.failed
        self.shed += other.shed
        self.durations += other.durations
        self.memory += other.memory
        self.vm_ends += other.vm_ends
        self.backends += other.backends


def tallied(report: Report) -> Iterator[tuple[bool, RunTally]]:
    """Yield what a report of a run adds, as pairs of whether the runs were warm and their counts."""
    is_warm = report.start == "warm"
    ends = Counter([vm_end_class(report.vm_end)] if report.vm_end else [])
    if report.runs is None:
        durations = _counted([(1, report.duration_ms)], SMALLEST_MS)
        memory = _counted([(1, report.peak_memory_kb)], SMALLEST_KB)
        yield is_warm, RunTally(1, int(report.outcome == "failure"), 0, durations, memory, ends, _backends(report, 1))
        return
    count, cold, failed, shed = (min(report.runs[name], MOST_RUNS) for name in ("count", "cold", "failed", "shed"))
    warm = count - cold
    failed_warm = min(failed, warm)
    for of_warm, runs, part, times in (
        (False, cold, failed - failed_warm, _of_cold(report, cold)),
        (True, warm, failed_warm, _of_warm(report.runs, count, cold)),
    ):
        memory = _counted([(runs, report.peak_memory_kb)], SMALLEST_KB)
        tally = RunTally(runs, part, 0, _counted(times, SMALLEST_MS), memory, backends=_backends(report, runs))
        if of_warm is is_warm:
            tally.shed, tally.vm_ends = shed, ends
        if tally != RunTally():
            yield of_warm, tally


def _backends(report: Report, runs: int) -> Counter[str]:
    """Return the number of runs by backend; the backends that a report names count for all of its runs."""
    return Counter({name: runs for name in map(backend_class, report.backends.values()) if name and runs})


def durations_of(runs: Mapping[str, Any]) -> Counter[int]:
    """Return the histogram of the run times (ms) of an aggregate's runs, cold and warm ones together."""
    count = min(runs["count"], MOST_RUNS)
    return _counted(_within((ceil(count * percent / 100), runs.get(name)) for percent, name in _LEVELS), SMALLEST_MS)


def _of_warm(runs: Mapping[str, Any], count: int, cold: int) -> Iterator[tuple[int, float]]:
    return _within((max(0, ceil(count * percent / 100) - cold), runs.get(name)) for percent, name in _LEVELS)


def _of_cold(report: Report, cold: int) -> Iterator[tuple[int, float]]:
    """Yield cold runs with their times: half of them take at most the median, if that is what the report's time is."""
    median = report.duration_ms if report.start == "cold" else None
    return _within([((cold + 1) // 2, median), (cold, (report.runs or {}).get("max_ms"))])


def _within(levels: Iterable[tuple[int, float | None]]) -> Iterator[tuple[int, float]]:
    """Yield how many values lie between one level and the next, from how many lie up to each; None is not known."""
    before = 0
    for until, level in levels:
        if level is not None and until > before:
            yield until - before, level
            before = until


def _counted(values: Iterable[tuple[int, float | None]], smallest: float) -> Counter[int]:
    counts: Counter[int] = Counter()
    for count, value in values:
        if value is not None and count:
            counts[bucket_of(value, smallest)] += count
    return counts
