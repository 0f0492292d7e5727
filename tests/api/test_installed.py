"""/api/v1/tasks/{task}/installed: how many devices have which version."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts_app.actors import SYSTEM
from devices_app.models import Device, InstalledTask
from devices_app.services.apps import create_app
from devices_app.services.census import keep_counts
from tasks_app.selectors import installed
from tests.api.conftest import NOW
from tests.api.contract import problem
from tests.support.fleet import make_device

pytestmark = pytest.mark.django_db

ADDRESS = "tasks/camera/digits/installed"


@pytest.fixture
def fleet(shop, register):
    """Of 1.0.0 three devices in two apps, of 1.1.0 one, and one of a manifest that nobody knows; one is revoked."""
    first, second = register("1.0.0", "1.1.0")
    bank = create_app(slug="bank", name="Bank", actor=SYSTEM, now=NOW)
    for app, device, manifest in (
        (shop, "a", first.manifest_digest),
        (shop, "b", first.manifest_digest),
        (bank, "c", first.manifest_digest),
        (bank, "d", second.manifest_digest),
        (shop, "e", "ff" * 32),
        (shop, "revoked", first.manifest_digest),
    ):
        row = make_device(app, device, "camera/digits", "camera/other")
        InstalledTask.objects.filter(device=row).update(manifest=manifest[:24])
        Device.objects.filter(pk=row.pk).update(profile=dict.fromkeys(row.profile, manifest[:24]))
    Device.objects.filter(device="revoked").update(revoked_at=NOW)


EXPECTED = [
    ("1.0.0", 3, [{"app": "shop", "devices": 2}, {"app": "bank", "devices": 1}]),
    ("", 1, [{"app": "shop", "devices": 1}]),
    ("1.1.0", 1, [{"app": "bank", "devices": 1}]),
]


def shown(found):
    rows = [(each["version"], each["devices"], each["apps"]) for each in found["versions"]]
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def test_how_many_devices_have_which_version(developer, fleet):
    found = developer.get(ADDRESS).json()
    assert shown(found) == EXPECTED
    assert (found["devices"], found["counted_at"]) == (5, None)


def test_many_are_told_as_they_were_counted_last(developer, fleet, shop, monkeypatch):
    keep_counts(now=timezone.now())
    make_device(shop, "new", "camera/digits")
    monkeypatch.setattr(installed, "AFFORDABLE", -1.0)
    found = developer.get(ADDRESS).json()
    assert shown(found) == EXPECTED
    assert found["counted_at"] is not None


def test_of_a_task_that_nobody_has(developer, shop, digits):
    assert developer.get(ADDRESS).json() == {"devices": 0, "versions": [], "counted_at": None}


def test_it_asks_as_often_for_many_devices(developer, fleet, shop):
    counts = []
    for number in range(0, 60, 30):
        for device in range(number, number + 30):
            make_device(shop, f"more-{device}", "camera/digits")
        with CaptureQueriesContext(connection) as captured:
            developer.get(ADDRESS)
        counts.append(len(captured))
    assert counts[0] == counts[1] <= 8


def test_only_for_those_who_may_see_the_task(viewer, nobody, shop, digits):
    for api in (viewer, nobody):
        problem(api.get(ADDRESS), 404, "not-found")
