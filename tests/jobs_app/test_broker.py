"""The PostgreSQL broker: what is made with its tables, and what happens when the database breaks off."""

import pytest
from celery import current_app
from django.db import connection as django_connection
from kombu import Connection
from sqlalchemy import event

from jobs_app.registry import JobQueue
from walleweb.celery import tune_broker
from walleweb.databases import broker_url

pytestmark = pytest.mark.django_db(transaction=True)


def test_workers_need_not_make_the_queues_that_they_start_with():
    with django_connection.cursor() as cursor:
        cursor.execute("SELECT name FROM kombu_queue")
        assert {name for (name,) in cursor.fetchall()} >= set(JobQueue)
    assert current_app.conf.task_default_queue == JobQueue.ORDINARY


def test_a_database_that_breaks_off_amid_a_poll_is_a_lost_connection():
    tune_broker()
    with Connection(broker_url(django_connection.settings_dict, redis_url="")) as broker:
        channel = broker.default_channel

        def break_off(_connection, _cursor, statement, *_) -> None:
            if "FOR UPDATE" in statement:
                with django_connection.cursor() as cursor:
                    cursor.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        " WHERE query LIKE '%%kombu_queue%%' AND pid <> pg_backend_pid()"
                    )

        event.listen(channel.session.bind, "before_cursor_execute", break_off)
        with pytest.raises(broker.connection_errors):
            channel._get("celery")
