"""Placements whose numbers are measured first: the code of a version runs in a sandbox, on its own validation data."""

from __future__ import annotations

import json
from datetime import timedelta

import psutil
import pytest
from django.utils import timezone

from accounts_app.actors import SYSTEM
from accounts_app.models import AuditEntry
from jobs_app import services as jobs
from jobs_app.models import Job
from jobs_app.runner import run_next
from serving_app import jobs_profiles
from serving_app.models import Placement
from serving_app.services import profiling
from serving_app.services.placements import PROFILE, cancel_placement
from tests.api.contract import Api
from tests.support.people import token_of
from tests.support.processes import child_environment
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]
TASK_TOML = """
[task]
kind = "workflow"
[inputs.number]
type = "integer"
[[samples]]
name = "one"
input = { number = 1 }
[samples.expect]
records = { equals = [1] }
[trigger]
every_s = 5
"""
SKETCH = {
    "format": 1,
    "workflow": {
        "sources": ["number"],
        "sink": "guess",
        "operators": [{"name": "guess", "models": [{"name": "low"}, {"name": "high"}]}],
        "edges": [{"source": "number", "target": "guess"}],
    },
    "infrastructure": {
        "tiers": [{"name": "edge"}],
        "workers": [{"id": "w1", "type": "box", "tier": "edge", "cost_per_hour": 1}],
        "network": {"usd_per_gb": {}},
    },
    "target": {"accuracy": 50, "rates": {"number": 1}},
}
GUESSING = """
def cases():
    return [({'number': n}, {'guess': n}) for n in range(10)]
def guess(model):
    limit = {'low': 2, 'high': 8}[model]
    return lambda records: [n if n < limit else 'x' for n in records]
def right(envelopes, truths):
    return 10 * sum(e.records[0] == truths[e.number] for e in envelopes)
"""
CODE = {
    "format": "walle-workflow-code/1",
    "validation": "guessing:cases",
    "operators": {"guess": {"entry": "guessing:guess", "metric": "guessing:right"}},
    "slowdown": {"box": 4},
}
ASKED = {"profile": {"task": "guesses", "seconds": 0.01}, "budget_s": 0}


@pytest.fixture
def push(clone):
    """Pushes a workflow's sources as a version of the task guesses."""

    def call(version: str = "1.0.0", source: str = GUESSING, **code) -> None:
        files = {"task.toml": TASK_TOML, "problem.json": json.dumps(SKETCH), "guessing.py": source}
        clone.git("checkout", "--quiet", "-B", "guesses")
        clone.commit({**files, "code.json": json.dumps({**CODE, **code})})
        clone.tag(f"guesses/{version}")
        clone.push("guesses", "--tags")

    return call


class Developer(Api):
    """Somebody who may push, and the address of their workflow."""

    workflow: str

    def put_workflow(self, document):
        answer = self.call("PUT", self.workflow, {"document": document})
        assert answer.status_code == 200, answer.json()


@pytest.fixture
def ada(developer, served):
    api = Developer(secret=token_of(developer))
    api.workflow = f"workflows/{served.slug}/guesses"
    api.put_workflow(SKETCH)
    return api


def requested(ada, **about):
    answer = ada.post(f"{ada.workflow}/placements", {**ASKED, **about})
    assert answer.status_code == 202, answer.json()
    return f"placements/{answer.json()['id']}"


def refused(ada, **about):
    answer = ada.post(f"{ada.workflow}/placements", {**ASKED, **about})
    assert answer.status_code == 400, answer.json()
    return " ".join(each["detail"] for each in answer.json()["errors"])


def finish_jobs():
    while run_next() is not None:
        pass


