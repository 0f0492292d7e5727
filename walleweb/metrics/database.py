"""What lies in PostgreSQL, as metrics: read at most every few seconds, by queries that no size of fleet makes slow.

Devices, reports and exposures are never counted: how many rows there are is PostgreSQL's own estimate. What has
finished is counted as it finishes, a few seconds of rows at a time.
"""

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from itertools import product
from typing import Any, Final

import psycopg
import structlog
from django.db import connection
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from jobs_app.models import FINISHED
from jobs_app.registry import known_kinds
from walle.gateway.counts import Histogram
from walle.release.states import UNFINISHED
from walleweb.databases import direct_connection
from walleweb.metrics import queries
from walleweb.metrics.families import Family, Reading

READ_EVERY_S: Final = 5.0
MOST_RELEASES: Final = 500
"""Releases under way that are shown one by one; of more, the newest."""
WAIT_S: Final = 2.0
"""For the database, at most, before metrics are answered without what lies in it."""
_OVERLAP: Final = timedelta(seconds=30)
"""So long a row may take from the moment it says it finished until everybody sees it."""
_JOB_S: Final = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0, 120.0, 600.0)

FAMILIES: Final = (
    Family("gauge", "walle_database_up", "Whether the database could be read (1) or not (0)."),
    Family("gauge", "walle_database_read_seconds", "Time that reading all of this took."),
    Family("gauge", "walle_database_bytes", "Size of the database."),
    Family("gauge", "walle_database_rows", "Rows of the tables that grow, as PostgreSQL estimates.", ("table",)),
    Family("gauge", "walle_database_connections", "Connections to the database, by what they do.", ("state",)),
    Family("gauge", "walle_database_pool_connections", "Connections that this process keeps.", ("state",)),
    Family("gauge", "walle_database_pool_waiting", "Requests of this process that wait for a connection."),
    Family("gauge", "walle_releases", "Releases, by state.", ("app", "state")),
    Family("gauge", "walle_release_stage", "Stage (from 0) of a release under way; -1 before the first.",
           ("release", "app", "task", "version", "state")),
    Family("gauge", "walle_release_stage_seconds", "Time for which its stage's clock has run.",
           ("release", "app", "task")),
    Family("gauge", "walle_release_verdict", "1 for the last verdict of a release under way.",
           ("release", "app", "task", "verdict")),
    Family("counter", "walle_release_verdicts_total", "Changes of verdicts, by what they changed to.", ("verdict",)),
    Family("counter", "walle_release_moves_total", "Moves of releases.", ("action",)),
    Family("gauge", "walle_simulation_cells", "Cells of releases that are being simulated.", ("state",)),
    Family("gauge", "walle_table_number", "Number of the newest table of an app.", ("app",)),
    Family("gauge", "walle_table_age_seconds", "Time since it was published.", ("app",)),
    Family("gauge", "walle_jobs", "Jobs that wait or run.", ("kind", "state")),
    Family("gauge", "walle_job_lag_seconds", "For how long the oldest due job has waited.", ("kind",)),
    Family("gauge", "walle_job_expired_leases", "Running jobs whose worker gave no more signs.", ("kind",)),
    Family("counter", "walle_jobs_finished_total", "Jobs that ended since this process began.", ("kind", "state")),
    Family("histogram", "walle_job_seconds", "Time from a job's last start until its end.", ("kind",)),
    Family("gauge", "walle_periodic_job_age_seconds", "Time since a periodic job was last asked for.", ("kind",)),
    Family("gauge", "walle_periodic_job_interval_seconds", "How often it should be.", ("kind",)),
    Family("gauge", "walle_workers", "Worker processes that gave a sign in the last half minute.", ("queue",)),
    Family("gauge", "walle_webhook_deliveries", "Deliveries of webhooks under way.", ("state",)),
    Family("gauge", "walle_webhook_lag_seconds", "For how long the oldest due delivery has waited."),
    Family("counter", "walle_webhook_deliveries_finished_total", "Deliveries that ended since this process began.",
           ("state",)),
)  # fmt: skip

log = structlog.get_logger(__name__)
Rows = list[tuple[Any, ...]]


