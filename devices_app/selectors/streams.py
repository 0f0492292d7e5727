"""What stream tasks cost one device, and what they gave lately, from its reports about several runs."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from devices_app.models import Device, Report
from walle.release.histogram import quantile
from walle.release.run_tally import SMALLEST_MS, durations_of

PERIOD: Final = timedelta(days=1)
MOST_REPORTS: Final = 2_000
"""The number of newest reports of a device that are read. Devices send one for each stream task in five minutes."""
MOST_TASKS: Final = 50
FEATURES: Final = 5
FAILURES: Final = 5


@dataclass(frozen=True)
class StreamFailure:
    """A class of failures with the number of runs that failed so, and the newest message; "" for none."""

    error_class: str
    count: int
    message: str


@dataclass(frozen=True)
class StreamFeature:
    """The output of the last run of one report; `runs` is how many it was about."""

    at: datetime
    version: str
    runs: int
    output: Any


@dataclass
class TunnelCost:
    """What a device sent of a task's features; `dropped` and `connects` are of all its tasks."""

    features: int = 0
    raw_bytes: int = 0
    wire_bytes: int = 0
    dropped: int = 0
    connects: int = 0

    def add(self, told: Mapping[str, int]) -> None:
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + told[each.name])


@dataclass
class StreamCost:
    """The runs of one task on a device during PERIOD, and its newest features, newest first.

    `since` and `until` are by the device's clock, `durations` is a histogram of milliseconds. `tunnel` is None where no
    report tells of what was sent.
    """

    task: str
    version: str
    since: datetime
    until: datetime
    runs: int = 0
    failed: int = 0
    shed: int = 0
    events: int = 0
    cpu_ms: float = 0.0
    durations: Counter[int] = field(default_factory=Counter)
    failures: list[StreamFailure] = field(default_factory=list)
    features: list[StreamFeature] = field(default_factory=list)
    tunnel: TunnelCost | None = None

    @property
    def p50_ms(self) -> float | None:
        return self._quantile(0.5)

    @property
    def p99_ms(self) -> float | None:
        return self._quantile(0.99)

    @property
    def cpu_s(self) -> float:
        return round(self.cpu_ms / 1000, 3)

    def _quantile(self, share: float) -> float | None:
        counts = [self.durations[bucket] for bucket in range(max(self.durations, default=-1) + 1)]
        found = quantile(counts, share, SMALLEST_MS)
        return None if found is None else float(f"{found:.3g}")


class _AggregateReport(NamedTuple):
    """One report about several runs, without its output."""

    pk: int
    task: str
    version: str
    reported_at: datetime
    runs: dict[str, Any]


def streams_of(device: Device, *, now: datetime) -> list[StreamCost]:
    """Return what each stream task has cost the device for a day; the task that reported last comes first."""
    by_task: dict[str, list[_AggregateReport]] = defaultdict(list)
    for report in _newest(device, now):
        if report.task in by_task or len(by_task) < MOST_TASKS:
            by_task[report.task].append(report)
    features = _features([report for several in by_task.values() for report in several[:FEATURES]])
    return [_cost(several, features[task]) for task, several in by_task.items()]


def _newest(device: Device, now: datetime) -> list[_AggregateReport]:
    reports = Report.objects.filter(app=device.app_id, device=device.device, received_at__gt=now - PERIOD)
    newest = reports.order_by("-received_at", "-id")[:MOST_REPORTS]
    rows = newest.values_list("pk", "task", "version", "reported_at", "runs")
    return [_AggregateReport(pk, task, version, at, runs) for pk, task, version, at, runs in rows if runs is not None]


def _features(several: Sequence[_AggregateReport]) -> dict[str, list[StreamFeature]]:
    """Return the outputs of these reports by task, in their order; those without one are left out."""
    outputs = dict(Report.objects.filter(pk__in=[report.pk for report in several]).values_list("pk", "output"))
    found: dict[str, list[StreamFeature]] = defaultdict(list)
    for report in several:
        if (output := outputs.get(report.pk)) is not None:
            found[report.task].append(StreamFeature(report.reported_at, report.version, report.runs["count"], output))
    return found


def _cost(several: Sequence[_AggregateReport], features: list[StreamFeature]) -> StreamCost:
    newest = several[0]
    cost = StreamCost(
        newest.task,
        newest.version,
        since=_moment(min(report.runs["since"] for report in several)),
        until=_moment(max(report.runs["until"] for report in several)),
        failures=_failures(several),
        features=features,
    )
    for report in several:
        cost.runs += report.runs["count"]
        cost.failed += report.runs["failed"]
        cost.shed += report.runs["shed"]
        cost.events += report.runs["events"]
        cost.cpu_ms += report.runs.get("cpu_ms") or 0.0
        cost.durations += durations_of(report.runs)
        if told := report.runs.get("tunnel"):
            cost.tunnel = cost.tunnel or TunnelCost()
            cost.tunnel.add(told)
    return cost


def _failures(several: Iterable[_AggregateReport]) -> list[StreamFailure]:
    """Return the most frequent classes of the failures that reports name, which are the first ones of each."""
    counts: Counter[str] = Counter()
    messages: dict[str, str] = {}
    for report in several:
        for failure in report.runs["failures"]:
            counts[failure["error_class"]] += failure["count"]
            messages.setdefault(failure["error_class"], failure.get("message") or "")
    return [StreamFailure(name, count, messages[name]) for name, count in counts.most_common(FAILURES)]


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
