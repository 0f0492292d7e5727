"""/api/v1/devices/{app}/{device}/streams: what stream tasks cost a device, and what they gave."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from devices_app.models import Report
from devices_app.selectors import streams
from tests.api.contract import problem
from tests.support.fleet import make_device, make_report
from tests.vectors.reports import RUNS

pytestmark = pytest.mark.django_db
ADDRESS = "devices/shop/phone/streams"


@pytest.fixture
def phone(shop):
    return make_device(shop, "phone")


def told(shop, ago=timedelta(0), **fields):
    """A report about several runs, received so long ago."""
    row = make_report(shop, "phone", **{"task": "shop/ipv", "runs": RUNS, **fields})
    Report.objects.filter(pk=row.pk).update(received_at=timezone.now() - ago)


def test_what_a_task_cost_for_a_day(viewer, phone, shop):
    runs = RUNS | {"since": 1799999000, "until": 1799999300, "failures": RUNS["failures"][1:]}
    told(shop, timedelta(hours=23), version="1.0.0", runs=runs)
    told(shop, timedelta(hours=25))
    told(shop, version="1.1.0")
    make_report(shop, "phone", task="shop/ipv")
    [cost] = viewer.get(ADDRESS).json()["streams"]
    assert (cost["task"], cost["version"]) == ("shop/ipv", "1.1.0")
    assert (cost["runs"], cost["failed"], cost["shed"], cost["events"]) == (82, 6, 4, 1558)
    assert cost["cpu_s"] == 0.123
    assert (cost["p50_ms"], cost["p99_ms"]) == (pytest.approx(1.25, rel=0.09), pytest.approx(31.5, rel=0.09))
    assert datetime.fromisoformat(cost["since"]) == datetime.fromtimestamp(1799999000, UTC)
    assert datetime.fromisoformat(cost["until"]) == datetime.fromtimestamp(RUNS["until"], UTC)
    assert cost["failures"] == [
        {"error_class": "exception:KeyError", "count": 2, "message": "'item'"},
        {"error_class": "timeout", "count": 2, "message": ""},
    ]


def test_its_newest_features_newest_first_and_none_where_nothing_is_told(viewer, phone, shop):
    for number in range(7):
        told(shop, timedelta(minutes=number), output={"n": number}, runs=RUNS | {"count": 10 + number})
    told(shop, timedelta(hours=1), task="shop/secret", output=None)
    first, second = viewer.get(ADDRESS).json()["streams"]
    assert [(each["output"], each["runs"]) for each in first["features"]] == [({"n": n}, 10 + n) for n in range(5)]
    assert (second["task"], second["features"]) == ("shop/secret", [])


def test_runs_that_say_no_times(viewer, phone, shop):
    told(shop, runs={name: value for name, value in RUNS.items() if not name.endswith("_ms")})
    [cost] = viewer.get(ADDRESS).json()["streams"]
    assert (cost["p50_ms"], cost["p99_ms"], cost["cpu_s"]) == (None, None, 0)


def test_only_so_many_reports_and_tasks_are_read(viewer, phone, shop, monkeypatch):
    for number in range(4):
        told(shop, timedelta(minutes=number), task=f"shop/t{number}")
    monkeypatch.setattr(streams, "MOST_REPORTS", 3)
    assert [each["task"] for each in viewer.get(ADDRESS).json()["streams"]] == ["shop/t0", "shop/t1", "shop/t2"]
    monkeypatch.setattr(streams, "MOST_TASKS", 2)
    assert [each["task"] for each in viewer.get(ADDRESS).json()["streams"]] == ["shop/t0", "shop/t1"]


def test_it_is_for_those_who_may_see_the_device(staff, developer, viewer, nobody, phone, shop):
    told(shop)
    assert viewer.get(ADDRESS).json()["streams"]
    assert staff.get(ADDRESS).json()["streams"]
    for other in (nobody, developer):
        problem(other.get(ADDRESS), 404, "not-found")
    problem(viewer.get("devices/shop/missing/streams"), 404, "not-found")


def test_what_was_sent_through_the_tunnel_is_added_up(viewer, phone, shop):
    sent = {"features": 12, "raw_bytes": 4000, "wire_bytes": 900, "dropped": 3, "connects": 1}
    told(shop)
    told(shop)
    # As a gateway stores reports whose protocol knows the field.
    Report.objects.update(runs=RUNS | {"tunnel": sent})
    told(shop)
    told(shop, task="shop/old")
    found = {each["task"]: each["tunnel"] for each in viewer.get(ADDRESS).json()["streams"]}
    assert found == {"shop/ipv": {name: 2 * number for name, number in sent.items()}, "shop/old": None}
