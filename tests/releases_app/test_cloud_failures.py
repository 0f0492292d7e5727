"""Releases of versions whose cloud half fails on what devices upload: they pause, and a person decides."""

import pytest

from accounts_app.actors import SYSTEM
from tasks_app.models import CloudHalfState
from tasks_app.services.registration import register_version
from tests.releases_app.trials import NOW, Trial
from tests.support.releases import allow
from tests.tasks_app.test_cloud_half import ANSWERED
from walle.release.findings import CLOUD_CALLS

pytestmark = pytest.mark.django_db
AT_ONE_GO = {
    "simulation": False,
    "control_percent": 0,
    "stages": [{"kind": "gray", "percent": 100, "dwell_s": 60, "evidence": 10}],
}
SENTENCE = "the last 3 calls of the cloud half failed: exception:KeyError: 'item'"


@pytest.fixture
def trial(fleet, camera, repository, copy, shop):
    """A healthy release of camera/digits 1.0.0, which has a cloud half."""
    allow(shop, camera, now=NOW)
    copy.commit(ANSWERED)
    copy.tag("digits/1.0.0")
    copy.push("digits", "--tags")
    named = {"version": "1.0.0", "scenario": camera, "task": "digits"}
    made = register_version(actor=SYSTEM, repository=repository, **named).version
    return Trial(fleet, made, strategy=AT_ONE_GO).start()


def fail(trial, calls):
    known = {"failures": calls, "error": "exception:KeyError: 'item'"}
    CloudHalfState.objects.update_or_create(version=trial.version, defaults=known)


def test_calls_that_fail_one_after_the_other_pause_and_say_why(trial):
    trial.round()
    fail(trial, CLOUD_CALLS)
    step = trial.look()
    assert (step.action, step.reason) == ("pause", SENTENCE)
    assert trial.row().state == "paused"


def test_a_cloud_half_that_answers_again_is_no_reason(trial):
    trial.round()
    fail(trial, CLOUD_CALLS - 1)
    assert trial.look().action is None
    fail(trial, 0)
    trial.pass_time(61)
    assert trial.look().action == "complete"


def test_whoever_resumes_accepts_it_in_this_stage(trial):
    trial.round()
    fail(trial, CLOUD_CALLS)
    trial.look()
    trial.act("resume")
    trial.pass_time(61)
    assert trial.look().action == "complete"
