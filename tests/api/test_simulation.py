"""/api/v1: profiles of app versions, and the matrix of a release's simulation."""

from datetime import timedelta

import pytest

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from devices_app.services.apps import add_version
from jobs_app.models import Job, Worker
from jobs_app.services import claim_next, finish
from releases_app.models import SimulationCell
from releases_app.selectors.simulation import SIMULATE, Budget, budget_of
from releases_app.services.simulation import write_report
from tests.api.conftest import NOW
from tests.api.contract import problem
from tests.support.cases import cases
from tests.support.profiles import profile
from tests.support.releases import draft_of, move_on
from walle.container.result import RunResult
from walle.container.samples import SampleResult
from walle.container.simulator import CellReport

pytestmark = pytest.mark.django_db

SIMULATED = {"stages": [{"kind": "gray", "percent": 100}]}
REPORT = CellReport(
    "failed",
    "sample 'one': exception:KeyError: KeyError: 'x'",
    (SampleResult("one", RunResult("failure", "exception:KeyError", "KeyError: 'x'", logs="Traceback"), ()),),
    {"time_ms": 2000, "memory_mb": 64, "output_kb": 64},
)


@pytest.fixture
def simulating(shop, digits):
    """A release under simulation to an app version with a profile and one without."""
    add_version(app=shop, version="1.1.0", profile=profile(os={"android": ["13", "14"]}), actor=SYSTEM)
    release = draft_of(shop, digits, app_versions=["1.0.0", "1.1.0"], strategy=SIMULATED, now=NOW)
    return move_on(release, "start", now=NOW)


def test_a_profile_is_declared_with_a_version_and_later(owner, shop):
    made = owner.post("apps/shop/versions", {"version": "2.0.0", "profile": profile()})
    assert (made.status_code, made.json()["profile"]) == (201, profile())
    assert owner.post("apps/shop/versions", {"version": "2.0.0"}).json()["profile"] == profile()
    other = profile(memory_mb=128)
    assert owner.post("apps/shop/versions", {"version": "2.0.0", "profile": other}).json()["profile"] == other
    for _ in range(2):
        changed = owner.patch("apps/shop/versions/2.0.0", {"profile": profile(python="3.12")})
        assert changed.json()["profile"]["python"] == "3.12"
    profiles = {row["version"]: row["profile"] for row in owner.results("apps/shop/versions")}
    assert profiles == {"1.0.0": {}, "1.1.0": {}, "2.0.0": profile(python="3.12")}
    assert AuditEntry.objects.filter(action="app.declare_profile").count() == 2
    problem(owner.patch("apps/shop/versions/9.9.9", {"profile": profile()}), 404, "not-found")


@cases(
    ("declared", "text"),
    [
        (profile(python=3.11), "profile.python: expected the version of Python in the app"),
        (profile(memory=5), 'profile.memory: expected one of the keys memory_mb, modules, operators, os, python, sdk'),
        (profile(without=["a b"]), "profile.without[0]: expected names of modules and functions"),
        ("3.11", "Expected a dictionary"),
    ],
)  # fmt: skip
def test_a_wrong_profile_is_refused_with_its_place(owner, shop, declared, text):
    for method, path, body in [
        ("POST", "apps/shop/versions", {"version": "2.0.0", "profile": declared}),
        ("PATCH", "apps/shop/versions/1.0.0", {"profile": declared}),
    ]:
        assert text in problem(owner.call(method, path, body), 400, "invalid")["profile"]
    assert {row["version"]: row["profile"] for row in owner.results("apps/shop/versions")} == {"1.0.0": {}, "1.1.0": {}}


def test_all_that_is_wrong_with_a_profile_is_said_at_once(owner, shop):
    answer = owner.patch("apps/shop/versions/1.0.0", {"profile": {"sdk": "1.0.0", "memory_mb": 0}})
    problem(answer, 400, "invalid")
    assert [error["detail"].partition(":")[0] for error in answer.json()["errors"]] == [
        "profile.memory_mb",
        "profile.python",
        "profile.os",
    ]


