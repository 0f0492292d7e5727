"""Background work of the catalogue. Every job is idempotent: it may be run again at any time."""

from typing import Any

from jobs_app.registry import job, periodic
from jobs_app.runner import Run
from tasks_app.models import Scenario
from tasks_app.repository import RepositoryError
from tasks_app.services.sealing import renew_signatures
from tasks_app.services.sweep import pack_repository, sweep_repository


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
