"""Real workers, killed at a moment that is certain: the job is blocked on a PostgreSQL advisory lock."""

import sys
from contextlib import contextmanager
from datetime import timedelta

import psutil
import psycopg
import pytest
from django.db import connection
from django.utils import timezone

from jobs_app import services
from jobs_app.models import Job, JobState
from jobs_app.registry import JobQueue
from tests.jobs_app import handlers  # noqa: F401 - registers the kinds that are enqueued here
from tests.support.processes import child_environment, free_port
from tests.support.waiting import wait_for
from walleweb.databases import plain_url

pytestmark = pytest.mark.django_db(transaction=True)


def job_is(job, state):
    return lambda: Job.objects.filter(pk=job.pk, state=state).exists()


def test_a_job_whose_worker_is_killed_is_finished_by_another_exactly_once(start_worker, effects, gate):
    first = start_worker()
    job = services.enqueue(kind="tests.gated", arguments={"label": "a"})
    (doomed,) = wait_for(lambda: effects("begun"), 40, first.output)
    family = psutil.Process(first.pid).children(recursive=True)

    first.kill()

    wait_for(lambda: not any(process.is_running() for process in family), describe="the worker's processes to end")
    assert Job.objects.get(pk=job.pk).state == JobState.RUNNING
    gate()
    # What the passing of the lease's time would do.
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    second = start_worker()
    wait_for(job_is(job, JobState.SUCCEEDED), 40, second.output)

    (finisher,) = effects("done")
    assert finisher != doomed
    assert len(effects("begun")) == 2
    job.refresh_from_db()
    assert (job.attempts, job.result) == (2, {"label": "a"})


