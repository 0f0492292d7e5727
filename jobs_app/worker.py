"""Celery's tasks. Their messages carry nothing: the rows decide which job is next."""

from collections.abc import Collection

from celery import shared_task
from django.utils import timezone

from jobs_app import broker_messages, runner, selectors, services
from jobs_app.registry import JobQueue

# Enough to wake every worker process; each continues by itself while jobs are due.
MOST_WAKEUPS = 16
# The queues that the workers of each queue serve.
_ORDINARY = (JobQueue.URGENT, JobQueue.ORDINARY)
_SIMULATIONS = (JobQueue.SIMULATIONS,)


@shared_task(name=broker_messages.WORK, ignore_result=True)
def work() -> None:
    """Run one due job that is urgent or ordinary, if there is one, and wake another worker if more are due."""
    _work(JobQueue.ORDINARY, _ORDINARY)


@shared_task(name=broker_messages.URGENT_WORK, ignore_result=True)
def urgent_work() -> None:
    """Do the same for urgent jobs alone, in a worker that takes no others."""
    _work(JobQueue.URGENT, (JobQueue.URGENT,))


@shared_task(name=broker_messages.SIMULATION_WORK, ignore_result=True)
def simulation_work() -> None:
    """Do the same for simulations alone, which no other worker takes."""
    _work(JobQueue.SIMULATIONS, _SIMULATIONS)


def _work(queue: JobQueue, served: Collection[JobQueue]) -> None:
    if runner.run_next(queues=served) is not None and selectors.count_unannounced(served, now=timezone.now(), most=1):
        broker_messages.wake_worker(queue)


@shared_task(name=broker_messages.SWEEP, ignore_result=True)
def sweep() -> None:
    """Make up for everything that can get lost: expired leases, lost messages, periodic jobs, retries due."""
    if not services.sweep(now=timezone.now()):
        return
    for queue, served in ((JobQueue.ORDINARY, _ORDINARY), (JobQueue.SIMULATIONS, _SIMULATIONS)):
        for _ in range(selectors.count_unannounced(served, now=timezone.now(), most=MOST_WAKEUPS)):
            broker_messages.wake_worker(queue)
