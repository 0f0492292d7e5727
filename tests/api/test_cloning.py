"""/api/v1: a release drafted again, and a simulation begun anew."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts_app.models import AuditEntry
from releases_app.models import SimulationCell
from tests.api.conftest import NOW, member_of
from tests.api.contract import PREFIX, problem
from tests.support.cases import cases
from tests.support.releases import draft_of, move_on

pytestmark = pytest.mark.django_db

SIMULATED = {"stages": [{"kind": "gray", "percent": 50}, {"kind": "gray", "percent": 100}]}


def test_a_clone_is_a_draft_of_the_same(releaser, shop, digits):
    release = move_on(draft_of(shop, digits, now=NOW), "start", now=NOW)
    made = releaser.post(f"releases/{release.pk}/clone", {})
    first, clone = releaser.get(f"releases/{release.pk}").json(), made.json()
    assert (made.status_code, clone["state"], clone["created_by"]) == (201, "draft", "rita")
    assert clone["id"] != first["id"]
    for name in ("app", "task", "version", "rule", "strategy"):
        assert clone[name] == first[name]


def test_a_clone_may_differ_in_version_rule_and_parts_of_the_strategy(releaser, shop, register):
    digits, _ = register("1.0.0", "1.1.0")
    release = draft_of(shop, digits, strategy=SIMULATED, now=NOW)
    changes = {"version": "1.1.0", "app_versions": ["1.1.0"], "strategy": {"simulation": False}}
    clone = releaser.post(f"releases/{release.pk}/clone", changes).json()
    first = releaser.get(f"releases/{release.pk}").json()
    assert (clone["version"], clone["strategy"]["simulation"]) == ("1.1.0", False)
    assert clone["rule"] != first["rule"]
    assert {**clone["strategy"], "simulation": True} == first["strategy"]


def test_a_clone_begins_with_the_newest_version_that_may_be_released(releaser, shop, register):
    first, *_, bad, _ = register("1.0.0", "1.1.0", "1.2.0", "2.0.0-rc.1")
    release = move_on(draft_of(shop, first, now=NOW), "start", now=NOW)
    move_on(draft_of(shop, bad, app_versions=["1.1.0"], now=NOW), "start", "roll-back", now=NOW)
    with CaptureQueriesContext(connection) as asked:
        planned = releaser.get(f"releases/{release.pk}/clone").json()
    assert len(asked) <= 12
    assert (planned["version"], planned["was"]) == ("1.1.0", "1.0.0")
    clone = releaser.post(f"releases/{release.pk}/clone", {}).json()
    assert {name: clone[name] for name in ("app", "task", "version", "rule", "strategy")} == {
        name: planned[name] for name in ("app", "task", "version", "rule", "strategy")
    }
    assert releaser.post(f"releases/{release.pk}/clone", {"version": "1.0.0"}).json()["version"] == "1.0.0"


def test_a_clone_of_a_pre_release_may_be_of_a_newer_pre_release(releaser, shop, register):
    early, *_ = register("2.0.0-rc.1", "2.0.0-rc.2", "1.9.0")
    assert releaser.get(f"releases/{draft_of(shop, early, now=NOW).pk}/clone").json()["version"] == "2.0.0-rc.2"


def test_a_clone_takes_a_role_in_the_app_as_any_release_does(shop, digits):
    release = draft_of(shop, digits, now=NOW)
    refused = member_of("owner", "scenario:camera").post(f"releases/{release.pk}/clone", {})
    problem(refused, 403, "not-allowed")
    assert "app:shop" in refused.json()["detail"]


@cases(
    ("changes", "field"),
    [
        ({"version": "9.9.9"}, "version"),
        ({"rule": {"devices": ["a"]}, "app_versions": ["1.0.0"]}, "rule"),
        ({"strategy": {"stages": "all"}}, "strategy"),
        ({"app": "bank"}, "app"),
    ],
)
def test_a_wrong_change_is_refused(releaser, shop, digits, changes, field):
    release = draft_of(shop, digits, now=NOW)
    errors = problem(releaser.post(f"releases/{release.pk}/clone", changes), 400, "invalid")
    assert any(name.startswith(field) for name in errors) or field == "strategy"


@pytest.fixture
def simulating(shop, digits):
    """No version of the app has a profile: its simulation ends in error."""
    return move_on(draft_of(shop, digits, strategy=SIMULATED, now=NOW), "start", now=NOW)


def test_a_simulation_that_ended_in_error_is_begun_anew(developer, simulating):
    path = f"releases/{simulating.pk}/simulation"
    first = developer.get(path).json()
    assert (first["attempt"], first["kind"]) == (1, "error")
    assert developer.post(path).json()["attempt"] == 2
    assert AuditEntry.objects.get(action="release.simulate").after == {"attempt": 2}
    assert AuditEntry.objects.filter(action="release.simulate").count() == 1


def test_one_that_is_under_way_is_not(developer, simulating):
    SimulationCell.objects.create(release=simulating, attempt=2, state="pending")
    problem(developer.post(f"releases/{simulating.pk}/simulation"), 409, "move-refused")


def test_a_release_that_is_not_simulated_has_no_simulation_to_repeat(developer, shop, digits):
    release = draft_of(shop, digits, now=NOW)
    problem(developer.post(f"releases/{release.pk}/simulation"), 409, "move-refused")


def test_the_log_of_a_cell_is_text_to_keep(developer, nobody, simulating):
    text = "<script>größer</script>"
    cell = SimulationCell.objects.create(release=simulating, attempt=9, state="error", finished_at=NOW, logs=text)
    path = f"releases/{simulating.pk}/simulation/{cell.pk}/log"
    response = developer.client.get(PREFIX + path)
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert "attachment" in response["Content-Disposition"]
    assert b"".join(response.streaming_content).decode() == text
    problem(nobody.get(path), 404, "not-found")
    problem(developer.get(f"releases/{simulating.pk}/simulation/{cell.pk + 1}/log"), 404, "not-found")
