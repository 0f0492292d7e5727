"""Releases of stream tasks: the first runs are a device's outcome, and who waits for the condition is told apart."""

from datetime import timedelta

import pytest

from accounts_app.actors import SYSTEM
from releases_app.models import Exposure
from releases_app.selectors.evidence import figures_of
from tasks_app.services.registration import register_version
from tests.releases_app.trials import NOW, TASK, Trial
from tests.support.releases import allow
from tests.tasks_app.working_copy import GOOD
from tests.vectors.reports import RUNS

pytestmark = pytest.mark.django_db
WIDE = {
    "simulation": False,
    "control_percent": 0,
    "grace_s": 600,
    "silence_s": 300,
    "stages": [{"kind": "gray", "percent": 100, "dwell_s": 60, "evidence": 10}],
}
SENTENCE = (
    "6 of the 10 devices needed have reported; 15 devices have installed it; "
    "the condition page_enter:item, then click has not occurred on 9 of them yet"
)


@pytest.fixture
def stream(camera, repository, copy, shop):
    """camera/digits 1.0.0, which a condition triggers."""
    allow(shop, camera, now=NOW)
    task = str(GOOD["task.toml"]).replace("every_s = 5", 'on = ["page_enter:item", "click"]')
    copy.commit({**GOOD, "task.toml": task})
    copy.tag("digits/1.0.0")
    copy.push("digits", "--tags")
    return register_version(
        version="1.0.0", actor=SYSTEM, scenario=camera, task="digits", repository=repository
    ).version


@pytest.fixture
def trial(fleet, stream):
    """15 devices have installed the version; on 6 of them it has run, three times each."""
    fleet.devices = fleet.devices[:15]
    trial = Trial(fleet, stream, strategy=WIDE).start()
    fleet.check_in(fleet.devices, trial.now)
    send(trial, fleet.devices, kind="install")
    send(trial, fleet.devices[:6], runs=RUNS | {"count": 3, "failed": 0, "failures": []})
    trial.pass_time(299)
    fleet.check_in(fleet.devices, trial.now)
    return trial


def send(trial, devices, **fields):
    trial.pass_time(1)
    trial.fleet.send([trial.fleet.run(each, TASK, "1.0.0", trial.now, **fields) for each in devices])


def figures(trial):
    return figures_of(trial.row(), now=trial.now)


def test_devices_on_which_the_condition_has_not_occurred_are_told_apart(trial):
    step = trial.look()
    assert (step.action, step.reason) == (None, SENTENCE)
    assert trial.row().verdicts.last().sentence == SENTENCE
    found = figures(trial)
    treatment = found["treatment"]
    assert found["trigger"] == ["page_enter:item", "click"]
    assert (treatment["reported"], treatment["awaiting_trigger"], treatment["silent"]) == (6, 9, 0)
    assert [stage["awaiting_trigger"] for stage in found["stages"]] == [9]


def test_devices_that_stop_checking_in_await_nothing(trial):
    trial.pass_time(310)
    trial.fleet.check_in(trial.fleet.devices[:8], trial.now)
    assert figures(trial)["treatment"]["awaiting_trigger"] == 2
    assert trial.look().reason == (
        "6 of the 10 devices needed have reported; 15 devices have installed it; the condition page_enter:item, then "
        "click has not occurred on 2 of them yet, and 7 have not checked in lately"
    )


def test_a_stage_does_not_wait_for_ever_and_says_for_what_it_has_waited(trial):
    trial.pass_time(700)
    trial.fleet.check_in(trial.fleet.devices, trial.now)
    trial.look()
    assert trial.row().state == "paused"
    assert trial.row().transitions.last().reason == f"no verdict within 600 s after the soak time: {SENTENCE}"


def test_the_first_runs_are_the_outcome_whatever_follows(trial):
    """A failure among the first three runs fails the device; one among later runs does not."""
    devices = trial.fleet.devices
    failed = {"outcome": "failure", "error_class": "exception:KeyError"}
    send(trial, devices[6:8], **failed, runs=RUNS | {"count": 3, "failed": 1, "failures": []})
    send(trial, devices[:8], **failed, runs=RUNS | {"count": 3, "failed": 3})
    outcomes = dict(Exposure.objects.values_list("device", "outcome"))
    assert [outcomes[each.name] for each in devices[:9]] == ["success"] * 6 + ["failure"] * 2 + [""]
    assert figures(trial)["treatment"]["awaiting_trigger"] == 7


def test_new_devices_that_wait_are_counted_but_not_waited_for(trial):
    Exposure.objects.filter(device="device-14").update(first_seen=trial.now)
    found = figures(trial)
    assert (found["treatment"]["awaiting_trigger"], found["new"]["awaiting_trigger"]) == (9, 1)
    assert "has not occurred on 8 of them yet" in trial.look().reason


def test_a_task_that_runs_by_itself_awaits_nothing(fleet, versions):
    trial = Trial(fleet, versions[0], strategy=WIDE).start()
    fleet.check_in(fleet.devices, trial.now)
    send(trial, fleet.devices, kind="install")
    trial.now += timedelta(seconds=90)
    assert figures(trial)["treatment"]["awaiting_trigger"] == 0
    assert figures(trial)["trigger"] == []
    assert trial.look().reason == "0 of the 10 devices needed have reported"
