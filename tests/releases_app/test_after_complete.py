"""A complete release goes on being watched: what devices report is counted by periods, and answered."""

from dataclasses import replace

import pytest

from accounts_app.models import AuditEntry
from releases_app.models import CompletionWatch, PeriodOutcome, PeriodTally
from releases_app.services.after_complete import ACTION, follow_complete
from tests.releases_app.test_new_devices import invented
from tests.releases_app.trials import TASK, Trial, installed_everywhere
from walle.release.strategy import AT_ONCE

pytestmark = pytest.mark.django_db
BAD = {"outcome": "failure", "error_class": "exception:ValueError"}
DAY_S = 86_400


def watched(fleet, versions, **after_complete):
    """A complete release of a second version that every device has, behind which the first one is complete."""
    installed_everywhere(fleet, versions[0])
    trial = Trial(fleet, versions[1], strategy={**AT_ONCE, "after_complete": after_complete}).start()
    fleet.check_in(fleet.devices, trial.now)
    trial.act("complete")
    follow_complete(trial.now)
    return trial


def report(trial, devices, **outcome):
    trial.pass_time(1)
    trial.fleet.send([trial.fleet.run(each, TASK, trial.version.version, trial.now, **outcome) for each in devices])


def look(trial, seconds=30):
    trial.pass_time(seconds)
    return follow_complete(trial.now)


def row(trial):
    return CompletionWatch.objects.get(release=trial.release.pk)


def counts(trial):
    look(trial)
    return row(trial).reported, row(trial).failed


def alerts():
    return [entry.after["reason"] for entry in AuditEntry.objects.filter(action=ACTION).order_by("id")]


def test_a_device_counts_once_in_a_period_with_its_first_run(fleet, versions):
    trial = watched(fleet, versions)
    report(trial, fleet.devices[:60])
    report(trial, fleet.devices[:60], **BAD)
    assert counts(trial) == (60, 0)
    report(trial, fleet.devices[60:63], **BAD)
    assert counts(trial) == (63, 3)
    look(trial, DAY_S)
    assert (row(trial).period, counts(trial)) == (2, (0, 0))
    report(trial, fleet.devices[:10], **BAD)
    assert counts(trial) == (10, 10)


def test_devices_that_fall_back_after_a_success_have_failed(fleet, versions):
    trial = watched(fleet, versions)
    report(trial, fleet.devices[:60])
    report(trial, fleet.devices[:2], kind="remove", outcome="failure", error_class="fell-back")
    report(trial, fleet.devices[:2], kind="remove", outcome="failure", error_class="fell-back")
    assert counts(trial) == (60, 2)


def test_reports_of_other_versions_and_of_new_devices_do_not_count(shop, fleet, versions):
    trial = watched(fleet, versions)
    told = [fleet.run(each, TASK, "1.0.0", trial.now, **BAD) for each in fleet.devices[:50]]
    other = versions[0].manifest_digest
    fleet.send([replace(each, report=replace(each.report, manifest=other)) for each in told])
    strangers = invented(shop, 60)
    strangers.check_in(strangers.devices, trial.now)
    trial.fleet.send([strangers.run(each, TASK, trial.version.version, trial.now, **BAD) for each in strangers.devices])
    assert counts(trial) == (0, 0)
    friends = invented(shop, 5, vouched=True)
    for device in friends.devices:
        device.name = f"friend-{device.name}"
    friends.check_in(friends.devices, trial.now)
    friends.send([friends.run(each, TASK, trial.version.version, trial.now) for each in friends.devices])
    assert counts(trial) == (5, 0)


def test_beyond_its_limit_it_is_said_once_until_a_period_keeps_to_it(fleet, versions):
    trial = watched(fleet, versions)
    report(trial, fleet.devices[:40], **BAD)
    report(trial, fleet.devices[40:100])
    assert look(trial)["exceeding"] == 1
    assert trial.row().state == "complete"
    said = "40 of 100 devices failed since the period began (40 %); the limit after completion is 2 %"
    assert alerts() == [said]
    look(trial)
    assert look(trial, DAY_S)["exceeding"] == 1
    report(trial, fleet.devices[:20])
    assert look(trial, DAY_S)["exceeding"] == 1, "20 devices are too few to say that it is over"
    report(trial, fleet.devices[:60])
    assert look(trial, DAY_S)["exceeding"] == 0
    report(trial, fleet.devices[:60], **BAD)
    assert look(trial)["exceeding"] == 1
    assert len(alerts()) == 2


def test_it_is_rolled_back_if_its_strategy_says_so(fleet, versions):
    trial = watched(fleet, versions, action="roll-back", evidence=10, failure_rate=0.05)
    report(trial, fleet.devices[:20], **BAD)
    look(trial)
    moved = trial.row().transitions.last()
    assert (trial.row().state, moved.actor_name) == ("rolled-back", "system")
    assert moved.reason == "20 of 20 devices failed since the period began (100 %); the limit after completion is 5 %"
    assert moved.evidence["failed"] == 20
    look(trial)
    assert not CompletionWatch.objects.filter(release=trial.release.pk).exists()
    assert not PeriodOutcome.objects.filter(release=trial.release.pk).exists()
    assert not PeriodTally.objects.filter(release=trial.release.pk).exists()
    assert CompletionWatch.objects.get().release.version == versions[0], "which is in force again"


def test_devices_never_lose_the_task_by_it(fleet, versions):
    trial = Trial(fleet, versions[1], strategy={**AT_ONCE, "after_complete": {"action": "roll-back"}}).start()
    fleet.check_in(fleet.devices, trial.now)
    trial.act("complete")
    follow_complete(trial.now)
    report(trial, fleet.devices[:100], **BAD)
    look(trial)
    assert trial.row().state == "complete"
    assert len(alerts()) == 1


def test_no_watch_without_a_limit_nor_before_completion(fleet, versions):
    installed_everywhere(fleet, versions[0])
    running = Trial(fleet, versions[1], strategy=AT_ONCE).start()
    follow_complete(running.now)
    assert [each.release.version for each in CompletionWatch.objects.all()] == [versions[0]]
    unwatched = Trial(fleet, versions[0], strategy={**AT_ONCE, "after_complete": None}).start()
    unwatched.act("complete")
    follow_complete(unwatched.now)
    assert not CompletionWatch.objects.filter(release=unwatched.release.pk).exists()


def test_many_batches_are_summed(fleet, versions, monkeypatch):
    monkeypatch.setattr("releases_app.services.after_complete.MOST_ROWS", 2)
    trial = watched(fleet, versions)
    for device in fleet.devices[:6]:
        report(trial, [device], **(BAD if device is fleet.devices[0] else {}))
    assert PeriodTally.objects.filter(release=trial.release.pk).count() == 6
    assert counts(trial) == (6, 1)
    assert PeriodTally.objects.filter(release=trial.release.pk).count() == 1
