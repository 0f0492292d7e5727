"""Wake workers by messages. A message may get lost or come twice: the rows are the truth."""

from collections.abc import Callable
from time import monotonic
from typing import Final

import structlog
from celery import current_app
from kombu.exceptions import OperationalError

from jobs_app.registry import JobQueue

WORK: Final = "jobs_app.work"
URGENT_WORK: Final = "jobs_app.urgent_work"
SIMULATION_WORK: Final = "jobs_app.simulation_work"
SWEEP: Final = "jobs_app.sweep"
# Older messages are useless: sweeps have sent newer ones.
EXPIRES_SECONDS: Final = 60
PAUSE_SECONDS: Final = 1.0
"""For how long nobody is woken after the broker could not be reached."""
_MESSAGES: Final = {
    JobQueue.URGENT: ((URGENT_WORK, JobQueue.URGENT.value), (WORK, None)),
    JobQueue.ORDINARY: ((WORK, None),),
    JobQueue.SIMULATIONS: ((SIMULATION_WORK, JobQueue.SIMULATIONS.value),),
}


log = structlog.get_logger(__name__)


class WakeUps:
    """Sends the messages; `monotonic` returns seconds.

    While the broker cannot be reached, that is tried at most once a second, so that nobody waits for it again and
    again: workers then look for jobs by themselves (jobs_app.broker_outage).
    """

    def __init__(self, monotonic: Callable[[], float] = monotonic) -> None:
        self._monotonic = monotonic
        self._quiet_until = float("-inf")

    def send(self, queue: JobQueue) -> None:
        """Wake a worker of a queue to run the job that has been due longest; if urgent, an ordinary one as well."""
        if self._monotonic() < self._quiet_until:
            return
        try:
            for task, name in _MESSAGES[queue]:
                current_app.send_task(task, queue=name, expires=EXPIRES_SECONDS, retry=False)
        except OperationalError as error:
            self._quiet_until = self._monotonic() + PAUSE_SECONDS
            log.warning("no worker woken: the broker cannot be reached", error=type(error.__cause__ or error).__name__)


WAKE_UPS: Final = WakeUps()


def wake_worker(queue: JobQueue = JobQueue.ORDINARY) -> None:
    """Wake a worker of a queue, as `WakeUps.send` does."""
    WAKE_UPS.send(queue)
