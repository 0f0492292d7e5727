"""What Celery runs. Neither message carries anything: which job is next is decided by the rows."""

from collections.abc import Collection

import structlog
from celery import shared_task
from django.db import connection, transaction
from django.utils import timezone

from jobs_app import runner, selectors, services, wakeups
from jobs_app.registry import Queue

log = structlog.get_logger(__name__)
# "WALLESWP" in ASCII: only one sweep at a time, whoever runs it.
SWEEP_LOCK = 0x57414C4C45535750
# Enough to set every worker process going; each goes on by itself while jobs are due.
MOST_WAKEUPS = 16
# What the workers of these queues take.
_ORDINARY = (Queue.URGENT, Queue.ORDINARY)
_SIMULATIONS = (Queue.SIMULATIONS,)


@shared_task(name=wakeups.WORK, ignore_result=True)
def work() -> None:
    """Run one due job that is urgent or ordinary, if there is one, and pass the word on when more are due."""
    _work(Queue.ORDINARY, _ORDINARY)


@shared_task(name=wakeups.URGENT_WORK, ignore_result=True)
def urgent_work() -> None:
    """The same for urgent jobs alone, in a worker that takes no others."""
    _work(Queue.URGENT, (Queue.URGENT,))


@shared_task(name=wakeups.SIMULATION_WORK, ignore_result=True)
def simulation_work() -> None:
    """The same for simulations alone, which no other worker takes."""
    _work(Queue.SIMULATIONS, _SIMULATIONS)


def _work(queue: Queue, takes: Collection[Queue]) -> None:
    if runner.run_next(queues=takes) is not None and selectors.count_startable(takes, now=timezone.now(), most=1):
        wakeups.wake_worker(queue)


@shared_task(name=wakeups.SWEEP, ignore_result=True)
def sweep() -> None:
    """Make up for everything that can get lost: expired leases, lost messages, periodic jobs, retries due."""
    with transaction.atomic():
        if not _only_sweep():
            return
        now = timezone.now()
        services.release_expired(now=now)
        services.enqueue_periodic(now=now)
    for queue, takes in ((Queue.ORDINARY, _ORDINARY), (Queue.SIMULATIONS, _SIMULATIONS)):
        for _ in range(selectors.count_startable(takes, now=timezone.now(), most=MOST_WAKEUPS)):
            wakeups.wake_worker(queue)


def _only_sweep() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [SWEEP_LOCK])
        return bool(cursor.fetchone()[0])
