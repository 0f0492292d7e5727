"""Time limits of queries."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def statement_timeout(seconds: float) -> Iterator[None]:
    """Open a transaction with a time limit for each query; a longer one raises OperationalError (QueryCanceled)."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(int(seconds * 1000))])
        yield
