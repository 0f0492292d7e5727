"""The daily partitions of the table of features: made before their day begins, dropped whole when their time is over.

There is always one for a row: the job makes those of the coming days, and storing makes the one that is missing, such
as after the job stood still for days, or for a gateway whose clock is wrong. There is no DEFAULT partition: with one, a
new partition would first have to search it, and old ones could not be detached while others read and write.

A partition is attached and detached under locks that let everybody read and write the table meanwhile, a backup
included. A process that is killed between two steps leaves what the next call finishes.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from django.db import connection, transaction
from psycopg import sql

TABLE: Final = "devices_app_feature"
AHEAD: Final = timedelta(days=3)
"""How far ahead partitions are made."""

# "WALLEFEA" in ASCII: two gateways never make the same partition at the same time.
_MAKING: Final = 0x57414C4C45464541
_FOUND: Final = """
SELECT relname, inhdetachpending FROM pg_class LEFT JOIN pg_inherits ON inhrelid = pg_class.oid
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname ~ %s
"""


def make_partitions(days: Iterable[date]) -> list[date]:
    """Make the partitions of these days (UTC) that do not exist; return their days."""
    wanted = sorted(set(days))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_MAKING])
        present = {day for day, attached in _partitions() if attached}
        missing = [day for day in wanted if day not in present]
        for day in missing:
            begin, end = (datetime.combine(each, time(), UTC) for each in (day, day + timedelta(days=1)))
            names = {"name": sql.Identifier(_name(day)), "table": sql.Identifier(TABLE)}
            bounds = {"begin": sql.Literal(begin.isoformat()), "end": sql.Literal(end.isoformat())}
            cursor.execute(sql.SQL("DROP TABLE IF EXISTS {name}").format(**names))
            cursor.execute(sql.SQL("CREATE TABLE {name} (LIKE {table} INCLUDING DEFAULTS)").format(**names))
            attach = "ALTER TABLE {table} ATTACH PARTITION {name} FOR VALUES FROM ({begin}) TO ({end})"
            cursor.execute(sql.SQL(attach).format(**names, **bounds))
    return missing


def make_ahead(*, now: datetime) -> list[date]:
    """Make the partitions of today and the coming days; return the days of the new ones."""
    today = now.astimezone(UTC).date()
    return make_partitions(today + timedelta(days=number) for number in range(AHEAD.days + 1))


def drop_partitions(*, before: datetime, check: Callable[[], None]) -> int:
    """Drop the partitions whose whole day lies before a time, read or not; return their number.

    Runs outside of transactions: nobody who reads or writes other days waits for it.
    """
    last = before.astimezone(UTC).date()
    dropped = 0
    for day, attached in sorted(_partitions()):
        if day >= last:
            break
        check()
        with connection.cursor() as cursor:
            names = {"name": sql.Identifier(_name(day)), "table": sql.Identifier(TABLE)}
            if attached is not None:
                how = "FINALIZE" if attached == "pending" else "CONCURRENTLY"
                detach = sql.SQL("ALTER TABLE {table} DETACH PARTITION {name} {how}")
                cursor.execute(detach.format(**names, how=sql.SQL(how)))
            cursor.execute(sql.SQL("DROP TABLE {name}").format(**names))
        dropped += 1
    return dropped


def _partitions() -> Iterator[tuple[date, str | None]]:
    """Yield the days of the partitions, with "attached", "pending" (being detached) or None (detached)."""
    with connection.cursor() as cursor:
        cursor.execute(_FOUND, [rf"^{TABLE}_\d{{8}}$"])
        for name, pending in cursor.fetchall():
            day = datetime.strptime(name[-8:], "%Y%m%d").replace(tzinfo=UTC).date()
            yield day, None if pending is None else "pending" if pending else "attached"


def _name(day: date) -> str:
    return f"{TABLE}_{day:%Y%m%d}"
