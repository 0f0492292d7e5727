"""What breaks for everybody is not the version's fault: control reports afresh in each stage."""

from datetime import timedelta

import pytest
from django.db import connection

from accounts_app.actors import SYSTEM
from jobs_app.models import Job
from jobs_app.runner import JobRun
from releases_app.jobs import reconcile_all
from releases_app.models import Exposure
from releases_app.selectors.evidence import figures_of
from releases_app.selectors.selected_devices import SelectionCriteria, selected_devices
from tests.releases_app.trials import TASK, Trial, installed_everywhere
from walle.release.attribution import OUTAGE_WAIT_S

pytestmark = pytest.mark.django_db


@pytest.fixture
def trial(fleet, versions):
    """In the second stage, whose devices have not reported yet."""
    return in_second_stage(fleet, versions)


def in_second_stage(fleet, versions):
    installed_everywhere(fleet, versions[0])
    trial = Trial(fleet, versions[1]).start()
    trial.round()
    trial.round()
    trial.pass_time(61)
    assert trial.look().action == "promote"
    fleet.check_in(fleet.devices, trial.now)
    trial.pass_time(1)
    return trial


def every_third(number):
    return number % 3 == 0


def every_second(number):
    """So many that the control group, which is drawn anew in each run, has enough of them."""
    return number % 2 == 0


def never(number):
    return False


def run(trial, arm, fails):
    """Devices of one arm that were selected in the present stage report a run of what they have."""
    chosen = Exposure.objects.filter(release=trial.release.pk, stage=trial.row().stages.get(position=1).pk, arm=arm)
    names = set(chosen.values_list("device", flat=True))
    devices = [device for device in trial.fleet.devices if device.name in names]
    version = "1.1.0" if arm == "treatment" else "1.0.0"
    bad = {"outcome": "failure", "error_class": "exception:OSError"}
    trial.fleet.send(
        trial.fleet.run(device, TASK, version, trial.now, **(bad if fails(number) else {}))
        for number, device in enumerate(devices)
    )
    return len(devices)


def test_control_has_one_outcome_in_each_stage_and_is_counted_once(trial):
    held_back = Exposure.objects.filter(release=trial.release.pk, arm="control").count()
    repeats = Exposure.objects.filter(release=trial.release.pk, arm="repeat")
    assert repeats.count() == held_back > 20
    assert set(repeats.values_list("outcome", flat=True)) == {""}
    trial.round()
    assert set(repeats.values_list("outcome", flat=True)) == {"success"}
    figures = figures_of(trial.row(), now=trial.now)
    assert figures["control"]["drawn"] == figures["control"]["reported"] == held_back
    listed = selected_devices(trial.row(), SYSTEM, SelectionCriteria(arm="control"), 500, now=trial.now).rows
    assert len({row.device for row in listed}) == len(listed) == held_back


def test_until_an_upgrade_is_finished_control_does_not_repeat_and_nothing_is_lost(fleet, versions):
    with connection.cursor() as cursor:
        cursor.execute("CREATE UNIQUE INDEX exposure_once ON releases_app_exposure (release, device)")
    trial = in_second_stage(fleet, versions)
    exposures = Exposure.objects.filter(release=trial.release.pk)
    assert exposures.filter(stage=trial.row().stages.get(position=1).pk, arm="treatment").count() > 20
    assert not exposures.filter(arm="repeat").exists()
    trial.round()
    trial.pass_time(61)
    assert trial.look().action == "promote"


def test_an_outage_pauses_the_release_and_takes_nothing_back(trial):
    step = trial.round(breaks=every_second)
    assert (step.action, trial.row().state) == ("pause", "paused")
    assert "in the control group" in step.reason
    trial.pass_time(OUTAGE_WAIT_S + 1)
    trial.round(breaks=every_second)
    assert trial.row().state == "paused"


def test_a_version_that_fails_only_lately_waits_for_control_and_is_rolled_back(trial):
    run(trial, "treatment", every_third)
    step = trial.look()
    assert step.action == "pause"
    assert "the control group has not reported enough there to tell an outage" in step.reason
    assert run(trial, "repeat", never) > 20
    assert trial.look().action == "roll-back"


def test_control_that_reports_nothing_is_not_waited_for_long(trial):
    run(trial, "treatment", every_third)
    assert trial.look().action == "pause"
    for seconds, state in ((OUTAGE_WAIT_S - 5, "paused"), (10, "rolled-back")):
        trial.pass_time(seconds)
        reconcile_all(JobRun(Job(), owner="test", clock=lambda: trial.now))
        assert trial.row().state == state


def test_what_happens_once_control_is_offered_the_version_says_nothing_of_the_former_one(trial):
    trial.round()
    trial.pass_time(61)
    assert trial.look().action == "promote"
    trial.round()
    before = list(Exposure.objects.filter(arm="repeat").values_list("device", "outcome").order_by("device"))
    trial.pass_time(1)
    trial.round(fails=lambda number: True)
    assert list(Exposure.objects.filter(arm="repeat").values_list("device", "outcome").order_by("device")) == before


def test_a_device_that_ran_the_version_while_it_was_held_back_is_in_neither_arm(trial):
    device = next(each for each in trial.fleet.devices if Exposure.objects.filter(device=each.name, arm="repeat"))
    held_back = figures_of(trial.row(), now=trial.now)["control"]["drawn"]
    trial.fleet.send([trial.fleet.run(device, TASK, "1.1.0", trial.now + timedelta(seconds=1), outcome="failure")])
    rows = Exposure.objects.filter(device=device.name, release=trial.release.pk)
    assert set(rows.values_list("arm", "crossed", "outcome")) >= {("control", True, "success"), ("repeat", True, "")}
    figures = figures_of(trial.row(), now=trial.now)
    assert figures["control"]["drawn"] == held_back - 1
    trial.pass_time(2)
    trial.round()
    verdict = trial.row().verdicts.last()
    assert verdict.evidence["counts"]["control"]["drawn"] == held_back - 1
    (_, second) = verdict.evidence["counts"]["stages"]
    assert second["control"]["reported"] == held_back - 1
    planned = verdict.evidence["counts"]["ratio"]
    assert planned["control"] == held_back, "it was selected as planned"
