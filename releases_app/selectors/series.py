"""A release over time: the outcomes of its devices at each moment, with bounds of the failure rate.

All of it is computed from exposures, found by the index that begins with their release: 4 us each where they are few,
so that those of `MANY` devices take 20 ms, and a million 1.5 s. Therefore, like other figures of a release, the counts
of more devices are those stored last (releases_app.services.figures). The bounds of the failure rate cost 0.1 ms for
each point, the first time.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from math import ceil
from typing import Any, Final

from django.db import connection

from accounts_app.actors import SYSTEM
from releases_app.models import KeptFigures, Release
from releases_app.models.exposures import ARMS
from walle.release.evidence import ArmCounts
from walle.release.finding import ALPHAS
from walle.release.findings import failure_bounds
from walle.release.limits import Limits
from walle.release.states import UNFINISHED

MANY: Final = 5_000
"""The number of exposures from which they are not counted for each request."""
MOST_POINTS: Final = 240
COUNTS: Final = ("drawn", "offered", "installed", "healthy", "failed", "silent")
CONFIDENCE: Final = 1 - 2 * ALPHAS["limit"]
MOST_EVENTS: Final = 200
_DAY: Final = 86_400
_STEPS: Final = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, _DAY)

_LAST: Final = """
SELECT greatest(max(drawn_at), max(offered_at), max(installed_at), max(settled_at))
FROM releases_app_exposure WHERE release = %s
"""
# A device is silent from the end of its silence timeout on, which is settled some time later (services.silence). Many
# devices have all their events in the same steps: they are grouped first.
_SERIES: Final = """
WITH alike AS (
    SELECT arm, outcome, count(*) AS devices,
        date_bin(%(step)s, drawn_at, %(start)s) AS drawn, date_bin(%(step)s, offered_at, %(start)s) AS offered,
        date_bin(%(step)s, installed_at, %(start)s) AS installed,
        date_bin(%(step)s, CASE WHEN vouched OR first_seen < %(began)s THEN settled_at END, %(start)s) AS settled,
        date_bin(%(step)s, CASE WHEN silent THEN CASE arm WHEN 'control' THEN drawn_at ELSE offered_at END END
            + %(silence)s, %(start)s) AS silent
    FROM releases_app_exposure WHERE release = %(release)s AND arm <> 'repeat' GROUP BY 1, 2, 4, 5, 6, 7, 8
)
SELECT arm, what, begins, sum(devices)::bigint FROM alike CROSS JOIN LATERAL (VALUES
    ('drawn', drawn), ('offered', offered), ('installed', installed), ('silent', silent),
    (CASE outcome WHEN 'failure' THEN 'failed' ELSE 'healthy' END, settled)
) became (what, begins)
WHERE begins IS NOT NULL GROUP BY 1, 2, 3
"""


@dataclass(frozen=True)
class ArmSeries:
    """The numbers of devices of one arm until each moment.

    `drawn` were selected; the other counts are of these. `healthy` and `failed` are established devices, which verdicts
    count (walle.release.evidence). `rate` is the share of `failed` among those that reported, None while none has.
    """

    drawn: list[int] = field(default_factory=list)
    offered: list[int] = field(default_factory=list)
    installed: list[int] = field(default_factory=list)
    healthy: list[int] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)
    silent: list[int] = field(default_factory=list)

    @property
    def rate(self) -> list[float | None]:
        pairs = zip(self.healthy, self.failed, strict=True)
        return [failed / (healthy + failed) if healthy + failed else None for healthy, failed in pairs]

    def to_dict(self) -> dict[str, Any]:
        return {**vars(self), "rate": self.rate}


@dataclass(frozen=True)
class ReleaseEvent:
    """An event of the release: a move (`name` is the action) or a new verdict (`name` is its kind)."""

    at: datetime
    kind: str
    name: str
    actor: str
    text: str
    state: str
    position: int | None


@dataclass(frozen=True)
class ReleaseSeries:
    """The counts of both arms at up to MOST_POINTS moments, `at` in Unix seconds.

    `low` and `high` bound treatment's failure rate at each. `counted_at` is None if they were counted now.
    """

    step_s: int
    at: list[int]
    treatment: ArmSeries
    control: ArmSeries
    low: list[float]
    high: list[float]
    limits: Limits
    confidence: float
    events: list[ReleaseEvent]
    counted_at: datetime | None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON for people, which contains only the failure limits."""
        limits = self.limits
        return {
            **{name: value for name, value in vars(self).items() if name != "limits"},
            "limit": limits.failure_rate,
            "stop_rate": limits.stop_rate,
            "stop_after": limits.stop_after,
            "treatment": self.treatment.to_dict(),
            "control": self.control.to_dict(),
            "events": [vars(event) for event in self.events],
        }


