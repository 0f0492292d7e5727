"""What was known of a task before a release: the thresholds against which its figures are compared.

They are fixed when the release meets its first devices, so that a test's question does not move with its answer.
"""

from datetime import datetime, timedelta
from typing import Any, Final

from django.db import connection

from tasks_app.models import Release
from tasks_app.selectors.releases import last_good
from walle.release.evidence import BASELINE_QUANTILE

HISTORY: Final = timedelta(days=7)
FEWEST_RUNS: Final = 50
MOST_RUNS: Final = 10_000
"""Newest runs looked at; a percentile of ten thousand is known well enough."""

_QUANTILES = """
SELECT count(*), percentile_cont(%(quantile)s) WITHIN GROUP (ORDER BY duration_ms), percentile_cont(0.5) WITHIN GROUP (
    ORDER BY CASE jsonb_typeof(metrics -> %(metric)s) WHEN 'number' THEN (metrics ->> %(metric)s)::double precision END
)
FROM (
    SELECT duration_ms, metrics FROM devices_app_report
    WHERE app_id = %(app)s AND task = %(task)s AND version = %(version)s AND kind = 'run' AND outcome = 'success'
        AND received_at > %(since)s
    ORDER BY id DESC LIMIT %(most)s
) runs
"""


def baseline_of(release: Release, *, now: datetime) -> dict[str, Any]:
    """The version that the release replaces, how long its slower runs take (ms), and the median of its metric.

    Empty where there is none, or too few runs of it are known.
    """
    before = last_good(release)
    if before is None:
        return {}
    asked = {
        "app": release.app_id,
        "task": release.version.task.name,
        "version": before.version.version,
        "metric": release.plan.metric or "",
        "quantile": BASELINE_QUANTILE,
        "since": now - HISTORY,
        "most": MOST_RUNS,
    }
    with connection.cursor() as cursor:
        cursor.execute(_QUANTILES, asked)
        runs, duration_ms, metric = cursor.fetchone()
    known = {"version": before.version.version, "runs": runs}
    return known | {"latency_ms": duration_ms, "median": metric} if runs >= FEWEST_RUNS else known
