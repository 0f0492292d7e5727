"""How the tables of a transactional test are emptied: only those that were written, past their triggers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from django.db import ProgrammingError, connection, transaction
from django.test import TransactionTestCase
from psycopg import sql

from tests.support.waiting import wait_for

# Of a larger table Django's own flush leaves no statistics of rows that are gone.
LARGE_BYTES = 1 << 20
OTHER_WRITERS = """
SELECT pid, state, query FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_xid IS NOT NULL
AND usename = current_user
"""
# Autovacuum is of no role. To cut a table's empty end off it waits up to 5 s for a test that has only read the table.


class Tables:
    """The tables of Django's models, as they are before the first test."""

    def __init__(self) -> None:
        names = sorted(connection.introspection.django_table_names(only_existing=True, include_views=False))
        self._sizes = sql.SQL(" UNION ALL ").join(_size_if_filled(name) for name in names)
        self._counts = {name: _count(name) for name in self._filled()}

    def empty(self) -> bool:
        """Delete all rows that tests wrote; False, and nothing done, where only a flush of everything helps.

        That is where a table is large, or a test changed the rows that migrating leaves, such as permissions. What
        other processes write is waited for: rows that are not committed yet cannot be seen.
        """
        wait_for(lambda: not other_writers(), describe=lambda: "\n".join(map(str, other_writers())))
        sizes = self._filled()
        written = [name for name in sizes if name not in self._counts]
        if any(sizes[name] > LARGE_BYTES for name in written) or any(
            _count(name) != rows for name, rows in self._counts.items()
        ):
            return False
        _delete_from(written)
        return True

    def _filled(self) -> dict[str, int]:
        """The tables that have rows, with their size in bytes."""
        return dict(_rows(self._sizes))


@contextmanager
def only_written_tables_are_emptied() -> Iterator[None]:
    """Replace the flush after transactional tests, which truncates all tables and prepares permissions and broker anew.

    Where the role may not delete past triggers and foreign keys, such as in a database named by DATABASE_URL, it stays.
    """
    if not may_pass_triggers():
        yield
        return
    tables, flush = Tables(), TransactionTestCase._fixture_teardown

    def teardown(case: TransactionTestCase) -> None:
        if not tables.empty():
            flush(case)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", teardown)
        yield


def may_pass_triggers() -> bool:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
    except ProgrammingError:
        return False
    return True


def _delete_from(names: Sequence[str]) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for name in names:
            cursor.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(name)))


def other_writers() -> list[tuple[object, ...]]:
    return _rows(sql.SQL(OTHER_WRITERS))


def _size_if_filled(name: str) -> sql.Composed:
    query = sql.SQL("SELECT {text}, pg_relation_size({text}) WHERE EXISTS (SELECT FROM {table})")
    return query.format(text=sql.Literal(name), table=sql.Identifier(name))


def _count(name: str) -> int:
    ((rows,),) = _rows(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(name)))
    return rows


def _rows(query: sql.Composable) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchall()
