"""Background jobs of releases. Every job is idempotent."""

from datetime import timedelta
from typing import Any, Final

import structlog
from django.conf import settings

from jobs_app.registry import job, periodic
from jobs_app.runner import JobRun
from releases_app.models import Release
from releases_app.services import retention
from releases_app.services.figures import keep_figures
from releases_app.services.git_notes import WRITE_NOTE, write_version_note
from releases_app.services.reconciliation import JOB, WATCHED, publish_missing_tables, reconcile
from tasks_app.models import TaskVersion

log = structlog.get_logger(__name__)

# Reconciling is fast, so another worker soon takes over from one that was killed.
RECONCILE_LEASE: Final = timedelta(seconds=10)


@periodic(seconds=3600)
@job("releases.forget")
def forget(run: JobRun) -> dict[str, int]:
    """Delete exposures of releases whose retention time is over, and pace windows older than a day."""
    now = run.clock()
    forgotten = {"pace_windows": retention.delete_pace_windows(before=now - timedelta(days=1))}
    if settings.WALLE_KEEP_EXPOSURES_DAYS:
        before = now - timedelta(days=settings.WALLE_KEEP_EXPOSURES_DAYS)
        forgotten["exposures"] = retention.delete_exposures(before=before, check=run.check)
    return forgotten


@periodic(seconds=30)
@job("releases.keep-figures")
def count_exposures(run: JobRun) -> dict[str, Any]:
    """Count the exposures of releases with many devices, which takes too long to do while somebody waits."""
    return {"counted": len(keep_figures(now=run.clock(), check=run.check))}


@job(JOB, urgent=True, lease=RECONCILE_LEASE)
def reconcile_release(run: JobRun, *, release: int) -> dict[str, Any]:
    """Reconcile one release, because something about it is new."""
    step = reconcile(release=release, now=run.clock())
    return {"action": step.action, "reason": step.reason} if step else {}


@periodic(seconds=2)
@job("releases.reconcile-all", urgent=True, lease=RECONCILE_LEASE)
def reconcile_all(run: JobRun) -> dict[str, Any]:
    """Reconcile every release in progress: clocks run out without any report."""
    publish_missing_tables(now=run.clock())
    watched = Release.objects.filter(state__in=WATCHED).values_list("pk", flat=True)
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


@job(WRITE_NOTE, max_attempts=20)
def write_git_note(run: JobRun, *, version: int) -> dict[str, bool]:
    """Say in git what became of a version that was rolled back. It fails, to be tried again, while a push is decided."""
    found = TaskVersion.objects.select_related("task__scenario").get(pk=version)
    return {"changed": write_version_note(version=found, now=run.clock())}
