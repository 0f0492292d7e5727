"""Move releases automatically: reconcile one release, any number of times.

Each reconciliation judges from the rows alone and moves by compare-and-set, so it may be run by several workers at
once, be repeated, or die halfway.
"""

import re
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q

from accounts_app.actors import SYSTEM
from devices_app.models import App
from devices_app.selectors.interruptions import interruptions
from devices_app.selectors.tables import published_entries
from devices_app.services.revisions import lock_publication
from jobs_app.services import enqueue
from releases_app.exceptions import DeliveryNotAllowed
from releases_app.models import Release, StoredVerdict, TalliedRelease, Transition
from releases_app.selectors.judgement import Judgement, judge_stage
from releases_app.selectors.progress import stage_seconds
from releases_app.services.moves import Cause, ReleaseConflict
from releases_app.services.provenance import NOTED, record_provenance
from releases_app.services.quarantine import is_quarantined
from releases_app.services.releases import act
from releases_app.services.silence import settle_silence
from releases_app.services.simulation import outcome
from releases_app.services.tables import publish_app
from releases_app.services.tallies import ensure_tallied, fold
from walle.release.attribution import OUTAGE_WAIT_S
from walle.release.engine import NextMove
from walle.release.states import ReleaseAction, ReleaseState

JOB: Final = "releases.reconcile"
WATCHED: Final = (ReleaseState.SIMULATING, ReleaseState.RUNNING)
# "WR" in ASCII, with the release as the second key: one reconciliation of a release at a time.
_LOCK_CLASS: Final = 0x5752
_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?")


def waits_or_moves(now: datetime) -> Q:
    """Return the condition for releases whose clock may run out: in progress, or paused until control has reported."""
    since = now - 2 * timedelta(seconds=OUTAGE_WAIT_S)
    lately = Transition.objects.filter(release=OuterRef("pk"), action=ReleaseAction.PAUSE, at__gt=since)
    return Q(state__in=WATCHED) | Q(Exists(lately), state=ReleaseState.PAUSED, position__isnull=False)


def enqueue_reconcile(release: int) -> None:
    """Enqueue a reconciliation of a release; requests before it starts are merged."""
    enqueue(kind=JOB, arguments={"release": release}, dedupe_key=f"{JOB}:{release}")


def enqueue_reconcile_reported(releases: Collection[int]) -> None:
    """Enqueue a reconciliation of releases with new reports, if they are in progress or paused."""
    states = (*WATCHED, ReleaseState.PAUSED)
    for release in Release.objects.filter(pk__in=releases, state__in=states).values_list("pk", flat=True):
        enqueue_reconcile(release)


def reconcile(*, release: int, now: datetime) -> NextMove | None:
    """Make the move of a release that is due, and return it; None if the release is in no state to be judged.

    Not inside a transaction: it opens some of its own, each of which locks exposures once. It takes as long however
    many devices the release has selected, because these are tallied (services.tallies).
    """
    with structlog.contextvars.bound_contextvars(release=release):
        found = Release.objects.select_related("app").prefetch_related("stages").get(pk=release)
        ensure_tallied(found)
        if found.state == ReleaseState.RUNNING:
            record_provenance(found, now=now)
        return _reconcile(release, now)


@transaction.atomic
def _reconcile(release: int, now: datetime) -> NextMove | None:
    _lock_release(release)
    fold(release)
    found = Release.objects.select_related("app", "version__task__scenario").prefetch_related("stages").get(pk=release)
    if found.state == ReleaseState.SIMULATING:
        step, evidence = _after_simulation(found)
    elif found.state == ReleaseState.RUNNING:
        settle_silence(found, now=now)  # locks exposures, so it comes before what locks the publication
        _keep_window(found, now)
        _pass_over_interruptions(found, now)
        step, evidence = _judged(found, now)
    elif found.state == ReleaseState.PAUSED and found.position is not None:
        # Devices have the version while it is paused, and pausing must not prevent its rollback.
        step, evidence = _judged(found, now)
        if step.action != ReleaseAction.ROLL_BACK:
            return None
    else:
        return None
    if step.action is not None:
        _make(found, step.action, Cause(SYSTEM, now, step.reason, evidence))
    return step


