"""Count a release's exposures: the evidence of verdicts, and the figures for people."""

from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, Final

from django.db import connection

from accounts_app.actors import SYSTEM
from devices_app.selectors.interruptions import interruptions
from devices_app.selectors.newcomers import new_devices, usual_registrations
from releases_app.models import KeptFigures, Release, Stage
from releases_app.models.exposures import ARMS
from releases_app.selectors.awaiting import OpenDevices, condition_of, open_devices
from releases_app.selectors.deferring import by_reason, deferring
from releases_app.selectors.tallies import ReleaseTallies, Tallies, Tally, release_tallies
from tasks_app.models import CloudHalfState, TaskVersion
from walle.protocol.kinds import PIPELINE
from walle.release.attribution import OUTAGE_WAIT_S
from walle.release.counted_time import counted_seconds
from walle.release.evidence import (
    SURGE_WINDOW_S,
    Baseline,
    CloudFailures,
    Evidence,
    NewDevices,
    SampleRatio,
    TriggerWait,
)
from walle.release.findings import SURGE_LEAST
from walle.release.grid import POINTS
from walle.release.states import ReleaseAction, ReleaseState

MANY: Final = 10_000
"""The number of exposures from which they are not counted for each request."""

_QUANTILES = """
SELECT arm, percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY cold_ms),
    percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY warm_ms)
FROM releases_app_exposure
WHERE release = %(release)s AND arm <> 'repeat' AND (cold_ms IS NOT NULL OR warm_ms IS NOT NULL) GROUP BY arm
"""
_ERRORS = """
SELECT error_class, count(*) FROM releases_app_exposure
WHERE release = %(release)s AND arm = 'treatment' AND outcome = 'failure'
GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10
"""
_LATE_FAILURES: Final = """
SELECT stage.position, count(*)
FROM releases_app_exposure exposure JOIN releases_app_stage stage ON stage.id = exposure.stage
WHERE exposure.release = %(release)s AND exposure.arm = 'treatment' AND exposure.outcome = 'failure'
    AND exposure.settled_at > stage.left_at
GROUP BY 1
"""


def evidence_of(release: Release, tallies: ReleaseTallies, stage: Stage, *, now: datetime) -> Evidence:
    """Return the evidence for a verdict about a stage, from the tallies."""
    of_arms, strategy = tallies.of_arms(stage), release.parsed_strategy
    treatment, control = of_arms.treatment, of_arms.control
    compared = [each for each in release.stages.all() if strategy.is_compared(each.position)]
    begun = [each.pk for each in compared if each.position <= stage.position]
    new = _new_devices(release, of_arms.new_treatment, now)
    low, high = strategy.compared_buckets
    shares = high - low, strategy.control_share
    selected = treatment.comparable, control.comparable + of_arms.crossed.comparable
    return Evidence(
        treatment=treatment.counts,
        control=control.counts if control.counts.drawn else None,
        ratio=SampleRatio(*selected, *shares) if all(shares) else None,
        baseline=Baseline(
            release.baseline.get("latency_ms"),
            release.baseline.get("warm_latency_ms"),
            strategy.metric,
            release.baseline.get("median"),
            *(tuple(release.baseline.get(name, ())) for name in ("cold_grid", "warm_grid", "metric_grid")),
        ),
        new=new,
        kept=release.baseline.get("kept", False),
        trigger=_trigger_wait(release, treatment.installed, now),
        callers=release.version.kind == PIPELINE,
        cloud=None if new.accepted else _cloud_failures(release.version),
        stages=tuple(tallies.of_stages(begun)),
        compared=len(compared),
        patient=_is_patient(release, now),
    )


def _is_patient(release: Release, now: datetime) -> bool:
    """Return whether control may still report before the version is held responsible for what broke lately."""
    if release.state != ReleaseState.PAUSED:
        return True
    paused = release.transitions.filter(action=ReleaseAction.PAUSE).order_by("-id").first()
    return paused is None or counted_seconds(paused.at, now, None, interruptions(paused.at, now)) < OUTAGE_WAIT_S


def _cloud_failures(version: TaskVersion) -> CloudFailures | None:
    """Return how the cloud half of a version fails now; None if it does not, or there is none."""
    if not version.cloud:
        return None
    failing = CloudHalfState.objects.filter(version=version, failures__gt=0).values_list("failures", "error").first()
    return CloudFailures(*failing) if failing else None


def _trigger_wait(release: Release, installed: int, now: datetime) -> TriggerWait | None:
    """Return what established devices wait for, of which so many have installed the version."""
    if not (condition := condition_of(release)):
        return None
    found = open_devices(release, now=now)
    waiting = sum((each for (_, established), each in found.items() if established), OpenDevices())
    return TriggerWait(condition, installed, waiting.awaiting, waiting.quiet)


def _new_devices(release: Release, tally: Tally, now: datetime) -> NewDevices:
    window = timedelta(seconds=SURGE_WINDOW_S)
    since = max(now - window, release.began_at or now)
    registered = new_devices(release.app_id, since=since)
    many = registered >= SURGE_LEAST
    usual = usual_registrations(release.app_id, window, before=since) if many else 0.0
    return NewDevices(tally.counts, registered, usual, accepted=_is_accepted(release))


