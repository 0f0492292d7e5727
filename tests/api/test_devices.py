"""/api/v1/devices: the registry, and revoking single devices."""

from datetime import timedelta

import pytest

from accounts_app.actors import SYSTEM
from devices_app.models import Device, GatewayRevision, PublishedTable
from devices_app.services.apps import create_app
from tests.api.conftest import NOW, member_of
from tests.api.contract import problem
from tests.support.cases import cases
from tests.support.fleet import MANIFEST, SEEN, make_device, make_report

pytestmark = pytest.mark.django_db


@pytest.fixture
def phone(shop):
    return make_device(shop, "phone-1", "camera/digits", trusted={"age_band": "18-29"}, app_version="1.1.0", os="ios")


@pytest.fixture
def tablet(shop):
    return make_device(shop, "tablet_2")


@pytest.fixture
def elsewhere(keys):
    bank = create_app(slug="bank", name="Bank", actor=SYSTEM, now=NOW)
    return make_device(bank, "phone-1")


def names(rows):
    return [(row["app"], row["device"]) for row in rows]


def test_the_members_of_an_app_see_its_devices(staff, viewer, developer, phone, tablet, elsewhere):
    shop = [("shop", "tablet_2"), ("shop", "phone-1")]
    assert names(viewer.results("devices")) == shop
    assert names(staff.results("devices")) == [("bank", "phone-1"), *shop]
    assert developer.results("devices") == []
    problem(viewer.get("devices/bank/phone-1"), 404, "not-found")
    problem(developer.get("devices/shop/phone-1"), 404, "not-found")


REASON = {"reason": "stolen"}


@cases(
    ("query", "found"),
    [
        ({"app": "shop"}, ["tablet_2", "phone-1"]),
        ({"app": "bank"}, []),
        ({"device": "phone-1"}, ["phone-1"]),
        ({"app_version": "1.1.0"}, ["phone-1"]),
        ({"os": "android"}, ["tablet_2"]),
        ({"task": "camera/digits"}, ["phone-1"]),
        ({"task": "camera/digits", "os": "android"}, []),
    ],
)
def test_devices_are_found(viewer, phone, tablet, elsewhere, query, found):
    assert [row["device"] for row in viewer.results("devices", **query)] == found


def test_a_wrong_filter_is_refused(viewer):
    fields = problem(viewer.get("devices", app="Shop", task="digits", colour="red", limit=0), 400, "invalid")
    assert set(fields) == {"app", "task", "colour", "limit"}


def test_a_device_shows_its_facts_tasks_and_newest_reports(viewer, shop, phone):
    for version in range(25):
        make_report(shop, "phone-1", version=f"1.0.{version}")
    make_report(shop, "tablet_2")
    shown = viewer.get("devices/shop/phone-1").json()
    assert shown["facts"] == {"app_version": "1.1.0", "os": "ios"}
    assert shown["trusted"] == {"age_band": "18-29"}
    assert [(row["task"], row["manifest"]) for row in shown["installed"]] == [("camera/digits", MANIFEST[:24])]
    assert [row["version"] for row in shown["reports"]] == [f"1.0.{version}" for version in range(24, 4, -1)]


def test_the_owner_revokes_and_reinstates_and_gateways_hear_of_it(owner, phone):
    revisions = [GatewayRevision.objects.get().revision]
    revoked = owner.post("devices/shop/phone-1/revoke", REASON).json()
    assert revoked["revoked_at"]
    revisions.append(GatewayRevision.objects.get().revision)
    assert owner.post("devices/shop/phone-1/revoke", REASON).json() == revoked
    assert GatewayRevision.objects.get().revision == revisions[-1]
    assert owner.post("devices/shop/phone-1/reinstate").json()["revoked_at"] is None
    revisions.append(GatewayRevision.objects.get().revision)
    assert revisions == sorted(set(revisions))


def test_others_do_not_revoke(viewer, nobody, phone):
    developer = member_of("developer", "app:shop", name="dave")
    for api in (viewer, developer):
        problem(api.post("devices/shop/phone-1/revoke", REASON), 403, "not-allowed")
        problem(api.post("devices/shop/phone-1/reinstate"), 403, "not-allowed")
    problem(nobody.post("devices/shop/phone-1/revoke", REASON), 404, "not-found")


@cases("body", [{}, {"reason": ""}, {"reason": " "}])
def test_a_device_is_revoked_with_a_reason_only_which_its_timeline_tells(owner, phone, body):
    assert set(problem(owner.post("devices/shop/phone-1/revoke", body), 400, "invalid")) == {"reason"}
    assert owner.get("devices/shop/phone-1").json()["revoked_at"] is None
    owner.post("devices/shop/phone-1/revoke", REASON)
    (event,) = [each for each in owner.results("devices/shop/phone-1/timeline") if each["kind"] == "revoked"]
    assert event["details"]["reason"] == "stolen"


def test_an_address_that_no_device_can_have_is_not_found(viewer):
    for path in ("devices/shop/a%00b", "devices/shop/a.b", "devices/shop/" + "x" * 65, "devices/Shop/x"):
        assert viewer.client.get(f"/api/v1/{path}").status_code == 404


def test_an_explanation_says_from_what_it_is_and_of_the_past_where_knowledge_ends(shop, phone, viewer):
    Device.objects.update(deferral="in-call", deferral_until=SEEN + timedelta(days=3650))
    address = "devices/shop/phone-1/explain"
    found = viewer.get(address).json()
    assert (found["at"], found["unexplained"], found["caveats"]) == (None, "", [])
    assert found["table"] == PublishedTable.objects.get().number
    assert (found["facts"], found["trusted"], found["deferral"]) == (phone.facts, {"age_band": "18-29"}, "in-call")
    assert viewer.get("devices/shop/phone-1").json()["deferral"] == "in-call"
    before = viewer.get(address, at="2001-01-01T00:00:00Z").json()
    assert before["results"] == []
    assert before["unexplained"].startswith("The device first checked in at ")
    for wrong, expected in (("2999-01-01T00:00:00Z", "moment in the past"), ("yesterday", "format")):
        assert expected in problem(viewer.get(address, at=wrong), 400, "invalid")["at"]
