"""How a task runs, by class of devices: times, memory, and the life of its VM, from what was counted of its reports."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from django.db import connection

from tasks_app.models import Task
from walle.release.histogram import quantile
from walle.release.run_classes import DeviceClass
from walle.release.run_tally import SMALLEST_KB, SMALLEST_MS

STEP: Final = timedelta(hours=6)
"""The time whose runs are counted in one row for each class; the least that figures tell apart."""
MOST_DAYS: Final = 30
KEPT: Final = timedelta(days=MOST_DAYS) + STEP
QUANTILES: Final = (0.5, 0.9, 0.99)

# Classes are few (walle.release.run_classes), and so are the rows of a task: the histograms are added up bucket by
# bucket before anything leaves the database.
_TOTALS: Final = """
SELECT os, performance, warm, sum(runs)::bigint, sum(failed)::bigint, sum(shed)::bigint FROM tasks_app_runcount
WHERE task_id = %(task)s AND at >= %(since)s GROUP BY 1, 2, 3
"""
_BUCKETS: Final = """
SELECT os, performance, warm, what, place::int - 1, sum(counted)::bigint FROM tasks_app_runcount
CROSS JOIN LATERAL (
    SELECT 'durations', * FROM unnest(durations) WITH ORDINALITY
    UNION ALL SELECT 'memory', * FROM unnest(memory) WITH ORDINALITY
) buckets (what, counted, place)
WHERE task_id = %(task)s AND at >= %(since)s AND counted > 0 GROUP BY 1, 2, 3, 4, 5
"""
_COUNTED: Final = """
SELECT what, os, performance, key, sum(value::bigint)::bigint FROM tasks_app_runcount
CROSS JOIN LATERAL (
    SELECT 'ends', * FROM jsonb_each_text(vm_ends) UNION ALL SELECT 'backends', * FROM jsonb_each_text(backends)
) counted (what, key, value)
WHERE task_id = %(task)s AND at >= %(since)s GROUP BY 1, 2, 3, 4
"""


@dataclass(frozen=True)
class RunQuantiles:
    """Three quantiles of a measurement."""

    p50: float
    p90: float
    p99: float


@dataclass
class StartRuns:
    """Cold runs or warm ones: how many, and the histograms of their milliseconds and kibibytes."""

    runs: int = 0
    failed: int = 0
    shed: int = 0
    durations: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    memory: dict[int, int] = field(default_factory=lambda: defaultdict(int))

    @property
    def duration_ms(self) -> RunQuantiles | None:
        return _quantiles(self.durations, SMALLEST_MS)

    @property
    def peak_memory_kb(self) -> RunQuantiles | None:
        return _quantiles(self.memory, SMALLEST_KB)

    def add(self, other: "StartRuns") -> None:
        self.runs += other.runs
        self.failed += other.failed
        self.shed += other.shed
        for mine, theirs in ((self.durations, other.durations), (self.memory, other.memory)):
            for bucket, count in theirs.items():
                mine[bucket] += count


@dataclass
class ClassRuns:
    """The runs on one class of devices, or on all.

    `ends` counts the ends of kept VMs by cause, `backends` the runs in which one of the tensor engine ran a model.
    """

    os: str = ""
    performance: str = ""
    cold: StartRuns = field(default_factory=StartRuns)
    warm: StartRuns = field(default_factory=StartRuns)
    ends: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    backends: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    @property
    def runs(self) -> int:
        return self.cold.runs + self.warm.runs

    @property
    def failed(self) -> int:
        return self.cold.failed + self.warm.failed

    @property
    def shed(self) -> int:
        return self.cold.shed + self.warm.shed

    @property
    def vm_ends(self) -> list[dict[str, str | int]]:
        """The causes, the most frequent first."""
        return [{"cause": cause, "count": count} for cause, count in _most_first(self.ends)]

    @property
    def model_backends(self) -> list[dict[str, str | int]]:
        """The backends, the most used first."""
        return [{"backend": backend, "runs": runs} for backend, runs in _most_first(self.backends)]

    def add(self, other: "ClassRuns") -> None:
        self.cold.add(other.cold)
        self.warm.add(other.warm)
        for mine, theirs in ((self.ends, other.ends), (self.backends, other.backends)):
            for name, count in theirs.items():
                mine[name] += count


@dataclass(frozen=True)
class TaskRuns:
    """The runs of a task since a moment, on all devices and on each class of them, the most runs first."""

    since: datetime
    all: ClassRuns
    classes: list[ClassRuns]


def runs_of(task: Task, *, days: int, now: datetime) -> TaskRuns:
    """How a task has run for so many days, 1 to MOST_DAYS, from the beginning of a STEP on."""
    since = _step_before(now - timedelta(days=days))
    found: dict[DeviceClass, ClassRuns] = {}

    def of(system: str, performance: str) -> ClassRuns:
        return found.setdefault(DeviceClass(system, performance), ClassRuns(system, performance))

    asked: dict[str, int | datetime] = {"task": task.pk, "since": since}
    with connection.cursor() as cursor:
        cursor.execute(_TOTALS, asked)
        for system, performance, warm, runs, failed, shed in cursor.fetchall():
            start = _start(of(system, performance), warm=warm)
            start.runs, start.failed, start.shed = runs, failed, shed
        cursor.execute(_BUCKETS, asked)
        for system, performance, warm, what, bucket, count in cursor.fetchall():
            getattr(_start(of(system, performance), warm=warm), what)[bucket] = count
        cursor.execute(_COUNTED, asked)
        for what, system, performance, name, count in cursor.fetchall():
            getattr(of(system, performance), what)[name] = count
    every = ClassRuns()
    for each in found.values():
        every.add(each)
    return TaskRuns(since, every, sorted(found.values(), key=lambda each: (-each.runs, each.os, each.performance)))


def _most_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _start(runs: ClassRuns, *, warm: bool) -> StartRuns:
    return runs.warm if warm else runs.cold


def _step_before(moment: datetime) -> datetime:
    length = STEP.total_seconds()
    return datetime.fromtimestamp(moment.timestamp() // length * length, UTC)


def _quantiles(histogram: Mapping[int, int], smallest: float) -> RunQuantiles | None:
    counts = [histogram.get(bucket, 0) for bucket in range(max(histogram, default=-1) + 1)]
    values = [quantile(counts, share, smallest) for share in QUANTILES]
    known = [float(f"{value:.3g}") for value in values if value is not None]
    return RunQuantiles(*known) if known else None
