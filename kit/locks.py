"""Advisory locks of PostgreSQL: who does something alone, whatever becomes of its process."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def exclusive(key: int) -> Iterator[bool]:
    """Yield whether nobody else holds the lock `key` now, nor will while the block runs; it ends with its process."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [key])
        (alone,) = cursor.fetchone()
    try:
        yield alone
    finally:
        if alone:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [key])
