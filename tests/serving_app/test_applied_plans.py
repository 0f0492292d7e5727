"""Plans of placements become versions, over HTTP from a really running server."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from django.utils import timezone

from accounts_app.models import AuditEntry
from serving_app.models import Placement
from serving_app.selectors.refusals import UNPLACED
from tasks_app.models import TaskVersion
from tasks_app.selectors.refusals import refusal_of
from tests.bundle.workflow_example import problem_document, workflow_tree
from tests.support.applied_plans import lengths_placement
from tests.support.people import make_member, token_of
from walle.bundle.tree import MemoryTree

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sources(clone):
    """Pushes the sources of a workflow as a version of the task lengths."""

    def push(version: str = "1.0.0", **changes: str | None) -> None:
        tree: MemoryTree = workflow_tree({name.replace("_", "."): text for name, text in changes.items()})
        clone.git("checkout", "--quiet", "-B", "lengths")
        clone.commit({entry.path: tree.read(entry.path).decode() for entry in tree.entries()})
        clone.tag(f"lengths/{version}")
        clone.push("lengths", "--tags")

    return push


@pytest.fixture
def placement(served):
    return lengths_placement(served)


@pytest.fixture
def apply(server, developer, placement):
    """Asks the server to apply a plan, as the developer or as somebody else."""
    own = token_of(developer)

    def call(version: str = "1.1.0", secret: str = own, **body: Any) -> httpx.Response:
        address = f"http://127.0.0.1:{server.port}/api/v1/placements/{placement.pk}/apply"
        headers = {"Authorization": f"Bearer {secret}"}
        return httpx.post(address, json={"task": "lengths", "version": version, **body}, headers=headers, timeout=60)

    return call


def test_a_plan_becomes_a_version_that_says_what_runs_where(apply, sources, clone, placement):
    sources()
    answer = apply(reason="Phones are fast now")
    assert answer.status_code == 201, answer.text
    said = answer.json()["manifest"]["placement"]
    assert {name for name, each in said["operators"].items() if each["half"] == "device"} == {"words", "long"}
    assert (said["placement"], said["workflow"]) == (placement.pk, "lengths")
    paths = {each["kind"]: set() for each in answer.json()["files"]}
    for each in answer.json()["files"]:
        paths[each["kind"]].add(each["path"].partition("/")[0])
    assert paths == {"shared": {"device"}, "cloud": {"cloud"}}
    assert answer.json()["cloud"]["main"] == "cloud/walle_half.py"
    clone.git("pull", "--quiet", "--tags", "origin", "lengths")
    assert json.loads((clone.folder / "placement.json").read_text()) == said
    assert clone.git("log", "-1", "--format=%an|%s|%b", "lengths/1.1.0").strip() == (
        f"ada|Phones are fast now|Plan 1 of placement {placement.pk}, applied to 1.0.0"
    )
    (entry,) = AuditEntry.objects.filter(action="placement.apply")
    assert (entry.actor_name, entry.after["plan"], entry.after["base"]) == ("ada", 1, "1.0.0")


def test_the_same_again_is_the_same_version(apply, sources):
    sources()
    made = apply()
    again = apply(base="1.0.0")
    assert (made.status_code, again.status_code, apply().status_code) == (201, 200, 200)
    assert again.json()["commit"] == made.json()["commit"]
    assert AuditEntry.objects.filter(action="placement.apply").count() == 1
    other = apply("1.2.0")
    assert (other.status_code, "has this plan already" in other.json()["detail"]) == (409, True)
    assert apply(plan=2).status_code == 409
    second = apply("1.2.0", plan=2, device_tiers=["phone", "edge"])
    assert second.status_code == 201, second.text
    assert (second.json()["cloud"], TaskVersion.objects.count()) == (None, 3)


@pytest.mark.parametrize(("of", "said"), [("accuracy", "accuracy frontier"), ("rate", "rate frontier")])
def test_a_point_of_a_frontier_becomes_a_version_of_its_own_target(of, said, apply, sources, clone):
    sources()
    made = apply(of=of)
    assert made.status_code == 201, made.text
    halves = {name: each["half"] for name, each in made.json()["manifest"]["placement"]["operators"].items()}
    assert [name for name, half in halves.items() if half == "device"] == ["words"]
    assert f"Point 1 of the {said} of placement" in made.json()["message"]
    beyond = apply("1.2.0", of=of, plan=2)
    assert (beyond.status_code, "a feasible plan" in beyond.text) == (400, True)
    assert apply("1.2.0", of=of, plan=3).json()["errors"][0]["field"] == "plan"
    (entry,) = AuditEntry.objects.filter(action="placement.apply")
    assert (entry.after["of"], entry.after["plan"]) == (of, 1)


def test_a_version_without_a_plan_is_not_released(apply, sources):
    sources()
    first = TaskVersion.objects.get()
    assert refusal_of(first) == UNPLACED
    apply()
    assert refusal_of(TaskVersion.objects.get(version="1.1.0")) == ""


def test_a_plan_that_does_not_fit_is_refused_with_all_reasons(apply, sources):
    other = problem_document()["workflow"]
    other["operators"][0]["models"][0]["name"] = "quick"
    other["operators"][4]["models"][0]["name"] = "slow"
    sources(problem_json=json.dumps({"format": 1, "workflow": other}))
    answer = apply(device_tiers=["edges"])
    assert answer.status_code == 400, answer.text
    assert {each["field"].partition(": ")[2] or each["field"] for each in answer.json()["errors"]} >= {
        "device_tiers",
        "workflow.operators.words.models",
        "workflow.operators.factor.models",
    }
    assert TaskVersion.objects.count() == 1


def test_what_is_asked_for_must_be_there(apply, sources, placement):
    assert apply().status_code == 404
    sources()
    assert apply(base="0.9.0").status_code == 404
    assert apply(plan=3).json()["errors"][0]["field"] == "plan"
    Placement.objects.update(state=Placement.State.RUNNING, finished_at=None)
    assert apply().status_code == 409
    Placement.objects.update(state=Placement.State.INFEASIBLE, finished_at=timezone.now(), result={"plans": []})
    assert apply().status_code == 409
    assert TaskVersion.objects.count() == 1


def test_only_who_may_push_applies_plans(apply, sources, served):
    sources()
    viewer = make_member("viewer", f"scenario:{served.slug}", "vera")
    stranger = make_member("developer", "scenario:elsewhere", "eve")
    assert apply(secret=token_of(viewer)).status_code == 403
    assert apply(secret=token_of(stranger)).status_code == 404
    assert TaskVersion.objects.count() == 1
