"""The baseline of a task before a release: the thresholds with which its figures are compared.

They are fixed when the release reaches its first devices, so that the test does not depend on its result.
"""

from datetime import datetime, timedelta
from typing import Any, Final

from devices_app.selectors.runs import recent_runs
from releases_app.models import Release
from releases_app.selectors.releases import last_good
from walle.protocol.headers import short_hex
from walle.release.evidence import BASELINE_QUANTILE

HISTORY: Final = timedelta(days=7)
FEWEST_RUNS: Final = 50


def baseline_of(release: Release, *, now: datetime) -> dict[str, Any]:
    """Return the version that the release replaces, a high quantile of its durations (ms), and its metric's median.

    Empty if there is none, or if too few devices have run it lately.
    """
    before = last_good(release)
    if before is None:
        return {}
    runs = recent_runs(
        app=release.app_id,
        task=release.version.task.name,
        version=before.version.version,
        manifest=short_hex(before.version.manifest_digest),
        metric=release.parsed_strategy.metric or "",
        quantile=BASELINE_QUANTILE,
        since=now - HISTORY,
    )
    known = {"version": before.version.version, "runs": runs.count}
    return known | {"latency_ms": runs.duration_ms, "median": runs.median} if runs.count >= FEWEST_RUNS else known
