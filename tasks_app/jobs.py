"""Background jobs of the catalogue. Every job is idempotent."""

from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.conf import settings

from jobs_app.registry import job, periodic
from jobs_app.runner import JobRun
from tasks_app.models import Scenario
from tasks_app.repository import RepositoryError, clear_staging
from tasks_app.selectors.runs import KEPT
from tasks_app.services import retention, run_counts
from tasks_app.services.garbage import collect_artifacts
from tasks_app.services.manifest_signing import renew_signatures
from tasks_app.services.sweep import pack_repository, sweep_repository


@periodic(seconds=30)
@job("tasks.sweep-repositories")
def sweep_repositories(run: JobRun) -> dict[str, Any]:
    """Register versions whose push was interrupted between git's acceptance and their registration."""
    swept: dict[str, Any] = {"registered": [], "failed": {}}
    for scenario in Scenario.objects.all():
        run.check()
        try:
            found = sweep_repository(scenario=scenario)
        except RepositoryError as error:
            # A damaged repository must not block the others.
            swept["failed"][scenario.slug] = str(error)
            continue
        swept["registered"] += found.registered
        swept["failed"] |= found.failed
    return swept


@periodic(seconds=24 * 3600)
@job("tasks.pack-repositories")
def pack_repositories(run: JobRun) -> dict[str, Any]:
    """Keep repositories small; those with a push in progress wait for the next day."""
    clear_staging(run.clock())
    packed = []
    for scenario in Scenario.objects.all():
        run.check()
        if pack_repository(scenario=scenario, now=run.clock()):
            packed.append(scenario.slug)
    return {"packed": packed}


@periodic(seconds=600)
@job("tasks.renew-signatures")
def sign_anew(run: JobRun) -> dict[str, Any]:
    """After a rotation of the manifest key, sign manifests and variants with the new one."""
    return {"signed": renew_signatures(now=run.clock())}


@periodic(seconds=24 * 3600)
@job("tasks.forget")
def forget(run: JobRun) -> dict[str, int]:
    """Delete records of git blobs that no repository holds any more, and counts of runs too old to be shown."""
    return {
        "blobs": retention.forget_blobs(check=run.check),
        "run_counts": run_counts.delete_run_counts(before=run.clock() - KEPT),
    }


@periodic(seconds=12 * 3600)
@job("tasks.collect-artifacts")
def collect(run: JobRun) -> dict[str, Any]:
    """Delete artifacts that nothing has referred to for WALLE_KEEP_UNUSED_DAYS."""
    grace = timedelta(days=settings.WALLE_KEEP_UNUSED_DAYS)
    collected = collect_artifacts(now=run.clock(), grace=grace, check=run.check)
    return {store: asdict(found) for store, found in collected.items()}
