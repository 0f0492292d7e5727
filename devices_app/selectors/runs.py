"""Find recent runs of a version on devices: one cold and one warm run of each device, however often it reports.

The callers of a pipeline count as devices here, and their predictions as runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import connection

MOST_RUNS: Final = 10_000
"""The maximum number of devices; a percentile of ten thousand is precise enough."""
_NEWEST: Final = 100
"""The number of newest reports of a device that are searched for its run."""

_FIGURES: Final = """
SELECT count(*) FILTER (WHERE rank = 1),
    count(*) FILTER (WHERE NOT warm),
    percentile_cont(%(run_quantiles)s::float8[]) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE NOT warm),
    count(*) FILTER (WHERE warm),
    percentile_cont(%(run_quantiles)s::float8[]) WITHIN GROUP (ORDER BY duration_ms) FILTER (WHERE warm),
    percentile_cont(%(metric_quantiles)s::float8[]) WITHIN GROUP (
        ORDER BY CASE jsonb_typeof(metrics -> %(metric)s)
            WHEN 'number' THEN (metrics ->> %(metric)s)::double precision END
    ) FILTER (WHERE rank = 1)
"""
# One run of each device that has the version: else a single one that somebody invented could move both figures to
# wherever he likes. Those that somebody vouches for come first, then the ones that have been known for longest.
_QUANTILES = f"""
WITH asked AS (
    SELECT device.device FROM devices_app_installedtask installed
    JOIN devices_app_device device ON device.id = installed.device_id
    WHERE installed.task = %(task)s AND installed.manifest = %(manifest)s AND device.app_id = %(app)s
        AND device.revoked_at IS NULL
    ORDER BY device.vouched_at IS NULL, device.id LIMIT %(most)s
)
{_FIGURES}
FROM asked CROSS JOIN LATERAL (
    SELECT DISTINCT ON (warm) warm, duration_ms, metrics, rank FROM (
        SELECT start = 'warm' AS warm, duration_ms, metrics, row_number() OVER (ORDER BY received_at DESC) AS rank
        FROM (
            SELECT * FROM devices_app_report report
            WHERE report.app_id = %(app)s AND report.device = asked.device AND received_at > %(since)s
            ORDER BY received_at DESC LIMIT %(newest)s
        ) newest
        WHERE task = %(task)s AND version = %(version)s AND kind = 'run' AND outcome = 'success'
    ) ranked
    ORDER BY warm, rank
) runs
"""  # noqa: S608 - no value in it
# Callers have nothing installed, and nobody but serving hosts reports for them: the newest reports of the version.
_OF_CALLERS = f"""
WITH newest AS (
    SELECT device, start = 'warm' AS warm, duration_ms, metrics, id FROM devices_app_report
    WHERE task = %(task)s AND version = %(version)s AND app_id = %(app)s AND received_at > %(since)s
        AND kind = 'run' AND outcome = 'success'
    ORDER BY id DESC LIMIT %(most)s
), runs AS (
    SELECT DISTINCT ON (device, warm) warm, duration_ms, metrics,
        rank() OVER (PARTITION BY device ORDER BY id DESC) AS rank
    FROM newest ORDER BY device, warm, id DESC
)
{_FIGURES}
FROM runs
"""  # noqa: S608 - no value in it


@dataclass(frozen=True)
class Runs:
    """The number of devices with successful runs, and quantiles of a metric in the newest run of each.

    Of cold and of warm runs: the number of devices, and quantiles of their durations (ms). Quantiles are None if no run
    has a value; a run that does not say how it began counts as cold.
    """

    devices: int
    cold: int
    cold_ms: list[float] | None
    warm: int
    warm_ms: list[float] | None
    values: list[float] | None


def recent_runs(
    *,
    app: int,
    task: str,
    version: str,
    manifest: str,
    metric: str,
    run_quantiles: Sequence[float],
    metric_quantiles: Sequence[float],
    since: datetime,
    callers: bool = False,
) -> Runs:
    """Return the runs since then, of the devices of an app (primary key) that have a version of a task installed.

    `manifest` is the short digest of the version's manifest; the quantiles of durations and of the metric are numbers
    from 0 to 1. With `callers`, of those whom the version answered.
    """
    parameters: dict[str, str | float | datetime | list[float]] = {
        "app": app,
        "task": task,
        "version": version,
        "manifest": manifest,
        "metric": metric,
        "run_quantiles": list(run_quantiles),
        "metric_quantiles": list(metric_quantiles),
        "since": since,
        "most": MOST_RUNS,
        "newest": _NEWEST,
    }
    with connection.cursor() as cursor:
        cursor.execute(_OF_CALLERS if callers else _QUANTILES, parameters)
        return Runs(*cursor.fetchone())