def events_of(release: Release) -> list[ReleaseEvent]:
    """Return the newest moves and verdicts of a release, in order."""
    moves = release.transitions.order_by("-id").values_list(
        "at", "action", "actor_name", "reason", "after", "position_after"
    )
    verdicts = release.verdicts.order_by("-id").values_list("at", "kind", "sentence", "stage__position")
    found = [
        ReleaseEvent(at, "move", action, actor, reason, state, position)
        for at, action, actor, reason, state, position in moves[:MOST_EVENTS]
    ]
    found += [
        ReleaseEvent(at, "verdict", kind, SYSTEM.name, sentence, "", position)
        for at, kind, sentence, position in verdicts[:MOST_EVENTS]
    ]
    return sorted(found, key=lambda event: event.at)[-MOST_EVENTS:]


def count_series(release: Release, *, now: datetime) -> dict[str, Any]:
    """Count the devices over time: `step_s`, `at`, and the counts of each arm."""
    if (start := release.began_at) is None:
        return {"step_s": 0, "at": [], **{arm: asdict(ArmSeries()) for arm in ARMS}}
    end = now if release.state in UNFINISHED else min(now, _last(release) or now)
    step_s = _step(max(0.0, (end - start).total_seconds()))
    first = int(start.timestamp()) // step_s * step_s
    points = max(0, int(end.timestamp()) - first) // step_s + 1
    start, step = datetime.fromtimestamp(first, UTC), timedelta(seconds=step_s)
    parameters: dict[str, Any] = {"release": release.pk, "began": release.began_at, "start": start, "step": step}
    parameters["silence"] = timedelta(seconds=release.parsed_strategy.silence_s)
    with connection.cursor() as cursor:
        cursor.execute(_SERIES, parameters)
        rows = [(arm, event, (begins - start) // step, count) for arm, event, begins, count in cursor.fetchall()]
    arms = _arms(rows, points)
    ends = [min(first + (number + 1) * step_s, int(end.timestamp()) + 1) for number in range(points)]
    return {"step_s": step_s, "at": ends, **arms}


def _last(release: Release) -> datetime | None:
    """Return when a device or the release itself last changed."""
    with connection.cursor() as cursor:
        cursor.execute(_LAST, [release.pk])
        (device,) = cursor.fetchone()
    moved = release.transitions.order_by("-id").values_list("at", flat=True).first()
    return max((at for at in (device, moved) if at), default=None)


def _step(seconds: float) -> int:
    """Return the length of steps that cover so much time, wherever in the first one it begins."""
    fitting = (step for step in _STEPS if seconds < step * (MOST_POINTS - 1))
    return next(fitting, ceil((seconds + 1) / (MOST_POINTS - 1) / _DAY) * _DAY)


def _arms(rows: Iterable[tuple[str, str, int, int]], points: int) -> dict[str, dict[str, list[int]]]:
    """Return the counts of each arm until the end of each step; events outside belong to the first step or the last."""
    added: Mapping[tuple[str, str], list[int]] = defaultdict(lambda: [0] * points)
    for arm, event, place, count in rows:
        added[arm, event][max(0, min(place, points - 1))] += count
    return {arm: {event: list(accumulate(added[arm, event])) for event in COUNTS} for arm in ARMS}


def series_of(release: Release, *, now: datetime) -> ReleaseSeries:
    """Return the release over time."""
    stored = KeptFigures.objects.filter(release=release.pk).defer("figures").first()
    if stored is None or stored.series is None:
        return _shown(release, count_series(release, now=now), None)
    if stored.drawn < MANY:
        counted = count_series(release, now=now)
        if _selected_in(counted) >= stored.drawn:
            return _shown(release, counted, None)
    return _shown(release, stored.series, stored.counted_at)


def _bounds(arm: ArmSeries, limits: Limits) -> list[tuple[float, float]]:
    """Return the bounds of the failure rate at each moment, computed once for each pair of counts."""
    outcomes = list(zip(arm.healthy, arm.failed, strict=True))
    bounds = {
        (healthy, failed): failure_bounds(
            ArmCounts(drawn=healthy + failed, reported=healthy + failed, failed=failed), limits
        )
        for healthy, failed in set(outcomes)
    }
    return [bounds[outcome] for outcome in outcomes]


def _selected_in(counted: Mapping[str, Any]) -> int:
    return sum(counted[arm]["drawn"][-1] for arm in ARMS if counted["at"])


def _shown(release: Release, counted: Mapping[str, Any], counted_at: datetime | None) -> ReleaseSeries:
    treatment, limits = ArmSeries(**counted["treatment"]), release.parsed_strategy.limits
    bounds = _bounds(treatment, limits)
    return ReleaseSeries(
        step_s=counted["step_s"],
        at=counted["at"],
        treatment=treatment,
        control=ArmSeries(**counted["control"]),
        low=[low for low, _ in bounds],
        high=[high for _, high in bounds],
        limits=limits,
        confidence=CONFIDENCE,
        events=events_of(release),
        counted_at=counted_at,
    )
