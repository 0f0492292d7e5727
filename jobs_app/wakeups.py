"""Telling workers that there is work. A message may get lost or come twice: the rows are the truth."""

from typing import Final

from celery import current_app

WORK: Final = "jobs_app.work"
URGENT_WORK: Final = "jobs_app.urgent_work"
URGENT_QUEUE: Final = "urgent"
SWEEP: Final = "jobs_app.sweep"
# Older messages are worth nothing: sweeps have sent newer ones.
EXPIRES_SECONDS: Final = 60


def wake_worker(*, urgent: bool = False) -> None:
    """Ask some worker to run the job that has been due longest; if urgent, one that is kept free for that as well.

    Raises kombu's OperationalError at once if the broker cannot be reached; the next sweep makes up for it.
    """
    if urgent:
        current_app.send_task(URGENT_WORK, queue=URGENT_QUEUE, expires=EXPIRES_SECONDS, retry=False)
    current_app.send_task(WORK, expires=EXPIRES_SECONDS, retry=False)
