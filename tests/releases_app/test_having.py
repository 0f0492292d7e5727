"""How many devices have the version of a release now: one number, which rises with reports and falls in a rollback."""

from datetime import timedelta
from uuid import uuid4

import pytest

from accounts_app.actors import SYSTEM
from devices_app.services.census import keep_counts
from releases_app.selectors.having import having_version
from releases_app.services.rollback import plan_rollback
from releases_app.services.withdrawal import follow_withdrawals
from tasks_app.selectors import installed
from tests.releases_app.trials import TASK, Trial, installed_everywhere
from walle.gateway.ports import ReceivedReport
from walle.protocol.reports import Report
from walle.release.strategy import AT_ONCE

pytestmark = pytest.mark.django_db


@pytest.fixture
def trial(fleet, versions):
    """A release at once of a second version, which no device has yet."""
    installed_everywhere(fleet, versions[0])
    return Trial(fleet, versions[1], strategy=AT_ONCE).start()


def having(trial):
    found = having_version(trial.row(), now=trial.now)
    return found.devices


def says(trial, device, version, kind="install", outcome="success"):
    trial.pass_time(1)
    about = (version.version, version.manifest_digest)
    report = Report(str(uuid4()), TASK, *about, kind, outcome, at=trial.now.timestamp())
    trial.fleet.send([ReceivedReport(trial.fleet.app.slug, device.name, report, None, trial.now.timestamp())])


def test_a_report_of_the_installation_counts_before_the_next_check_in_and_once(trial, fleet, versions):
    first, second, third = fleet.devices[:3]
    assert having(trial) == 0
    says(trial, first, versions[1])
    says(trial, first, versions[1])
    says(trial, second, versions[1])
    says(trial, third, versions[1], outcome="failure")
    assert having(trial) == 2
    says(trial, second, versions[0])
    assert having(trial) == 1
    trial.pass_time(1)
    fleet.check_in(fleet.devices[:2], trial.now)  # the second one is offered it again
    assert having(trial) == 2
    trial.pass_time(1200)
    assert having(trial) == 2


def test_who_checked_in_without_it_does_not_have_it_any_more(trial, fleet, versions):
    device = fleet.devices[0]
    says(trial, device, versions[1])
    trial.pass_time(1)
    trial.fleet.come(trial.now)
    assert having(trial) == 0


def test_it_is_the_number_of_the_withdrawal_and_of_the_plan_before(trial, fleet, versions):
    fleet.check_in(fleet.devices[:150], trial.now)
    says(trial, fleet.devices[199], versions[1])
    assert having(trial) == 151
    assert plan_rollback(release=trial.row(), actor=SYSTEM, now=trial.now).devices == 151
    trial.act("roll-back")
    assert having(trial) == 151
    trial.pass_time(5)
    fleet.check_in(fleet.devices[:100], trial.now)
    follow_withdrawals(trial.now)
    assert having(trial) == 51
    assert having_version(trial.row(), now=trial.now).counted_at == trial.now
    trial.pass_time(3600)
    fleet.check_in(fleet.devices, trial.now)
    follow_withdrawals(trial.now)
    assert having(trial) == 0


def test_many_are_those_that_were_counted_last(trial, fleet, monkeypatch):
    fleet.check_in(fleet.devices, trial.now)
    keep_counts(now=trial.now)
    fleet.check_in(fleet.devices[:100], trial.now + timedelta(seconds=1))
    monkeypatch.setattr(installed, "AFFORDABLE", -1.0)
    found = having_version(trial.row(), now=trial.now)
    assert (found.devices, found.counted_at) == (200, trial.now)


def test_a_draft_has_reached_no_device(fleet, versions):
    installed_everywhere(fleet, versions[0])
    again = Trial(fleet, versions[0])
    assert having(again) == 0
