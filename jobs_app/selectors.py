"""Reading jobs."""

from collections.abc import Collection
from datetime import datetime

from django.db.models import Count, QuerySet

from jobs_app.models import Job, JobState


def due_jobs(*, now: datetime, kinds: Collection[str]) -> QuerySet[Job]:
    """Pending jobs that a worker with handlers of these kinds could start now."""
    return Job.objects.filter(state=JobState.PENDING, run_at__lte=now, kind__in=kinds)


def count_by_state() -> dict[str, int]:
    """How many jobs there are in each state; states without jobs are 0."""
    found = dict(Job.objects.order_by().values_list("state").annotate(Count("id")))
    return {state: found.get(state, 0) for state in JobState.values}
