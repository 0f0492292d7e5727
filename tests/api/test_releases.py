"""/api/v1/releases: drafting, moving and looking at releases."""

import threading
from urllib.parse import quote

import pytest
from django.db import connection

from devices_app.models import App
from releases_app.models import Release
from tests.api.conftest import member_of
from tests.api.contract import Api, problem
from walle.release.strategy import AT_ONCE

pytestmark = pytest.mark.django_db

BODY = {
    "app": "shop",
    "task": "camera/digits",
    "version": "1.0.0",
    "app_versions": ["1.0.0"],
    "strategy": AT_ONCE,
}


@pytest.fixture
def draft(releaser, digits):
    made = releaser.post("releases", BODY)
    assert made.status_code == 201
    return made.json()


def move(api, release, action, **body):
    return api.post(f"releases/{release['id']}/{action}", body)


def entries(api):
    return [(entry["release"], entry["mode"]) for entry in api.get("apps/shop/table").json()["entries"]]


def test_releases_are_asked_for_by_their_numbers(releaser, draft):
    other = releaser.post("releases", BODY).json()
    releaser.post("releases", BODY)
    found = releaser.get(f"releases?id={draft['id']},{other['id']},{10**18 - 1}").json()["results"]
    assert [release["id"] for release in found] == [other["id"], draft["id"]]


@pytest.mark.parametrize("numbers", ["", "x", "1,", "-1", "1 2", "9" * 19, ",".join(["1"] * 201), "\u0661"])
def test_numbers_of_releases_that_are_none_are_refused(releaser, digits, numbers):
    said = problem(releaser.get(f"releases?id={quote(numbers)}"), 400, "invalid")
    assert set(said) == {"id"}


def test_a_draft_names_everything_and_reaches_nobody(releaser, draft, digits):
    assert {name: draft[name] for name in ("app", "task", "version", "state", "created_by")} == {
        "app": "shop", "task": "camera/digits", "version": "1.0.0", "state": "draft", "created_by": "rita",
    }  # fmt: skip
    assert draft["rule"] == {"fact": "app_version", "in": ["1.0.0"]}
    assert [(stage["kind"], stage["share"]) for stage in draft["stages"]] == [("gray", 1_000_000)]
    assert draft["transitions"] == []
    assert entries(releaser) == []
    assert releaser.get(f"releases/{draft['id']}").json() == draft


def test_a_release_goes_its_way_and_the_table_with_it(releaser, draft):
    number = draft["id"]
    steps = [
        ("start", "running", [(number, "offer")]),
        ("pause", "paused", [(number, "hold")]),
        ("resume", "running", [(number, "offer")]),
        ("complete", "complete", [(number, "offer")]),
    ]
    for action, state, table in steps:
        moved = move(releaser, draft, action, reason=f"because of {action}")
        assert moved.json()["state"] == state
        assert entries(releaser) == table
    history = releaser.get(f"releases/{number}").json()["transitions"]
    assert [(row["action"], row["before"], row["after"], row["actor"], row["reason"]) for row in history] == [
        ("start", "draft", "running", "rita", "because of start"),
        ("pause", "running", "paused", "rita", "because of pause"),
        ("resume", "paused", "running", "rita", "because of resume"),
        ("complete", "running", "complete", "rita", "because of complete"),
    ]


def test_an_aborted_release_reaches_nobody_else(releaser, draft):
    move(releaser, draft, "start")
    assert move(releaser, draft, "abort", reason="enough").json()["state"] == "aborted"
    assert entries(releaser) == [(draft["id"], "keep")]


def test_a_release_rolled_back_leaves_the_table_and_its_version_cannot_come_back(releaser, draft):
    move(releaser, draft, "start")
    assert move(releaser, draft, "roll-back", reason="crashes").json()["state"] == "rolled-back"
    assert entries(releaser) == []
    assert "quarantine (crashes)" in problem(releaser.post("releases", BODY), 400, "invalid")["version"]


def test_a_move_that_the_state_does_not_allow_is_a_conflict(releaser, draft):
    problem(move(releaser, draft, "resume"), 409, "move-refused")
    assert releaser.get(f"releases/{draft['id']}").json() == draft


