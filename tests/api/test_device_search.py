"""/api/v1/devices with filters over anything that is known, the number of devices, and a device's timeline."""

import json
from datetime import timedelta

import pytest

from accounts_app.actors import SYSTEM
from devices_app.models import Device, IdList, IdListMember, InstalledTask, UserFacts
from devices_app.selectors import counting
from devices_app.services import devices as services
from devices_app.services.apps import create_app
from kit import row_search
from kit.api.cursors import write_cursor
from releases_app.models import Exposure
from tests.api.conftest import NOW
from tests.api.contract import problem
from tests.support.cases import cases
from tests.support.fleet import SEEN, make_device, make_report

pytestmark = pytest.mark.django_db

OLD = SEEN - timedelta(days=30)
CAME = SEEN - timedelta(days=1)


@pytest.fixture
def fleet(shop, keys, digits):
    """Four devices: three phones of shop, of which the first is told of by everybody, and one of another app."""
    make_device(shop, "phone-1", trusted={"age_band": "18-29"}, model="Pixel 8", memory=8, os_version="14", vip=True)
    make_device(shop, "phone-2", "camera/digits", model="Pixel 9", memory=4.5, os_version="12")
    make_device(shop, "tablet", "camera/digits", os="ios", model="8", os_version="9.3")
    short = digits.manifest_digest[:24]
    Device.objects.filter(device="tablet").update(last_seen=OLD, revoked_at=NOW, profile={"camera/digits": short})
    InstalledTask.objects.filter(device__device="tablet").update(manifest=short)
    UserFacts.objects.create(app=shop, device="phone-2", facts={"age_band": "30-49"}, updated_at=NOW)
    testers = IdList.objects.create(app=shop, name="testers", size=1, updated_at=NOW, updated_by="olga")
    IdListMember.objects.create(id_list=testers, device="phone-2")
    make_device(create_app(slug="bank", name="Bank", actor=SYSTEM, now=NOW), "phone-1", model="Pixel 8")


FILTERS = [
    ({}, ["tablet", "phone-2", "phone-1"]),
    ({"fact.model": "Pixel 8"}, ["phone-1"]),
    ({"fact.memory": "8"}, ["phone-1"]),
    ({"fact.memory": "4.5"}, ["phone-2"]),
    ({"fact.model": "8"}, ["tablet"]),
    ({"fact.vip": "true"}, ["phone-1"]),
    ({"fact.user.age_band": "18-29"}, ["phone-1"]),
    ({"fact.user.age_band": "30-49", "os": "android"}, ["phone-2"]),
    ({"fact.nothing": "x"}, []),
    ({"q": "phone"}, ["phone-2", "phone-1"]),
    ({"q": "one"}, []),
    ({"task": "camera/digits"}, ["tablet", "phone-2"]),
    ({"task": "camera/digits", "version": "1.0.0"}, []),
    ({"task": "camera/digits", "version": "9.0.0"}, []),
    ({"revoked": "true"}, ["tablet"]),
    ({"revoked": "false"}, ["phone-2", "phone-1"]),
    ({"first_seen_since": CAME.isoformat()}, ["tablet", "phone-2", "phone-1"]),
    ({"first_seen_before": CAME.isoformat()}, []),
    (
        {"app": "shop", "first_seen_since": OLD.isoformat(), "first_seen_before": SEEN.isoformat(), "os": "ios"},
        ["tablet"],
    ),
    ({"seen_since": SEEN.isoformat()}, ["phone-2", "phone-1"]),
    ({"seen_before": SEEN.isoformat()}, ["tablet"]),
    ({"app": "shop", "rule": {"fact": "os_version", "version": ">=10"}}, ["phone-2", "phone-1"]),
    ({"app": "shop", "rule": {"not": {"fact": "os_version", "version": ">=10"}}}, ["tablet"]),
    ({"app": "shop", "rule": {"list": "testers"}}, ["phone-2"]),
    ({"app": "shop", "rule": {"any": [{"list": "testers"}, {"devices": ["tablet"]}]}}, ["tablet", "phone-2"]),
    ({"app": "shop", "os": "ios", "rule": {"fact": "model", "glob": "*"}}, ["tablet"]),
    ({"app": "bank"}, []),
]


def written(query):
    return {name: json.dumps(value) if isinstance(value, dict) else value for name, value in query.items()}


@cases(("query", "found"), FILTERS)
def test_devices_are_found_and_counted_by_whatever_is_known(viewer, fleet, query, found):
    if query.get("version") == "1.0.0":
        found = ["tablet"]
    query = written(query)
    assert [row["device"] for row in viewer.results("devices", **query)] == found
    for exact in ("true", "false"):
        counted = {"count": len(found), "exact": True, "margin": 0}
        assert viewer.get("devices/count", **query, exact=exact).json() == counted


