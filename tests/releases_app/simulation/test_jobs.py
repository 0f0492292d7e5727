"""The jobs of a simulation: repeated, lost, killed; what came of a cell is written once."""

from dataclasses import replace
from datetime import timedelta

import psutil
import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from jobs_app.models import Job, JobState
from jobs_app.registry import JobQueue
from jobs_app.runner import JobRun, LeaseLost
from jobs_app.services import claim_next, enqueue, release_expired
from releases_app import jobs_simulation
from releases_app.models import SimulationCell
from releases_app.selectors.simulation import SIMULATE
from releases_app.services.simulation import begin, fail_lost, outcome
from tasks_app.services.content import artifact_store
from tests.container.support import name_me, processes_named
from tests.releases_app.simulation.running import NOW, looks_due, matrix, work
from tests.support.profiles import profile
from tests.support.releases import move_on
from tests.support.waiting import wait_for
from tests.tasks_app.working_copy import GOOD
from walle.container.sandbox import Sandbox
from walle.container.simulator import Simulator

pytestmark = pytest.mark.django_db(transaction=True)


def test_beginning_twice_changes_nothing(declare, started):
    declare(v1_0_0=profile())
    release = started()
    begin(release=release, now=NOW)
    assert SimulationCell.objects.count() == Job.objects.filter(kind=SIMULATE).count() == 1
    work()
    begin(release=release, now=NOW)
    assert SimulationCell.objects.get().state == "passed"
    assert looks_due(release) == 1


def test_a_finished_cell_is_not_run_again_and_never_changes(declare, started):
    declare(v1_0_0=profile())
    started()
    work()
    cell = SimulationCell.objects.get()
    enqueue(kind=SIMULATE, arguments={"cell": cell.pk}, now=NOW)
    work()
    assert Job.objects.filter(kind=SIMULATE, state=JobState.SUCCEEDED).count() == 2
    with pytest.raises(IntegrityError, match="immutable"), transaction.atomic():
        SimulationCell.objects.update(state="failed")
    assert SimulationCell.objects.get().finished_at == NOW


def test_a_worker_that_is_overtaken_in_the_middle_of_a_cell_writes_nothing(declare, started, sandbox, monkeypatch):
    declare(v1_0_0=profile())
    release = started()
    later = NOW + timedelta(minutes=5)

    class Overtaken(Simulator):
        """Before the first worker can write what it found, its lease is over and another has done the cell."""

        def simulate(self, *arguments, **options):
            report = super().simulate(*arguments, **options)
            monkeypatch.setattr(jobs_simulation, "simulator", lambda: Simulator(sandbox))
            release_expired(now=later)
            work(now=later)
            return replace(report, state="failed", sentence="too late")

    monkeypatch.setattr(jobs_simulation, "simulator", lambda: Overtaken(sandbox))
    job = claim_next(owner="first", now=NOW, kinds=[SIMULATE])
    cell = SimulationCell.objects.get()
    with pytest.raises(LeaseLost):
        jobs_simulation.simulate_cell(JobRun(job, owner="first", clock=lambda: NOW), cell=cell.pk)
    job.refresh_from_db()
    cell.refresh_from_db()
    assert (job.attempts, job.state) == (2, JobState.SUCCEEDED)
    assert (cell.state, cell.sentence, cell.finished_at) == ("passed", "1 sample passed", later)
    assert looks_due(release) == 1


def test_a_cell_that_takes_down_every_worker_ends_in_error(declare, started):
    declare(v1_0_0=profile(), v2_0_0=profile())
    release = started()
    now = NOW
    for attempt in range(jobs_simulation.ATTEMPTS):
        claim_next(owner=f"killed {attempt}", now=now, kinds=[SIMULATE])
        now += timedelta(minutes=5)
        Job.objects.filter(state=JobState.PENDING).update(run_at=now + timedelta(minutes=1))
        release_expired(now=now)
    work(now=now + timedelta(minutes=2))
    assert fail_lost(now=now) == 1
    assert fail_lost(now=now) == 0
    assert sorted(matrix(release).values()) == ["error", "passed"]
    assert "no worker lived to the end of this cell" in outcome(release).sentence
    assert looks_due(release) == 1


def test_what_may_go_better_is_tried_again_and_then_an_error(declare, started, tmp_path, monkeypatch):
    declare(v1_0_0=profile())
    release = started()
    with Sandbox(python="/nowhere/python") as broken:
        monkeypatch.setattr(jobs_simulation, "simulator", lambda: Simulator(broken))
        now = NOW
        for _ in range(jobs_simulation.ATTEMPTS):
            assert outcome(release).kind == "pending"
            work(now=now)
            now += timedelta(hours=1)
    assert "no task can be run here" in outcome(release).sentence
    assert outcome(release).kind == "error"
    assert not list((tmp_path / "simulations").iterdir())


def test_a_damaged_artifact_is_an_error_of_the_cell(declare, started):
    declare(v1_0_0=profile())
    release = started()
    version = release.version
    artifact_store().delete(version.files.get(path="model.bin").digest)
    for hour in range(jobs_simulation.ATTEMPTS):
        work(now=NOW + timedelta(hours=hour))
    assert "the cell could not be carried out: ArtifactMissing" in outcome(release).sentence


def test_an_aborted_releases_cells_are_not_run(declare, started):
    declare(v1_0_0=profile())
    release = started()
    move_on(release, "abort", now=NOW)
    work()
    cell = SimulationCell.objects.get()
    assert (cell.state, cell.sentence) == ("error", "the release ended before this cell was tried: it is aborted")
    assert cell.result["samples"] == []


# -- real workers --------------------------------------------------------------------------------------------

SLOW = f"""
{name_me("walle-slow-cell")}
import time
def run(inputs, context):
    time.sleep(1.5)
    return {{"double": 2}}
"""


@pytest.fixture
def workers_read_this_test(monkeypatch, settings):
    """Workers find the keys and folders of this test."""
    monkeypatch.setenv("WALLE_MASTER_KEY", settings.WALLE_MASTER_KEY)


def test_a_worker_killed_in_the_middle_of_a_cell_leaves_a_whole_matrix(
    declare, started, start_worker, workers_read_this_test
):
    declare(v1_0_0=profile(os={"android": ["12", "13", "14"]}), v2_0_0=profile())
    start_worker()
    doomed = start_worker(processes=2, queue=JobQueue.SIMULATIONS)
    release = started({**GOOD, "main.py": SLOW}, now=timezone.now())
    wait_for(lambda: processes_named("walle-slow-cell"), 60, doomed.output)
    family = psutil.Process(doomed.pid).children(recursive=True)

    doomed.kill()

    wait_for(lambda: not any(process.is_running() for process in family), describe="the worker's processes to end")
    wait_for(lambda: not processes_named("walle-slow-cell"), describe="the runs to end with their worker")
    assert "pending" in matrix(release).values()
    # What the passing of the leases' time would do.
    Job.objects.filter(state=JobState.RUNNING).update(lease_until=timezone.now() - timedelta(seconds=1))
    others = [start_worker(queue=JobQueue.SIMULATIONS), start_worker(queue=JobQueue.SIMULATIONS)]
    wait_for(lambda: outcome(release).kind != "pending", 120, others[0].output)

    assert set(matrix(release).values()) == {"passed"}
    assert len(matrix(release)) == 4
    attempts = Job.objects.filter(kind=SIMULATE).values_list("attempts", flat=True)
    assert max(attempts) == 2
    wait_for(lambda: release.transitions.filter(action="pass").exists(), 30, others[0].output)
