"""/api/v1/releases/plan: what a release would do, before it is made."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from devices_app.models import Device, InstalledTask
from devices_app.selectors import counting
from devices_app.services.lists import put_list
from releases_app.models import Release, SimulationCell
from tests.api.conftest import NOW, member_of
from tests.api.contract import problem
from tests.support.cases import cases
from tests.support.fleet import make_device
from tests.support.profiles import profile
from tests.support.releases import draft_of, make_version, move_on

pytestmark = pytest.mark.django_db

BODY = {"app": "shop", "task": "camera/digits", "version": "1.0.0", "app_versions": ["1.0.0"]}
STAGES = [
    {"kind": "beta", "list": "testers", "dwell_s": 60, "evidence": 1},
    {"kind": "gray", "percent": 50, "dwell_s": 30, "evidence": 3},
    {"kind": "gray", "percent": 100, "dwell_s": 10, "evidence": 0, "pace": 1},
]


@pytest.fixture
def fleet(shop):
    """Forty devices of 1.0.0, two of them testers, and one of 1.1.0."""
    for number in range(40):
        make_device(shop, f"device-{number}")
    make_device(shop, "other", app_version="1.1.0")
    Device.objects.update(last_seen=timezone.now())
    put_list(app=shop, name="testers", devices=["device-1", "device-2", "other"], actor=SYSTEM, now=NOW)


def plan(api, **changes):
    response = api.post("releases/plan", {**BODY, **changes})
    assert response.status_code == 200, response.content
    return response.json()


def test_stages_and_whom_they_reach(releaser, fleet, digits):
    found = plan(releaser, strategy={"simulation": False, "stages": STAGES, "control_percent": 20})
    assert (found["matched"], found["total"]) == ({"count": 40, "exact": True, "margin": 0}, 41)
    reached = [
        (stage["reaches"]["count"], stage["reaches"]["exact"], stage["adds"]["count"]) for stage in found["stages"]
    ]
    assert reached == [(2, True, 2), (21, False, 19), (40, True, 19)]
    assert [stage["held_back"]["count"] for stage in found["stages"]] == [0, 8, 0]
    assert [stage["at_least_s"] for stage in found["stages"]] == [60, 30, 19]
    assert found["at_least_s"] == 109
    assert found["stages"][1]["reaches"]["margin"] >= 6
    assert found["warnings"] == []


def test_a_task_of_another_kind_reaches_devices_that_say_they_know_it(releaser, fleet, digits, shop):
    make_version("camera", "stages", "1.0.0", kind="pipeline")
    for number in range(5):
        make_device(shop, f"knowing-{number}", **{"kind-pipeline": number < 3})
    stages = [{name: stage[name] for name in stage if name != "pace"} for stage in STAGES]
    strategy = {"simulation": False, "stages": stages, "control_percent": 0}
    found = plan(releaser, task="camera/stages", strategy=strategy)
    assert (found["matched"]["count"], found["stages"][0]["reaches"]["count"]) == (3, 0)
    assert plan(releaser, strategy=strategy)["matched"]["count"] == 45


def install(version, *devices):
    for row in Device.objects.filter(device__in=devices):
        manifest = version.manifest_digest[:24]
        row.profile = {version.task.name: manifest}
        row.save()
        InstalledTask.objects.create(device=row, task=version.task.name, manifest=manifest, since=NOW)


def test_how_many_of_them_have_the_version_already(releaser, fleet, register):
    first, second = register("1.0.0", "1.1.0")
    install(first, "device-1", "device-2", "other")
    install(second, "device-3")
    found = plan(releaser)
    assert (found["matched"]["count"], found["installed"]) == (40, {"count": 2, "exact": True, "margin": 0})
    assert plan(releaser, app_versions=["1.1.0"])["warnings"][0] == {
        "field": "rule",
        "detail": "all devices that the rule matches have the version already",
    }


def test_of_many_devices_a_sample_says_how_many_have_the_version_already(releaser, fleet, digits, monkeypatch):
    install(digits, *(f"device-{number}" for number in range(10)))
    monkeypatch.setattr(counting, "AFFORDABLE", -1.0)
    with CaptureQueriesContext(connection) as asked:
        assert plan(releaser)["installed"]["count"] == 10
    assert any("TABLESAMPLE" in query["sql"] and '"profile" @>' in query["sql"] for query in asked)


def test_what_is_left_out_is_filled_in_as_in_a_release(releaser, fleet, digits):
    found, made = plan(releaser), releaser.post("releases", BODY).json()
    for name in ("app", "task", "version", "rule", "strategy"):
        assert found[name] == made[name]
    shape = [(stage["kind"], stage["share"]) for stage in found["stages"]]
    assert shape == [(stage["kind"], stage["share"]) for stage in made["stages"]]


def test_nothing_is_written(releaser, fleet, digits):
    before = AuditEntry.objects.count()
    plan(releaser)
    assert (AuditEntry.objects.count(), Release.objects.count(), SimulationCell.objects.count()) == (before, 0, 0)


@cases(
    "changes",
    [
        {"rule": {"fact": "modell", "equals": "x"}, "app_versions": None},
        {"rule": {"devices": ["a"]}},
        {"app_versions": ["7.7.7"]},
        {"strategy": {"stages": [{"kind": "gray", "percent": 50}]}},
        {"strategy": {"limits": {"failure_rate": 2}}},
        {"strategy": {"stages": [{"kind": "beta", "list": "friends"}, {"kind": "gray", "percent": 100}]}},
        {"version": "9.9.9"},
        {"app": "bank"},
        {"task": "camera/cats"},
        {"days": 3},
    ],
)
def test_it_is_refused_as_the_release_would_be(releaser, shop, digits, changes):
    body = {name: value for name, value in {**BODY, **changes}.items() if value is not None}
    planned, made = releaser.post("releases/plan", body), releaser.post("releases", body)
    assert planned.status_code == 400
    assert planned.json() == made.json()


def test_a_version_in_quarantine_is_refused(releaser, shop, digits):
    move_on(draft_of(shop, digits, now=NOW), "start", "roll-back", now=NOW)
    planned, made = releaser.post("releases/plan", BODY), releaser.post("releases", BODY)
    assert "quarantine" in problem(planned, 400, "invalid")["version"]
    assert planned.json() == made.json()


def test_it_takes_who_may_release(shop, camera, digits, developer):
    problem(developer.post("releases/plan", BODY), 400, "invalid")
    releaser = member_of("releaser", "scenario:camera", name="ray")
    assert set(problem(releaser.post("releases/plan", BODY), 400, "invalid")) == {"app"}
    viewer = member_of("viewer", "scenario:camera", "app:shop", name="vic")
    problem(viewer.post("releases/plan", BODY), 403, "not-allowed")


def test_what_is_simulated(owner, releaser, shop, digits):
    owner.patch("apps/shop/versions/1.0.0", {"profile": profile(os={"android": ["13", "14"]})})
    found = plan(releaser, app_versions=["1.0.0", "1.1.0"])["simulation"]
    assert found["needed"] is True
    assert found["cells"] == [
        {"app_version": "1.0.0", "os": "android", "os_version": version} for version in ("13", "14")
    ]
    assert found["problems"] == ["app 1.1.0: no profile is declared"]
    assert plan(releaser, strategy={"simulation": False})["simulation"] == {
        "needed": False, "cells": [], "problems": [],
    }  # fmt: skip


def test_approval_is_needed_where_the_scenario_or_the_strategy_demands_it(releaser, shop, camera, digits):
    assert plan(releaser)["approval"] is False
    assert plan(releaser, strategy={"approval": True})["approval"] is True
    camera.approval_required = True
    camera.save()
    assert plan(releaser)["approval"] is True


def test_what_it_would_end_and_what_devices_go_back_to(releaser, shop, register):
    first, second, _ = register("1.0.0", "1.1.0", "1.2.0")
    good = move_on(draft_of(shop, first, now=NOW), "start", "complete", now=NOW)
    running = move_on(draft_of(shop, second, now=NOW), "start", now=NOW)
    move_on(draft_of(shop, second, app_versions=["1.1.0"], now=NOW), "start", now=NOW)
    found = plan(releaser, version="1.2.0")
    assert found["supersedes"] == [
        {"release": running.pk, "version": "1.1.0", "state": "running", "when": "first-devices"},
        {"release": good.pk, "version": "1.0.0", "state": "complete", "when": "complete"},
    ]
    assert found["replaces"] == {"release": good.pk, "version": "1.0.0", "state": "complete"}
    assert "version" not in {warning["field"] for warning in found["warnings"]}


def test_a_lower_version_than_devices_have_is_pointed_out(releaser, shop, register):
    _, second = register("1.0.0", "1.1.0")
    good = move_on(draft_of(shop, second, now=NOW), "start", "complete", now=NOW)
    assert plan(releaser)["warnings"][-1] == {
        "field": "version",
        "detail": f"it is lower than 1.1.0, which devices have from release {good.pk}",
    }


def test_what_is_allowed_but_probably_not_meant(releaser, shop, digits):
    make_device(shop, "alone")
    stages = [{"kind": "gray", "percent": 50, "evidence": 0}, {"kind": "gray", "percent": 100, "evidence": 100}]
    strategy = {"stages": stages, "grace_s": 600, "after_complete": {"evidence": 5}}
    waits = "it waits for 100 devices to report, and reaches about 1 more"
    watched = "the watch after completion waits for 5 devices in each period, and the rule matches 1"
    assert plan(releaser, strategy=strategy)["warnings"] == [
        {
            "field": "strategy.stages[1].evidence",
            "detail": f"{waits}: the release would go on hold 600 s after its soak time",
        },
        {
            "field": "strategy.control_percent",
            "detail": "about 0 devices are held back for comparison, too few to tell what else makes devices fail",
        },
        {"field": "strategy.after_complete.evidence", "detail": f"{watched}: it would never judge"},
        {
            "field": "strategy.simulation",
            "detail": "the simulation would find nothing to test, and the release would go on hold",
        },
    ]
    nobody = plan(releaser, app_versions=["1.1.0"])["warnings"]
    assert {"field": "rule", "detail": "the rule matches no known device"} in nobody


def seen(shop, minutes):
    """A device for each number of minutes since it last checked in."""
    for number, ago in enumerate(minutes):
        row = make_device(shop, f"seen-{number}")
        Device.objects.filter(pk=row.pk).update(last_seen=timezone.now() - timedelta(minutes=ago))


def test_it_says_how_long_it_takes_at_the_present_rate_of_check_ins(releaser, shop, digits):
    seen(shop, range(6, 306, 3))
    stages = [
        {"kind": "gray", "percent": 50, "dwell_s": 60, "evidence": 25},
        {"kind": "gray", "percent": 100, "dwell_s": 600, "evidence": 0},
    ]
    found = plan(releaser, strategy={"simulation": False, "stages": stages})
    assert found["at_least_s"] == 660
    # Half of the first stage's 50 devices: half of all have checked in within 2.5 hours.
    assert 9000 <= found["stages"][0]["about_s"] <= 9300
    assert found["about_s"] == found["stages"][0]["about_s"] + 600
    late = plan(releaser, strategy={"simulation": False, "stages": stages, "grace_s": 60})
    assert "which takes about 3 h at the present rate of check-ins" in late["warnings"][0]["detail"]
    assert late["warnings"][0]["field"] == "strategy.stages[0].evidence"
    night = {"zone": "UTC", "from": "00:00", "to": "12:00", "days": list(range(7))}
    windowed = plan(releaser, strategy={"simulation": False, "stages": stages, "window": night})
    assert 1.9 * found["about_s"] < windowed["about_s"] < 2.1 * found["about_s"]
    never = plan(releaser, strategy={"simulation": False, "stages": [{**stages[0], "evidence": 80}, stages[1]]})
    assert (never["stages"][0]["about_s"], never["about_s"]) == (None, None)


def test_what_a_strategy_leaves_open_fits_the_devices_that_match(releaser, shop, digits):
    seen(shop, range(6, 306, 3))
    strategy = plan(releaser)["strategy"]
    assert [(stage["percent"], stage["evidence"]) for stage in strategy["stages"]] == [(10, 3), (50, 13), (100, 16)]
    assert (strategy["control_percent"], strategy["after_complete"]["evidence"]) == (10, 33)
    assert strategy["grace_s"] > 3600, "devices check in every few hours"
    assert plan(releaser)["warnings"][:-1] == []
    assert releaser.post("releases", BODY).json()["strategy"]["stages"] == strategy["stages"]
    put_list(app=shop, name="testers", devices=["seen-1", "seen-2", "seen-3", "elsewhere"], actor=SYSTEM, now=NOW)
    given = [{"kind": "beta", "list": "testers"}, {"kind": "gray", "percent": 100, "evidence": 90}]
    kept = plan(releaser, strategy={"stages": given})["strategy"]["stages"]
    assert [stage["evidence"] for stage in kept] == [1, 90]


def test_of_many_devices_a_sample_says_how_often_they_check_in(releaser, shop, digits, monkeypatch):
    seen(shop, range(6, 306, 3))
    exactly = plan(releaser)["about_s"]
    monkeypatch.setattr(counting, "AFFORDABLE", -1.0)
    assert plan(releaser)["about_s"] == pytest.approx(exactly, rel=0.01)


def test_a_plan_asks_the_database_as_often_however_much_was_released(
    releaser, shop, fleet, digits, django_assert_num_queries
):
    with CaptureQueriesContext(connection) as asked:
        plan(releaser)
    assert len(asked) <= 32
    for _ in range(3):
        move_on(draft_of(shop, digits, now=NOW), "start", "complete", now=NOW)
    with django_assert_num_queries(len(asked)):
        plan(releaser)
