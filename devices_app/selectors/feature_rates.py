"""How many features arrive, how long they are before and after compression, and how long they take to come.

All of it comes from the counts of each minute, app and task that are stored with the features: the features themselves
are not read.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.db import connection

from accounts_app.selectors import slugs_among
from devices_app.models import App
from devices_app.selectors.feature_views import Scopes
from walle.release.histogram import MOST_BUCKETS, quantile

MINUTE: Final = timedelta(minutes=1)
LONGEST: Final = timedelta(days=1)
MOST_POINTS: Final = 240
MOST_TASKS: Final = 50
COLUMNS: Final = ("features", "raw_bytes", "wire_bytes", "p50_ms", "p90_ms", "p99_ms")
"""What is said of each step."""
SMALLEST_MS: Final = 1.0
"""Where the histograms of delays begin."""
_STEPS: Final = (60, 120, 300, 360)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_WITHIN: Final = """
FROM devices_app_featurecount WHERE minute >= %(since)s AND minute < %(until)s
AND (%(everything)s OR app_id = ANY(%(apps)s) OR split_part(task, '/', 1) = ANY(%(scenarios)s))
AND (%(app)s::bigint IS NULL OR app_id = %(app)s) AND (%(task)s::text IS NULL OR task = %(task)s)
"""
_SUMS: Final = f"""
SELECT date_bin(%(step)s, minute, 'epoch'), task, sum(features), sum(raw_bytes), sum(wire_bytes) {_WITHIN} GROUP BY 1, 2
"""
_DELAYS: Final = f"""
SELECT start, task, bucket, sum(number) FROM (
    SELECT date_bin(%(step)s, minute, 'epoch') AS start, task, since_event {_WITHIN}
) AS counted, unnest(since_event) WITH ORDINALITY AS histogram (number, bucket)
WHERE number > 0 GROUP BY GROUPING SETS ((start, bucket), (task, bucket), (bucket))
"""  # noqa: S608 - a constant text


@dataclass
class Amount:
    """How many features, the bytes of their values as JSON and as they were sent, and a histogram of their delays."""

    features: int = 0
    raw_bytes: int = 0
    wire_bytes: int = 0
    delays: dict[int, int] = field(default_factory=dict)

    def add(self, features: int, raw_bytes: int, wire_bytes: int) -> None:
        self.features += features
        self.raw_bytes += raw_bytes
        self.wire_bytes += wire_bytes

    def delay_ms(self, share: float) -> float | None:
        """Return the delay in milliseconds that a share of the features do not exceed; None of none."""
        counts = [self.delays.get(bucket, 0) for bucket in range(min(MOST_BUCKETS, max(self.delays, default=-1) + 1))]
        found = quantile(counts, share, SMALLEST_MS)
        return None if found is None else float(f"{found:.3g}")

    @property
    def p50_ms(self) -> float | None:
        return self.delay_ms(0.5)

    @property
    def p90_ms(self) -> float | None:
        return self.delay_ms(0.9)

    @property
    def p99_ms(self) -> float | None:
        return self.delay_ms(0.99)


@dataclass
class TaskAmount(Amount):
    """The amount of one task, and its features by step."""

    task: str = ""
    steps: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class FeatureSeries:
    """Amounts by step, in columns, and by task; `at` holds the beginnings of the steps in Unix seconds."""

    step_s: int
    at: list[int]
    features: list[int]
    raw_bytes: list[int]
    wire_bytes: list[int]
    p50_ms: list[float | None]
    p90_ms: list[float | None]
    p99_ms: list[float | None]
    tasks: list[TaskAmount]


@dataclass(frozen=True)
class FeatureRate:
    """What arrived since the minute before the present one began, per second."""

    features: float
    raw_bytes: float
    wire_bytes: float
    p50_ms: float | None
    p90_ms: float | None
    p99_ms: float | None


def series(
    scopes: Scopes, *, app: str | None = None, task: str | None = None, minutes: int, now: datetime
) -> FeatureSeries:
    """Return what arrived in the past minutes, in at most MOST_POINTS steps that are over."""
    step_s = next(each for each in _STEPS if 60 * minutes <= each * MOST_POINTS)
    step = timedelta(seconds=step_s)
    until = now - (now - _EPOCH) % step
    number = max(1, 60 * minutes // step_s)
    since = until - number * step
    sums, by_step, by_task, _ = _read(scopes, app, task, since=since, until=until, step=step)
    starts = {since + place * step: place for place in range(number)}
    amounts = [Amount(delays=by_step[start]) for start in starts]
    tasks = {name: TaskAmount(task=name, steps=[0] * number, delays=by_task[name]) for _, name in sums}
    for (start, name), counts in sums.items():
        amounts[starts[start]].add(*counts)
        tasks[name].add(*counts)
        tasks[name].steps[starts[start]] += counts[0]
    busiest = sorted(tasks.values(), key=lambda each: (-each.features, each.task))[:MOST_TASKS]
    columns: dict[str, list[Any]] = {name: [getattr(each, name) for each in amounts] for name in COLUMNS}
    return FeatureSeries(step_s, [int(start.timestamp()) for start in starts], **columns, tasks=busiest)


def rate(scopes: Scopes, *, app: str | None = None, now: datetime) -> FeatureRate:
    """Return what arrives per second now: on average over one to two minutes."""
    since = now - (now - _EPOCH) % MINUTE - MINUTE
    sums, _, _, delays = _read(scopes, app, None, since=since, until=now + MINUTE, step=LONGEST)
    amount = Amount(delays=delays)
    for counts in sums.values():
        amount.add(*counts)
    seconds = (now - since).total_seconds()
    return FeatureRate(
        _rounded(amount.features / seconds),
        _rounded(amount.raw_bytes / seconds),
        _rounded(amount.wire_bytes / seconds),
        amount.p50_ms,
        amount.p90_ms,
        amount.p99_ms,
    )


def _rounded(rate: float) -> float:
    return float(f"{rate:.4g}")


Sums = Mapping[tuple[datetime, str], Sequence[int]]
Delays = dict[int, int]


def _read(
    scopes: Scopes, app: str | None, task: str | None, *, since: datetime, until: datetime, step: timedelta
) -> tuple[Sums, Mapping[datetime, Delays], Mapping[str, Delays], Delays]:
    """Return the sums of each step and task, and the histograms of each step, of each task, and of everything."""
    apps = dict(App.objects.values_list("slug", "pk")) if app or scopes is not None else {}
    parameters: dict[str, Any] = {
        "everything": scopes is None,
        "apps": [apps[slug] for slug in slugs_among(scopes or (), "app") if slug in apps],
        "scenarios": list(slugs_among(scopes or (), "scenario")),
        # No app has the number 0.
        "app": None if app is None else apps.get(app, 0),
        **{"task": task, "since": since, "until": until, "step": step},
    }
    by_step: dict[datetime, Delays] = defaultdict(dict)
    by_task: dict[str, Delays] = defaultdict(dict)
    whole: Delays = {}
    with connection.cursor() as cursor:
        cursor.execute(_SUMS, parameters)
        sums = {(start, name): tuple(map(int, counts)) for start, name, *counts in cursor.fetchall()}
        cursor.execute(_DELAYS, parameters)
        for start, name, bucket, count in cursor.fetchall():
            delays = by_step[start] if start is not None else by_task[name] if name is not None else whole
            delays[bucket - 1] = int(count)
    return sums, by_step, by_task, whole
