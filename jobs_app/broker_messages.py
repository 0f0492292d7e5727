"""Wake workers by messages. A message may get lost or come twice: the rows are the truth."""

from typing import Final

from celery import current_app

from jobs_app.registry import JobQueue

WORK: Final = "jobs_app.work"
URGENT_WORK: Final = "jobs_app.urgent_work"
SIMULATION_WORK: Final = "jobs_app.simulation_work"
SWEEP: Final = "jobs_app.sweep"
# Older messages are useless: sweeps have sent newer ones.
EXPIRES_SECONDS: Final = 60


def wake_worker(queue: JobQueue = JobQueue.ORDINARY) -> None:
    """Wake a worker of a queue to run the job that has been due longest; if urgent, an ordinary one as well.

    Raises kombu's OperationalError at once if the broker cannot be reached; the next sweep makes up for it.
    """
    if queue is JobQueue.SIMULATIONS:
        current_app.send_task(SIMULATION_WORK, queue=queue.value, expires=EXPIRES_SECONDS, retry=False)
        return
    if queue is JobQueue.URGENT:
        current_app.send_task(URGENT_WORK, queue=queue.value, expires=EXPIRES_SECONDS, retry=False)
    current_app.send_task(WORK, expires=EXPIRES_SECONDS, retry=False)
