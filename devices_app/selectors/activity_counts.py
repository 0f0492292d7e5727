"""How fast the fleet checks in, installs and fails: now, and in the past hours.

Gateways store check-ins once a second, so that five seconds are told a second after their end.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.db import connection
from django.db.models import Min, OuterRef, Q, Subquery, Sum

from devices_app.models import ActivityCount, App

BUCKET: Final = timedelta(seconds=5)
KEPT: Final = timedelta(hours=48)
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
    """What happens per second, on average over the last ten seconds that are settled; `at` is their end."""

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
    """Rates per second, one for each step; `at` is when the steps began, in Unix seconds."""

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
    """What the devices of these apps (primary keys) do per second now."""
    until = _floor(now - _SETTLED_AFTER, BUCKET)
    sums = _sums(apps, until - _NOW, until, _NOW).values()
    return Rates(until, *(sum(column) / _NOW.total_seconds() for column in zip(*sums, strict=True)))


def series(apps: Collection[int], *, minutes: int, now: datetime) -> ActivitySeries:
    """What they did per second in the past minutes, in at most MOST_POINTS steps of equal length.

    An app has a row for each five seconds, read by its index: some 20 ms for the whole two days of one.
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
    told = {name: [count / step_s for count in column] for name, column in zip(COUNTS, columns, strict=True)}
    return ActivitySeries(step_s, [int(start.timestamp()) for start in starts], **told)


def last_check_ins(apps: Collection[int]) -> dict[int, datetime]:
    """When devices of these apps checked in last, by app, as far as that is still known."""
    beats = ActivityCount.objects.filter(app=OuterRef("pk"), check_ins__gt=0).order_by("-at").values("at")[:1]
    rows = App.objects.filter(pk__in=apps).annotate(last=Subquery(beats)).filter(last__isnull=False)
    return dict(rows.values_list("pk", "last"))


def registered_since(app: int, since: datetime, before: datetime | None = None) -> int:
    """How many devices of this app (primary key) the registry came to know since a time, or up to five seconds before.

    With `before`, only until then, likewise. Told by the database's clock; not known for longer than KEPT.
    """
    rows = ActivityCount.objects.filter(app=app, at__gte=_floor(since, BUCKET))
    if before is not None:
        rows = rows.filter(at__lt=_floor(before, BUCKET))
    registered: int = rows.aggregate(registered=Sum("registered", default=0))["registered"]
    return registered


@dataclass(frozen=True)
class Registrations:
    """How many new devices of an app came since a time, and how many were not let in.

    `first_refused` is when the first of these was; None: none was.
    """

    registered: int
    refused: int
    first_refused: datetime | None


def registrations(apps: Collection[int], *, since: datetime) -> dict[int, Registrations]:
    """By app (primary keys), of those of which anything is known since then."""
    rows = ActivityCount.objects.filter(app__in=list(apps), at__gte=since).values("app")
    counted = rows.annotate(
        new=Sum("registered"),
        refused=Sum("enrolments_refused"),
        first_refused=Min("at", filter=Q(enrolments_refused__gt=0)),
    )
    return {app: Registrations(*told) for app, *told in counted.values_list("app", "new", "refused", "first_refused")}


def _sums(apps: Collection[int], since: datetime, until: datetime, step: timedelta) -> dict[datetime, tuple[int, ...]]:
    """What was counted in each step that has any, by when it began."""
    asked: dict[str, Any] = {"apps": list(apps), "since": since, "until": until, "step": step}
    with connection.cursor() as cursor:
        cursor.execute(_SERIES, asked)
        return {start: tuple(map(int, counts)) for start, *counts in cursor.fetchall()}


def _floor(moment: datetime, step: timedelta) -> datetime:
    return moment - (moment - _EPOCH) % step
