"""Reading jobs."""

from collections.abc import Collection
from datetime import datetime

from django.db.models import QuerySet

from jobs_app.models import Job, JobState


def due_jobs(*, now: datetime, kinds: Collection[str]) -> QuerySet[Job]:
    """Pending jobs that a worker with handlers of these kinds could start now."""
    return Job.objects.filter(state=JobState.PENDING, run_at__lte=now, kind__in=kinds)
