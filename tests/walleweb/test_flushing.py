"""Tables are emptied after a test although a server of another process still reads them."""

from __future__ import annotations

import re
import threading

import psycopg
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.color import no_style
from django.core.management.sql import sql_flush
from django.db import connection

from tests.support.people import make_staff
from tests.support.waiting import wait_for
from walleweb.databases import plain_url

WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted"


@pytest.mark.django_db(transaction=True)
def test_a_reader_with_an_order_of_its_own_does_not_end_the_flush():
    make_staff()
    address = plain_url(connection.settings_dict)
    tables = flushed_tables()
    with psycopg.connect(address) as reader, psycopg.connect(address, autocommit=True) as watcher:
        reader.execute(f"SELECT count(*) FROM {tables[-1]}")

        def read_the_first_too():
            wait_for(lambda: watcher.execute(WAITING).fetchone()[0], describe="the flush to wait for the reader")
            reader.execute(f"SELECT count(*) FROM {tables[0]}")
            reader.commit()

        reading = threading.Thread(target=read_the_first_too)
        reading.start()
        call_command("flush", interactive=False, verbosity=0)
        reading.join()
    assert not User.objects.exists()


def flushed_tables():
    """In the order in which a flush locks them."""
    (truncate,) = sql_flush(no_style(), connection)
    return re.findall(r'"(\w+)"', truncate)
