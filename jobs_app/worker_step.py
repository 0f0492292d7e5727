"""What runs beside the jobs in a worker's main process, from when its pool was forked until it ends."""

from collections.abc import Callable
from typing import Any

from celery.bootsteps import StartStopStep

from jobs_app.broker_health import broker_problem, is_apart
from jobs_app.broker_outage import OutageRunner
from jobs_app.listening import AnnouncementListener
from jobs_app.presence import Presence
from jobs_app.registry import JobQueue
from jobs_app.worker_thread import WorkerThread


class WorkerThreads(StartStopStep):
    """Signs of life, announcements of PostgreSQL, and the broker's outages; all need no broker.

    They begin after every fork of the start: a forked child must not share their connections.
    """

    requires = ("celery.worker.components:Pool", "celery.worker.components:Beat")

    def __init__(self, worker: Any, **options: Any) -> None:
        super().__init__(worker, **options)
        self._threads: list[WorkerThread] = []

    def start(self, worker: Any) -> None:
        names = set(worker.app.amqp.queues.consume_from)
        self._threads = threads_of(names, lambda: _problem(worker))
        for thread in self._threads:
            thread.start()

    def stop(self, worker: Any) -> None:
        for thread in self._threads:
            thread.stop()
        self._threads = []


def threads_of(names: set[str], problem: Callable[[], str]) -> list[WorkerThread]:
    """Return the threads of a worker that serves the queues with these names."""
    threads: list[WorkerThread] = [Presence(",".join(sorted(names)))]
    served = {queue for queue in JobQueue if queue.value in names}
    if JobQueue.ORDINARY in served:
        threads.append(AnnouncementListener())
        served.add(JobQueue.URGENT)
    if is_apart():
        threads.append(OutageRunner(served, problem, sweeping=JobQueue.ORDINARY in served))
    return threads


def _problem(worker: Any) -> str:
    """Return why this worker is brought no messages: it is not connected, or the broker does not answer."""
    consumer = getattr(worker, "consumer", None)
    if consumer is None or consumer.connection is None:
        return "this worker is not connected to the broker"
    return broker_problem()