def test_staff_finds_devices_of_all_apps(staff, fleet):
    found = staff.results("devices", **{"fact.model": "Pixel 8"})
    assert [(row["app"], row["device"]) for row in found] == [("bank", "phone-1"), ("shop", "phone-1")]
    assert staff.get("devices/count").json()["count"] == 4


@cases(
    ("query", "field"),
    [
        ({"rule": '{"devices": ["a"]}'}, "app"),
        ({"app": "shop", "rule": "{"}, "rule"),
        ({"app": "shop", "rule": '{"fact": "os"}'}, "rule"),
        ({"app": "shop", "rule": "[" * 9000}, "rule"),
        ({"version": "1.0.0"}, "task"),
        ({"fact.OS": "ios"}, "fact.OS"),
        ({"fact.": "ios"}, "fact."),
        ({"fact.os": "\0"}, "fact.os"),
        ({"fact.os": "x" * 257}, "fact.os"),
        ({"q": "%"}, "q"),
        ({"seen_since": "yesterday"}, "seen_since"),
        ({"first_seen_before": "today"}, "first_seen_before"),
        ({"revoked": "perhaps"}, "revoked"),
    ],
)
def test_a_wrong_filter_is_refused_with_its_name(viewer, query, field):
    for path in ("devices", "devices/count"):
        assert set(problem(viewer.get(path, **query), 400, "invalid")) == {field}


@cases("cursor", ["x", "W10=", "WyJhIl0=", "WzEuNV0=", "bnVsbA==", "WzEsIDJd"])
def test_a_cursor_that_no_page_gave_is_refused(viewer, fleet, cursor):
    for path in ("devices", "reports", "devices/shop/phone-1/timeline"):
        assert set(problem(viewer.get(path, cursor=cursor), 400, "invalid")) == {"cursor"}


def test_a_time_of_any_offset_is_a_place_in_a_timeline(viewer, fleet):
    cursor = write_cursor("2026-11-20T18:00:00+23:59:59.999999", 1, 1)
    assert viewer.get("devices/shop/phone-1/timeline", cursor=cursor).status_code == 200


@cases("affordable", [0, row_search.AFFORDABLE])
def test_pages_by_windows_have_every_device_once_and_in_order(viewer, shop, monkeypatch, affordable):
    """With windows far smaller than the fleet, whether or not the rest is asked of indexes."""
    for place in range(23):
        make_device(shop, f"d{place:02}", os="ios" if place % 7 == 0 else "android", os_version=f"{place % 5}.0")
    monkeypatch.setattr(row_search, "SCAN_WINDOW", 4)
    monkeypatch.setattr(row_search, "AFFORDABLE", affordable)
    for query, chosen in (
        ({"os": "ios"}, lambda place: place % 7 == 0),
        ({"app": "shop", "rule": '{"fact": "os_version", "version": ">=3"}'}, lambda place: place % 5 >= 3),
    ):
        pages = viewer.pages("devices", limit=2, **query)
        assert all(len(page) <= 2 for page in pages)
        expected = [f"d{place:02}" for place in reversed(range(23)) if chosen(place)]
        assert [row["device"] for page in pages for row in page] == expected


