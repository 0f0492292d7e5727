"""What Celery runs. Neither message carries anything: which job is next is decided by the rows."""

import structlog
from celery import shared_task
from django.db import connection, transaction
from django.utils import timezone

from jobs_app import registry, runner, selectors, services, wakeups

log = structlog.get_logger(__name__)
# "WALLESWP" in ASCII: only one sweep at a time, whoever runs it.
SWEEP_LOCK = 0x57414C4C45535750
# Enough to set every worker process going; each goes on by itself while jobs are due.
MOST_WAKEUPS = 16


@shared_task(name=wakeups.WORK, ignore_result=True)
def work() -> None:
    """Run one due job, if there is one, and pass the word on when more are due."""
    if runner.run_next() is not None and _due_count(1):
        wakeups.wake_worker()


@shared_task(name=wakeups.URGENT_WORK, ignore_result=True)
def urgent_work() -> None:
    """The same for urgent jobs alone, in a worker that takes no others."""
    if runner.run_next(urgent_only=True) is not None and _due_count(1, urgent_only=True):
        wakeups.wake_worker(urgent=True)


@shared_task(name=wakeups.SWEEP, ignore_result=True)
def sweep() -> None:
    """Make up for everything that can get lost: expired leases, lost messages, periodic jobs, retries due."""
    with transaction.atomic():
        if not _only_sweep():
            return
        now = timezone.now()
        services.release_expired(now=now)
        services.enqueue_periodic(now=now)
    for _ in range(_due_count(MOST_WAKEUPS)):
        wakeups.wake_worker()


def _due_count(most: int, *, urgent_only: bool = False) -> int:
    kinds = registry.names_of(urgent=True) + ([] if urgent_only else registry.names_of(urgent=False))
    return len(selectors.due_jobs(now=timezone.now(), kinds=kinds).values_list("id")[:most])


def _only_sweep() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [SWEEP_LOCK])
        return bool(cursor.fetchone()[0])