def test_a_move_from_a_state_that_is_gone_is_a_conflict(releaser, draft):
    move(releaser, draft, "start")
    problem(move(releaser, draft, "start", state="draft"), 409, "release-conflict")
    assert move(releaser, draft, "pause", state="running").json()["state"] == "paused"


def test_there_is_no_other_move(releaser, draft):
    response = releaser.client.post(f"/api/v1/releases/{draft['id']}/supersede")
    assert response.status_code == 404
    fields = problem(move(releaser, draft, "start", why="x", state="begun"), 400, "invalid")
    assert set(fields) == {"why", "state"}


def test_whoever_may_change_something_may_stop_it_but_not_start_it(releaser, developer, draft):
    problem(move(developer, draft, "start"), 403, "not-allowed")
    move(releaser, draft, "start")
    assert move(developer, draft, "pause").json()["state"] == "paused"
    problem(move(developer, draft, "resume"), 403, "not-allowed")
    assert move(developer, draft, "roll-back").json()["state"] == "rolled-back"


def test_what_was_stopped_or_is_complete_moves_with_a_reason_only(releaser, draft):
    move(releaser, draft, "start")
    move(releaser, draft, "pause")
    for reason in ("", "  "):
        said = problem(move(releaser, draft, "resume", reason=reason), 400, "invalid")
        assert said == {"reason": "expected why you resume it: this release is paused"}
    assert move(releaser, draft, "resume", reason="it was the network").json()["state"] == "running"
    move(releaser, draft, "complete", reason="seen on our own devices")
    said = problem(move(releaser, draft, "roll-back"), 400, "invalid")
    assert said == {"reason": "expected why you roll it back: this release is complete"}
    assert move(releaser, draft, "roll-back", reason="customers complain").json()["state"] == "rolled-back"


@pytest.mark.parametrize("action", ["pause", "abort", "roll-back"])
def test_what_is_under_way_is_halted_without_a_reason(releaser, draft, action):
    move(releaser, draft, "start")
    assert move(releaser, draft, action).status_code == 200


def test_members_of_the_scenario_and_of_the_app_see_it_others_do_not(staff, developer, viewer, nobody, draft):
    for api in (staff, developer, viewer):
        assert [row["id"] for row in api.results("releases")] == [draft["id"]]
        assert api.get(f"releases/{draft['id']}").json() == draft
    assert nobody.results("releases") == []
    problem(nobody.get(f"releases/{draft['id']}"), 404, "not-found")
    problem(move(nobody, draft, "start"), 404, "not-found")
    problem(move(viewer, draft, "start"), 403, "not-allowed")


def test_releasing_takes_a_role_in_the_app_too(draft):
    blind = member_of("releaser", "scenario:camera", name="blind")
    assert "app" in problem(blind.post("releases", BODY), 400, "invalid")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"app": "bank"}, "app"),
        ({"task": "camera/letters"}, "task"),
        ({"task": "digits"}, "task"),
        ({"version": "9.9.9"}, "version"),
        ({"app_versions": []}, "app_versions"),
        ({"app_versions": ["3.0.0"]}, "rule"),
        ({"rule": {"fact": "app_version", "in": ["1.0.0"]}}, "rule"),
        ({"strategy": {"stages": []}}, "strategy"),
        ({"strategy": 5}, "strategy"),
        ({"app_versions": "1.0.0"}, "app_versions"),
        ({"percent": 5}, "percent"),
    ],
)
def test_a_wrong_release_is_refused(releaser, digits, change, field):
    assert set(problem(releaser.post("releases", BODY | change), 400, "invalid")) == {field}
    assert not Release.objects.exists()


