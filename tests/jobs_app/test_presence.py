"""Workers' signs of life, and the command that asks for them."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from jobs_app import presence, registry, services
from jobs_app.models import Worker
from jobs_app.registry import JobQueue
from tests.support.waiting import wait_for

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@registry.job("tests.presence.nothing")
def nothing(run):
    """Nothing."""


@pytest.fixture
def worker(db):
    """A row of another process that gave a sign just now."""

    def make(**changes):
        now = timezone.now()
        usual = {"host": presence.this_host(), "pid": 1, "queue": "celery", "started_at": now, "seen_at": now}
        return Worker.objects.create(**usual | changes)

    return make


def worker_health(capsys, *arguments):
    call_command("worker_health", *arguments)
    return capsys.readouterr().out


def test_a_sign_is_renewed_and_old_processes_are_forgotten(worker):
    worker(pid=1, seen_at=NOW - timedelta(days=2))
    for seconds in (0, 10):
        presence.record_sign(queue="urgent", started_at=NOW, now=NOW + timedelta(seconds=seconds))
    row = Worker.objects.get()
    assert (row.queue, row.started_at, row.seen_at) == ("urgent", NOW, NOW + timedelta(seconds=10))
    presence.remove_sign()
    assert not Worker.objects.exists()


def test_no_worker_is_a_failure(db):
    with pytest.raises(CommandError, match="no worker has given a sign"):
        call_command("worker_health")


@pytest.mark.parametrize(
    ("changes", "arguments", "well"),
    [
        ({}, (), True),
        ({"host": "elsewhere"}, (), False),
        ({"host": "elsewhere"}, ("--anywhere",), True),
        ({}, ("--queue", "urgent"), False),
        ({"queue": "urgent"}, ("--queue", "urgent"), True),
    ],
)
def test_whose_sign_counts(worker, capsys, changes, arguments, well):
    worker(**changes)
    if well:
        assert worker_health(capsys, *arguments) == "1 workers, no job late\n"
    else:
        with pytest.raises(CommandError):
            worker_health(capsys, *arguments)


def test_an_old_sign_does_not_count(worker):
    worker(seen_at=timezone.now() - timedelta(seconds=31))
    with pytest.raises(CommandError):
        call_command("worker_health")


def test_a_late_job_is_named(worker, capsys):
    worker()
    services.enqueue(kind="tests.presence.nothing", run_at=timezone.now() - timedelta(seconds=90))
    services.enqueue(kind="tests.presence.nothing", run_at=timezone.now() + timedelta(seconds=90))
    with pytest.raises(CommandError, match=r"tests\.presence\.nothing: a job has been due for 9\d s"):
        call_command("worker_health")
    assert "no job late" in worker_health(capsys, "--lag", "100")


def test_without_a_database_the_command_fails(db, monkeypatch):
    from django.db import OperationalError

    def fail(**_):
        raise OperationalError("connection to 10.0.0.5 refused")

    monkeypatch.setattr("jobs_app.selectors.living_workers", fail)
    with pytest.raises(CommandError, match="the database cannot be read"):
        call_command("worker_health")


@pytest.mark.django_db(transaction=True)
def test_a_real_worker_gives_signs_and_says_goodbye(start_worker):
    child = start_worker(queue=JobQueue.URGENT)
    row = wait_for(Worker.objects.first, 60, child.output)
    assert (row.pid, row.queue, row.host) == (child.pid, "urgent", presence.this_host())
    child.stop()
    assert not Worker.objects.exists()