def test_the_matrix_shows_every_cell_with_its_logs(viewer, simulating):
    before = viewer.get(f"releases/{simulating.pk}/simulation").json()
    assert (before["attempt"], before["kind"], before["sentence"]) == (1, "pending", "1 of 3 cells done")
    cell = SimulationCell.objects.filter(state="pending").first()
    write_report(cell=cell, report=REPORT, now=NOW)
    failed, pending, undeclared = viewer.get(f"releases/{simulating.pk}/simulation").json()["cells"]
    assert (failed["app_version"], failed["os"], failed["os_version"], failed["state"]) == (
        "1.1.0", "android", "13", "failed",
    )  # fmt: skip
    assert failed["logs"] == "-- one\nTraceback"
    assert failed["limits"]["memory_mb"] == 64
    assert failed["profile"]["python"] == "3.11"
    [sample] = failed["samples"]
    assert (sample["name"], sample["passed"], sample["error_class"]) == ("one", False, "exception:KeyError")
    assert (pending["state"], pending["samples"], pending["finished_at"]) == ("pending", [], None)
    assert (undeclared["app_version"], undeclared["os"], undeclared["state"]) == ("1.0.0", "", "error")
    assert "app 1.0.0: no profile is declared; declare one with PATCH" in undeclared["sentence"]


def test_a_release_without_a_simulation_has_none(viewer, shop, digits):
    shown = viewer.get(f"releases/{draft_of(shop, digits, now=NOW).pk}/simulation").json()
    budget = shown.pop("budget")
    assert shown == {"attempt": 0, "kind": None, "sentence": "There was no simulation.", "cells": []}
    assert (budget["waiting"], budget["reason"]) == (0, "")


def test_an_earlier_simulation_can_be_asked_for(viewer, simulating):
    assert viewer.get(f"releases/{simulating.pk}/simulation", attempt=1).json()["attempt"] == 1
    assert viewer.get(f"releases/{simulating.pk}/simulation", attempt=2).json()["cells"] == []
    assert "attempt" in problem(viewer.get(f"releases/{simulating.pk}/simulation", attempt=0), 400, "invalid")


def test_only_those_who_see_the_release_see_its_simulation(nobody, simulating):
    problem(nobody.get(f"releases/{simulating.pk}/simulation"), 404, "not-found")


def test_what_a_scenario_has_spent_and_what_its_cells_wait_for(viewer, simulating):
    def claimed(seconds):
        return claim_next(owner=f"worker at {seconds}", now=NOW + timedelta(seconds=seconds), kinds=[SIMULATE])

    Job.objects.filter(kind=SIMULATE).update(run_at=NOW - timedelta(hours=1))
    waiting = budget_of("camera", now=NOW)
    assert waiting == Budget(
        scenario="camera",
        running=0,
        at_once=1,
        waiting=2,
        spent_s=0,
        seconds_per_hour=1800,
        free_at=NOW,
        reason="2 cells of camera wait: no worker for simulations gives signs",
    )
    Worker.objects.create(host="here", pid=1, queue="simulations", started_at=NOW, seen_at=NOW)
    free = "2 cells of camera wait for a worker that is free: scenarios take turns"
    assert budget_of("camera", now=NOW).reason == free
    first = claimed(-1900)
    under_way = budget_of("camera", now=NOW)
    assert (under_way.running, under_way.waiting, under_way.spent_s, under_way.free_at) == (1, 1, 1900, None)
    assert under_way.reason == "1 cell of camera waits for 1 under way, which is as many as a scenario may have at once"
    finish(job_id=first.pk, owner=first.lease_owner, result=None, now=NOW)
    spent = budget_of("camera", now=NOW)
    # 100 s too many: the first 100 s of them have left the hour in 1800 s.
    assert (spent.running, spent.spent_s, spent.free_at) == (0, 1900, NOW + timedelta(seconds=1800))
    assert spent.reason == (
        "1 cell of camera waits until 12:30:00 UTC at the earliest: the 1800 s that a scenario may simulate within an "
        "hour are used up"
    )
    assert claimed(0) is None
    assert claimed(1801) is not None


def test_the_budget_comes_with_the_simulation(viewer, simulating):
    budget = viewer.get(f"releases/{simulating.pk}/simulation").json()["budget"]
    assert {name: budget[name] for name in ("scenario", "running", "waiting", "at_once", "spent_s")} == {
        "scenario": "camera", "running": 0, "waiting": 2, "at_once": 1, "spent_s": 0,
    }  # fmt: skip
    assert budget["reason"].startswith("2 cells of camera wait")
