"""Working on simulations as a worker does, at a given time."""

from datetime import UTC, datetime

from jobs_app.models import Job, JobState
from jobs_app.runner import run_next
from releases_app.selectors.simulation import SIMULATE
from releases_app.services.simulation import RECONCILE

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
ANY = {"fact": "app_version", "version": "*"}
SIMULATED = {"stages": [{"kind": "gray", "percent": 100, "dwell_s": 0, "evidence": 0}]}


def work(now=NOW, until=SIMULATE):
    """Run what is due, as a worker does, as long as there are due jobs of a kind."""
    while Job.objects.filter(kind=until, state=JobState.PENDING, run_at__lte=now).exists():
        assert run_next(clock=lambda: now) is not None


def matrix(release):
    return {
        f"{cell.app_version} {cell.os} {cell.os_version}": cell.state
        for cell in release.simulation_cells.order_by("id")
    }


def looks_due(release):
    return Job.objects.filter(kind=RECONCILE, arguments={"release": release.pk}, state=JobState.PENDING).count()
