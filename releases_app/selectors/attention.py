"""Concerns about releases."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from accounts_app.actors import SYSTEM
from devices_app.attention import Concern, Urgency
from releases_app.models import CompletionWatch, Quarantine, Release, Transition
from releases_app.selectors.deferring import deferring, established_in
from releases_app.selectors.progress import stage_name, stage_seconds
from releases_app.selectors.underway import MOST, UnderWay, last_moves
from tasks_app.scopes import scenario_scope
from walle.release.engine import deferral_wait_s, put_off_text
from walle.release.states import ReleaseState
from walle.release.subjects import subjects_of
from walle.release.verdict import waiting

FRESH: Final = timedelta(days=1)
_FAILED: Final = (ReleaseState.ROLLED_BACK, ReleaseState.REJECTED)
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
                next_step = f"somebody other than {by} approves or rejects it"
                yield _concern(each, "approval", Urgency.SOON, f"{by} made it, and it waits for approval", next_step)
            case ReleaseState.RUNNING if reason := _waits_for(each, now):
                next_step = "look at what the devices of its stage report, or whether they check in at all"
                yield _concern(each, "gate-blocked", Urgency.SOON, reason, next_step)


def concerns_failed(visible: QuerySet[Release], now: datetime) -> Iterator[Concern]:
    """Yield the releases that were rolled back or rejected lately, unless the task was released again since.

    A rolled back release is left out once its version is no longer in quarantine: somebody has looked into it.
    """
    ends = Transition.objects.filter(release=OuterRef("pk"), after__in=_FAILED).order_by("-id")
    again = Transition.objects.filter(
        release__app=OuterRef("app"),
        release__version__task=OuterRef("version__task"),
        before=ReleaseState.DRAFT,
        pk__gt=OuterRef("failed_by"),
    ).exclude(release=OuterRef("pk"))
    known_bad = Quarantine.objects.filter(version=OuterRef("version"))
    failed = (
        visible.filter(Q(state=ReleaseState.REJECTED) | Q(Exists(known_bad)), state__in=_FAILED)
        .annotate(failed_by=Subquery(ends.values("pk")[:1]), failed_at=Subquery(ends.values("at")[:1]))
        .filter(~Exists(again), failed_at__gte=now - REMEMBERED)
    )
    found = list(failed.order_by("-failed_at")[:MOST])
    moves = last_moves(found)
    for release in found:
        yield _failed(release, moves[release.pk], now)


def _failed(release: Release, move: Transition, now: datetime) -> Concern:
    is_fresh = now - move.at < FRESH
    if release.state == ReleaseState.REJECTED:
        urgency = Urgency.SOON if is_fresh else Urgency.LATER
        next_step = "look at what was found, and release a version that mends it"
        return _of(release, "rejected", urgency, move.reason, next_step=next_step, since=move.at)
    urgency = Urgency.NOW if is_fresh else Urgency.LATER
    was = "rolled back after it was complete" if move.before == ReleaseState.COMPLETE else "rolled back"
    reason = f"{was}, its version is in quarantine: {move.reason or 'no reason was given'}"
    next_step = "look at what failed, then release a version that mends it, or lift the quarantine"
    return _of(release, "rolled-back", urgency, reason, next_step=next_step, since=move.at)


def concerns_complete(visible: QuerySet[Release]) -> Iterator[Concern]:
    """Yield the complete releases that exceed the limit which they have after completion."""
    exceeding = CompletionWatch.objects.filter(
        release__in=visible.filter(state=ReleaseState.COMPLETE).order_by().values("pk"), exceeded_at__isnull=False
    )
    columns = ("release__app", "release__version__task__scenario")
    for watch in exceeding.select_related(*columns).defer("release__version__manifest").order_by("-exceeded_at")[:MOST]:
        reason = f"fails after its release was complete: {watch.sentence}"
        next_step = "roll it back, or release a version that mends it"
        yield _of(
            watch.release, "failing-after-complete", Urgency.NOW, reason, next_step=next_step, since=watch.exceeded_at
        )


def _paused(each: UnderWay) -> Concern:
    move, simulating = each.moved, each.release.resumes == ReleaseState.SIMULATING
    reason = move.reason if move and move.reason else "no reason was given"
    next_step = "resume it once that is settled, or roll it back"
    if move is None or move.actor_name != SYSTEM.name:
        by = move.actor_name if move else "somebody"
        return _concern(each, "paused", Urgency.LATER, f"paused by {by}: {reason}", next_step)
    if simulating:
        reason = f"the simulation could not test everything: {reason}"
        next_step = "look at the logs of its cells, then resume it to test those again"
        return _concern(each, "simulation-error", Urgency.SOON, reason, next_step)
    return _concern(each, "held", Urgency.SOON, f"on hold: {reason}", next_step)


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
    deferral = deferral_wait_s(plan, stage.position, reported=reported, put_off=put_off)
    left = max(0.0, plan.grace_s + deferral - over_s)
    holds = f"it goes on hold in {left / 60:.0f} min" if left else "it is about to go on hold"
    subjects = subjects_of(release.version.kind)
    if reported < minimum:
        waits = waiting(reported, minimum, each.reached.new_in_stage, subjects=subjects)
        if put_off:
            waits = f"{waits}; {put_off_text(put_off, subjects)}"
        return f"{stage_name(stage)}: {waits}; {holds}"
    return f"{stage_name(stage)}: enough {subjects.many} have reported, but a test is suspicious; {holds}"


def _concern(each: UnderWay, kind: str, urgency: Urgency, reason: str, next_step: str) -> Concern:
    since = each.moved.at if each.moved else each.release.created_at
    return _of(each.release, kind, urgency, reason, next_step=next_step, since=since)


def _of(
    release: Release, kind: str, urgency: Urgency, reason: str, *, next_step: str, since: datetime | None
) -> Concern:
    title, target = str(release.version), f"releases/{release.pk}"
    scope = scenario_scope(release.version.task.scenario.slug)
    return Concern(kind, urgency, title, reason, since, target, next_step=next_step, scope=scope)
