"""A rolled-back version leaves the devices: how many still have it, and what is said of that."""

from datetime import timedelta
from uuid import uuid4

import pytest

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from releases_app.models import Withdrawal
from releases_app.services.quarantine import lift_quarantine
from releases_app.services.withdrawal import follow_withdrawals
from tests.releases_app.trials import TASK, Trial, installed_everywhere
from walle.gateway.ports import ReceivedReport
from walle.protocol.reports import Report
from walle.release.strategy import AT_ONCE
from walle.release.withdrawal import told_within

pytestmark = pytest.mark.django_db
TOLD_S = told_within(60)


@pytest.fixture
def undone(fleet, versions):
    """A release that every device had, rolled back at `now`; devices go back to the version before it."""
    installed_everywhere(fleet, versions[0])
    trial = Trial(fleet, versions[1], strategy=AT_ONCE).start()
    fleet.check_in(fleet.devices, trial.now)
    trial.pass_time(60)
    trial.act("roll-back")
    return trial


def row(trial):
    return Withdrawal.objects.get(release=trial.release.pk)


def counted(trial, seconds):
    trial.pass_time(seconds)
    follow_withdrawals(trial.now)
    found = row(trial)
    return found.devices, found.remaining, found.offline


def said():
    events = AuditEntry.objects.filter(action__in=["release.withdrawn", "release.still-installed"]).order_by("id")
    return [(entry.action, entry.after) for entry in events]


def installed_again(trial, device, manifest, received):
    report = Report(str(uuid4()), TASK, "1.0.0", manifest, "install", "success", at=received.timestamp())
    return ReceivedReport(trial.fleet.app.slug, device.name, report, None, received.timestamp())


def test_the_curve_falls_as_devices_check_in_until_none_is_left(undone, fleet):
    assert (row(undone).devices, row(undone).remaining) == (200, 200)
    assert row(undone).told_by == undone.now + timedelta(seconds=TOLD_S)
    fleet.check_in(fleet.devices[:150], undone.now + timedelta(seconds=5))
    assert counted(undone, 10) == (200, 50, 0)
    fleet.check_in(fleet.devices[150:], undone.now + timedelta(seconds=5))
    assert counted(undone, 10) == (200, 0, 0)
    assert row(undone).ended_at is None, "a device that has just installed it may not have said so"
    assert counted(undone, TOLD_S - 20) == (200, 0, 0)
    assert row(undone).ended_at == undone.now
    assert [devices for _, devices in row(undone).curve] == [200, 50, 0]
    assert said() == [("release.withdrawn", {"state": "rolled-back", "position": 0, "devices": 200, "seconds": 20})]


def test_a_report_of_the_other_version_tells_before_the_next_check_in(undone, fleet, versions):
    device, other = fleet.devices[:2]
    received = undone.now + timedelta(seconds=1)
    fleet.send([installed_again(undone, device, versions[0].manifest_digest, received)])
    fleet.send([installed_again(undone, other, versions[1].manifest_digest, received)])
    assert counted(undone, 5) == (200, 199, 0)


def test_devices_that_are_away_are_told_apart_and_still_counted(undone, fleet):
    fleet.check_in(fleet.devices[3:], undone.now + timedelta(seconds=30))
    assert counted(undone, 300) == (200, 3, 3)
    expected = {"state": "rolled-back", "position": 0, "devices": 200, "remaining": 3, "offline": 3}
    assert said() == [("release.still-installed", expected)]
    fleet.check_in(fleet.devices[:3], undone.now + timedelta(days=3))
    assert counted(undone, 3 * 86_400 + 60) == (200, 0, 0)
    assert [action for action, _ in said()] == ["release.still-installed", "release.withdrawn"]
    assert follow_withdrawals(undone.now + timedelta(days=1)) == 0


def test_counts_become_rarer_but_the_moment_when_all_have_heard_is_never_missed(undone):
    assert follow_withdrawals(undone.now + timedelta(seconds=1)) == 0
    assert follow_withdrawals(undone.now + timedelta(seconds=2)) == 1
    assert follow_withdrawals(undone.now + timedelta(seconds=TOLD_S)) == 1
    assert follow_withdrawals(undone.now + timedelta(seconds=TOLD_S + 2)) == 0
    assert follow_withdrawals(undone.now + timedelta(seconds=TOLD_S + 3)) == 1


def test_once_the_version_may_be_released_again_nothing_is_withdrawn(undone, versions):
    lift_quarantine(version=versions[1], actor=SYSTEM, now=undone.now, reason="it was the network")
    counted(undone, 5)
    assert row(undone).ended_at == undone.now
    assert (row(undone).remaining, said()) == (200, [])


def test_what_devices_keep_by_another_release_is_not_withdrawn(fleet, versions):
    installed_everywhere(fleet, versions[0])
    again = Trial(fleet, versions[0], strategy=AT_ONCE).start()
    fleet.check_in(fleet.devices, again.now)
    again.act("roll-back")
    assert not Withdrawal.objects.exists()


def test_a_release_that_reached_no_device_has_nothing_to_withdraw(fleet, versions):
    trial = Trial(fleet, versions[0], strategy={"simulation": False, "approval": True}).start()
    trial.act("roll-back")
    assert not Withdrawal.objects.exists()
