"""/api/v1/releases/{release}/rollback-plan: what a rollback would do, compared with what it does."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from devices_app.models import Device, InstalledTask
from devices_app.services.apps import add_version, create_app
from devices_app.services.census import keep_counts
from releases_app.models import Quarantine, Release, Transition
from tasks_app.selectors import installed
from tests.api.conftest import NOW, member_of
from tests.api.contract import problem
from tests.support.fleet import make_device
from tests.support.releases import SYSTEM, draft_of, move_on

pytestmark = pytest.mark.django_db

TWO_STAGES = {
    "simulation": False,
    "stages": [{"kind": "gray", "percent": 50, "dwell_s": 60}, {"kind": "gray", "percent": 100, "dwell_s": 60}],
}


@pytest.fixture
def versions(register):
    """camera/digits 1.0.0 and 1.1.0."""
    return register("1.0.0", "1.1.0")


def complete(app, version, **of):
    return move_on(draft_of(app, version, now=NOW, **of), "start", "complete", now=NOW)


def running(app, version, **of):
    return move_on(draft_of(app, version, now=NOW, **of), "start", now=NOW)


def planned(api, release):
    return api.get(f"releases/{release.pk}/rollback-plan").json()


def numbers(rows):
    return [row["release"] for row in rows]


def have(app, version, *devices):
    for device in devices:
        row = make_device(app, device)
        task, manifest = version.task.name, version.manifest_digest[:24]
        Device.objects.filter(pk=row.pk).update(profile={task: manifest})
        InstalledTask.objects.create(device=row, task=task, manifest=manifest, since=NOW)


def states():
    return dict(Release.objects.values_list("pk", "state"))


def test_devices_go_back_to_the_last_good_version(releaser, shop, versions):
    first, second = versions
    good, bad = complete(shop, first), running(shop, second)
    have(shop, second, "a", "b")
    have(shop, first, "c")
    assert planned(releaser, bad) == {
        "version": "1.1.0",
        "is_quarantined": False,
        "goes_back_to": [{"release": good.pk, "version": "1.0.0", "state": "complete"}],
        "lose_it": False,
        "devices": 2,
        "counted_at": None,
        "withdrawn": [],
        "held": [],
    }


def test_nothing_is_written(releaser, shop, versions):
    release = complete(shop, versions[0])
    before = states(), Transition.objects.count()
    planned(releaser, release)
    assert (states(), Transition.objects.count(), Quarantine.objects.count()) == (*before, 0)


def test_without_an_earlier_version_they_lose_the_task(releaser, shop, versions):
    found = planned(releaser, complete(shop, versions[0]))
    assert (found["goes_back_to"], found["lose_it"]) == ([], True)


def test_released_again_above_a_complete_release_devices_keep_the_version(releaser, shop, versions):
    first = complete(shop, versions[0])
    again = running(shop, versions[0], strategy=TWO_STAGES)
    have(shop, versions[0], "a")
    found = planned(releaser, again)
    assert (found["goes_back_to"], found["lose_it"], found["withdrawn"], found["devices"]) == (
        [{"release": first.pk, "version": "1.0.0", "state": "complete"}], False, [], 1,
    )  # fmt: skip
    move_on(again, "roll-back", now=NOW)
    assert states()[first.pk] == "complete"


def test_released_again_and_complete_the_rollback_takes_the_earlier_release_along(releaser, shop, versions):
    oldest = complete(shop, versions[1])
    first = complete(shop, versions[0])
    again = complete(shop, versions[0])
    found = planned(releaser, again)
    assert found["withdrawn"] == [
        {"release": first.pk, "version": "1.0.0", "state": "superseded", "app": "shop"},
    ]  # fmt: skip
    assert (numbers(found["goes_back_to"]), found["lose_it"]) == ([oldest.pk], False)
    move_on(again, "roll-back", now=NOW)
    assert states() == {oldest.pk: "complete", first.pk: "superseded", again.pk: "rolled-back"}


def test_devices_that_an_aborted_release_left_with_the_version_lose_it(releaser, shop, versions):
    left = move_on(running(shop, versions[0]), "abort", now=NOW)
    again = running(shop, versions[0], app_versions=["1.1.0"])
    assert numbers(planned(releaser, again)["withdrawn"]) == [left.pk]
    newer = complete(shop, versions[1])
    assert states()[left.pk] == "superseded"
    assert planned(releaser, again)["withdrawn"] == []
    assert newer.state == "complete"


def test_other_releases_of_the_version_on_their_way_are_held(staff, releaser, shop, versions):
    bank = create_app(slug="bank", name="Bank", actor=SYSTEM, now=NOW)
    add_version(app=bank, version="1.0.0", actor=SYSTEM)
    elsewhere, here = running(bank, versions[0]), running(shop, versions[0])
    have(shop, versions[0], "a")
    have(bank, versions[0], "b", "c")
    found = planned(staff, here)
    assert [(row["release"], row["app"]) for row in found["held"]] == [(elsewhere.pk, "bank")]
    assert found["devices"] == 1
    of_shop = member_of("viewer", "app:shop", name="vic")
    assert planned(of_shop, here)["held"] == []
    move_on(here, "roll-back", now=NOW)
    move_on(elsewhere, "pause", now=NOW)
    resumed = staff.post(f"releases/{elsewhere.pk}/resume", {"reason": "tried"})
    assert "quarantine" in problem(resumed, 400, "invalid")["version"]


def test_releases_to_other_devices_have_no_part_in_it(releaser, shop, versions):
    complete(shop, versions[0], app_versions=["1.1.0"])
    both = complete(shop, versions[0], app_versions=["1.0.0", "1.1.0"])
    complete(shop, versions[0], app_versions=["1.1.0"])
    bad = running(shop, versions[1])
    assert numbers(planned(releaser, bad)["goes_back_to"]) == [both.pk]


def test_some_go_back_and_others_lose_the_task(releaser, shop, versions):
    some = complete(shop, versions[0])
    bad = running(shop, versions[1], app_versions=["1.0.0", "1.1.0"])
    found = planned(releaser, bad)
    assert (numbers(found["goes_back_to"]), found["lose_it"]) == ([some.pk], True)


def test_a_version_that_is_in_quarantine_already_takes_nothing_else_along(releaser, shop, versions):
    again = running(shop, versions[0], strategy=TWO_STAGES)
    move_on(running(shop, versions[0], app_versions=["1.1.0"]), "roll-back", now=NOW)
    found = planned(releaser, again)
    assert (found["is_quarantined"], found["withdrawn"], found["held"]) == (True, [], [])


def test_many_devices_are_told_as_they_were_counted_last(releaser, shop, versions, monkeypatch):
    release = running(shop, versions[0])
    have(shop, versions[0], "a", "b")
    keep_counts(now=timezone.now())
    have(shop, versions[0], "c")
    monkeypatch.setattr(installed, "AFFORDABLE", -1.0)
    found = planned(releaser, release)
    assert found["devices"] == 2
    assert found["counted_at"] is not None


def test_it_asks_the_database_as_often_for_many_devices_and_releases(releaser, shop, versions):
    counts = []
    release = running(shop, versions[1], app_versions=["1.1.0"])
    for number in range(2):
        complete(shop, versions[0], app_versions=["1.1.0"])
        have(shop, versions[0], *(f"{number}-{device}" for device in range(5)))
        with CaptureQueriesContext(connection) as asked:
            planned(releaser, release)
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 20
