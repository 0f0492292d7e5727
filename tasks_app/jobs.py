"""Background work of the catalogue and of releases. Every job is idempotent: it may be run again at any time."""

from datetime import timedelta
from typing import Any, Final

import structlog
from django.conf import settings

from jobs_app.registry import job, periodic
from jobs_app.runner import Run
from tasks_app import jobs_artifacts, jobs_simulation  # noqa: F401  register their jobs
from tasks_app.models import Release, Scenario
from tasks_app.repository import RepositoryError, clear_staging
from tasks_app.services import retention
from tasks_app.services.figures import keep_figures
from tasks_app.services.reconciliation import JOB, WATCHED, publish_missing_tables, reconcile
from tasks_app.services.sealing import renew_signatures
from tasks_app.services.sweep import pack_repository, sweep_repository

log = structlog.get_logger(__name__)

# A look takes moments: so soon another worker takes it over from one that was killed.
LOOK_LEASE: Final = timedelta(seconds=10)


@periodic(seconds=30)
@job("tasks.sweep-repositories")
def sweep_repositories(run: Run) -> dict[str, Any]:
    """Register versions whose push was interrupted between git's acceptance and their registration."""
    swept: dict[str, Any] = {"registered": [], "failed": {}}
    for scenario in Scenario.objects.all():
        run.check()
        try:
            found = sweep_repository(scenario=scenario)
        except RepositoryError as error:
            # One damaged repository must not keep the others waiting.
            swept["failed"][scenario.slug] = str(error)
            continue
        swept["registered"] += found.registered
        swept["failed"] |= found.failed
    return swept


@periodic(seconds=24 * 3600)
@job("tasks.pack-repositories")
def pack_repositories(run: Run) -> dict[str, Any]:
    """Keep repositories small; those that are being pushed to wait for the next day."""
    clear_staging(run.clock())
    packed = []
    for scenario in Scenario.objects.all():
        run.check()
        if pack_repository(scenario=scenario, now=run.clock()):
            packed.append(scenario.slug)
    return {"packed": packed}


@periodic(seconds=600)
@job("tasks.renew-signatures")
def sign_anew(run: Run) -> dict[str, Any]:
    """After a rotation of the manifest key: sign manifests and variants with the new one."""
    return {"signed": renew_signatures(now=run.clock())}


@periodic(seconds=24 * 3600)
@job("tasks.forget")
def forget(run: Run) -> dict[str, int]:
    """Forgets git blobs that are gone, and who was drawn for releases that ended longer ago than is kept."""
    forgotten = {"blobs": retention.forget_blobs(check=run.check)}
    if settings.WALLE_KEEP_EXPOSURES_DAYS:
        before = run.clock() - timedelta(days=settings.WALLE_KEEP_EXPOSURES_DAYS)
        forgotten["exposures"] = retention.delete_exposures(before=before, check=run.check)
    return forgotten


@periodic(seconds=30)
@job("releases.keep-figures")
def count_exposures(run: Run) -> dict[str, Any]:
    """Count what came of releases with many devices, which takes too long for those who look at them."""
    return {"counted": len(keep_figures(now=run.clock(), check=run.check))}


@job(JOB, urgent=True, lease=LOOK_LEASE)
def reconcile_release(run: Run, *, release: int) -> dict[str, Any]:
    """Look at one release, because something about it is new."""
    step = reconcile(release=release, now=run.clock())
    return {"action": step.action, "reason": step.reason} if step else {}


@periodic(seconds=2)
@job("releases.reconcile-all", urgent=True, lease=LOOK_LEASE)
def reconcile_all(run: Run) -> dict[str, Any]:
    """Look at every release under way: clocks run out without any report that would say so."""
    publish_missing_tables(now=run.clock())
    watched = Release.objects.filter(state__in=WATCHED).values_list("pk", flat=True)
    failed = {}
    for release in watched:
        run.check()
        try:
            reconcile(release=release, now=run.clock())
        except Exception as error:
            # One release that nobody can look at must not keep the others waiting.
            log.exception("cannot look at a release", release=release)
            failed[str(release)] = repr(error)
    return {"looked_at": len(watched), "failed": failed}
