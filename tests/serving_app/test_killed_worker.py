"""A worker that is killed in the middle of an optimization: what it had found stays, and the next one takes over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

import psutil
import pytest
from django.utils import timezone

from accounts_app.actors import SYSTEM
from jobs_app import services as jobs
from jobs_app.models import Job
from serving_app.models import Placement
from serving_app.services.placements import OPTIMIZE, put_workflow, request_placement
from tasks_app.services.scenarios import create_scenario
from tests.placement.published import INPUTS
from tests.support.processes import Child, Children, child_environment
from tests.support.waiting import wait_for
from walle.schema import read_json

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]
HARD = "vqa_large.json"
WORK = """
import django, sys
django.setup()
import serving_app.jobs_placements
from jobs_app.runner import run_next
while run_next() is None:
    pass
"""


@pytest.fixture
def placement() -> Placement:
    document = read_json((INPUTS / HARD).read_bytes(), HARD, 1 << 22)
    scenario = create_scenario(actor=SYSTEM, slug="camera")
    workflow = put_workflow(scenario=scenario, slug="hard", document=document, actor=SYSTEM, now=timezone.now())
    return request_placement(workflow=workflow, actor=SYSTEM, now=timezone.now(), budget_s=1)


@pytest.fixture
def start_worker(children: Children) -> Iterator[Callable[[], Child]]:
    started: list[Child] = []

    def start() -> Child:
        started.append(children.python("-c", WORK, env=child_environment(), name="worker"))
        return started[-1]

    yield start
    for worker in started:
        worker.kill_family()


def now(placement: Placement) -> Placement:
    placement.refresh_from_db()
    return placement


def test_a_worker_killed_while_it_optimizes_leaves_its_plans_and_the_next_one_takes_over(placement, start_worker):
    doomed = start_worker()
    found = wait_for(lambda: now(placement).result, 60, doomed.output)
    (solver,) = psutil.Process(doomed.pid).children()

    doomed.kill()

    wait_for(lambda: not solver.is_running() or solver.status() == psutil.STATUS_ZOMBIE, 10, "the end of the solver")
    assert now(placement).state == Placement.State.RUNNING
    assert placement.result["plans"][0]["cost"] <= found["plans"][0]["cost"]
    # What the passing of the lease's time would do.
    Job.objects.filter(kind=OPTIMIZE).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert jobs.release_expired(now=timezone.now()) == 1
    second = start_worker()
    wait_for(lambda: now(placement).finished_at, 120, second.output)
    assert placement.state == Placement.State.SUCCEEDED
    assert placement.result["plans"][0]["cost"] <= found["plans"][0]["cost"]
    assert placement.result["baselines"]
    job = Job.objects.get(kind=OPTIMIZE)
    assert (job.attempts, job.state) == (2, "succeeded")