class DatabaseCollector(Collector):
    """The last reading, and what was counted so far; `refresh` comes before `collect`, both in the event loop.

    `monotonic` is seconds.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._reading: asyncio.Task[None] | None = None
        self._found: dict[str, Rows] = {}
        self._releases: Rows = []
        self._seconds = 0.0
        self._up = False
        self._next_at = float("-inf")
        self.jobs = _Finished()
        self.deliveries = _Finished()

    async def refresh(self) -> None:
        """Reads the database unless that was just done; returns after WAIT_S at the latest, whatever it does."""
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
                self._found = {name: await _rows(database, query) for name, query in queries.GAUGES.items()}
                periodic = await _rows(database, queries.PERIODIC, [list(_intervals())])
                self._found["walle_periodic_job_age_seconds"] = periodic
                self._releases = await _rows(database, queries.RELEASES, [sorted(UNFINISHED), MOST_RELEASES])
                self.jobs.note(await _rows(database, queries.JOBS_FINISHED, [self.jobs.since]))
                self.deliveries.note(await _rows(database, queries.DELIVERIES_FINISHED, [self.deliveries.since]))
            self._up = True
        except (psycopg.Error, OSError) as error:
            log.warning("no metrics of the database", error=str(error).strip() or type(error).__name__)
            self._up = False
        self._seconds = self._monotonic() - began

    def collect(self) -> Iterable[Metric]:
        reading = Reading(FAMILIES)
        reading.add("walle_database_up", self._up)
        reading.add("walle_database_read_seconds", self._seconds)
        _add_pool(reading)
        if self._up:
            self._add_found(reading)
        for kind, seconds in _intervals().items():
            reading.add("walle_periodic_job_interval_seconds", seconds, kind)
        # All are there from the beginning: of a series that begins with 1, Prometheus sees no increase.
        jobs = dict.fromkeys(product((kind.name for kind in known_kinds()), FINISHED), 0)
        for (kind, state), number in (jobs | self.jobs.counts).items():
            reading.add("walle_jobs_finished_total", number, kind, state)
        for state, number in ({("delivered",): 0, ("failed",): 0} | self.deliveries.counts).items():
            reading.add("walle_webhook_deliveries_finished_total", number, *state)
        for kind, histogram in self.jobs.seconds.items():
            reading.add_histogram("walle_job_seconds", histogram, kind)
        return reading

    def _add_found(self, reading: Reading) -> None:
        for name, rows in self._found.items():
            for *labels, value in rows:
                reading.add(name, value, *labels)
        for release, app, task, version, state, position, seconds, verdict in self._releases:
            reading.add("walle_release_stage", position, release, app, task, version, state)
            reading.add("walle_release_stage_seconds", seconds, release, app, task)
            if verdict:
                reading.add("walle_release_verdict", 1, release, app, task, verdict)


class _Finished:
    """Counts rows as they finish: each once, though every reading looks again at the last seconds of the one before.

    A row is (id, moment, seconds, *labels).
    """

    def __init__(self) -> None:
        self.since: datetime | None = None
        self.counts: Counter[tuple[str, ...]] = Counter()
        self.seconds: dict[str, Histogram] = defaultdict(lambda: Histogram(_JOB_S))
        self._seen: dict[int, datetime] = {}

    def note(self, rows: Rows) -> None:
        """The rows that finished since `since`, the first of all being the database's present moment."""
        rows = sorted(rows)
        now: datetime = rows[0][1]
        if self.since is None:
            # Whatever finished before the first reading belongs to another process's counts.
            self._seen = {row[0]: row[1] for row in rows[1:]}
        for key, at, seconds, *labels in rows[1:]:
            if key not in self._seen:
                self._seen[key] = at
                self.counts[tuple(labels)] += 1
                self.seconds[labels[0]].observe(seconds)
        self.since = now - _OVERLAP
        self._seen = {key: at for key, at in self._seen.items() if at > self.since}


async def _rows(database: psycopg.AsyncConnection[Any], query: str, arguments: list[Any] | None = None) -> Rows:
    return await (await database.execute(query, arguments)).fetchall()


def _intervals() -> dict[str, float]:
    return {kind.name: kind.every.total_seconds() for kind in known_kinds() if kind.every is not None}


def _add_pool(reading: Reading) -> None:
    """What Django's connection pool of this process says of itself; nothing where there is none."""
    pool = connection.pool
    if pool is None:
        return
    found = pool.get_stats()
    size, idle = found.get("pool_size", 0), found.get("pool_available", 0)
    for state, number in {"idle": idle, "busy": size - idle, "most": found.get("pool_max", 0)}.items():
        reading.add("walle_database_pool_connections", number, state)
    reading.add("walle_database_pool_waiting", found.get("requests_waiting", 0))
