"""Watch complete releases: count what devices report in each period, judge it, and alert or roll back.

`count_reports` writes in the transaction that stores reports and waits for nobody; `follow_complete` looks regularly.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from django.db import connection, transaction
from django.db.models import Sum

from accounts_app.actors import SYSTEM
from devices_app.selectors.joins import known_devices
from kit.portions import delete_in_portions
from kit.sql import subquery
from releases_app.models import CompletionWatch, PeriodTally, Release
from releases_app.services.moves import ReleaseConflict, record_by_system
from releases_app.services.outcomes import report_fact
from releases_app.services.releases import act
from releases_app.services.rollback import plan_rollback
from walle.gateway.ports import ReceivedReport
from walle.release.after_complete import AfterComplete, LimitAction, PeriodVerdict, judge_period
from walle.release.outcome import ReportFact, outcome_of
from walle.release.states import ReleaseAction, ReleaseState
from walle.release.subjects import subjects_of

log = structlog.get_logger(__name__)

ACTION: Final = "release.failing-after-complete"
PORTION: Final = 5_000
MOST_ROWS: Final = 500
"""The counts of a period are summed when they have more rows."""

# Established devices only: those known before the release began, or that somebody vouches for; of callers of a pipeline
# their exposures say that. Most reports are of devices that have reported in the period, which costs a look into
# an index. Rows are written in one order, so that batches do not deadlock.
_COUNT: Final = """
WITH told AS (
    SELECT * FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[], %s::boolean[], %s::boolean[])
        told (app_id, device, task, manifest, failed, fell_back)
), concerned AS (
    SELECT watch.release_id, told.device, watch.period, told.failed
    FROM told JOIN releases_app_completionwatch watch USING (app_id, task, manifest)
    LEFT JOIN releases_app_periodoutcome before ON before.release = watch.release_id AND before.device = told.device
    LEFT JOIN {devices} known ON known.app_id = told.app_id AND known.device = told.device
    WHERE (before.id IS NULL OR before.period < watch.period
            OR before.period = watch.period AND told.fell_back AND NOT before.failed)
        AND (known.vouched_at IS NOT NULL OR known.first_seen < watch.known_before OR EXISTS (
            SELECT FROM releases_app_exposure exposure WHERE exposure.device = told.device
                AND exposure.task = told.task AND exposure.app_id = told.app_id AND exposure.vouched))
    ORDER BY watch.release_id, told.device
), changed AS (
    INSERT INTO releases_app_periodoutcome AS kept (release, device, period, failed, has_turned)
    SELECT release_id, device, period, failed, false FROM concerned
    ON CONFLICT (release, device) DO UPDATE
    SET has_turned = kept.period = EXCLUDED.period, period = EXCLUDED.period, failed = EXCLUDED.failed
    WHERE kept.period < EXCLUDED.period OR kept.period = EXCLUDED.period AND EXCLUDED.failed AND NOT kept.failed
    RETURNING release, period, failed, has_turned
)
INSERT INTO releases_app_periodtally (release, period, reported, failed)
SELECT release, period, count(*) FILTER (WHERE NOT has_turned), count(*) FILTER (WHERE failed)
FROM changed GROUP BY release, period
"""
_FOLD: Final = """
WITH gone AS (DELETE FROM releases_app_periodtally WHERE release = %s AND period = %s RETURNING *)
INSERT INTO releases_app_periodtally (release, period, reported, failed)
SELECT release, period, sum(reported), sum(failed) FROM gone GROUP BY release, period
"""
_DELETE: Final = """
DELETE FROM releases_app_periodoutcome
WHERE id IN (SELECT id FROM releases_app_periodoutcome WHERE release = %(release)s LIMIT %(portion)s)
"""


def count_reports(news: Iterable[tuple[int, ReceivedReport]]) -> None:
    """Count what new reports, each with its app's primary key, say of complete releases. Inside a transaction."""
    by_version: dict[tuple[int, str, str, str], list[ReportFact]] = defaultdict(list)
    for app, item in news:
        report = item.report
        by_version[app, item.device, report.task, report.manifest].append(report_fact(item))
    rows = [
        (*about, outcome == "failure", any(fact.fell_back for fact in facts))
        for about, facts in by_version.items()
        if (outcome := outcome_of(facts))
    ]
    if rows and CompletionWatch.objects.exists():
        with connection.cursor() as cursor:
            statement = _COUNT.format(devices=subquery(known_devices()))
            cursor.execute(statement, [list(column) for column in zip(*rows, strict=True)])


