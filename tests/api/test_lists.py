"""What the lists of releases, devices and tasks show of each row, with as many queries however many rows there are."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from devices_app.models import Device, InstalledTask, Report
from devices_app.services.census import keep_counts
from releases_app.models import Exposure, KeptFigures
from releases_app.services.figures import keep_figures
from tasks_app.models import RunCount, Task
from tasks_app.selectors import task_standing
from tests.api.conftest import NOW
from tests.support.fleet import make_device, make_report
from tests.support.releases import draft_of, move_on

pytestmark = pytest.mark.django_db


def queries_of(api, address):
    with CaptureQueriesContext(connection) as asked:
        api.results(address)
    return len(asked)


@pytest.fixture
def release(shop, digits):
    """A running release that selected two devices, one of which failed."""
    running = move_on(draft_of(shop, digits, now=NOW), "start", now=NOW)
    seen = {"app": shop, "release": running.pk, "stage": running.stages.get().pk, "task": "camera/digits", "bucket": 1}
    seen |= {"arm": "treatment", "drawn_at": NOW, "offered_at": NOW}
    Exposure.objects.create(**seen, device="a", installed_at=NOW, outcome="failure", settled_at=NOW)
    Exposure.objects.create(**seen, device="b")
    return running


def test_a_release_shows_how_far_it_has_come(viewer, release):
    [row] = viewer.results("releases")
    progress = row["progress"]
    assert (progress["stages"], progress["stage"]["position"]) == (1, 0)
    assert progress["moved_at"] is not None
    figures = ("drawn", "offered", "installed", "reported", "failed")
    assert [progress["reached"][name] for name in figures] == [2, 2, 1, 1, 1]


def test_a_release_whose_exposures_were_deleted_shows_the_last_figures(viewer, release):
    keep_figures(now=NOW)
    Exposure.objects.all().delete()
    KeptFigures.objects.update(exposures_deleted_at=NOW)
    [row] = viewer.results("releases")
    assert row["progress"]["reached"]["drawn"] == 2


def test_more_releases_take_no_more_queries(viewer, release, shop, digits):
    few = queries_of(viewer, "releases")
    for _ in range(3):
        draft_of(shop, digits, now=NOW)
    assert queries_of(viewer, "releases") == few


def has(shop, device, version):
    """Make a device that has this version of camera/digits."""
    row = make_device(shop, device, "camera/digits")
    manifest = version.manifest_digest[:24]
    InstalledTask.objects.filter(device=row).update(manifest=manifest)
    Device.objects.filter(pk=row.pk).update(profile={"camera/digits": manifest})


def test_a_device_shows_its_versions_and_its_newest_report(viewer, shop, digits):
    has(shop, "known", digits)
    make_device(shop, "unknown", "camera/digits")
    make_report(shop, "known", outcome="success")
    newest = make_report(shop, "known", outcome="failure", error_class="MemoryError")
    Report.objects.exclude(pk=newest.pk).update(received_at=NOW.replace(year=2000))
    rows = {row["device"]: row for row in viewer.results("devices")}
    assert rows["known"]["installed"] == [{"task": "camera/digits", "version": "1.0.0"}]
    assert rows["unknown"]["installed"] == [{"task": "camera/digits", "version": ""}]
    assert rows["known"]["last_report"]["error_class"] == "MemoryError"
    assert rows["unknown"]["last_report"] is None


def test_more_devices_take_no_more_queries(viewer, shop, digits):
    has(shop, "first", digits)
    make_report(shop, "first")
    few = queries_of(viewer, "devices")
    for device in ("second", "third"):
        has(shop, device, digits)
        make_report(shop, device)
    assert queries_of(viewer, "devices") == few


def test_a_task_shows_the_version_that_most_devices_have_and_how_runs_went(developer, shop, register):
    older, newer = register("1.0.0", "1.1.0")
    for device, version in (("a", older), ("b", newer), ("c", newer)):
        has(shop, device, version)
    counted = {"task": newer.task, "app": shop, "durations": [], "memory": []}
    RunCount.objects.create(**counted, at=timezone.now(), warm=False, runs=10, failed=1)
    RunCount.objects.create(**counted, at=timezone.now() - 2 * task_standing.LATELY, warm=False, runs=5, failed=5)
    [row] = developer.results("tasks")
    assert row["standing"] == {"version": "1.1.0", "devices": 3, "runs": 10, "failed": 1}
    assert row["last_version_at"] is not None


def test_the_devices_of_a_task_are_as_they_were_counted_last_where_they_are_many(developer, shop, digits, monkeypatch):
    has(shop, "a", digits)
    keep_counts(now=timezone.now())
    has(shop, "b", digits)
    monkeypatch.setattr(task_standing, "AFFORDABLE", -1)
    [row] = developer.results("tasks")
    assert (row["standing"]["version"], row["standing"]["devices"]) == ("1.0.0", 1)


def test_more_tasks_take_no_more_queries(developer, shop, digits):
    has(shop, "a", digits)
    few = queries_of(developer, "tasks")
    for slug in ("faces", "letters"):
        task = Task.objects.create(scenario=digits.task.scenario, slug=slug, created_at=NOW)
        make_device(shop, slug, task.name)
    assert queries_of(developer, "tasks") == few
