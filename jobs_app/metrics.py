"""Metrics of jobs: waiting, running and ended ones, periodic ones, and workers."""

from collections.abc import Iterator
from datetime import datetime
from itertools import product
from typing import Final

from jobs_app.models import FINISHED, Job
from jobs_app.registry import known_kinds
from kit.metrics import DatabaseMetrics, Family, Finished, Known, Queried, Value
from kit.sql import Statement, fixed

# Each state has an index of its own.
_WAITING: Final = """
    SELECT kind, 'pending', count(*) FROM jobs_app_job WHERE state = 'pending' GROUP BY 1 UNION ALL
    SELECT kind, 'running', count(*) FROM jobs_app_job WHERE state = 'running' GROUP BY 1
"""
_LAG: Final = """
    SELECT kind, extract(epoch FROM now() - min(run_at)) FROM jobs_app_job
    WHERE state = 'pending' AND run_at <= now() GROUP BY 1
"""
_EXPIRED: Final = """
    SELECT kind, count(*) FROM jobs_app_job WHERE state = 'running' AND lease_until < now() GROUP BY 1
"""
_ENDED: Final = """
    SELECT 0, now(), 0.0, '', '' UNION ALL (
        SELECT id, finished_at, extract(epoch FROM finished_at - started_at)::float8, kind, state FROM jobs_app_job
        WHERE state IN ('succeeded', 'failed')
            AND finished_at >= coalesce(%s::timestamptz, now() - interval '30 seconds')
    )
"""
_PERIODIC: Final = """
    SELECT known.name, extract(epoch FROM now() - last.created_at) FROM unnest(%s::text[]) known (name)
    CROSS JOIN LATERAL (
        SELECT created_at FROM jobs_app_job
        WHERE dedupe_key = 'periodic:' || known.name AND dedupe_key <> '' ORDER BY id DESC LIMIT 1
    ) last
"""
_WORKERS: Final = """
    SELECT queue, count(*) FROM jobs_app_worker WHERE seen_at > now() - interval '30 seconds' GROUP BY 1
"""


def _ended(since: datetime | None) -> Statement:
    return _ENDED, (since,)


def _ends() -> Iterator[tuple[str, str]]:
    return product((kind.name for kind in known_kinds()), FINISHED)


def _periodic() -> Statement:
    return _PERIODIC, ([kind.name for kind in known_kinds() if kind.every is not None],)


def _intervals() -> Iterator[Value]:
    for kind in known_kinds():
        if kind.every is not None:
            yield "walle_periodic_job_interval_seconds", kind.every.total_seconds(), kind.name


METRICS: Final = DatabaseMetrics(
    sources=(
        Queried((Family("gauge", "walle_jobs", "Jobs that wait or run.", ("kind", "state")),), fixed(_WAITING)),
        Queried(
            (Family("gauge", "walle_job_lag_seconds", "For how long the oldest due job has waited.", ("kind",)),),
            fixed(_LAG),
        ),
        Queried(
            (Family("gauge", "walle_job_expired_leases", "Running jobs whose worker gave no more signs.", ("kind",)),),
            fixed(_EXPIRED),
        ),
        Finished(
            Family("counter", "walle_jobs_finished_total", "Jobs that ended since this process began.",
                   ("kind", "state")),
            _ended,
            _ends,
            Family("histogram", "walle_job_seconds", "Time from a job's last start until its end.", ("kind",)),
        ),
        Queried(
            (Family("gauge", "walle_periodic_job_age_seconds", "Time since a periodic job was last asked for.",
                    ("kind",)),),
            _periodic,
        ),
        Known(
            (Family("gauge", "walle_periodic_job_interval_seconds", "How often it should be.", ("kind",)),),
            _intervals,
        ),
        Queried(
            (Family("gauge", "walle_workers", "Worker processes that gave a sign in the last half minute.",
                    ("queue",)),),
            fixed(_WORKERS),
        ),
    ),
    growing=(Job,),
)  # fmt: skip