def follow_complete(now: datetime) -> dict[str, int]:
    """Begin to watch releases that are complete, look at those that are watched, and leave those that have ended."""
    _leave()
    _begin(now)
    exceeding = 0
    for release in list(CompletionWatch.objects.order_by("release").values_list("release", flat=True)):
        try:
            exceeding += _look(release, now)
        except Exception:
            # One that cannot be judged must not keep the others from being looked at.
            log.exception("cannot look at a complete release", release=release)
    return {"watched": CompletionWatch.objects.count(), "exceeding": exceeding}


def _begin(now: datetime) -> None:
    complete = Release.objects.filter(state=ReleaseState.COMPLETE, completion_watch=None)
    for release in complete.select_related("version__task__scenario").prefetch_related("stages"):
        if release.parsed_strategy.after_complete is not None:
            CompletionWatch.objects.get_or_create(
                release=release,
                defaults={
                    "app_id": release.app_id,
                    "task": release.version.task.name,
                    "manifest": release.version.manifest_digest,
                    "known_before": release.began_at or now,
                    "period_began_at": now,
                },
            )


def _leave() -> None:
    """Forget the watches of releases that are not complete any more, with what devices reported about them."""
    for release in CompletionWatch.objects.exclude(release__state=ReleaseState.COMPLETE).values_list(
        "release", flat=True
    ):
        CompletionWatch.objects.filter(release=release).delete()
        delete_in_portions(_DELETE, {"release": release}, portion=PORTION)
        PeriodTally.objects.filter(release=release).delete()


@transaction.atomic
def _look(pk: int, now: datetime) -> bool:
    """Look at one release; return whether it exceeds its limit."""
    watch = CompletionWatch.objects.select_for_update().filter(release=pk).first()
    release = Release.objects.select_related("app", "version__task__scenario").get(pk=pk)
    plan = release.parsed_strategy.after_complete
    if watch is None or plan is None or release.state != ReleaseState.COMPLETE:
        return False  # somebody moved it meanwhile
    verdict = _judged(watch, release, plan)
    watch.reported, watch.failed, watch.sentence, watch.looked_at = (
        verdict.reported,
        verdict.failed,
        verdict.sentence,
        now,
    )
    is_new = verdict.exceeds and watch.exceeded_at is None
    if is_new:
        watch.exceeded_at = now
    if now >= watch.period_began_at + timedelta(seconds=plan.period_s):
        _turn(watch, verdict, now)
    watch.save()
    if is_new:
        _respond(release, plan, verdict, now)
    return watch.exceeded_at is not None


def _judged(watch: CompletionWatch, release: Release, plan: AfterComplete) -> PeriodVerdict:
    tallies = PeriodTally.objects.filter(release=release.pk, period=watch.period)
    if tallies.count() > MOST_ROWS:
        with connection.cursor() as cursor:
            cursor.execute(_FOLD, [release.pk, watch.period])
    sums = tallies.aggregate(reported=Sum("reported", default=0), failed=Sum("failed", default=0))
    limit = release.parsed_strategy.limits.failure_rate
    return judge_period(plan, limit, sums["reported"], sums["failed"], subjects_of(release.version.kind))


def _turn(watch: CompletionWatch, verdict: PeriodVerdict, now: datetime) -> None:
    """Begin the next period. Whatever was wrong is over after a period within the limit in which enough reported."""
    if verdict.enough and not verdict.exceeds:
        watch.exceeded_at = None
    PeriodTally.objects.filter(release=watch.release_id, period__lt=watch.period).delete()
    watch.period, watch.period_began_at = watch.period + 1, now


def _respond(release: Release, plan: AfterComplete, verdict: PeriodVerdict, now: datetime) -> None:
    """Say that a release exceeds its limit, and roll it back if it asks for that and devices keep the task then."""
    evidence = {"reported": verdict.reported, "failed": verdict.failed, "limits": plan.to_dict()}
    rolls_back = (
        plan.action == LimitAction.ROLL_BACK and not plan_rollback(release=release, actor=SYSTEM, now=now).lose_it
    )
    record_by_system(release, ACTION, {"reason": verdict.sentence, "rolls_back": rolls_back, **evidence})
    if rolls_back:
        try:
            with transaction.atomic():
                cause: dict[str, Any] = {"reason": verdict.sentence, "evidence": evidence}
                act(release=release, action=ReleaseAction.ROLL_BACK, actor=SYSTEM, now=now, **cause)
        except ReleaseConflict:
            log.info("somebody else moved a release that exceeds its limit", release=release.pk)