def test_a_sketch_is_placed_by_what_was_measured_and_so_is_the_next_one(ada, push):
    push()
    first = requested(ada)
    assert ada.get(first).json()["profiled"] == {"task": "guesses", "version": "1.0.0", "seconds": 0.01, "types": []}
    finish_jobs()
    found = ada.get(first).json()
    assert found["state"] == "succeeded", found
    assert found["result"]["plans"][0]["plan"]["models"] == {"guess": "high"}
    measurements, number = found["measurements"], found["id"]
    assert {model: rows[0]["output"] for model, rows in measurements["accuracy_rows"]["guess"].items()} == {
        "low": 20, "high": 80,
    }  # fmt: skip
    times = [measurements["profiles"][each]["guess"]["high"]["box"] for each in ("p50", "p75", "p90")]
    assert 0 < times[0] <= times[1] <= times[2]
    second = ada.post(f"{ada.workflow}/placements", {"profiled_by": number, "budget_s": 0}).json()
    finish_jobs()
    again = ada.get(f"placements/{second['id']}").json()
    assert (again["state"], again["profiled"]["placement"]) == ("succeeded", number)
    assert again["problem"]["profiles"] == found["problem"]["profiles"]
    entry = AuditEntry.objects.filter(action="placement.request").first()
    assert entry.after["profiled"]["task"] == "guesses"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"source": GUESSING.replace("return 10", "return 1 / 0 or 10")}, "expected the metric of guess to return"),
        ({"slowdown": {}}, "expected `slowdown` in code.json"),
    ],
    ids=["a metric that fails", "no machine"],
)
def test_code_that_cannot_be_measured_is_named(ada, push, changes, said):
    push(**changes)
    placement = requested(ada)
    finish_jobs()
    found = ada.get(placement).json()
    assert found["state"] == "failed"
    assert "profiling failed: " in found["error"]
    assert said in found["error"]


def test_what_would_still_be_missing_is_named_before_anything_runs(ada, push, monkeypatch):
    push()
    workers = [*SKETCH["infrastructure"]["workers"], {"id": "g", "type": "gpu", "tier": "edge", "cost_per_hour": 2}]
    document = {**SKETCH, "infrastructure": {**SKETCH["infrastructure"], "workers": workers}}
    ada.put_workflow(document)
    monkeypatch.setattr(jobs_profiles, "report_progress", None)
    placement = requested(ada)
    finish_jobs()
    assert "profiles.p75.guess.high.g: expected a latency" in ada.get(placement).json()["error"]


def test_what_does_not_fit_the_workflow_is_refused_at_once(ada, push):
    assert ada.post(f"{ada.workflow}/placements", ASKED).status_code == 404
    push()
    assert "types: expected types of the workflow's workers" in refused(
        ada, profile={"task": "guesses", "types": ["gpu"]}
    )
    other = {**SKETCH, "workflow": {**SKETCH["workflow"], "sources": ["text"]}}
    other["workflow"]["edges"] = [{"source": "text", "target": "guess"}]
    other["target"] = {"accuracy": 50, "rates": {"text": 1}}
    ada.put_workflow(other)
    assert "workflow.sources: expected text" in refused(ada)
    assert not Placement.objects.exists()


def test_a_sketch_cannot_be_placed_unmeasured(ada):
    answer = ada.post(f"{ada.workflow}/placements", {})
    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert (error["field"], "is a sketch" in error["detail"]) == ("profile", True)


def test_cancelling_ends_a_profile(ada, push, monkeypatch):
    push()
    placement, asked = requested(ada), []
    run = profiling.sandbox().run

    def cancel_first(*about):
        asked.append(about)
        cancel_placement(placement=Placement.objects.get(), actor=SYSTEM, now=timezone.now())
        return run(*about)

    monkeypatch.setattr(profiling.sandbox(), "run", cancel_first)
    finish_jobs()
    assert ada.get(placement).json()["state"] == "cancelled"
    assert len(asked) == 1


WORK = """
import django
django.setup()
import serving_app.jobs_profiles
from jobs_app.runner import run_next
while run_next() is None:
    pass
"""


def test_a_worker_killed_while_it_measures_leaves_nothing_running_and_the_next_one_takes_over(
    ada, push, server, children
):
    push(source=f"import time\ntime.sleep(2)\n{GUESSING}")
    placement = requested(ada)
    environment = child_environment(WALLE_DATA_DIR=str(server.data))
    doomed = children.python("-c", WORK, env=environment, name="worker")
    wait_for(lambda: ada.get(placement).json()["progress"].get("phase") == "profile", 60, doomed.output)
    family = wait_for(lambda: psutil.Process(doomed.pid).children(recursive=True), 10, doomed.output)

    doomed.kill()

    wait_for(lambda: not any(map(lives, family)), 30, lambda: f"the end of {family}")
    assert ada.get(placement).json()["state"] == "running"
    # What the passing of the lease's time would do.
    Job.objects.filter(kind=PROFILE).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert jobs.release_expired(now=timezone.now()) == 1
    finish_jobs()
    assert ada.get(placement).json()["state"] == "succeeded"
    assert Job.objects.get(kind=PROFILE).attempts == 2


def lives(process):
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
