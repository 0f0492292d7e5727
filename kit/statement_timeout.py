"""Queries that are given up when they take too long."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def statement_timeout(seconds: float) -> Iterator[None]:
    """A transaction in which no query goes on for longer; one that would raises OperationalError (QueryCanceled)."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(int(seconds * 1000))])
        yield
