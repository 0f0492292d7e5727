"""Database work in a thread of its own: what becomes of failures, and of the connection."""

import asyncio
import threading

import pytest
from django.db import connection

from kit.database_threads import DatabaseThread
from tests.support.waiting import ANSWER_S

pytestmark = pytest.mark.django_db(transaction=True)


class Away(Exception):
    pass


def running(*works, pooled=False):
    """What each work answers, or raises, one after the other in the same thread."""

    async def run():
        thread = DatabaseThread("walle-test", unavailable=Away, pooled=pooled)
        try:
            return [(await asyncio.gather(thread.run(work), return_exceptions=True))[0] for work in works]
        finally:
            await thread.close()

    return asyncio.run(run())


def backend():
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return cursor.fetchone()[0]


def broken():
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 / 0")


def wrong():
    backend()
    raise LookupError("not the database")


def test_a_connection_is_kept_until_the_database_fails():
    first, second, error, third = running(backend, backend, broken, backend)
    assert first == second != third
    assert isinstance(error, Away)
    assert "division by zero" in str(error)


def test_what_else_goes_wrong_is_left_as_it_is():
    (error,) = running(wrong)
    assert isinstance(error, LookupError)


@pytest.fixture
def pool(monkeypatch):
    """Every thread's connections come from one pool meanwhile; the test's own has none."""
    options = connection.settings_dict["OPTIONS"]
    connection.close()
    monkeypatch.setitem(options, "pool", {"min_size": 0, "max_size": 1, "timeout": 5})
    yield
    connection.close_pool()


def test_a_pooled_connection_is_given_back_after_each_work_whatever_came_of_it(pool):
    first, error, left, second = running(backend, wrong, lambda: connection.connection, backend, pooled=True)
    assert isinstance(error, LookupError)
    assert left is None
    assert first == second, "the pool has one"


def test_a_connection_that_is_kept_is_none_of_the_pool(pool):
    async def run():
        kept, pooled = (DatabaseThread("walle-test", unavailable=Away, pooled=pooled) for pooled in (False, True))
        try:
            return await kept.run(backend), await pooled.run(backend), await kept.run(backend)
        finally:
            await kept.close()
            await pooled.close()

    first, other, second = asyncio.run(run())
    assert first == second != other


def test_nothing_is_left_of_a_thread_that_was_closed():
    (held,) = running(lambda: (backend(), connection.connection, threading.current_thread()))
    assert held[1].closed
    held[2].join(timeout=ANSWER_S)
    assert not held[2].is_alive()
