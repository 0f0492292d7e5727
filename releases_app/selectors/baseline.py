"""What was known of a task before a release: the thresholds against which its figures are compared.

They are fixed when the release meets its first devices, so that a test's question does not move with its answer.
"""

from datetime import datetime, timedelta
from typing import Any, Final

from django.db import connection

from releases_app.models import Release
from releases_app.selectors.releases import last_good
from walle.protocol.headers import short_hex
from walle.release.evidence import BASELINE_QUANTILE

HISTORY: Final = timedelta(days=7)
FEWEST_RUNS: Final = 50
MOST_RUNS: Final = 10_000
"""Devices that are asked for a run each; a percentile of ten thousand is known well enough."""
_NEWEST: Final = 100
"""Reports of a device among which its run is looked for."""

# One run of each device that has the version, however often it reports: else a single one that somebody invented could
# move both thresholds to where no test ever sees anything. Those that somebody vouches for come first, then the ones
# that have been known for longest.
_QUANTILES = """
WITH asked AS (
    SELECT device.device FROM devices_app_installedtask installed
    JOIN devices_app_device device ON device.id = installed.device_id
    WHERE installed.task = %(task)s AND installed.manifest = %(manifest)s AND device.app_id = %(app)s
        AND device.revoked_at IS NULL
    ORDER BY device.vouched_at IS NULL, device.id LIMIT %(most)s
)
SELECT count(*), percentile_cont(%(quantile)s) WITHIN GROUP (ORDER BY duration_ms), percentile_cont(0.5) WITHIN GROUP (
    ORDER BY CASE jsonb_typeof(metrics -> %(metric)s) WHEN 'number' THEN (metrics ->> %(metric)s)::double precision END
)
FROM asked CROSS JOIN LATERAL (
    SELECT duration_ms, metrics FROM (
        SELECT * FROM devices_app_report report
        WHERE report.app_id = %(app)s AND report.device = asked.device AND received_at > %(since)s
        ORDER BY received_at DESC LIMIT %(newest)s
    ) newest
    WHERE task = %(task)s AND version = %(version)s AND kind = 'run' AND outcome = 'success'
    ORDER BY received_at DESC LIMIT 1
) runs
"""


def baseline_of(release: Release, *, now: datetime) -> dict[str, Any]:
    """The version that the release replaces, how long its slower runs take (ms), and the median of its metric.

    Empty where there is none, or too few devices have run it lately.
    """
    before = last_good(release)
    if before is None:
        return {}
    asked = {
        "app": release.app_id,
        "task": release.version.task.name,
        "version": before.version.version,
        "manifest": short_hex(before.version.manifest_digest),
        "metric": release.plan.metric or "",
        "quantile": BASELINE_QUANTILE,
        "since": now - HISTORY,
        "most": MOST_RUNS,
        "newest": _NEWEST,
    }
    with connection.cursor() as cursor:
        cursor.execute(_QUANTILES, asked)
        runs, duration_ms, metric = cursor.fetchone()
    known = {"version": before.version.version, "runs": runs}
    return known | {"latency_ms": duration_ms, "median": metric} if runs >= FEWEST_RUNS else known
