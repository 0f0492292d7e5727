"""How tables are emptied between tests while servers of other processes read them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from django.db import OperationalError, connection
from psycopg.errors import LockNotAvailable

from tests.support.waiting import wait_for

if TYPE_CHECKING:
    from django.db.backends.base.operations import BaseDatabaseOperations

# Well below PostgreSQL's deadlock_timeout of 1 s, after which it would end the reader's transaction or ours.
TIMEOUT_MS = 200


@contextmanager
def patient_flush() -> Iterator[None]:
    """Emptying gives way to a reader and tries again: TRUNCATE locks table after table, a reader in its own order."""
    backend = type(connection.ops)
    flush = backend.execute_sql_flush

    def flushed(operations: BaseDatabaseOperations, statements: list[str]) -> bool:
        try:
            flush(operations, [f"SET LOCAL lock_timeout = {TIMEOUT_MS}", *statements])
        except OperationalError as error:
            if isinstance(error.__cause__, LockNotAvailable):
                return False
            raise
        return True

    def patient(operations: BaseDatabaseOperations, statements: list[str]) -> None:
        wait_for(lambda: flushed(operations, statements), timeout=30, describe=_readers)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend, "execute_sql_flush", patient)
        yield


def _readers() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid, state, query FROM pg_stat_activity WHERE datname = current_database()")
        return "\n".join(map(str, cursor.fetchall()))
