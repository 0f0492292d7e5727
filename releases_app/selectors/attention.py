"""Concerns about releases."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Exists, OuterRef, QuerySet

from accounts_app.actors import SYSTEM
from devices_app.attention import Concern, Urgency
from releases_app.models import CompletionWatch, Quarantine, Release, Transition
from releases_app.selectors.deferring import deferring, established_in
from releases_app.selectors.progress import stage_name, stage_seconds
from releases_app.selectors.underway import MOST, UnderWay, last_moves
from walle.release.engine import patience_s, put_off_text
from walle.release.states import ReleaseState
from walle.release.subjects import subjects_of
from walle.release.verdict import waiting

FRESH: Final = timedelta(days=1)
REMEMBERED: Final = timedelta(days=7)
"""How long a failed release is shown, unless somebody has released the task to the app again."""
OVERDUE_S: Final = 30.0
"""The number of seconds after its soak time from which a stage counts as waiting for something."""


def concerns_under_way(releases: Iterable[UnderWay], now: datetime) -> Iterator[Concern]:
    """Yield the releases in progress that do not proceed by themselves."""
    for each in releases:
        match each.release.state:
            case ReleaseState.PAUSED:
                yield _paused(each)
            case ReleaseState.AWAITING_APPROVAL:
                by = each.release.created_by
                reason = f"approve or reject it; {by} made it, so somebody other than {by} has to decide"
                yield _concern(each, "approval", Urgency.SOON, reason)
            case ReleaseState.RUNNING if reason := _waits_for(each, now):
                yield _concern(each, "gate-blocked", Urgency.SOON, reason)


def concerns_failed(visible: QuerySet[Release], now: datetime) -> Iterator[Concern]:
    """Yield the releases that were rolled back or rejected lately, unless a newer one has replaced them."""
    newer = Release.objects.filter(
        app=OuterRef("app"), version__task=OuterRef("version__task"), pk__gt=OuterRef("pk")
    ).exclude(state=ReleaseState.DRAFT)
    lately = Transition.objects.filter(
        release=OuterRef("pk"), after__in=[ReleaseState.ROLLED_BACK, ReleaseState.REJECTED], at__gte=now - REMEMBERED
    )
    failed = visible.filter(~Exists(newer), Exists(lately), state__in=[ReleaseState.ROLLED_BACK, ReleaseState.REJECTED])
    found = list(failed.order_by("-id")[:MOST])
    moves = last_moves(found)
    quarantined = set(
        Quarantine.objects.filter(version__in=[each.version_id for each in found]).values_list("version", flat=True)
    )
    for release in found:
        move = moves[release.pk]
        urgency = Urgency.NOW if now - move.at < FRESH else Urgency.LATER
        if release.state == ReleaseState.REJECTED:
            urgency = Urgency.SOON if now - move.at < FRESH else Urgency.LATER
            yield Concern("rejected", urgency, str(release.version), move.reason, move.at, _target(release))
        elif release.version_id in quarantined:
            reason = f"rolled back, its version is in quarantine: {move.reason or 'no reason was given'}"
            yield Concern("rolled-back", urgency, str(release.version), reason, move.at, _target(release))


def concerns_complete(visible: QuerySet[Release]) -> Iterator[Concern]:
    """Yield the complete releases that exceed the limit which they have after completion."""
    exceeding = CompletionWatch.objects.filter(
        release__in=visible.filter(state=ReleaseState.COMPLETE).order_by().values("pk"), exceeded_at__isnull=False
    )
    columns = ("release__app", "release__version__task__scenario")
    for watch in exceeding.select_related(*columns).defer("release__version__manifest").order_by("-exceeded_at")[:MOST]:
        reason = (
            f"fails after its release was complete: {watch.sentence}; roll it back, or release a version that mends it"
        )
        target = _target(watch.release)
        yield Concern(
            "failing-after-complete", Urgency.NOW, str(watch.release.version), reason, watch.exceeded_at, target
        )


def _paused(each: UnderWay) -> Concern:
    move, simulating = each.moved, each.release.resumes == ReleaseState.SIMULATING
    reason = move.reason if move and move.reason else "no reason was given"
    if move is None or move.actor_name != SYSTEM.name:
        by = move.actor_name if move else "somebody"
        return _concern(each, "paused", Urgency.LATER, f"paused by {by}: {reason}")
    if simulating:
        return _concern(each, "simulation-error", Urgency.SOON, f"the simulation could not test everything: {reason}")
    return _concern(each, "held", Urgency.SOON, f"on hold: {reason}")


def _waits_for(each: UnderWay, now: datetime) -> str:
    """Return why a release stays in a stage whose soak time is over; "" if nothing keeps it."""
    release, stage = each.release, each.stage
    if stage is None or release.clock_since is None:
        return ""
    plan = release.parsed_strategy
    over_s = stage_seconds(release, now) - plan.stages[stage.position].dwell_s
    if over_s < OVERDUE_S:
        return ""
    minimum, reported = plan.stages[stage.position].evidence, each.reached.in_stage
    put_off = established_in(deferring(release, now=now), stage.pk) if reported < minimum else 0
    patience = patience_s(plan, stage.position, reported=reported, put_off=put_off)
    left = max(0.0, plan.grace_s + patience - over_s)
    holds = f"it goes on hold in {left / 60:.0f} min" if left else "it is about to go on hold"
    subjects = subjects_of(release.version.kind)
    if reported < minimum:
        waits = waiting(reported, minimum, each.reached.new_in_stage, subjects=subjects)
        if put_off:
            waits = f"{waits}; {put_off_text(put_off, subjects)}"
        return f"{stage_name(stage)}: {waits}; {holds}"
    return f"{stage_name(stage)}: enough {subjects.many} have reported, but a test is suspicious; {holds}"


def _concern(each: UnderWay, kind: str, urgency: Urgency, reason: str) -> Concern:
    since = each.moved.at if each.moved else each.release.created_at
    return Concern(kind, urgency, str(each.release.version), reason, since, _target(each.release))


def _target(release: Release) -> str:
    return f"releases/{release.pk}"
