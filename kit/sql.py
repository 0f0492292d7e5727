"""SQL of selectors' querysets, for callers that query without Django or join them with other rows."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet

Statement = tuple[str, tuple[Any, ...]]
"""SQL for psycopg, with its arguments."""


def fixed(sql: str) -> Callable[[], Statement]:
    """Return a function that returns a constant statement without arguments."""
    return lambda: (sql, ())


def statement(rows: QuerySet[Any, Any]) -> Statement:
    """Return the SQL that Django would run for a queryset of `values_list`."""
    return rows.query.sql_with_params()


def subquery(rows: QuerySet[Any, Any]) -> str:
    """Write a queryset of `values` as a SELECT in brackets, to stand in SQL where a table would.

    PostgreSQL plans it as it would plan the table. Raises ValueError for a queryset with arguments, such as the value
    of a filter: the SQL around it knows nothing of them.
    """
    sql, arguments = statement(rows)
    if arguments:
        raise ValueError(f"expected a queryset without arguments, got {arguments!r}")
    return f"({sql})"