def test_an_estimate_is_marked_and_near(viewer, shop, monkeypatch):
    Device.objects.bulk_create(
        Device(
            app=shop,
            device=f"d{place}",
            facts={"os": "ios" if place % 4 == 0 else "android", "os_version": f"{place % 3}.1", "text": "x" * 300},
            first_seen=SEEN,
            last_seen=SEEN,
        )
        for place in range(4000)
    )
    monkeypatch.setattr(counting, "AFFORDABLE", 0)
    monkeypatch.setattr(counting, "BLOCKS", 60)
    for query, exact in (
        ({"os": "ios"}, 1000),
        ({"app": "shop", "rule": '{"fact": "os_version", "version": "<1"}'}, 1334),
        ({"q": "d"}, 4000),
    ):
        found = viewer.get("devices/count", **query).json()
        assert found["exact"] is False
        assert 0 < found["margin"] < exact
        # Blocks of the table that other tests have left empty are no part of the margin.
        assert abs(found["count"] - exact) <= max(2 * found["margin"], exact // 20)
        assert viewer.get("devices/count", exact=True, **query).json()["count"] == exact


@pytest.fixture
def story(shop, owner):
    """What happened to phone-1, from its first check-in to its revocation."""
    phone = make_device(shop, "phone-1", "camera/digits")
    make_device(shop, "other")
    at = SEEN - timedelta(hours=1)
    seen = {"app": shop, "stage": 1, "task": "camera/digits", "bucket": 5}
    Exposure.objects.create(**seen, device="phone-1", release=7, arm="treatment", drawn_at=at, offered_at=at)
    Exposure.objects.create(**seen, device="phone-1", release=8, arm="control", drawn_at=at - timedelta(minutes=1))
    Exposure.objects.create(**seen, device="other", release=7, arm="treatment", drawn_at=at)
    make_report(shop, "phone-1", kind="install", release=7)
    make_report(shop, "phone-1", outcome="failure", error_class="ValueError", message="no")
    make_report(shop, "phone-1", kind="remove")
    make_report(shop, "other")
    services.revoke(device=phone, actor=owner.actor, now=NOW, reason="stolen")
    services.reinstate(device=phone, actor=owner.actor)
    return phone


STORY = [
    "reinstated",
    "revoked",
    "removed",
    "run-failed",
    "installed",
    "checked-in",
    "offered",
    "held-back",
    "registered",
]


def test_a_timeline_tells_what_happened_newest_first(viewer, story):
    events = viewer.results("devices/shop/phone-1/timeline")
    assert [event["kind"] for event in events] == STORY
    by_kind = {event["kind"]: event for event in events}
    assert by_kind["run-failed"]["details"]["error_class"] == "ValueError"
    assert by_kind["offered"]["release"] == by_kind["installed"]["release"] == 7
    assert by_kind["revoked"]["details"] == {"actor": "olga", "reason": "stolen"}
    assert [event["at"] for event in events] == sorted((event["at"] for event in events), reverse=True)


@cases("limit", [1, 2, 4])
def test_pages_of_a_timeline_have_every_event_once(viewer, story, limit):
    pages = viewer.pages("devices/shop/phone-1/timeline", limit=limit)
    assert [event["kind"] for page in pages for event in page] == STORY


def test_reports_of_one_moment_are_told_apart_by_pages(viewer, shop):
    make_device(shop, "busy")
    ids = {str(make_report(shop, "busy").report_id) for _ in range(30)}
    pages = viewer.pages("devices/shop/busy/timeline", limit=7)
    told = [event["details"].get("report") for page in pages for event in page]
    assert set(told) - {None} == ids
    assert len(told) == len(ids) + 2


def test_reports_are_found_by_when_they_came_and_why_they_failed(viewer, shop):
    make_report(shop, "a")
    make_report(shop, "a", outcome="failure", error_class="MemoryError")
    received = SEEN + timedelta(seconds=1)
    later, then = (received + timedelta(seconds=1)).isoformat(), received.isoformat()
    assert len(viewer.results("reports", since=then)) == len(viewer.results("reports", before=later)) == 2
    assert viewer.results("reports", since=later) == viewer.results("reports", before=then) == []
    calendar = {"since": "0001-01-01T00:00:00Z", "before": "9999-12-31T23:59:59Z"}
    assert len(viewer.results("reports", **calendar)) == 2
    assert [row["outcome"] for row in viewer.results("reports", error_class="MemoryError")] == ["failure"]


VALIDATE = "apps/shop/targeting/validate"


def test_a_sound_rule_is_valid_and_says_what_it_asks_for(viewer, fleet):
    rule = {"all": [{"fact": "os_version", "version": ">=9"}, {"any": [{"list": "testers"}, {"devices": ["a", "b"]}]}]}
    assert viewer.post(VALIDATE, {"rule": rule}).json() == {
        "valid": True,
        "faults": [],
        "facts": [{"name": "os_version", "type": "version", "source": "device", "values": None}],
        "lists": [{"name": "testers", "size": 1}],
        "devices": 2,
    }


def test_all_faults_of_a_rule_are_told_with_their_places(viewer, fleet):
    rule = {"any": [{"fact": "modell", "prefix": "P"}, {"list": "friends"}, {"fact": "os", "equals": 1}]}
    found = viewer.post(VALIDATE, {"rule": rule}).json()
    assert found["valid"] is False
    assert [fault["path"] for fault in found["faults"]] == [
        "rule.any[0].fact",
        "rule.any[1].list",
        "rule.any[2].equals",
    ]
    assert [(fact["name"], fact["type"]) for fact in found["facts"]] == [("modell", None), ("os", "text")]
    assert found["lists"] == [{"name": "friends", "size": None}]
    unreadable = viewer.post(VALIDATE, {"rule": {"fact": "os"}}).json()
    assert [fault["path"] for fault in unreadable["faults"]] == ["rule"]
    problem(viewer.post(VALIDATE, {"rule": []}), 400, "invalid")
