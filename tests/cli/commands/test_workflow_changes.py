"""`walle workflow frontier`, `replan` and `share`, and what `optimize` says of an infeasible problem."""

from __future__ import annotations

import json

import pytest

from tests.placement.published import INPUTS

MEDIUM = INPUTS / "vqa_medium.json"


@pytest.fixture
def busier(tmp_path):
    """Return the file of the medium problem with all rates multiplied."""

    def make(factor: float):
        document = json.loads(MEDIUM.read_text())
        document["target"]["rates"] = {name: rate * factor for name, rate in document["target"]["rates"].items()}
        (tmp_path / "busier.json").write_text(json.dumps(document))
        return tmp_path / "busier.json"

    return make


def test_the_accuracy_frontier_is_a_table_of_plans_that_get_dearer(walle):
    done = walle("workflow", "frontier", MEDIUM)
    rows = [line.split("\t")[:2] for line in done.out.splitlines()]
    assert rows[:2] == [["54.02", "7.0266"], ["56.59", "7.4850"]]
    points = walle("workflow", "frontier", INPUTS / "vqa_small.json", "--json").json["points"]
    costs = [each["evaluation"]["cost"] for each in points]
    assert costs == sorted(costs)
    assert points[0]["changed"] is False
    assert walle("workflow", "frontier", MEDIUM, "--of", "money").status == 2


def test_replan_says_what_moves_and_why(walle, busier, tmp_path):
    plans = tmp_path / "plans.json"
    plans.write_text(walle("workflow", "optimize", MEDIUM, "--json").out)
    same = walle("workflow", "replan", MEDIUM, "--plan", plans, "--moving", "0.5", "--json").json
    assert (same["moves"], same["saved_per_hour"]) == ([], pytest.approx(0, abs=1e-6))
    moved = walle("workflow", "replan", busier(1.1), "--plan", plans, "--moving", "0.5").out
    assert "the present plan is no longer feasible: 1 move for USD 0.5" in moved
    assert "cpu-3: to SpeechRecognition (wav2vec2-large-960h-lv60-self), unused until now" in moved
    assert walle("workflow", "replan", busier(9), "--plan", plans).status == 1
    assert walle("workflow", "replan", MEDIUM, "--plan", plans, "--horizon", "0").status == 2


def test_a_file_that_is_no_plan_is_refused(walle, tmp_path):
    (tmp_path / "plan.json").write_text(json.dumps({"models": {"a": "b"}, "workers": {"c": ["d"]}}))
    done = walle("workflow", "replan", MEDIUM, "--plan", tmp_path / "plan.json")
    assert done.status == 2
    assert "models and workers of the same operators" in done.err


def test_workers_that_are_shared_cost_less(walle):
    found = walle("workflow", "share", MEDIUM, "--json").json
    assert found["ended"] == "optimal"
    assert found["evaluation"]["cost"] == pytest.approx(7.01148, abs=1e-4)
    assert max(found["evaluation"]["utilisation"].values()) <= 1 + 1e-6
    assert "5 workers" in walle("workflow", "share", MEDIUM).out


def test_an_infeasible_problem_is_explained(walle, busier):
    done = walle("workflow", "optimize", busier(3.3), "--seconds", "5", "--json")
    reasons = json.loads(done.err.splitlines()[-1])["error"]["reasons"]
    assert done.status == 1
    assert reasons[0] == "rates stands in the way"
    assert reasons[1].startswith("lower the rates to 6")
    assert any(each.startswith("add 3 more workers of type V100") for each in reasons)
    assert "stands in the way" not in walle("workflow", "optimize", busier(3.3), "--seconds", "0").err
