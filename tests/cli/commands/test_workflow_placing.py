"""`walle workflow upload`, `list` and `place`: workflows that the server keeps."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading

import pytest
from django.db import connection
from django.utils import timezone

from jobs_app.runner import run_next
from serving_app.models import Placement, Workflow
from serving_app.services.placements import begin_placement, end_placement, report_progress
from tests.support.people import make_staff
from tests.support.placements import problem
from tests.support.waiting import wait_for
from walle.cli.commands.workflow import placing as commands
from walle.cli.errors import Exit
from walleweb.config import BASE_DIR


@pytest.fixture
def workflow(walle, signed_in, scenario, tmp_path):
    signed_in(make_staff("sam"))
    (tmp_path / "problem.json").write_text(json.dumps(problem()))
    done = walle("workflow", "upload", tmp_path / "problem.json", f"{scenario}/questions")
    assert done.status == 0, done.err
    return f"{scenario}/questions"


@pytest.fixture
def worker():
    """A worker that computes what is asked for as long as the test runs."""
    ended = threading.Event()

    def work():
        while not ended.wait(0.05):
            run_next()
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    ended.set()
    thread.join()


def test_a_malformed_workflow_is_refused_with_all_its_faults(walle, signed_in, scenario, tmp_path):
    signed_in(make_staff("sam"))
    (tmp_path / "problem.json").write_text(json.dumps(problem(target={"accuracy": "high", "rates": {"camera": -1}})))
    done = walle("workflow", "upload", tmp_path / "problem.json", f"{scenario}/questions")
    assert done.status != 0
    assert "target.accuracy: expected" in done.err
    assert "target.rates.camera: expected" in done.err


def test_workflows_are_listed_with_their_last_placement(walle, workflow, scenario):
    def listed():
        return [[row[0], row[-1]] for row in walle("workflow", "list", "--scenario", scenario).rows]

    assert listed() == [[workflow, "-"]]
    walle("api", "POST", f"/workflows/{workflow}/placements")
    placement = Placement.objects.get()
    assert listed() == [[workflow, f"{placement.pk}: pending"]]
    report_progress(placement=placement.pk, progress={"best": 0.4})
    assert listed() == [[workflow, f"{placement.pk}: pending, 0.4 USD per hour"]]


def test_a_workflow_is_placed_by_a_worker(walle, workflow, worker):
    done = walle("workflow", "place", workflow)
    assert done.status == 0, done.err
    assert "proved to be the cheapest" in done.out
    assert "0.4" in done.out
    rows = {row[0]: row[1:] for row in done.rows}
    assert (rows["all-edge"][0], rows["all-edge"][-1]) == ("0.4000", "0%")
    assert rows["PTc"][-1] == f"{1 - 0.4 / float(rows['PTc'][0]):.0%}"
    assert set(rows["all-cloud"]) == {"-"}


def test_a_workflow_is_placed_by_what_was_measured_before(walle, workflow, worker):
    now = timezone.now()
    times = {"describe": {"small": {"box": 20, "gpu": 5}}}
    measurements = {"accuracy_rows": {}, "edges": [], "profiles": {"p75": times}}
    measured = Placement.objects.create(
        workflow=Workflow.objects.get(), problem={}, budget_s=1, created_by="ada", created_at=now, finished_at=now,
        state="cancelled", measurements=measurements,
        profiled={"task": "questions", "version": "1.0.0", "placement": 7},
    )  # fmt: skip
    done = walle("workflow", "place", workflow, "--profiled-by", measured.pk)
    assert done.status == 0, done.err
    assert "questions 1.0.0, by placement 7" in done.out
    assert Placement.objects.first().problem["profiles"]["p75"]["describe"]["small"] == times["describe"]["small"]


def test_a_version_to_measure_is_named_with_its_task(walle, workflow):
    assert "expected" in walle("workflow", "place", workflow, "--profile", "questions@one").err
    done = walle("workflow", "place", workflow, "--profile", "questions@1.0.0")
    assert done.status != 0
    assert "no such thing" in done.err
    assert not Placement.objects.exists()


def test_a_workflow_without_a_plan_is_answered_with_what_would_help(walle, workflow, worker, scenario, tmp_path):
    (tmp_path / "problem.json").write_text(json.dumps(problem(target={"accuracy": 54, "rates": {"camera": 400}})))
    walle("workflow", "upload", tmp_path / "problem.json", workflow)
    done = walle("workflow", "place", workflow)
    assert done.status == 1
    assert "more workers of type gpu in cloud" in done.err


PROGRAM = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from walle.cli.app import run
sys.exit(run(sys.argv[1:]))
"""


@pytest.fixture
def placing(workflow, home):
    """`walle workflow place` in a process of its own, whose placement is under way."""
    environment = os.environ | {"PYTHONPATH": str(BASE_DIR)}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "workflow", "place", workflow],
        stderr=subprocess.PIPE,
        env=environment,
        text=True,
    )
    with process:
        placement = wait_for(Placement.objects.first, 60)
        begin_placement(placement=placement.pk, now=timezone.now())
        report_progress(placement=placement.pk, progress={"phase": "plans", "best": 0.5, "bound": 0.4})
        assert f"Placement {placement.pk}" in process.stderr.readline()
        yield process, placement
        process.kill()


def test_an_interrupt_cancels_the_placement(placing):
    process, placement = placing
    process.send_signal(signal.SIGINT)
    told = process.stderr.read()
    assert process.wait(60) == Exit.INTERRUPTED
    assert f"placement {placement.pk} is cancelled" in told
    placement.refresh_from_db()
    assert placement.state == Placement.State.CANCELLED


def test_an_interrupt_that_comes_too_late_says_where_the_placement_is(walle, workflow, monkeypatch):
    def ended_meanwhile(_seconds):
        placement = Placement.objects.get()
        end_placement(placement=placement.pk, state=Placement.State.FAILED, now=timezone.now(), error="gone")
        raise KeyboardInterrupt

    monkeypatch.setattr(commands.time, "sleep", ended_meanwhile)
    done = walle("workflow", "place", workflow)
    assert done.status == Exit.INTERRUPTED
    assert "has ended already" in done.err
    assert f"walle api GET /placements/{Placement.objects.get().pk}" in done.err
