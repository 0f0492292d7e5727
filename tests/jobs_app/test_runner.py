"""Running a claimed job in this process: its end, its errors, and a lease lost on the way."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from jobs_app import registry, runner, services
from jobs_app.models import Job, JobState
from jobs_app.registry import JobQueue, job
from tests.jobs_app import handlers
from tests.support.waiting import wait_for

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def kind(monkeypatch):
    """Registers a handler for this test only; returns the name of its kind."""
    monkeypatch.setattr(registry, "_KINDS", dict(registry._KINDS))

    def register(handler, **options):
        job("tests.once", **options)(handler)
        return "tests.once"

    return register


def run_one(kind_name, **arguments):
    enqueued = services.enqueue(kind=kind_name, arguments=arguments)
    runner.run_next()
    enqueued.refresh_from_db()
    return enqueued


def test_what_a_handler_returns_is_the_result(kind):
    done = run_one(kind(lambda run, *, number: {"double": 2 * number}), number=4)
    assert (done.state, done.result) == (JobState.SUCCEEDED, {"double": 8})


def test_nothing_due_is_no_job(db):
    assert runner.run_next() is None


def test_an_urgent_job_goes_before_one_that_has_been_due_longer(effects):
    services.enqueue(kind="tests.short", arguments={"label": "x"})
    services.enqueue(kind="tests.urgent", arguments={"label": "y"})
    assert [runner.run_next().kind for _ in range(2)] == ["tests.urgent", "tests.short"]


def test_who_is_kept_free_for_urgent_jobs_takes_no_other(effects):
    services.enqueue(kind="tests.short", arguments={"label": "x"})
    assert runner.run_next(queues=[JobQueue.URGENT]) is None


def test_an_error_is_kept_with_its_traceback_and_tried_again(effects):
    failed = run_one("tests.broken", label="x")
    assert failed.state == JobState.PENDING
    assert "RuntimeError: x is broken" in failed.error
    assert "handlers.py" in failed.error
    assert failed.run_at > timezone.now() + timedelta(seconds=3)


def test_a_permanent_failure_is_not_tried_again():
    failed = run_one("tests.hopeless")
    assert (failed.state, failed.attempts) == (JobState.FAILED, 1)
    assert "no attempt would help" in failed.error


def test_a_stopping_worker_hands_its_job_back(kind):
    def interrupted(run):
        raise SystemExit

    services.enqueue(kind=kind(interrupted))
    with pytest.raises(SystemExit):
        runner.run_next()
    assert Job.objects.get().state == JobState.PENDING


def test_a_handler_that_lost_its_lease_writes_nothing(kind, effects):
    def slow(run):
        services.release_expired(now=timezone.now() + timedelta(minutes=1))
        with run.completing():
            handlers.note("x", "done")

    after = run_one(kind(slow))
    assert effects("done") == []
    assert (after.state, after.error) == (JobState.PENDING, services.LOST)


def test_an_error_inside_the_last_part_undoes_its_writes(kind, effects):
    def faulty(run):
        with run.completing():
            handlers.note("x", "done")
            raise RuntimeError("too late")

    assert run_one(kind(faulty)).state == JobState.PENDING
    assert effects("done") == []


def test_the_heartbeat_renews_the_lease_and_notices_its_loss(kind):
    seen = {}

    def long(run):
        def renewed():
            until = Job.objects.get(pk=run.job.pk).lease_until
            return until and until > run.job.lease_until

        seen["renewed"] = wait_for(renewed, describe="the lease to be renewed")
        services.release_expired(now=timezone.now() + timedelta(minutes=1))
        wait_for(run._lost.is_set, describe="the loss to be noticed")
        run.check()

    after = run_one(kind(long, lease=timedelta(seconds=0.3)))
    assert seen == {"renewed": True}
    assert (after.state, after.error) == (JobState.PENDING, services.LOST)


def test_the_heartbeat_ends_with_the_job_and_closes_its_connection(kind):
    before = connections_of_this_database()
    run_one(kind(lambda run: None))
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("lease-")]
    assert connections_of_this_database() <= before


def connections_of_this_database():
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        return cursor.fetchone()[0]


def test_a_kind_belongs_to_one_function(kind):
    kind(lambda run: None)
    with pytest.raises(ValueError, match="already belongs"):
        job("tests.once")(handlers.short)


def test_periodic_stands_above_job():
    with pytest.raises(ValueError, match="stands above"):
        registry.periodic(seconds=1)(lambda run: None)
