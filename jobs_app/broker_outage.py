"""Run a worker's jobs from the database alone while its broker brings no messages.

The rows are the truth (jobs_app.services): messages only save looking for what is due. Without them one thread of each
worker looks once a second, and does what beat's message would have started.
"""

from collections.abc import Callable, Collection
from typing import Final

import structlog
from django.db import DatabaseError, connection
from django.utils import timezone

from jobs_app import runner, services
from jobs_app.registry import JobQueue
from jobs_app.worker_thread import WorkerThread

LOOK_S: Final = 0.5
"""Seconds between two looks at whether messages come, and meanwhile at what is due."""

log = structlog.get_logger(__name__)


class OutageRunner(WorkerThread):
    """Runs the jobs of these queues, one after the other, whenever `problem` says why no messages come ("" if they do).

    With `sweeping`, it also enqueues periodic jobs and releases what other workers lost. Once it is stopped, it takes
    no further job; one that it is running then comes again later if it does not end in time.
    """

    def __init__(self, queues: Collection[JobQueue], problem: Callable[[], str], *, sweeping: bool) -> None:
        super().__init__("broker-outage")
        self._queues, self._problem, self._sweeping = queues, problem, sweeping

    def _run(self) -> None:
        known = ""
        while not self._stop.wait(LOOK_S):
            problem = self._problem()
            if problem and not known:
                log.warning("no messages come: looking for jobs in the database", reason=problem)
            elif known and not problem:
                log.info("messages come again")
            known = problem
            if problem:
                self._work()

    def _work(self) -> None:
        try:
            if self._sweeping:
                services.sweep(now=timezone.now())
            while not self._stop.is_set() and runner.run_next(queues=self._queues) is not None:
                pass
        except DatabaseError as error:
            log.warning("no jobs found: the database cannot be reached", error=str(error).strip())
        finally:
            # Closed in between: the worker may fork, and a child must not close its parent's connection.
            connection.close()
