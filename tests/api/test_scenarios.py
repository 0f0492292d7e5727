"""/api/v1/scenarios: opening, describing and listing them, and their tasks."""

import pytest

from tasks_app.repository import Repository
from tests.api.conftest import member_of
from tests.api.contract import problem

pytestmark = pytest.mark.django_db


def test_staff_opens_a_scenario_and_owns_it(staff):
    made = staff.post("scenarios", {"slug": "camera", "description": "sees"})
    assert made.status_code == 201
    assert (made.json()["slug"], made.json()["description"], made.json()["task_count"]) == ("camera", "sees", 0)
    with Repository("camera") as repository:
        assert repository.branches() == {}
    assert [(row["user"], row["role"]) for row in staff.results("scenarios/camera/members")] == [("root", "owner")]


def test_a_slug_is_given_once(staff, camera):
    problem(staff.post("scenarios", {"slug": "camera"}), 409, "scenario-exists")


def test_a_wrong_scenario_is_refused(staff):
    fields = problem(staff.post("scenarios", {"slug": "../etc", "desc": "x"}), 400, "invalid")
    assert set(fields) == {"slug", "desc"}


def test_members_and_staff_see_a_scenario_others_do_not(staff, developer, nobody, camera):
    for api in (staff, developer):
        assert [row["slug"] for row in api.results("scenarios")] == ["camera"]
        assert api.get("scenarios/camera").json()["description"] == "what the camera sees"
    assert nobody.results("scenarios") == []
    for path in ("scenarios/camera", "scenarios/camera/members", "scenarios/camera/tasks", "scenarios/nothing"):
        problem(nobody.get(path), 404, "not-found")


def test_the_owner_describes_it(camera):
    owner = member_of("owner", "scenario:camera")
    assert owner.patch("scenarios/camera", {"description": "new"}).json()["description"] == "new"
    changed = owner.patch("scenarios/camera", {"approval_required": True}).json()
    assert (changed["description"], changed["approval_required"]) == ("new", True)
    problem(owner.patch("scenarios/camera", {"approval": True}), 400, "invalid")


def test_others_do_not_describe_it(developer):
    problem(developer.patch("scenarios/camera", {"description": "mine"}), 403, "not-allowed")


def test_tasks_are_listed_with_their_versions_counted(developer, register):
    register("1.0.0", "1.1.0")
    (task,) = developer.results("scenarios/camera/tasks")
    assert (task["name"], task["version_count"], task["retired_at"]) == ("camera/digits", 2, None)
    assert developer.get("tasks/camera/digits").json() == task
    assert developer.get("scenarios/camera").json()["task_count"] == 1
