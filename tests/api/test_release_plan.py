"""/api/v1/releases/plan: what a release would do, before it is made."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

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
    put_list(app=shop, name="testers", devices=["device-1", "device-2", "other"], actor=SYSTEM, now=NOW)


def plan(api, **changes):
    response = api.post("releases/plan", {**BODY, **changes})
    assert response.status_code == 200, response.content
    return response.json()


def test_stages_and_whom_they_reach(releaser, fleet, digits):
    found = plan(releaser, strategy={"simulation": False, "stages": STAGES, "control_percent": 10})
    assert (found["matched"], found["total"]) == ({"count": 40, "exact": True, "margin": 0}, 41)
    reached = [
        (stage["reaches"]["count"], stage["reaches"]["exact"], stage["adds"]["count"]) for stage in found["stages"]
    ]
    assert reached == [(2, True, 2), (21, False, 19), (40, True, 19)]
    assert [stage["held_back"]["count"] for stage in found["stages"]] == [0, 4, 0]
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
    assert plan(releaser, app_versions=["1.1.0"])["warnings"][0] == (
        "all devices that the rule matches have the version already"
    )


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


def test_what_is_allowed_but_probably_not_meant(releaser, shop, digits):
    make_device(shop, "alone")
    strategy = {"stages": [{"kind": "gray", "percent": 100, "evidence": 100}], "grace_s": 600}
    assert plan(releaser, strategy=strategy)["warnings"] == [
        "stage 0 waits for 100 devices to report, and reaches about 1 more: "
        "the release would go on hold 600 s after its soak time",
        "the simulation would find nothing to test, and the release would go on hold",
    ]
    assert "the rule matches no known device" in plan(releaser, app_versions=["1.1.0"])["warnings"]


def test_a_plan_asks_the_database_as_often_however_much_was_released(
    releaser, shop, fleet, digits, django_assert_num_queries
):
    with CaptureQueriesContext(connection) as asked:
        plan(releaser)
    assert len(asked) <= 24
    for _ in range(3):
        move_on(draft_of(shop, digits, now=NOW), "start", "complete", now=NOW)
    with django_assert_num_queries(len(asked)):
        plan(releaser)
