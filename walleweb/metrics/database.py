"""The database metrics of all apps (kit.metrics.DatabaseMetrics): read at most every few seconds, over one connection.

Finished rows are counted as they finish, a few seconds of rows at a time.
"""

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final

import psycopg
import structlog
from django.utils.module_loading import import_string
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from kit.contributing import contributions
from kit.metrics import DatabaseMetrics, Family, Finished, Known, MetricReading, Queried, Row
from kit.sql import Statement
from walle.gateway.counts import Histogram
from walleweb.databases import direct_connection

READ_EVERY_S: Final = 5.0
WAIT_S: Final = 2.0
"""The maximum seconds to wait for the database before metrics are answered without it."""
_OVERLAP: Final = timedelta(seconds=30)
"""The maximum seconds from a row's recorded end until everybody sees it."""
_FINISHED_S: Final = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0, 120.0, 600.0)
_FIRST: Final = ("walleweb", "releases_app", "devices_app", "jobs_app")
"""Apps whose metrics come before those of others."""
_OF_THE_READING: Final = (
    Family("gauge", "walle_database_up", "Whether the database could be read (1) or not (0)."),
    Family("gauge", "walle_database_read_seconds", "Time that reading all of this took."),
)

log = structlog.get_logger(__name__)


@cache
def contributed() -> tuple[DatabaseMetrics, ...]:
    """Return what all apps declare, in the order in which it is exposed."""
    paths = [path for each in contributions() for path in each.metrics]
    return tuple(import_string(path) for path in sorted(paths, key=_place))


def _place(path: str) -> int:
    app = path.partition(".")[0]
    return _FIRST.index(app) if app in _FIRST else len(_FIRST)


def families() -> tuple[Family, ...]:
    """Return all families that the collector exposes, in order."""
    return (
        *_OF_THE_READING,
        *(family for each in contributed() for source in each.sources for family in source.families),
    )


class DatabaseCollector(Collector):
    """The last reading and the counts so far; `refresh` comes before `collect`, both in the event loop.

    `monotonic` returns seconds.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._reading: asyncio.Task[None] | None = None
        self._sources = [source for each in contributed() for source in each.sources]
        self._found: dict[Queried, list[Row]] = {}
        self._counts = {source: _Counts() for source in self._sources if isinstance(source, Finished)}
        self._seconds = 0.0
        self._up = False
        self._next_at = float("-inf")

    async def refresh(self) -> None:
        """Read the database unless that was just done; returns after WAIT_S at the latest."""
        if self._reading is None and self._monotonic() >= self._next_at:
            self._reading = asyncio.create_task(self._read())
        if self._reading is not None:
            done, _ = await asyncio.wait({self._reading}, timeout=WAIT_S)
            if done:
                self._reading = None
            else:
                self._up = False

    async def _read(self) -> None:
        began = self._monotonic()
        self._next_at = began + READ_EVERY_S
        try:
            async with await direct_connection() as database:
                for source in self._sources:
                    match source:
                        case Queried():
                            self._found[source] = await _rows(database, source.query())
                        case Finished():
                            counts = self._counts[source]
                            counts.note(await _rows(database, source.query(counts.since)))
            self._up = True
        except (psycopg.Error, OSError) as error:
            log.warning("no metrics of the database", error=str(error).strip() or type(error).__name__)
            self._up = False
        self._seconds = self._monotonic() - began

    def collect(self) -> Iterable[Metric]:
        reading = MetricReading(families())
        reading.add("walle_database_up", self._up)
        reading.add("walle_database_read_seconds", self._seconds)
        for source in self._sources:
            match source:
                case Finished():
                    self._counts[source].add_to(reading, source)
                case Known():
                    reading.add_all(source.values())
                case Queried() if self._up:
                    reading.add_all(source.values(self._found[source]))
        return reading


class _Counts:
    """Counts rows as they finish: each once, though every reading overlaps the last seconds of the one before."""

    def __init__(self) -> None:
        self.since: datetime | None = None
        self._counts: Counter[tuple[str, ...]] = Counter()
        self._seconds: dict[str, Histogram] = defaultdict(lambda: Histogram(_FINISHED_S))
        self._seen: dict[int, datetime] = {}

    def note(self, rows: list[Row]) -> None:
        """Count the rows that finished since `since`; the first row holds the database's present time."""
        rows = sorted(rows)
        now: datetime = rows[0][1]
        if self.since is None:
            # Rows that finished before the first reading belong to another process's counts.
            self._seen = {row[0]: row[1] for row in rows[1:]}
        for key, at, seconds, *labels in rows[1:]:
            if key not in self._seen:
                self._seen[key] = at
                self._counts[tuple(labels)] += 1
                self._seconds[labels[0]].observe(seconds)
        self.since = now - _OVERLAP
        self._seen = {key: at for key, at in self._seen.items() if at > self.since}

    def add_to(self, reading: MetricReading, source: Finished) -> None:
        for labels, number in (dict.fromkeys(source.known(), 0) | self._counts).items():
            reading.add(source.count.name, number, *labels)
        if source.seconds is not None:
            for label, histogram in self._seconds.items():
                reading.add_histogram(source.seconds.name, histogram, label)


async def _rows(database: psycopg.AsyncConnection[Any], statement: Statement) -> list[Row]:
    return await (await database.execute(*statement)).fetchall()
