"""Telling workers that there is work. A message may get lost or come twice: the rows are the truth."""

from typing import Final

from celery import current_app

WORK: Final = "jobs_app.work"
SWEEP: Final = "jobs_app.sweep"
# Older messages are worth nothing: sweeps have sent newer ones.
EXPIRES_SECONDS: Final = 60


def wake_worker() -> None:
    """Ask some worker to run the job that has been due longest. Raises kombu's OperationalError at once if
    the broker cannot be reached; the next sweep makes up for it."""
    current_app.send_task(WORK, expires=EXPIRES_SECONDS, retry=False)
