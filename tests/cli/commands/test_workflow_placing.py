"""`walle workflow upload`, `list` and `place`: workflows that the server keeps."""

from __future__ import annotations

import json
import threading

import pytest
from django.db import connection

from jobs_app.runner import run_next
from tests.support.people import make_staff
from tests.support.placements import problem


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


def test_workflows_are_listed(walle, workflow, scenario):
    assert [row[0] for row in walle("workflow", "list", "--scenario", scenario).rows] == [workflow]


def test_a_workflow_is_placed_by_a_worker(walle, workflow, worker):
    done = walle("workflow", "place", workflow)
    assert done.status == 0, done.err
    assert "proved to be the cheapest" in done.out
    assert "0.4" in done.out


def test_a_workflow_without_a_plan_is_answered_with_what_would_help(walle, workflow, worker, scenario, tmp_path):
    (tmp_path / "problem.json").write_text(json.dumps(problem(target={"accuracy": 54, "rates": {"camera": 400}})))
    walle("workflow", "upload", tmp_path / "problem.json", workflow)
    done = walle("workflow", "place", workflow)
    assert done.status == 1
    assert "more workers of type gpu in cloud" in done.err
