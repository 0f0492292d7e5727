"""Placements that crash every worker which takes them end as failed, so that they are not under way for ever."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts_app.actors import SYSTEM
from jobs_app import services as jobs
from jobs_app.models import Job
from serving_app.models import Placement
from serving_app.services.placements import (
    OPTIMIZE,
    PROFILE,
    begin_placement,
    fail_lost_placements,
    put_workflow,
    request_placement,
)
from tasks_app.services.scenarios import create_scenario
from tests.placement.published import INPUTS
from walle.schema import read_json

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def ask():
    """Asks for a placement."""
    document = read_json((INPUTS / "vqa_small.json").read_bytes(), "vqa_small.json", 1 << 22)
    scenario = create_scenario(actor=SYSTEM, slug="camera")
    workflow = put_workflow(scenario=scenario, slug="vqa", document=document, actor=SYSTEM, now=NOW)
    return lambda: request_placement(workflow=workflow, actor=SYSTEM, now=NOW, budget_s=1)


def crash_worker(placement):
    """A worker takes the placement and is never heard of again."""
    Job.objects.exclude(arguments={"placement": placement.pk}).update(run_at=NOW + timedelta(days=1))
    claimed = jobs.claim_next(owner="doomed", now=timezone.now(), kinds=[OPTIMIZE, PROFILE])
    begin_placement(placement=placement.pk, now=NOW)
    assert claimed.arguments == {"placement": placement.pk}
    assert jobs.release_expired(now=timezone.now() + timedelta(hours=1)) == 1
    Job.objects.update(run_at=NOW)


def test_what_no_worker_lives_to_the_end_of_fails_and_the_others_go_on(ask):
    deadly, other = ask(), ask()
    for _ in range(3):
        assert fail_lost_placements(now=NOW) == 0
        crash_worker(deadly)
    assert fail_lost_placements(now=NOW) == 1
    deadly.refresh_from_db()
    other.refresh_from_db()
    assert (deadly.state, deadly.finished_at) == (Placement.State.FAILED, NOW)
    job = Job.objects.get(arguments={"placement": deadly.pk})
    assert deadly.error == f"no worker lived to the end of it (3 tried): see job {job.pk}"
    assert (other.state, other.finished_at) == (Placement.State.PENDING, None)
    assert fail_lost_placements(now=NOW) == 0


def test_of_a_placement_that_was_profiled_first_the_newest_job_counts(ask):
    placement = ask()
    newest = Job.objects.get()
    Job.objects.filter(pk=newest.pk).update(kind=PROFILE, state="failed", finished_at=NOW)
    jobs.enqueue(kind=OPTIMIZE, arguments={"placement": placement.pk})
    assert fail_lost_placements(now=NOW) == 0
