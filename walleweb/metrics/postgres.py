"""Metrics of PostgreSQL itself: its size, its connections, and the growing tables of all apps."""

from collections.abc import Iterator
from typing import Final

from kit.contributing import contributed_objects
from kit.metrics import DatabaseMetrics, Family, Known, Queried, Value
from kit.sql import Statement, fixed
from walleweb.databases import postgres_connection

_BYTES: Final = "SELECT pg_database_size(current_database())"
_ROWS: Final = "SELECT relname, greatest(reltuples, 0) FROM pg_class WHERE oid = ANY (%s::regclass[])"
_CONNECTIONS: Final = """
    SELECT coalesce(state, 'other'), count(*) FROM pg_stat_activity
    WHERE datname = current_database() GROUP BY 1
"""


def _rows() -> Statement:
    growing = [model for metrics in contributed_objects("metrics") for model in metrics.growing]
    return _ROWS, ([model._meta.db_table for model in growing],)


def _pool() -> Iterator[Value]:
    """Yield the state of Django's connection pool in this process; nothing without a pool."""
    pool = postgres_connection().pool
    if pool is None:
        return
    found = pool.get_stats()
    size, idle = found.get("pool_size", 0), found.get("pool_available", 0)
    for state, number in {"idle": idle, "busy": size - idle, "most": found.get("pool_max", 0)}.items():
        yield "walle_database_pool_connections", number, state
    yield "walle_database_pool_waiting", found.get("requests_waiting", 0)


METRICS: Final = DatabaseMetrics(
    sources=(
        Queried((Family("gauge", "walle_database_bytes", "Size of the database."),), fixed(_BYTES)),
        Queried(
            (Family("gauge", "walle_database_rows", "Rows of the tables that grow, as PostgreSQL estimates.",
                    ("table",)),),
            _rows,
        ),
        Queried(
            (Family("gauge", "walle_database_connections", "Connections to the database, by what they do.",
                    ("state",)),),
            fixed(_CONNECTIONS),
        ),
        Known(
            (
                Family("gauge", "walle_database_pool_connections", "Connections that this process keeps.", ("state",)),
                Family("gauge", "walle_database_pool_waiting", "Requests of this process that wait for a connection."),
            ),
            _pool,
        ),
    )
)  # fmt: skip
