"""/api/v1/releases/{release}/devices: which devices a release's figures count."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from devices_app.models import Device
from releases_app.models import Exposure, Stage
from releases_app.selectors import selected_devices
from tests.api.contract import problem
from tests.support.cases import cases
from tests.support.fleet import make_device, make_report
from tests.support.releases import draft_of, move_on
from tests.support.selected_devices import ended, select_device

pytestmark = pytest.mark.django_db

COUNTED = ("drawn", "offered", "installed", "healthy", "failed", "silent")


@pytest.fixture
def began():
    return timezone.now() - timedelta(minutes=10)


@pytest.fixture
def release(shop, digits, began):
    return move_on(draft_of(shop, digits, now=began), "start", now=began)


@pytest.fixture
def fleet(release, began):
    """One device of each kind, and two held back."""
    at = began + timedelta(minutes=1)
    select_device(release, "healthy", at, installed_at=at, **ended(at, "success"), silent=False)
    select_device(
        release, "broken", at, installed_at=at, error_class="ValueError", **ended(at, "failure"), silent=False
    )
    select_device(release, "full", at, error_class="DiskFull", **ended(at, "failure"), silent=False)
    select_device(release, "away", at, silent=True)
    select_device(release, "new", at)
    select_device(release, "held-1", at, "control", **ended(at, "success"))
    select_device(release, "held-2", at, "control", error_class="ValueError", **ended(at, "failure"))
    return release


def found(api, release, **asked):
    answer = api.get(f"releases/{release.pk}/devices", **asked).json()
    return [row["device"] for row in answer["results"]]


def test_each_kind_that_is_counted_can_be_looked_at(viewer, fleet):
    assert found(viewer, fleet, arm="treatment") == ["away", "broken", "full", "healthy", "new"]
    assert found(viewer, fleet, arm="treatment", became="offered") == ["away", "broken", "full", "healthy", "new"]
    assert found(viewer, fleet, arm="treatment", became="installed") == ["broken", "healthy"]
    assert found(viewer, fleet, arm="treatment", became="healthy") == ["healthy"]
    assert found(viewer, fleet, arm="treatment", became="failed") == ["broken", "full"]
    assert found(viewer, fleet, arm="treatment", became="silent") == ["away"]
    assert found(viewer, fleet, arm="control", became="failed") == ["held-2"]
    assert found(viewer, fleet, error_class="ValueError") == ["broken", "held-2"]
    assert len(found(viewer, fleet)) == 7


def test_they_are_as_many_as_the_figures_say(viewer, fleet):
    figures = viewer.get(f"releases/{fleet.pk}").json()["figures"]
    counts = {**figures["treatment"], "healthy": figures["treatment"]["reported"] - figures["treatment"]["failed"]}
    assert {became: len(found(viewer, fleet, arm="treatment", became=became)) for became in COUNTED} == {
        became: counts[became] for became in COUNTED
    }


def test_devices_on_which_a_stream_tasks_condition_has_not_occurred(viewer, fleet, shop, began):
    """`ready` and `gone` have installed it; only `ready` has been heard of within the silence timeout."""
    for name in ("ready", "gone"):
        select_device(fleet, name, began, installed_at=began)
        make_device(shop, name)
    assert found(viewer, fleet, became="awaiting_trigger") == []
    fleet.baseline = {"trigger": ["page_exit"]}
    fleet.save()
    Device.objects.filter(device="ready").update(last_seen=timezone.now())
    (row,) = viewer.get(f"releases/{fleet.pk}/devices", became="awaiting_trigger").json()["results"]
    assert (row["device"], row["awaiting_trigger"], row["outcome"]) == ("ready", True, "")
    rows = viewer.get(f"releases/{fleet.pk}/devices").json()["results"]
    assert [row["device"] for row in rows if row["awaiting_trigger"]] == ["ready"]
    assert viewer.get(f"releases/{fleet.pk}").json()["figures"]["treatment"]["awaiting_trigger"] == 1


def test_a_stage_has_those_that_it_drew(viewer, fleet):
    later = Stage.objects.create(release=fleet, position=1, kind="gray")
    select_device(fleet, "later", timezone.now(), stage=later.pk)
    assert found(viewer, fleet, stage=1) == ["later"]
    assert "later" not in found(viewer, fleet, stage=0)
    assert found(viewer, fleet, stage=7) == []


def test_a_row_tells_what_became_of_the_device_and_what_it_said(viewer, fleet, shop):
    about = {"release": fleet.pk, "error_class": "ValueError", "outcome": "failure"}
    make_report(shop, device="broken", message="an old one", **about)
    make_report(shop, device="broken", message="math domain error", **about)
    make_report(shop, device="broken", message="of another release", **{**about, "release": 999})
    make_device(shop, "broken", app_version="1.1.0")
    (row,) = viewer.get(f"releases/{fleet.pk}/devices", error_class="ValueError", arm="treatment").json()["results"]
    assert (row["outcome"], row["error_class"], row["message"]) == ("failure", "ValueError", "math domain error")
    assert (row["stage"], row["silent"]) == (0, False)
    assert row["facts"] == {"app_version": "1.1.0", "os": "android"}


def test_callers_of_a_pipeline_that_are_no_devices_of_the_app_are_told_apart(developer, staff, shop, release, began):
    make_device(shop, "phone", app_version="1.1.0")
    for device in ("phone", "user-1"):
        select_device(release, device, began)
    registered = {
        api: [row["registered"] for row in api.get(f"releases/{release.pk}/devices").json()["results"]]
        for api in (developer, staff)
    }
    assert registered == {developer: [False, False], staff: [True, False]}


def test_facts_are_for_those_who_may_see_the_devices(developer, staff, nobody, fleet, shop):
    make_device(shop, "new")
    facts = {
        api: {row["device"]: row["facts"] for row in api.get(f"releases/{fleet.pk}/devices").json()["results"]}["new"]
        for api in (developer, staff)
    }
    assert facts == {developer: {}, staff: {"app_version": "1.0.0", "os": "android"}}
    problem(nobody.get(f"releases/{fleet.pk}/devices"), 404, "not-found")


@cases("looked_through", [1, 2, 3, 50_000])
@cases("became", ["drawn", "failed", "silent"])
def test_pages_go_on_to_the_end_however_few_are_found(monkeypatch, viewer, fleet, looked_through, became):
    monkeypatch.setattr(selected_devices, "LOOKED_THROUGH", looked_through)
    asked, devices = {"limit": 2, "became": became}, []
    while True:
        page = viewer.get(f"releases/{fleet.pk}/devices", **asked).json()
        devices += [row["device"] for row in page["results"]]
        if page["next"] is None:
            break
        asked["cursor"] = page["next"]
    monkeypatch.undo()
    assert devices == found(viewer, fleet, became=became)


def test_it_asks_the_database_as_often_for_many_as_for_few(viewer, fleet, began):
    def queries():
        with CaptureQueriesContext(connection) as captured:
            found(viewer, fleet)
        return len(captured)

    few = queries()
    for number in range(30):
        select_device(fleet, f"more-{number}", began)
    assert queries() == few


def test_once_forgotten_there_are_none(viewer, fleet):
    Exposure.objects.filter(release=fleet.pk).delete()
    assert found(viewer, fleet) == []


@cases("asked", [{"became": "ill"}, {"stage": -1}, {"arm": "both"}, {"cursor": "x"}, {"cursor": "WyJcdTAwMDAiXQ=="}])
def test_nonsense_is_refused(viewer, fleet, asked):
    assert list(problem(viewer.get(f"releases/{fleet.pk}/devices", **asked), 400, "invalid")) == list(asked)
