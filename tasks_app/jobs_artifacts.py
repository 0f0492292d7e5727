"""Background work on artifacts."""

from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.conf import settings

from jobs_app.registry import job, periodic
from jobs_app.runner import Run
from tasks_app.services.garbage import collect_artifacts


@periodic(seconds=12 * 3600)
@job("tasks.collect-artifacts")
def collect(run: Run) -> dict[str, Any]:
    """Deletes artifacts that nothing has referred to for WALLE_KEEP_UNUSED_DAYS."""
    grace = timedelta(days=settings.WALLE_KEEP_UNUSED_DAYS)
    collected = collect_artifacts(now=run.clock(), grace=grace, check=run.check)
    return {store: asdict(found) for store, found in collected.items()}
