"""The baseline of a task before a release: the thresholds with which its figures are compared.

They are fixed when the release reaches its first devices, so that the test does not depend on its result.
"""

from datetime import datetime, timedelta
from typing import Any, Final

from devices_app.selectors.runs import recent_runs
from releases_app.models import Release
from releases_app.selectors.releases import last_good
from walle.protocol.documents import Manifest
from walle.protocol.headers import short_hex
from walle.protocol.kinds import PIPELINE
from walle.release.evidence import BASELINE_QUANTILE
from walle.release.grid import RUN_TIMES, VALUES, quantiles_of

HISTORY: Final = timedelta(days=7)
FEWEST_RUNS: Final = 50


def baseline_of(release: Release, *, now: datetime) -> dict[str, Any]:
    """Return the version that the release replaces, a high quantile of its durations (ms), and its metric's median.

    Durations are there if enough devices have had such runs lately: `latency_ms` is that of cold runs,
    `warm_latency_ms` that of warm ones. `cold_grid`, `warm_grid` and `metric_grid` are the other quantiles at which
    the arms are compared (walle.release.grid). `kept` is there if the release's version asks for its VM to be
    kept, or is a pipeline, which stays loaded; `trigger` if a condition triggers it: the ids of that.
    """
    manifest = Manifest.from_payload(bytes(release.version.manifest))
    served = release.version.kind == PIPELINE
    known: dict[str, Any] = {"kept": True} if served or manifest.keeps_vm else {}
    known |= {"trigger": list(manifest.trigger_ids)} if manifest.trigger_ids else {}
    before = last_good(release)
    if before is None:
        return known
    runs = recent_runs(
        app=release.app_id,
        task=release.version.task.name,
        version=before.version.version,
        manifest=short_hex(before.version.manifest_digest),
        metric=release.parsed_strategy.metric or "",
        run_quantiles=[BASELINE_QUANTILE, *quantiles_of(RUN_TIMES, above=True)],
        metric_quantiles=[0.5, *quantiles_of(VALUES, above=False)],
        since=now - HISTORY,
        callers=served,
    )
    known |= {"version": before.version.version, "runs": runs.devices}
    for devices, quantiles, first, others in (
        (runs.devices, runs.values, "median", "metric_grid"),
        (runs.cold, runs.cold_ms, "latency_ms", "cold_grid"),
        (runs.warm, runs.warm_ms, "warm_latency_ms", "warm_grid"),
    ):
        if devices >= FEWEST_RUNS and quantiles is not None and quantiles[0] is not None:
            known |= {first: quantiles[0], others: quantiles[1:]}
    return known
