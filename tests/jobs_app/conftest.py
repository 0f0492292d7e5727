"""Real Celery workers on the test database."""

import os
from collections.abc import Callable, Iterator

import psycopg
import pytest
from django.db import connection

from jobs_app.registry import JobQueue
from tests.jobs_app import handlers
from tests.support.processes import Child, Children, child_environment
from walleweb.databases import plain_url
from walleweb.embedded.commands import simulation_worker_command, urgent_worker_command, worker_command


@pytest.fixture
def effects(transactional_db) -> Iterator[Callable[[str], list[int]]]:
    """The table of effects; call with a moment to get the process ids that recorded it."""
    with connection.cursor() as cursor:
        cursor.execute(handlers.CREATE_EFFECTS)

    def of_moment(moment: str) -> list[int]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pid FROM job_effect WHERE moment = %s ORDER BY ctid", [moment])
            return [pid for (pid,) in cursor.fetchall()]

    yield of_moment
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE job_effect")


@pytest.fixture
def gate(transactional_db) -> Iterator[Callable[[], None]]:
    """Holds every gated job back until it is called (or the test ends)."""
    with psycopg.connect(plain_url(connection.settings_dict), autocommit=True) as keeper:
        keeper.execute("SELECT pg_advisory_lock(%s)", [handlers.GATE])
        yield lambda: keeper.execute("SELECT pg_advisory_unlock_all()")


@pytest.fixture
def start_worker(children: Children, transactional_db) -> Iterator[Callable[..., Child]]:
    """Starts a worker of a queue, the ordinary one with its beat, as `make run` does.

    After the test they are killed: how they end by themselves takes seconds, and is the subject of some tests only.
    """
    started: list[Child] = []

    def start(*, processes: int = 1, queue: JobQueue = JobQueue.ORDINARY) -> Child:
        environment = child_environment(WALLE_WORKER_PROCESSES=str(processes), REDIS_URL="")
        command = {
            JobQueue.ORDINARY: worker_command(),
            JobQueue.URGENT: urgent_worker_command(),
            JobQueue.SIMULATIONS: simulation_worker_command(processes),
        }[queue]
        worker = children.python(*command, "--include", "tests.jobs_app.handlers", env=environment, name="worker")
        started.append(worker)
        return worker

    yield start
    for worker in started:
        worker.kill_family()
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE kombu_message")


@pytest.fixture
def own_pid() -> int:
    return os.getpid()
