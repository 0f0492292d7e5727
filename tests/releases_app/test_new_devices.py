"""New devices that nobody vouches for, which whoever has the app's key can invent: they decide nothing."""

from datetime import timedelta

import pytest

from jobs_app.models import Job
from releases_app.models import Exposure
from releases_app.selectors.evidence import figures_of
from releases_app.services.reconciliation import JOB
from releases_app.services.releases import act
from tests.releases_app.trials import NOW, STAGED, TASK, Trial, installed_everywhere
from tests.support.people import make_staff
from tests.support.trial_fleet import TrialFleet
from walle.release.findings import SURGE_LEAST
from walle.release.states import ReleaseAction

pytestmark = pytest.mark.django_db
FACTS = [{"app_version": "1.0.0", "os": "android"}]
AT_ONE_GO = {
    **STAGED,
    "control_percent": 0,
    "stages": [{"kind": "gray", "percent": 100, "dwell_s": 60, "evidence": 10}],
}


def invented(shop, size, vouched=False):
    """Devices that first come when they first check in; their names are not those of the fleet."""
    fleet = TrialFleet(shop, size, FACTS)
    for device in fleet.devices:
        device.name, device.vouched = f"new-{device.name}", vouched
    return fleet


def run_all(fleet, version, now, **outcome):
    """All check in, and those that are offered the version run it."""
    fleet.check_in(fleet.devices, now)
    fleet.send([fleet.run(device, TASK, version.version, now, **outcome) for device in fleet.devices if device.got])


FAILED = {"outcome": "failure", "error_class": "exception:ValueError"}


@pytest.fixture
def trial(fleet, versions):
    """A healthy release to devices that were known before."""
    installed_everywhere(fleet, versions[0])
    return Trial(fleet, versions[1], strategy=AT_ONE_GO).start()


def test_failures_of_invented_devices_pause_and_never_roll_back(shop, trial):
    trial.round()
    run_all(invented(shop, 60), trial.version, trial.now, **FAILED)
    step = trial.look()
    assert step.action == "pause"
    assert step.reason == "60 of 60 new devices, which nobody vouches for, failed (100 %); the limit is 1 %"
    assert trial.row().state == "paused"


def test_a_pause_by_invented_devices_does_not_keep_a_bad_version_with_the_others(shop, trial):
    fleet = trial.fleet
    fleet.check_in(fleet.devices, trial.now)
    run_all(invented(shop, 60), trial.version, trial.now, **FAILED)
    assert trial.look().action == "pause"
    trial.pass_time(1)
    assert trial.look() is None
    fleet.send([fleet.run(device, TASK, trial.version.version, trial.now, **FAILED) for device in fleet.devices[:20]])
    asked = {job.arguments["release"] for job in Job.objects.filter(kind=JOB, state="pending")}
    assert trial.release.pk in asked
    assert trial.look().action == "roll-back"
    assert trial.row().state == "rolled-back"


def test_whoever_resumes_accepts_the_new_devices_of_this_stage(shop, trial):
    trial.round()
    run_all(invented(shop, 60), trial.version, trial.now, **FAILED)
    trial.look()
    trial.act("resume")
    trial.pass_time(61)
    assert trial.look().action == "complete"


def test_successes_of_invented_devices_do_not_dilute_failures(shop, trial):
    run_all(invented(shop, 90), trial.version, trial.now)
    assert trial.round(fails=lambda number: number % 10 == 0).action == "roll-back"


@pytest.mark.parametrize("when", [timedelta(minutes=5), timedelta(days=3)], ids=["newest", "oldest"])
def test_one_device_does_not_move_what_all_are_compared_with(shop, fleet, versions, when):
    """Thresholds beyond all that devices measure would keep the tests for slowdown and drift from ever objecting."""
    installed_everywhere(fleet, versions[0])
    usual = {"duration_ms": 20.0, "metrics": {"confidence": 0.9}}
    fleet.send([fleet.run(device, TASK, "1.0.0", NOW - timedelta(minutes=9), **usual) for device in fleet.devices])
    one = invented(shop, 1)
    one.check_in(one.devices, NOW - timedelta(minutes=10))
    wild = {"duration_ms": 1e9, "metrics": {"confidence": -1e9}}
    one.send([one.run(one.devices[0], TASK, "1.0.0", NOW - when, **wild) for _ in range(300)])
    trial = Trial(fleet, versions[1], strategy={**STAGED, "metric": "confidence"}).start()
    known = {"version": "1.0.0", "runs": 201, "latency_ms": 20.0, "median": 0.9}
    known |= {"cold_grid": [20.0] * 5, "metric_grid": [0.9] * 4}
    assert trial.row().baseline == known


