"""The tables of Celery's PostgreSQL broker (kombu's SQLAlchemy transport), and its queues.

kombu creates them on first use, which fails if two processes start at the same time. So they are created once, after
the migrations. SQLAlchemy is slow to import, so only code that needs this module imports it.
"""

from typing import Any

from django.db import connections
from kombu.transport import sqlalchemy as transport
from kombu.transport.sqlalchemy import models
from sqlalchemy import Sequence
from sqlalchemy.engine import make_url
from sqlalchemy.schema import CreateIndex, CreateSequence, CreateTable

from jobs_app.registry import JobQueue

_ADD_QUEUE = """
INSERT INTO kombu_queue (id, name) SELECT nextval('queue_id_sequence'), %(name)s
WHERE NOT EXISTS (SELECT FROM kombu_queue WHERE name = %(name)s) ON CONFLICT (name) DO NOTHING
"""


def create_broker_tables(*, using: str) -> None:
    """Create what is missing in the database `using`, and change nothing that exists."""
    dialect = make_url("postgresql+psycopg://").get_dialect()()
    statements = [str(statement.compile(dialect=dialect)) for statement in _definitions()]
    with connections[using].cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        for name in JobQueue:
            cursor.execute(_ADD_QUEUE, {"name": name.value})


def _definitions() -> list[Any]:
    tables = _tables()
    sequences = {column.default for table in tables for column in table.columns if _is_sequence(column.default)}
    return [
        *(CreateSequence(sequence, if_not_exists=True) for sequence in sequences),
        *(CreateTable(table, if_not_exists=True) for table in tables),
        *(CreateIndex(index, if_not_exists=True) for table in tables for index in table.indexes),
    ]


def _tables() -> list[Any]:
    # kombu defines its tables when a channel is created, under names that a channel may choose.
    if "Queue" not in models.class_registry:
        for name, base, table in (
            ("Queue", models.Queue, "kombu_queue"),
            ("Message", models.Message, "kombu_message"),
        ):
            type(name, (base, models.ModelBase), {"__tablename__": table})
    return list(models.metadata.sorted_tables)


def _is_sequence(default: Any) -> bool:
    return isinstance(default, Sequence)


def forget_inherited_connections() -> None:
    """Leave the parent's broker connections to the parent, in a forked worker process."""
    for engine, _ in transport.Channel._engines.values():
        engine.dispose(close=False)
    transport.Channel._engines.clear()