def _lock_release(release: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_LOCK_CLASS, release % 2**31])


def _after_simulation(release: Release) -> tuple[NextMove, dict[str, Any]]:
    found = outcome(release)
    action = {
        "pass": ReleaseAction.PASS,
        "fail": ReleaseAction.REJECT,
        "error": ReleaseAction.PAUSE,
    }.get(found.kind)
    return NextMove(action, found.sentence), found.summary


def _keep_window(release: Release, now: datetime) -> None:
    """Start and stop the stage's clock, and the offers, when the time window opens and closes."""
    window = release.parsed_strategy.window
    if window is None:
        return
    closes, before = window.closes(now), release.clock_since
    if (closes is None) == (before is None) and _is_published(release, closes):
        return
    lock_publication()
    clock_s, clock_since = stage_seconds(release, now), now if closes else None
    unchanged = Release.objects.filter(pk=release.pk, state=release.state, clock_since=before)
    if unchanged.update(clock_s=clock_s, clock_since=clock_since):
        release.clock_s, release.clock_since = clock_s, clock_since
        publish_app(release.app, now=now)


def _pass_over_interruptions(release: Release, now: datetime) -> None:
    """Begin the stage's clock anew after an interruption, with what counted until now, so that all can read it."""
    since = release.clock_since
    if since is None or not interruptions(since, now):
        return
    clock_s = stage_seconds(release, now)
    unchanged = Release.objects.filter(pk=release.pk, state=release.state, clock_since=since)
    if unchanged.update(clock_s=clock_s, clock_since=now):
        release.clock_s, release.clock_since = clock_s, now


def _is_published(release: Release, closes: datetime | None) -> bool:
    """Return whether the table contains this end of the opening, and not that of an adjoining one, or of days ago."""
    until = int(closes.timestamp()) if closes else None
    entries = published_entries().get(release.app_id, {}).get(release.pk, [])
    return all(entry.open_until == until for entry in entries)


def _judged(release: Release, now: datetime) -> tuple[NextMove, dict[str, Any]]:
    found = judge_stage(release, now)
    _store(release, found, now)
    _note_judged(release, now)
    step = found.step
    if step.action is None and is_quarantined(release.version):
        step = NextMove(ReleaseAction.PAUSE, "its version went into quarantine through another release")
    return step, found.evidence


def _note_judged(release: Release, now: datetime) -> None:
    """Note that the release could be judged, at most once a minute: what it says is how long it could not."""
    tallied = TalliedRelease.objects.filter(release=release.pk)
    tallied.filter(Q(judged_at=None) | Q(judged_at__lt=now - NOTED)).update(judged_at=now)


def _store(release: Release, found: Judgement, now: datetime) -> None:
    """Store the verdict if it differs from the last one of this stage in more than its numbers."""
    last = StoredVerdict.objects.filter(stage=found.stage).order_by("-id").first()
    new = found.verdict.kind, _NUMBER.sub("", found.verdict.sentence)
    if last is None or new != (last.kind, _NUMBER.sub("", last.sentence)):
        row = {"kind": found.verdict.kind, "sentence": found.verdict.sentence, "evidence": found.evidence}
        StoredVerdict.objects.create(release=release, stage=found.stage, **row, at=now)


def _make(release: Release, action: ReleaseAction, cause: Cause) -> None:
    """Make a move; if the version may not be released any more, or not to the app, put the release on hold instead."""
    try:
        with transaction.atomic():
            act(release=release, action=action, **vars(cause))
    except ReleaseConflict:
        return  # somebody moved it by hand meanwhile: the next reconciliation sees its new state
    except (ValidationError, DeliveryNotAllowed) as error:
        reason = " ".join(error.messages) if isinstance(error, ValidationError) else str(error)
        release.refresh_from_db()
        act(release=release, action=ReleaseAction.PAUSE, **vars(replace(cause, reason=reason)))


def publish_missing_tables(*, now: datetime) -> None:
    """Publish a table for every app that has none: a new app, or one whose table an upgrade could not read."""
    for app in App.objects.filter(table=None):
        publish_app(app, now=now)