def test_runs_of_few_devices_are_nothing_to_compare_with(fleet, versions):
    installed_everywhere(fleet, versions[0])
    few = fleet.devices[:49]
    fleet.send([fleet.run(device, TASK, "1.0.0", NOW) for device in few for _ in range(5)])
    assert Trial(fleet, versions[1]).start().row().baseline == {"version": "1.0.0", "runs": 49}


def test_they_are_told_apart_in_the_figures(shop, trial):
    trial.round()
    run_all(invented(shop, 7), trial.version, trial.now, **FAILED)
    trial.look()
    figures = figures_of(trial.row(), now=trial.now)
    assert (figures["treatment"]["drawn"], figures["treatment"]["failed"]) == (207, 7)
    assert (figures["new"]["drawn"], figures["new"]["failed"]) == (7, 7)
    assert (figures["treatment"]["in_stage"], figures["new"]["in_stage"]) == (200, 7)


def test_an_apps_first_release_waits_for_a_person_or_for_vouched_devices(shop, versions):
    fleet = invented(shop, 20)
    trial = Trial(fleet, versions[0], strategy=AT_ONE_GO).start()
    run_all(fleet, versions[0], trial.now)
    trial.pass_time(61)
    step = trial.look()
    assert step.action is None
    assert step.reason.startswith("all 20 devices selected so far are new, and nobody vouches for them: promote")
    assert [row.sentence for row in trial.row().verdicts.all()] == [step.reason]


def test_a_verdict_is_kept_when_it_says_something_else_and_not_only_other_numbers(shop, versions):
    fleet = invented(shop, 20)
    trial = Trial(fleet, versions[0], strategy=AT_ONE_GO).start()
    trial.look()
    for devices in (fleet.devices[:5], fleet.devices):
        fleet.check_in(devices, trial.now)
        trial.look()
    kept = [row.sentence.partition(",")[0] for row in trial.row().verdicts.all()]
    assert kept == ["0 of the 10 devices needed have reported", "all 5 devices selected so far are new"]


def test_devices_that_the_backend_vouches_for_count_though_they_are_new(shop, versions):
    fleet = invented(shop, 20, vouched=True)
    trial = Trial(fleet, versions[0], strategy=AT_ONE_GO).start()
    run_all(fleet, versions[0], trial.now)
    trial.pass_time(61)
    assert trial.look().action == "complete"


def test_devices_that_are_vouched_for_later_count_from_then_on(shop, versions):
    fleet = invented(shop, 20)
    trial = Trial(fleet, versions[0], strategy=AT_ONE_GO).start()
    run_all(fleet, versions[0], trial.now)
    trial.pass_time(61)
    assert trial.look().action is None
    for device in fleet.devices[:10]:
        device.vouched = True
    fleet.check_in(fleet.devices, trial.now)
    assert trial.look().action == "complete"
    assert Exposure.objects.filter(vouched=True).count() == 10


def test_a_surge_of_new_devices_pauses_and_says_so(shop, trial):
    trial.round()
    invented(shop, SURGE_LEAST).come(trial.now + timedelta(seconds=1))
    trial.pass_time(2)
    step = trial.look()
    assert step.action == "pause"
    assert step.reason == "100 new devices, which nobody vouches for, registered within 10 minutes; 0 are usual"


def test_devices_that_came_before_the_release_began_are_no_surge(shop, fleet, versions):
    invented(shop, SURGE_LEAST).come(NOW - timedelta(seconds=1))
    trial = Trial(fleet, versions[0], strategy=AT_ONE_GO).start()
    assert trial.round().action is None


def test_vouched_devices_are_no_surge(shop, trial):
    trial.round()
    invented(shop, SURGE_LEAST, vouched=True).come(trial.now + timedelta(seconds=1))
    trial.pass_time(2)
    assert trial.look().action is None


def test_whoever_undoes_a_pause_by_hand_accepts_nobody(shop, trial):
    trial.round()
    by_hand = {"actor": make_staff(), "now": trial.now}
    act(release=trial.row(), action=ReleaseAction.PAUSE, **by_hand)
    act(release=trial.row(), action=ReleaseAction.RESUME, reason="pause undone", **by_hand)
    run_all(invented(shop, 60), trial.version, trial.now, **FAILED)
    assert trial.look().action == "pause"