ORPHANED_BEAT = """
import os, signal, sys, time
from billiard import Process
from billiard.process import current_process
from celery.signals import beat_embedded_init
import walleweb.celery

def beat():
    while os.getppid() == current_process()._parent_pid:
        time.sleep(0.01)
    beat_embedded_init.send(sender=None)
    time.sleep(600)

child = Process(target=beat)
child.start()
print(child.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_beat_whose_worker_was_killed_before_it_began_ends_too(children):
    worker = children.start(sys.executable, "-c", ORPHANED_BEAT, env=child_environment(), name="worker")
    wait_for(worker.ended, describe=worker.output)
    beat = int(worker.output())
    wait_for(lambda: not psutil.pid_exists(beat), describe="the beat process to end")


def test_two_workers_share_the_jobs_and_never_one_job(start_worker, effects):
    workers = [start_worker(processes=2), start_worker(processes=2)]
    jobs = [services.enqueue(kind="tests.short", arguments={"label": str(number)}) for number in range(40)]

    ids = [job.pk for job in jobs]
    wait_for(lambda: Job.objects.filter(pk__in=ids, state=JobState.SUCCEEDED).count() == 40, 60, workers[0].output)

    assert len(effects("done")) == 40
    assert set(Job.objects.filter(pk__in=ids).values_list("attempts", flat=True)) == {1}


def test_jobs_share_a_connection_and_one_that_broke_is_replaced_unnoticed(start_worker, effects):
    worker = start_worker()

    def done():
        job = services.enqueue(kind="tests.backend")
        wait_for(job_is(job, JobState.SUCCEEDED), 60, worker.output)
        job.refresh_from_db()
        assert job.attempts == 1
        return job.result["pid"]

    first = done()
    assert done() == first
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [first])
    assert done() != first


def test_an_urgent_job_does_not_wait_for_a_worker_that_is_busy(start_worker, effects, gate):
    start_worker()
    free = start_worker(queue=JobQueue.URGENT)
    blocked = services.enqueue(kind="tests.asks-urgently", arguments={"label": "x"})
    wait_for(lambda: effects("done urgently"), 60, free.output)
    assert job_is(blocked, JobState.RUNNING)()


def test_long_jobs_that_hold_their_workers_keep_nobody_else_waiting(start_worker, effects, gate):
    ordinary = start_worker()
    start_worker(queue=JobQueue.SIMULATIONS, processes=2)
    greedy = [services.enqueue(kind="tests.long", arguments={"label": "a"}, account="a") for _ in range(5)]
    wait_for(lambda: effects("begun"), 60, ordinary.output)
    short = services.enqueue(kind="tests.short", arguments={"label": "x"})
    wait_for(job_is(short, JobState.SUCCEEDED), 60, ordinary.output)
    other = services.enqueue(kind="tests.long", arguments={"label": "b"}, account="b")
    wait_for(job_is(other, JobState.RUNNING), 60, ordinary.output)
    # Now both processes are held. Whoever else comes waits, ordinary jobs do not.
    third = services.enqueue(kind="tests.long", arguments={"label": "c"}, account="c")
    again = services.enqueue(kind="tests.short", arguments={"label": "y"})
    wait_for(job_is(again, JobState.SUCCEEDED), 60, ordinary.output)
    assert job_is(third, JobState.PENDING)()
    assert Job.objects.filter(pk__in=[job.pk for job in greedy], state=JobState.RUNNING).count() == 1
    gate()
    wait_for(job_is(third, JobState.SUCCEEDED), 60, ordinary.output)


def test_a_worker_of_long_jobs_that_is_killed_gives_its_account_back(start_worker, effects, gate):
    start_worker()
    doomed = start_worker(queue=JobQueue.SIMULATIONS)
    job = services.enqueue(kind="tests.long", arguments={"label": "a"}, account="a")
    wait_for(lambda: effects("begun"), 60, doomed.output)
    family = psutil.Process(doomed.pid).children(recursive=True)
    doomed.kill()
    wait_for(lambda: not any(process.is_running() for process in family), describe="the worker's processes to end")
    gate()
    # What the passing of the lease's time would do.
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    second = start_worker(queue=JobQueue.SIMULATIONS)
    wait_for(job_is(job, JobState.SUCCEEDED), 60, second.output)
    job.refresh_from_db()
    assert job.attempts == 2
    assert job.spent_s > 0


def test_a_lost_message_is_made_up_for_and_retries_come_by_themselves(start_worker, effects):
    silent = Job.objects.create(
        kind="tests.broken", arguments={"label": "x"}, max_attempts=2, run_at=timezone.now(), created_at=timezone.now()
    )
    worker = start_worker()
    wait_for(job_is(silent, JobState.FAILED), 60, worker.output)
    assert len(effects("tried")) == 2


def test_a_worker_told_to_stop_finishes_what_it_runs(start_worker, effects, gate):
    worker = start_worker()
    job = services.enqueue(kind="tests.gated", arguments={"label": "a"})
    wait_for(lambda: effects("begun"), 40, worker.output)
    worker.process.terminate()
    gate()
    wait_for(worker.ended, describe=worker.output)
    assert job_is(job, JobState.SUCCEEDED)()
    assert len(effects("done")) == 1


def test_a_worker_whose_beat_is_killed_ends_so_that_it_can_be_started_again(start_worker):
    worker = start_worker()
    wait_for(lambda: Job.objects.filter(dedupe_key__startswith="periodic:").exists(), 60, worker.output)

    for process in psutil.Process(worker.pid).children():
        process.kill()

    wait_for(worker.ended, 60, worker.output)
    assert worker.process.returncode > 0


ENQUEUE = "import django; django.setup(); from jobs_app.services import enqueue; enqueue(kind='jobs.delete-finished')"


def test_a_job_is_written_down_although_nobody_can_be_woken(children):
    caller = children.python("-c", ENQUEUE, env=child_environment(REDIS_URL=f"redis://127.0.0.1:{free_port()}"))
    assert caller.process.wait(60) == 0, caller.output()
    assert Job.objects.get().state == JobState.PENDING
    assert "no worker woken: the broker cannot be reached" in caller.output()


@contextmanager
def database_gone():
    """Whoever but this test is connected to its database is no more, and cannot be until the end of the block."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_database(), pg_backend_pid()")
        name, own = cursor.fetchone()
    elsewhere = plain_url({**connection.settings_dict, "NAME": "postgres"})
    with psycopg.connect(elsewhere, autocommit=True) as keeper:
        keeper.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        try:
            others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> %s"
            keeper.execute(others, [name, own])
            yield
        finally:
            keeper.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')


def test_beat_goes_on_once_a_database_that_was_gone_is_back(start_worker):
    """Gone for longer than beat tries: its connection was closed for good then, and nobody swept any more."""
    worker = start_worker()
    wait_for(lambda: Job.objects.filter(kind="releases.reconcile-all").exists(), 60, worker.output)
    with database_gone():
        wait_for(lambda: "the broker is away" in worker.output(), 60, worker.output)
    last = Job.objects.latest("id").pk
    wait_for(lambda: Job.objects.filter(pk__gt=last, state="succeeded").exists(), 60, worker.output)
