"""`walle workflow profile` and `run`, as far as they go without Ray; tests/placement/processor/test_ray.py goes on."""

from __future__ import annotations

import json
import random
import sys

import pytest

from examples.evaluate import HERE
from tests.placement.published import INPUTS
from walle.placement.plan_documents import plan_document
from walle.placement.planning import optimize
from walle.placement.problem.document import read_problem

SMALL = INPUTS / "vqa_small.json"


@pytest.fixture
def plan(tmp_path):
    found = plan_document(optimize(read_problem(SMALL.read_bytes()), random.Random(1))[0].plan)
    (tmp_path / "plan.json").write_text(json.dumps(found))
    return tmp_path / "plan.json"


def test_without_ray_running_says_how_to_get_it(walle, plan, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "walle.placement.processor.ray_backend", raising=False)
    done = walle("workflow", "run", plan, "--problem", SMALL)
    assert done.status == 1
    assert "pip install 'walle[ray]'" in done.err
    assert "walle workflow optimize" in done.err


def test_run_refuses_code_with_all_its_faults(walle, plan, tmp_path):
    (tmp_path / "code.json").write_text('{"format": 2, "operators": {"a": {"entry": "x"}}}')
    done = walle("workflow", "run", plan, "--problem", SMALL, "--code", tmp_path / "code.json")
    assert done.status == 2
    assert "format" in done.err
    assert "operators.a.entry" in done.err


def test_profile_refuses_types_and_files_that_are_not_there(walle, tmp_path):
    folder = HERE / "workflows" / "tracking"
    files = [folder / "problem.json", "--code", folder / "code.json", "--out", tmp_path / "profiled.json"]
    done = walle("workflow", "profile", *files, "--type", "x512")
    assert done.status == 2
    assert "x512" in done.err
    files[2] = tmp_path / "none.json"
    assert walle("workflow", "profile", *files).status == 2
    assert not (tmp_path / "profiled.json").exists()
