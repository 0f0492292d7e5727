"""From reports to verdicts: a kept task whose version was just installed runs cold once, and that is no slowdown."""

import json
from datetime import timedelta
from typing import Any

import pytest

from releases_app.selectors.baseline import baseline_of
from releases_app.selectors.evidence import figures_of
from tests.releases_app.trials import NOW, STAGED, TASK, Trial, installed_everywhere

pytestmark = pytest.mark.database
COLD: dict[str, Any] = {"start": "cold", "duration_ms": 50.0}
WARM: dict[str, Any] = {"start": "warm", "duration_ms": 5.0}
EVEN = {
    **STAGED,
    "control_percent": 50,
    "stages": [{"kind": "gray", "percent": percent, "dwell_s": 60, "evidence": 10} for percent in (50, 100)],
}


@pytest.fixture
def before(fleet, versions):
    """The version before, which every device has run cold and then warm."""
    installed_everywhere(fleet, versions[0])
    for minutes, run in ((9, COLD), (8, WARM)):
        at = NOW - timedelta(minutes=minutes)
        fleet.send([fleet.run(device, TASK, "1.0.0", at, **run) for device in fleet.devices])


def runs(trial: Trial, **slower: float) -> Trial:
    """Each device checks in; those with the new version run it cold and then warm, all others warm."""
    fleet = trial.fleet
    fleet.check_in(fleet.devices, trial.now)
    new = {device.name for device in trial.has_it()}
    for first in (True, False):
        trial.pass_time(1)
        reports = []
        for device in fleet.devices:
            mine = device.name in new
            said = dict(COLD if mine and first else WARM)
            said["duration_ms"] *= slower.get(said["start"], 1.0) if mine else 1.0
            version = trial.version.version if mine else "1.0.0"
            reports.append(fleet.run(device, TASK, version, trial.now, **said))
        fleet.send(reports)
    return trial


def test_the_baseline_knows_cold_and_warm_runs_apart(before, fleet, versions):
    known = {"version": "1.0.0", "runs": 200, "latency_ms": 50.0, "warm_latency_ms": 5.0}
    known |= {"cold_grid": [50.0] * 5, "warm_grid": [5.0] * 5}
    assert Trial(fleet, versions[1]).start().row().baseline == known


def test_first_runs_of_a_new_version_are_not_compared_with_warm_ones(before, fleet, versions):
    trial = runs(Trial(fleet, versions[1], strategy=EVEN).start(), cold=1.2)
    trial.look()
    figures = figures_of(trial.row(), now=trial.now)
    assert (figures["treatment"]["slower"], figures["treatment"]["warm_slower"]) == (figures["treatment"]["timed"], 0)
    assert (figures["treatment"]["p50_ms"], figures["treatment"]["warm_p50_ms"]) == (60.0, 5.0)
    assert (figures["control"]["timed"], figures["control"]["warm_p50_ms"]) == (0, 5.0)
    assert not slowdown(trial)["objects"]


def test_slower_warm_runs_fail_the_release(before, fleet, versions):
    trial = runs(Trial(fleet, versions[1], strategy=EVEN).start(), cold=1.2, warm=1.2)
    assert trial.look().action == "roll-back"
    found = slowdown(trial)
    assert found["objects"]
    assert "; warm runs: " in found["sentence"]
    assert "took longer than 5 ms (100 %)" in found["sentence"]


def test_a_kept_version_is_known_as_one_before_its_first_device(before, fleet, versions):
    kept, manifest = versions[1], json.loads(bytes(versions[1].manifest))
    kept.manifest = json.dumps({**manifest, "vm": {"keep": True}}).encode()
    trial = Trial(fleet, kept)
    trial.release.version = kept
    assert baseline_of(trial.release, now=NOW)["kept"] is True


def slowdown(trial: Trial) -> dict[str, Any]:
    stored = trial.row().verdicts.order_by("-id").first()
    return next(one for one in stored.evidence["findings"] if one["test"] == "slowdown")
