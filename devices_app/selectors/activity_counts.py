"""Rates of check-ins, installations and failures of the fleet, now and in the past hours.

Gateways store check-ins once a second, so that the counts of five seconds are complete a second after their end.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.db import connection
from django.db.models import Min, OuterRef, Q, Subquery, Sum

from devices_app.models import ActivityCount, App

BUCKET: Final = timedelta(seconds=5)
RETENTION: Final = timedelta(hours=48)
MOST_POINTS: Final = 240
COUNTS: Final = (
    *("check_ins", "offers", "installs", "failures"),
    *("registered", "enrolled_by_key", "enrolled_by_statement", "enrolments_refused"),
)
_SETTLED_AFTER: Final = timedelta(seconds=1.5)
_NOW: Final = 2 * BUCKET
_STEPS: Final = (5, 10, 15, 30, 60, 120, 300, 600, 900)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_SERIES: Final = f"""
SELECT date_bin(%(step)s, at, 'epoch') AS start, {", ".join(f"sum({name})" for name in COUNTS)}
FROM devices_app_pulse WHERE app_id = ANY(%(apps)s) AND at >= %(since)s AND at < %(until)s GROUP BY 1
"""  # noqa: S608 - names of columns


@dataclass(frozen=True)
class Rates:
    """Events per second, on average over the last ten complete seconds; `at` is their end."""

    at: datetime
    check_ins: float = 0.0
    offers: float = 0.0
    installs: float = 0.0
    failures: float = 0.0
    registered: float = 0.0
    enrolled_by_key: float = 0.0
    enrolled_by_statement: float = 0.0
    enrolments_refused: float = 0.0


@dataclass(frozen=True)
class ActivitySeries:
    """Rates per second, one for each step; `at` holds the beginnings of the steps, in Unix seconds."""

    step_s: int
    at: list[int]
    check_ins: list[float]
    offers: list[float]
    installs: list[float]
    failures: list[float]
    registered: list[float]
    enrolled_by_key: list[float]
    enrolled_by_statement: list[float]
    enrolments_refused: list[float]


def rates(apps: Collection[int], *, now: datetime) -> Rates:
    """Return the rates of the devices of these apps (primary keys) now."""
    until = _floor(now - _SETTLED_AFTER, BUCKET)
    sums = _sums(apps, until - _NOW, until, _NOW).values()
    return Rates(until, *(sum(column) / _NOW.total_seconds() for column in zip(*sums, strict=True)))


def series(apps: Collection[int], *, minutes: int, now: datetime) -> ActivitySeries:
    """Return the rates in the past minutes, in at most MOST_POINTS steps of equal length.

    An app has one row per five seconds, read by its index: two days of one app take some 20 ms.
    """
    step_s = next(step for step in _STEPS if 60 * minutes <= step * MOST_POINTS)
    step = timedelta(seconds=step_s)
    until = _floor(now - _SETTLED_AFTER, step)
    steps = 60 * minutes // step_s
    since = until - steps * step
    sums = _sums(apps, since, until, step)
    starts = [since + number * step for number in range(steps)]
    nothing = (0,) * len(COUNTS)
    columns = zip(*(sums.get(start, nothing) for start in starts), strict=True)
    per_second = {name: [count / step_s for count in column] for name, column in zip(COUNTS, columns, strict=True)}
    return ActivitySeries(step_s, [int(start.timestamp()) for start in starts], **per_second)


def last_check_ins(apps: Collection[int]) -> dict[int, datetime]:
    """Return the time of the last check-in of a device by app, for apps of which it is still known."""
    counts = ActivityCount.objects.filter(app=OuterRef("pk"), check_ins__gt=0).order_by("-at").values("at")[:1]
    rows = App.objects.filter(pk__in=apps).annotate(last=Subquery(counts)).filter(last__isnull=False)
    return dict(rows.values_list("pk", "last"))


def registered_since(app: int, since: datetime, before: datetime | None = None) -> int:
    """Return the number of devices of this app (primary key) registered since a time, or up to five seconds before.

    `before` ends the range in the same way. Times are those of the database's clock; counts are kept for RETENTION.
    """
    rows = ActivityCount.objects.filter(app=app, at__gte=_floor(since, BUCKET))
    if before is not None:
        rows = rows.filter(at__lt=_floor(before, BUCKET))
    registered: int = rows.aggregate(registered=Sum("registered", default=0))["registered"]
    return registered


@dataclass(frozen=True)
class Registrations:
    """The number of an app's new devices since a time, and of those refused.

    `first_refused` is when the first of these was refused; None if none was.
    """

    registered: int
    refused: int
    first_refused: datetime | None


def registrations(apps: Collection[int], *, since: datetime) -> dict[int, Registrations]:
    """Return the registrations since then by app (primary keys), without apps that had none."""
    rows = ActivityCount.objects.filter(app__in=list(apps), at__gte=since).values("app")
    counted = rows.annotate(
        new=Sum("registered"),
        refused=Sum("enrolments_refused"),
        first_refused=Min("at", filter=Q(enrolments_refused__gt=0)),
    )
    return {
        app: Registrations(*values) for app, *values in counted.values_list("app", "new", "refused", "first_refused")
    }


def _sums(apps: Collection[int], since: datetime, until: datetime, step: timedelta) -> dict[datetime, tuple[int, ...]]:
    """Return the sums of the counts of each step that has any, by the step's beginning."""
    parameters: dict[str, Any] = {"apps": list(apps), "since": since, "until": until, "step": step}
    with connection.cursor() as cursor:
        cursor.execute(_SERIES, parameters)
        return {start: tuple(map(int, counts)) for start, *counts in cursor.fetchall()}


def _floor(moment: datetime, step: timedelta) -> datetime:
    return moment - (moment - _EPOCH) % step
