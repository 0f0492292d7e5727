"""The PostgreSQL broker: what is made with its tables, and what happens when the database breaks off."""

import json
from queue import Empty
from threading import Thread

import pytest
from celery import current_app
from django.db import connection as django_connection
from django.db import transaction
from kombu import Connection
from sqlalchemy import event
from sqlalchemy.exc import ProgrammingError

from jobs_app import broker_transport
from jobs_app.registry import JobQueue
from tests.support.waiting import wait_for
from walleweb.databases import broker_url

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def no_messages(transactional_db):
    """Messages of jobs that other tests enqueued would be received here."""
    with django_connection.cursor() as cursor:
        cursor.execute("TRUNCATE kombu_message")


def test_workers_need_not_make_the_queues_that_they_start_with():
    with django_connection.cursor() as cursor:
        cursor.execute("SELECT name FROM kombu_queue")
        assert {name for (name,) in cursor.fetchall()} >= set(JobQueue)
    assert current_app.conf.task_default_queue == JobQueue.ORDINARY


def test_a_database_that_breaks_off_amid_a_poll_is_a_lost_connection():
    with Connection(broker_url(django_connection.settings_dict, redis_url="")) as broker:
        channel = broker.default_channel

        def break_off(_connection, _cursor, statement, *_) -> None:
            if "FOR UPDATE" in statement:
                with django_connection.cursor() as cursor:
                    cursor.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                    )

        engine = channel.session.bind
        event.listen(engine, "before_cursor_execute", break_off)
        with pytest.raises(broker.connection_errors):
            channel._get("celery")
        event.remove(engine, "before_cursor_execute", break_off)
        engine.dispose()


def test_who_waits_for_a_message_is_notified_of_it(monkeypatch):
    """It is put after the one who waits has looked in vain, and would not look again for an hour."""
    monkeypatch.setattr(broker_transport, "WAIT_S", 3600.0)
    received: list[object] = []
    address = broker_url(django_connection.settings_dict, redis_url="")
    with Connection(address) as waiting, Connection(address) as sending:
        waiting.default_channel.basic_consume(JobQueue.URGENT.value, True, received.append, "tag")
        look = waiting.transport.cycle.get

        def look_and_put(*args, **options) -> None:
            try:
                look(*args, **options)
            except Empty:
                sending.Producer().publish({"number": 1}, routing_key=JobQueue.URGENT.value)
                raise

        monkeypatch.setattr(waiting.transport.cycle, "get", look_and_put)
        Thread(target=waiting.drain_events, daemon=True).start()
        wait_for(lambda: received, describe="the message")
    assert [json.loads(message.body) for message in received] == [{"number": 1}]


def test_a_queue_that_nobody_has_made_keeps_what_is_put_into_it():
    with Connection(broker_url(django_connection.settings_dict, redis_url="")) as broker:
        broker.default_channel._put("unmade", {"number": 1})
        assert broker.default_channel._get("unmade") == {"number": 1}


def test_a_message_costs_no_transaction():
    with Connection(broker_url(django_connection.settings_dict, redis_url="")) as broker:
        assert broker.default_channel.session.connection().connection.driver_connection.autocommit


def test_a_message_that_could_not_be_stored_is_refused_and_the_next_is_stored():
    with Connection(broker_url(django_connection.settings_dict, redis_url="")) as broker:
        channel = broker.default_channel
        with django_connection.cursor() as cursor:
            cursor.execute("ALTER TABLE kombu_message RENAME TO elsewhere")
            with pytest.raises(ProgrammingError):
                channel._put(JobQueue.URGENT.value, {"number": 1})
            cursor.execute("ALTER TABLE elsewhere RENAME TO kombu_message")
        channel._put(JobQueue.URGENT.value, {"number": 2})
        assert channel._get(JobQueue.URGENT.value) == {"number": 2}


def test_each_message_is_taken_once_and_one_that_is_being_taken_keeps_no_other_back():
    address = broker_url(django_connection.settings_dict, redis_url="")
    with Connection(address) as broker:
        channel = broker.default_channel
        for number in range(3):
            channel._put(JobQueue.URGENT.value, {"number": number})
        with transaction.atomic(), django_connection.cursor() as other:
            other.execute("SELECT FROM kombu_message ORDER BY id LIMIT 1 FOR UPDATE")
            assert channel._get(JobQueue.URGENT.value) == {"number": 1}
        assert [channel._get(JobQueue.URGENT.value)["number"] for _ in range(2)] == [0, 2]
        with pytest.raises(Empty):
            channel._get(JobQueue.URGENT.value)
        with pytest.raises(Empty):
            channel._get(JobQueue.ORDINARY.value)
