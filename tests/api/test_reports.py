"""/api/v1/reports: what devices reported."""

import pytest

from accounts_app.actors import SYSTEM
from devices_app.services.apps import create_app
from tests.api.conftest import NOW, member_of
from tests.api.contract import problem
from tests.support.cases import cases
from tests.support.fleet import MANIFEST, make_report
from tests.vectors.reports import RUNS

pytestmark = pytest.mark.django_db


@pytest.fixture
def bank(keys):
    return create_app(slug="bank", name="Bank", actor=SYSTEM, now=NOW)


@pytest.fixture
def reports(shop, bank):
    """By name: seen, failed and foreign (app shop), elsewhere (app bank)."""
    failure = {"outcome": "failure", "error_class": "MemoryError", "message": "too much"}
    return {
        "seen": make_report(shop, "a", release=5, metrics={"confidence": 0.5}, output={"label": 7}, duration_ms=3.5),
        "failed": make_report(shop, "b", version="1.1.0", kind="install", **failure),
        "foreign": make_report(shop, "a", task="voice/words"),
        "elsewhere": make_report(bank, "a"),
    }


def found(api, reports, **query):
    names = {str(report.report_id): name for name, report in reports.items()}
    return [names[row["id"]] for row in api.results("reports", **query)]


def test_a_report_shows_everything_but_the_offer_token(viewer, reports):
    (shown,) = viewer.results("reports", evidence=True)
    assert shown == {
        "id": str(reports["seen"].report_id), "app": "shop", "device": "a", "task": "camera/digits",
        "version": "1.0.0", "manifest": MANIFEST, "kind": "run", "outcome": "success", "error_class": "",
        "message": "", "duration_ms": 3.5, "peak_memory_kb": None, "start": "", "vm_end": "", "runs": None,
        "metrics": {"confidence": 0.5},
        "output": {"label": 7}, "release": 5, "stage": 1, "number": 7, "evidence": True,
        "reported_at": "2026-05-01T11:00:00Z", "received_at": "2026-05-01T11:00:01Z",
    }  # fmt: skip


def test_a_report_about_several_runs(viewer, shop):
    make_report(shop, "a", runs={name: value for name, value in RUNS.items() if name != "cpu_ms"})
    (shown,) = viewer.results("reports")
    failures = [{"message": None, **each} for each in RUNS["failures"]]
    assert shown["runs"] == RUNS | {"failures": failures, "cpu_ms": None}


def test_members_of_the_app_or_of_the_tasks_scenario_see_a_report(staff, viewer, developer, nobody, reports):
    assert found(staff, reports) == ["elsewhere", "foreign", "failed", "seen"]
    assert found(viewer, reports) == ["foreign", "failed", "seen"]
    assert found(developer, reports) == ["elsewhere", "failed", "seen"]
    assert found(nobody, reports) == []


def test_a_scenario_whose_name_begins_alike_is_another(reports):
    assert found(member_of("viewer", "scenario:cam"), reports) == []


@cases(
    ("query", "names"),
    [
        ({"app": "bank"}, ["elsewhere"]),
        ({"device": "b"}, ["failed"]),
        ({"task": "voice/words"}, ["foreign"]),
        ({"version": "1.1.0"}, ["failed"]),
        ({"kind": "install", "outcome": "failure"}, ["failed"]),
        ({"release": 5}, ["seen"]),
        ({"evidence": "false", "app": "shop"}, ["foreign", "failed"]),
    ],
)
def test_reports_are_found(staff, reports, query, names):
    assert found(staff, reports, **query) == names


def test_wrong_filters_are_refused(staff):
    wrong = {"kind": "walk", "outcome": "maybe", "release": "x", "evidence": "perhaps", "task": "a", "app": ""}
    assert set(problem(staff.get("reports", **wrong), 400, "invalid")) == set(wrong)
    problem(staff.get("reports", release=2**63), 400, "invalid")
