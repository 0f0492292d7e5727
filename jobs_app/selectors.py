"""Reading jobs and who runs them."""

from collections.abc import Collection
from datetime import datetime

from django.db.models import Min, QuerySet

from jobs_app.models import Job, JobState, Worker


def due_jobs(*, now: datetime, kinds: Collection[str]) -> QuerySet[Job]:
    """Pending jobs that a worker with handlers of these kinds could start now."""
    return Job.objects.filter(state=JobState.PENDING, run_at__lte=now, kind__in=kinds)


def lags(*, now: datetime) -> list[tuple[str, float]]:
    """For how many seconds the oldest due job of each kind has waited."""
    due = Job.objects.filter(state=JobState.PENDING, run_at__lte=now).order_by()
    oldest = due.values("kind").annotate(oldest=Min("run_at")).order_by("kind")
    return [(row["kind"], (now - row["oldest"]).total_seconds()) for row in oldest]


def living_workers(*, since: datetime, queue: str = "", host: str = "") -> int:
    """How many workers gave a sign since then: of all queues and hosts, or of one."""
    workers = Worker.objects.filter(seen_at__gte=since)
    if queue:
        workers = workers.filter(queue=queue)
    return workers.filter(host=host).count() if host else workers.count()
