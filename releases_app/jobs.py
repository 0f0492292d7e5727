"""Background jobs of releases. Every job is idempotent."""

from datetime import timedelta
from typing import Any, Final

import structlog
from django.conf import settings

from jobs_app.registry import job, periodic
from jobs_app.runner import JobRun
from releases_app.models import Release, TalliedRelease
from releases_app.services import retention
from releases_app.services.after_complete import follow_complete
from releases_app.services.figures import keep_figures
from releases_app.services.git_notes import WRITE_NOTE, write_version_note
from releases_app.services.provenance import record_provenance
from releases_app.services.reconciliation import JOB, WATCHED, publish_missing_tables, reconcile, waits_or_moves
from releases_app.services.tallies import compare, fold_all
from releases_app.services.withdrawal import follow_withdrawals
from tasks_app.models import TaskVersion

log = structlog.get_logger(__name__)

# Reconciling is fast, so another worker soon takes over from one that was killed.
RECONCILE_LEASE: Final = timedelta(seconds=10)
MOST_NAMED: Final = 50
"""The number of differing tallies that a job names."""


@periodic(seconds=3600)
@job("releases.forget")
def forget(run: JobRun) -> dict[str, int]:
    """Delete exposures of releases whose retention time is over, and pace windows older than a day; sum tallies."""
    now = run.clock()
    forgotten = {"pace_windows": retention.delete_pace_windows(before=now - timedelta(days=1))}
    forgotten["folded_tallies"] = fold_all(check=run.check)
    if settings.WALLE_KEEP_EXPOSURES_DAYS:
        before = now - timedelta(days=settings.WALLE_KEEP_EXPOSURES_DAYS)
        forgotten["exposures"] = retention.delete_exposures(before=before, now=now, check=run.check)
    return forgotten


@periodic(seconds=30)
@job("releases.keep-figures")
def count_exposures(run: JobRun) -> dict[str, Any]:
    """Count the exposures of releases with many devices, which takes too long to do while somebody waits."""
    return {"counted": len(keep_figures(now=run.clock(), check=run.check))}


@periodic(seconds=86_400)
@job("releases.compare-tallies")
def compare_tallies(run: JobRun) -> dict[str, Any]:
    """Count the exposures of every tallied release, and report where its tallies say something else."""
    for release in Release.objects.filter(state__in=WATCHED).select_related("app").prefetch_related("stages"):
        run.check()
        record_provenance(release, now=run.clock(), whole=True)
    differences: list[str] = []
    tallied = TalliedRelease.objects.order_by("-release")
    for each in tallied:
        run.check()
        differences += map(str, compare(each, now=run.clock()))
    if differences:
        log.error("tallies differ from exposures", differences=differences[:MOST_NAMED])
    return {"compared": len(tallied), "differing": len(differences), "differences": differences[:MOST_NAMED]}


@job(JOB, urgent=True, lease=RECONCILE_LEASE)
def reconcile_release(run: JobRun, *, release: int) -> dict[str, Any]:
    """Reconcile one release, because something about it is new."""
    step = reconcile(release=release, now=run.clock())
    return {"action": step.action, "reason": step.reason} if step else {}


@periodic(seconds=2)
@job("releases.reconcile-all", urgent=True, lease=RECONCILE_LEASE)
def reconcile_all(run: JobRun) -> dict[str, Any]:
    """Reconcile every release in progress: clocks run out without any report. Follow those being rolled back."""
    publish_missing_tables(now=run.clock())
    follow_withdrawals(run.clock())
    watched = Release.objects.filter(waits_or_moves(run.clock())).values_list("pk", flat=True)
    failed = {}
    for release in watched:
        run.check()
        try:
            reconcile(release=release, now=run.clock())
        except Exception as error:
            # A release that fails to reconcile must not block the others.
            log.exception("cannot look at a release", release=release)
            failed[str(release)] = repr(error)
    return {"looked_at": len(watched), "failed": failed}


@periodic(seconds=30)
@job("releases.watch-complete", urgent=True)
def watch_complete(run: JobRun) -> dict[str, int]:
    """Look whether complete releases keep to the limits that they have after completion."""
    return follow_complete(run.clock())


@job(WRITE_NOTE, max_attempts=20)
def write_git_note(run: JobRun, *, version: int) -> dict[str, bool]:
    """Say in git what became of a rolled-back version. It fails, to be tried again, while a push is decided."""
    found = TaskVersion.objects.select_related("task__scenario").get(pk=version)
    return {"changed": write_version_note(version=found, now=run.clock())}
