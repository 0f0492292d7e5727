"""A worker without messages does jobs by itself, and only then; whoever enqueues one does not wait for the broker."""

import threading

import pytest
from celery import current_app

from jobs_app import broker_messages, services
from jobs_app.broker_health import broker_problem, is_apart
from jobs_app.broker_outage import OutageRunner
from jobs_app.models import Job, JobState
from jobs_app.registry import JobQueue
from jobs_app.worker_step import threads_of
from tests.jobs_app import handlers  # noqa: F401 - registers the kinds that are enqueued here
from tests.support.processes import free_port
from tests.support.waiting import wait_for


@pytest.fixture
def unreachable(settings) -> str:
    """The address of a Redis that is not there, as the broker's."""
    address = f"redis://:secret@127.0.0.1:{free_port()}/0"
    settings.CELERY_BROKER_URL = settings.WALLE_REDIS_URL = address
    return address


@pytest.mark.django_db(transaction=True)
def test_jobs_are_found_while_no_messages_come_and_left_to_messages_afterwards(effects) -> None:
    problems, looked = ["away"], threading.Event()

    def problem() -> str:
        looked.set()
        return problems[0]

    own = OutageRunner([JobQueue.ORDINARY], problem, sweeping=False)
    job, urgent = (services.enqueue(kind=f"tests.{kind}", arguments={"label": kind}) for kind in ("short", "urgent"))
    own.start()
    wait_for(lambda: Job.objects.filter(pk=job.pk, state=JobState.SUCCEEDED).exists())
    problems[0] = ""
    looked.clear()
    wait_for(looked.is_set)
    later = services.enqueue(kind="tests.short", arguments={"label": "later"})
    looked.clear()
    wait_for(looked.is_set)
    own.stop()
    assert {each.state for each in Job.objects.filter(pk__in=[urgent.pk, later.pk])} == {JobState.PENDING}


def test_which_threads_a_worker_has(unreachable: str) -> None:
    def names(*queues: str) -> list[str]:
        return [type(each).__name__ for each in threads_of(set(queues), str)]

    assert names("celery") == ["Presence", "AnnouncementListener", "OutageRunner"]
    assert names("urgent") == names("simulations") == ["Presence", "OutageRunner"]


def test_the_database_is_no_broker_apart() -> None:
    assert (is_apart(), broker_problem()) == (False, "")
    assert [type(each).__name__ for each in threads_of({"urgent"}, str)] == ["Presence"]


def test_a_broker_that_is_away_is_named_without_its_password(unreachable: str) -> None:
    assert broker_problem() == "Redis cannot be reached (ConnectionError)"


def test_nobody_waits_for_a_broker_that_is_away_twice_in_a_second(unreachable: str, monkeypatch) -> None:
    now, tried = [100.0], []
    wake_ups = broker_messages.WakeUps(lambda: now[0])
    send = current_app.send_task

    def sending(task: str, **options: object) -> None:
        tried.append(task)
        with current_app.connection_for_write(unreachable) as connection:
            send(task, connection=connection, **options)

    monkeypatch.setattr(current_app, "send_task", sending)
    for _ in range(3):
        wake_ups.send(JobQueue.URGENT)
    assert tried == [broker_messages.URGENT_WORK]
    now[0] += broker_messages.PAUSE_SECONDS
    wake_ups.send(JobQueue.URGENT)
    assert len(tried) == 2