def test_all_that_is_wrong_with_a_strategy_is_said_at_once(releaser, digits):
    stages = [{"kind": "gray", "percent": 20, "pace": 0}, {"kind": "gray", "percent": 10}]
    wrong = {"stages": stages, "limits": {"failure_rate": 2}, "window": {"zone": "Mars", "from": "01:00"}}
    answer = releaser.post("releases", BODY | {"strategy": wrong})
    problem(answer, 400, "invalid")
    assert answer.json()["errors"] == [
        {"field": "strategy", "detail": detail}
        for detail in [
            "strategy.stages[0].pace: expected a whole number, 1 to 10000000, found 0",
            "strategy.stages[1].percent: expected more than the 20.0 before, found 10",
            "strategy.limits.failure_rate: expected a number from 0.000001 to 0.999999, found 2",
            "strategy.window.zone: expected a time zone such as Asia/Shanghai, found 'Mars'",
            "strategy.window.to: expected a time such as 01:30, found nothing",
        ]
    ]


def test_an_unknown_app_version_is_answered_with_the_known_ones(releaser, digits):
    fields = problem(releaser.post("releases", BODY | {"app_versions": ["3.0.0"]}), 400, "invalid")
    assert fields["rule"] == "rule.in[0]: expected a value of app_version: 1.0.0, 1.1.0, found '3.0.0'"


def test_a_retired_task_is_not_released(releaser, draft):
    releaser.post("tasks/camera/digits/retire")
    assert "retired" in problem(releaser.post("releases", BODY), 400, "invalid")["version"]
    assert "retired" in problem(move(releaser, draft, "start"), 400, "invalid")["version"]


def test_releases_are_found_by_app_task_and_state(releaser, staff, draft):
    second = releaser.post("releases", BODY | {"app_versions": ["1.1.0"]}).json()
    move(releaser, second, "start")
    assert [row["id"] for row in releaser.results("releases")] == [second["id"], draft["id"]]
    assert [row["id"] for row in releaser.results("releases", state="draft")] == [draft["id"]]
    assert len(releaser.results("releases", app="shop", task="camera/digits")) == 2
    assert releaser.results("releases", app="bank") == releaser.results("releases", task="camera/letters") == []
    assert set(problem(releaser.get("releases", state="begun", task="x"), 400, "invalid")) == {"state", "task"}


def test_a_newer_release_supersedes_the_older(releaser, draft):
    move(releaser, draft, "start")
    second = releaser.post("releases", BODY).json()
    move(releaser, second, "start")
    older = releaser.get(f"releases/{draft['id']}").json()
    assert (older["state"], older["transitions"][-1]["actor"]) == ("superseded", "system")
    assert older["transitions"][-1]["evidence"] == {"release": second["id"]}


@pytest.mark.django_db(transaction=True)
def test_of_two_who_start_a_release_at_once_one_is_told_of_the_conflict(releaser, draft):
    clients = [Api(releaser.actor) for _ in range(2)]
    together = threading.Barrier(len(clients))
    answers = []

    def start(api):
        together.wait()
        answers.append(move(api, draft, "start"))
        connection.close()

    threads = [threading.Thread(target=start, args=[api]) for api in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    good, bad = sorted(answers, key=lambda answer: answer.status_code)
    assert (good.status_code, good.json()["state"]) == (200, "running")
    assert bad.json()["code"] in ("release-conflict", "move-refused")
    assert len(releaser.get(f"releases/{draft['id']}").json()["transitions"]) == 1
    assert App.objects.get().table.number


def test_a_scenario_may_demand_that_somebody_else_approves(staff, releaser, digits):
    staff.patch("scenarios/camera", {"approval_required": True})
    made = releaser.post("releases", BODY).json()
    assert made["strategy"]["approval"] is True
    assert move(releaser, made, "start").json()["state"] == "awaiting-approval"
    assert problem(move(releaser, made, "approve"), 400, "invalid")["release"].startswith("expected the approval")
    assert move(staff, made, "approve").json()["state"] == "running"


def test_what_was_made_before_approval_was_demanded_does_not_start(staff, releaser, draft):
    staff.patch("scenarios/camera", {"approval_required": True})
    assert "demands approval" in problem(move(releaser, draft, "start"), 400, "invalid")["release"]
    staff.patch("scenarios/camera", {"approval_required": False})
    assert move(releaser, draft, "start").json()["state"] == "running"
