"""/api/v1/workflows and /api/v1/placements, with the job that computes placements by a real solver."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts_app.actors import SYSTEM
from jobs_app import services as jobs
from jobs_app.models import Job
from jobs_app.runner import run_next
from serving_app import jobs_placements
from serving_app.models import Placement
from serving_app.services import placements
from tests.support.placements import problem
from walle.placement import solving

# A job that takes long keeps its lease by a connection of its own, which sees only what is committed.
pytestmark = pytest.mark.django_db(transaction=True)

ADDRESS = "workflows/camera/questions"


@pytest.fixture
def workflow(developer):
    assert developer.call("PUT", ADDRESS, {"document": problem()}).status_code == 200


def requested(who, **about):
    """The address of a placement that somebody has asked for."""
    answer = who.post(f"{ADDRESS}/placements", about)
    assert answer.status_code == 202, answer.json()
    return f"placements/{answer.json()['id']}"


def finish_jobs():
    while run_next() is not None:
        pass


def test_all_problems_of_a_document_are_told_at_once(developer):
    wrong = problem(target={"accuracy": "high", "rates": {"camera": -1}})
    answer = developer.call("PUT", ADDRESS, {"document": wrong})
    assert answer.status_code == 400
    told = " ".join(each["detail"] for each in answer.json()["errors"])
    assert "target.accuracy: expected" in told
    assert "target.rates.camera: expected" in told


def test_a_placement_is_computed_by_a_worker_and_proved(developer, workflow):
    placement = requested(developer)
    assert developer.get(placement).json()["state"] == "pending"
    finish_jobs()
    found = developer.get(placement).json()
    assert found["state"] == "succeeded", found
    best = found["result"]["plans"][0]
    assert (best["cost"], best["plan"]["models"]["describe"], found["result"]["ended"]) == (0.4, "small", "optimal")
    assert found["result"]["rate_frontier"]
    assert found["finished_at"]
    assert found["cost"] == 0.4


def test_the_plans_are_compared_with_baselines(developer, workflow):
    placement = requested(developer)
    finish_jobs()
    found = {each["name"]: each for each in developer.get(placement).json()["result"]["baselines"]}
    assert found["all-edge"]["best"]["utilisation"] == {"box-1": 0.8, "box-2": 0.6}
    assert (found["all-cloud"]["cost"], found["all-cloud"]["best"]) == (None, None)
    assert found["PTc"]["cost"] == pytest.approx(found["PTc"]["compute"] + found["PTc"]["network"])
    assert (found["PTc"]["accuracy"], found["PTc"]["best"]) == (60, None)


def test_what_was_found_until_then_stays_with_a_placement_that_is_cancelled(developer, workflow, monkeypatch):
    placement, row, kept = requested(developer), Placement.objects.get(), jobs_placements.report_answer

    def cancel_after(**answer):
        kept(**answer)
        shown = developer.get(placement).json()
        assert (shown["state"], shown["result"]["ended"]) == ("running", "searching")
        placements.cancel_placement(placement=row, actor=SYSTEM, now=timezone.now())

    monkeypatch.setattr(jobs_placements, "report_answer", cancel_after)
    finish_jobs()
    found = developer.get(placement).json()
    assert (found["state"], found["result"]["plans"][0]["cost"]) == ("cancelled", 0.4)


def test_workflows_are_listed_with_their_last_placement(developer, workflow):
    assert developer.call("PUT", "workflows/camera/other", {"document": problem()}).status_code == 200
    first, last = requested(developer), requested(developer)
    developer.post(f"{first}/cancel")
    other, questions = developer.get("workflows").json()["results"]
    assert (other["slug"], other["last_placement"]) == ("other", None)
    assert f"placements/{questions['last_placement']['id']}" == last
    assert questions["last_placement"]["state"] == "pending"


def test_a_target_may_be_another_than_the_workflows(developer, workflow):
    placement = requested(developer, target={"accuracy": 60, "rates": {"camera": 2}}, percentile="p75")
    finish_jobs()
    found = developer.get(placement).json()
    assert found["result"]["plans"][0]["plan"]["models"]["describe"] == "large"
    assert found["problem"]["target"] == {"accuracy": 60, "rates": {"camera": 2}}


def test_a_target_that_does_not_fit_the_workflow_is_refused(developer, workflow):
    answer = developer.post(f"{ADDRESS}/placements", {"target": {"accuracy": 54, "rates": {"microphone": 2}}})
    assert answer.status_code == 400
    assert "target.rates" in answer.json()["errors"][0]["detail"]
    assert not Placement.objects.exists()


def test_rates_are_numbers_and_not_what_python_takes_for_some(developer, workflow):
    for wrong in ("2", True):
        answer = developer.post(f"{ADDRESS}/placements", {"target": {"accuracy": 54, "rates": {"camera": wrong}}})
        assert answer.status_code == 400
        assert [each["field"] for each in answer.json()["errors"]] == ["target.rates.camera"]


def test_an_infeasible_problem_is_answered_with_what_would_make_it_feasible(developer, workflow):
    placement = requested(developer, target={"accuracy": 54, "rates": {"camera": 400}})
    finish_jobs()
    found = developer.get(placement).json()
    assert (found["state"], found["result"]["plans"]) == ("infeasible", [])
    assert found["result"]["infeasible"]["constraints"] == ["rates"]
    assert {"rates", "workers"} == {each["constraint"] for each in found["result"]["infeasible"]["remedies"]}


def test_a_cancelled_placement_is_not_computed(developer, workflow):
    placement = requested(developer)
    assert developer.post(f"{placement}/cancel").json()["state"] == "cancelled"
    finish_jobs()
    found = developer.get(placement).json()
    assert (found["state"], found["result"]) == ("cancelled", None)
    assert developer.post(f"{placement}/cancel").status_code == 409


def test_cancelling_ends_the_solver_that_is_at_work(developer, workflow, monkeypatch):
    placement = requested(developer)
    row = Placement.objects.get()
    children = []

    def cancel_first(child, *rest):
        children.append(child)
        placements.cancel_placement(placement=row, actor=SYSTEM, now=timezone.now())
        return answer(child, *rest)

    answer = solving._answer
    monkeypatch.setattr(solving, "_answer", cancel_first)
    finish_jobs()
    assert developer.get(placement).json()["state"] == "cancelled"
    assert children[0].returncode == -9


def test_a_killed_workers_placement_is_computed_by_the_next(developer, workflow):
    placement = requested(developer)
    now = timezone.now()
    job = jobs.claim_next(owner="killed", now=now, kinds=[placements.OPTIMIZE])
    placements.begin_placement(placement=job.arguments["placement"], now=now)
    assert developer.get(placement).json()["state"] == "running"
    assert jobs.release_expired(now=now + timedelta(hours=1)) == 1
    Job.objects.update(run_at=now)
    finish_jobs()
    assert developer.get(placement).json()["state"] == "succeeded"


def test_a_solver_that_ends_by_itself_is_told_of(developer, workflow, monkeypatch):
    monkeypatch.setattr(solving, "MEMORY_BYTES", 1 << 20)
    placement = requested(developer)
    finish_jobs()
    found = developer.get(placement).json()
    assert found["state"] == "failed"
    assert found["error"] == "it needs more memory than the 1 MiB that it may take"


def test_a_scenario_has_few_placements_under_way(developer, workflow, monkeypatch):
    monkeypatch.setattr(placements, "MOST_UNDER_WAY", 1)
    requested(developer)
    answer = developer.post(f"{ADDRESS}/placements", {})
    assert (answer.status_code, answer.json()["code"]) == (409, "placement-conflict")


def test_a_workflow_is_kept_while_it_is_placed_and_deleted_with_its_placements(developer, workflow):
    placement = requested(developer)
    assert developer.delete(ADDRESS).status_code == 409
    developer.post(f"{placement}/cancel")
    assert developer.delete(ADDRESS).status_code == 204
    assert developer.get(placement).status_code == 404