def _is_accepted(release: Release) -> bool:
    """Return whether somebody resumed the release in this stage after it had paused by itself."""
    moves = release.transitions.filter(action__in=[ReleaseAction.PAUSE, ReleaseAction.RESUME])
    here = list(moves.filter(position_after=release.position).order_by("id").values_list("action", "actor_name"))
    return any(
        before == (ReleaseAction.PAUSE, SYSTEM.name) and action == ReleaseAction.RESUME
        for before, (action, _) in pairwise(here)
    )


def figures_of(release: Release, *, now: datetime) -> dict[str, Any]:
    """Return the figures for people: counts by arm and by stage, run times in ms, and the most frequent errors.

    They are counted now, when `counted_at` is None; or at that time, if many exposures are counted from time to time
    only (services.figures), or were deleted at `exposures_deleted_at`.
    """
    stored = KeptFigures.objects.filter(release=release.pk).defer("series").first()
    if stored is None or stored.drawn < MANY:
        figures = count_figures(release, now=now)
        if stored is None or selected_in(figures) >= stored.drawn:
            return {**figures, "counted_at": None, "exposures_deleted_at": None}
    deleted = stored.exposures_deleted_at
    return {
        **stored.figures,
        "counted_at": stored.counted_at.isoformat(),
        "exposures_deleted_at": deleted.isoformat() if deleted else None,
    }


def selected_in(figures: dict[str, Any]) -> int:
    """Return the number of devices of both arms that figures count."""
    return sum(int(figures[arm]["drawn"]) for arm in ARMS)


def count_figures(release: Release, *, now: datetime) -> dict[str, Any]:
    """Return the figures of now: run times and errors take some milliseconds for ten thousand exposures, almost a
    second for a million.
    """
    stages, tallies = release.stages.all(), release_tallies(release)
    figures = _arms(tallies.of_arms(next((each for each in stages if each.position == release.position), None)))
    by_stage = ((stage.position, tallies.of_stage(stage)) for stage in stages)
    figures["stages"] = [_stage_figures(position, counts) for position, counts in by_stage if counts.get("drawn")]
    with connection.cursor() as cursor:
        cursor.execute(_QUANTILES, {"release": release.pk})
        for arm, cold, warm in cursor.fetchall():
            figures[arm] = {**figures[arm], **_named("", cold), **_named("warm_", warm)}
        cursor.execute(_ERRORS, {"release": release.pk})
        figures["errors"] = dict(cursor.fetchall())
        cursor.execute(_LATE_FAILURES, {"release": release.pk})
        late = dict(cursor.fetchall())
    for stage in figures["stages"]:
        stage["failed_late"] = late.get(stage["position"], 0)
    return _with_deferred(release, _with_awaiting(release, figures, now), now)


def _stage_figures(position: int, counts: dict[str, int]) -> dict[str, int]:
    names = ("drawn", "offered", "installed", "reported", "failed", "silent")
    return {"position": position, **{name: counts[name] for name in names}}


def _with_awaiting(release: Release, figures: dict[str, Any], now: datetime) -> dict[str, Any]:
    """Add how many devices await the condition of a stream task: in treatment, among new ones, and by stage."""
    positions = {stage.pk: stage.position for stage in release.stages.all()}
    awaiting = {key: each.awaiting for key, each in open_devices(release, now=now).items()}
    for stage in figures["stages"]:
        parts = (count for (key, _), count in awaiting.items() if positions.get(key) == stage["position"])
        stage["awaiting_trigger"] = sum(parts)
    new = sum(count for (_, established), count in awaiting.items() if not established)
    figures["treatment"]["awaiting_trigger"] = sum(awaiting.values())
    figures["new"]["awaiting_trigger"] = new
    figures["trigger"] = list(condition_of(release))
    return figures


def _with_deferred(release: Release, figures: dict[str, Any], now: datetime) -> dict[str, Any]:
    """Add how many devices put the version off: in treatment, among new ones, by stage, and by reason."""
    positions, found = {stage.pk: stage.position for stage in release.stages.all()}, deferring(release, now=now)
    for stage in figures["stages"]:
        parts = (count for (key, _, _), count in found.items() if positions.get(key) == stage["position"])
        stage["deferred"] = sum(parts)
    figures["treatment"]["deferred"] = sum(found.values())
    figures["new"]["deferred"] = sum(count for (_, established, _), count in found.items() if not established)
    figures["deferred"] = by_reason(found)
    return figures


def _named(prefix: str, quantiles: list[float] | None) -> dict[str, float]:
    names = (f"{prefix}p50_ms", f"{prefix}p95_ms", f"{prefix}p99_ms")
    return dict(zip(names, quantiles, strict=True)) if quantiles else {}


def _arms(tallies: Tallies) -> dict[str, Any]:
    """Return the figures of all devices of both arms, and of those in treatment that do not count in verdicts.

    `in_stage` is what the present stage waits for: established devices only.
    """
    new, new_control = _figures(tallies.new_treatment), _figures(tallies.new_control)
    treatment, control = _figures(tallies.treatment), _figures(tallies.control)
    return {
        "treatment": {name: count + new[name] for name, count in treatment.items()}
        | {"in_stage": tallies.treatment.in_stage},
        "control": {name: count + new_control[name] for name, count in control.items()},
        "new": new,
    }


def _figures(tally: Tally) -> dict[str, int]:
    counts = {name: count for name, count in vars(tally.counts).items() if name not in POINTS}
    return {**counts, "installed": tally.installed, "in_stage": tally.in_stage}
