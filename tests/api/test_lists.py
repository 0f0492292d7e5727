"""What the lists of releases, devices and tasks show of each row, and how they are sorted."""

from base64 import urlsafe_b64encode
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from devices_app.models import Device, InstalledTask, Report
from devices_app.services.census import keep_counts
from releases_app.models import Exposure, KeptFigures
from releases_app.services.figures import keep_figures
from tasks_app.models import RunCount, Task
from tasks_app.selectors import installed, task_standing
from tests.api.conftest import NOW
from tests.api.contract import problem
from tests.support.cases import cases
from tests.support.fleet import make_device, make_report
from tests.support.releases import draft_of, make_version, move_on

pytestmark = pytest.mark.django_db


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
    [row] = viewer.results("releases", details=True)
    progress = row["progress"]
    assert (progress["stages"], progress["stage"]["position"]) == (1, 0)
    assert progress["moved_at"] is not None
    figures = ("drawn", "offered", "installed", "reported", "failed")
    assert [progress["reached"][name] for name in figures] == [2, 2, 1, 1, 1]


def test_a_release_whose_exposures_were_deleted_shows_the_last_figures(viewer, release):
    keep_figures(now=NOW)
    Exposure.objects.all().delete()
    KeptFigures.objects.update(exposures_deleted_at=NOW)
    [row] = viewer.results("releases", details=True)
    assert row["progress"]["reached"]["drawn"] == 2


def test_what_is_counted_is_shown_only_if_asked_for(viewer, developer, release):
    [row] = viewer.results("releases")
    [task] = developer.results("tasks")
    assert (row["progress"], task["standing"]) == (None, None)


def test_releases_are_sorted_and_paged_in_any_order(viewer, releaser, shop, digits):
    other = draft_of(shop, make_version("camera", "faces", "2.0.0"), now=NOW)
    first, second = (draft_of(shop, digits, now=NOW) for _ in range(2))
    releaser.post(f"releases/{first.pk}/start", {})

    def order(name):
        return [row["id"] for page in viewer.pages("releases", limit=1, order=name) for row in page]

    assert order("task") == [first.pk, second.pk, other.pk]
    assert order("-task") == [other.pk, second.pk, first.pk]
    assert order("-moved_at")[0] == first.pk
    assert order("-created_at") == [second.pk, first.pk, other.pk]


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


def test_a_task_shows_the_version_that_most_devices_have_and_how_runs_went(developer, shop, register):
    older, newer = register("1.0.0", "1.1.0")
    for device, version in (("a", older), ("b", newer), ("c", newer)):
        has(shop, device, version)
    counted = {"task": newer.task, "app": shop, "durations": [], "memory": []}
    RunCount.objects.create(**counted, at=timezone.now(), warm=False, runs=10, failed=1)
    RunCount.objects.create(**counted, at=timezone.now() - 2 * task_standing.LATELY, warm=False, runs=5, failed=5)
    [row] = developer.results("tasks", details=True)
    assert row["standing"] == {"version": "1.1.0", "devices": 3, "runs": 10, "failed": 1}
    assert datetime.fromisoformat(row["changed_at"]) == newer.created_at


def test_the_devices_of_a_task_are_as_they_were_counted_last_where_they_are_many(developer, shop, digits, monkeypatch):
    has(shop, "a", digits)
    keep_counts(now=timezone.now())
    has(shop, "b", digits)
    monkeypatch.setattr(installed, "AFFORDABLE", -1)
    [row] = developer.results("tasks", details=True)
    assert (row["standing"]["version"], row["standing"]["devices"]) == ("1.0.0", 1)


def test_a_version_that_is_not_registered_is_nobodys_live_version(developer, shop, digits):
    has(shop, "a", digits)
    for device in ("b", "c"):
        make_device(shop, device, "camera/digits")
    [row] = developer.results("tasks", details=True)
    assert (row["standing"]["version"], row["standing"]["devices"]) == ("1.0.0", 3)


def test_tasks_are_sorted_by_their_last_change(developer, camera, digits):
    older = Task.objects.create(scenario=camera, slug="a-older")
    Task.objects.filter(pk=older.pk).update(created_at=NOW - timedelta(days=900))
    names = [
        [row["slug"] for page in developer.pages("tasks", limit=1, order=name) for row in page]
        for name in ("name", "-name", "changed_at", "-version_count")
    ]
    assert names == [[older.slug, "digits"], ["digits", older.slug], [older.slug, "digits"], ["digits", older.slug]]


@cases("list_", ["releases", "tasks"])
def test_an_unknown_order_and_a_cursor_that_no_page_gave_are_refused(viewer, list_):
    assert set(problem(viewer.get(list_, order="salt"), 400, "invalid")) == {"order"}
    assert set(problem(viewer.get(list_, order="created_at", cursor="WyJ4Il0="), 400, "invalid")) == {"cursor"}
    wrong = urlsafe_b64encode(b'["yesterday", 3]').decode()
    assert set(problem(viewer.get(list_, order="created_at", cursor=wrong), 400, "invalid")) == {"cursor"}
