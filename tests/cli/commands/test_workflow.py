"""`walle workflow`: placement problems are checked, planned, compared and drawn, without a server."""

from __future__ import annotations

import json

import pytest

from tests.placement.published import INPUTS
from walle.placement.exact import library

MEDIUM = INPUTS / "vqa_medium.json"


@pytest.fixture
def broken(tmp_path):
    """A problem with two faults."""
    document = json.loads(MEDIUM.read_text())
    document["infrastructure"]["workers"][0]["cost_per_hour"] = 0
    document["target"]["rates"]["ReadImage"] = -1
    (tmp_path / "broken.json").write_text(json.dumps(document))
    return tmp_path / "broken.json"


def test_check_says_all_that_is_wrong(walle, broken):
    done = walle("workflow", "check", broken, "--json")
    assert (done.status, done.json["ok"]) == (1, False)
    assert [line.split(": ")[1] for line in done.json["problems"]] == [
        "infrastructure.workers[0].cost_per_hour",
        "target.rates.ReadImage",
    ]
    assert walle("workflow", "check", broken).out.splitlines() == done.json["problems"]
    done = walle("workflow", "check", MEDIUM)
    assert done.status == 0
    assert "9 in edge, cloud" in done.out


def test_other_commands_refuse_a_malformed_problem_with_all_its_faults(walle, broken):
    done = walle("workflow", "optimize", broken)
    assert done.status == 2
    assert "workers[0].cost_per_hour" in done.err
    assert "target.rates.ReadImage" in done.err
    done = walle("workflow", "optimize", broken, "--json")
    assert len(json.loads(done.err)["error"]["problems"]) == 2
    assert walle("workflow", "optimize", broken.with_name("none.json")).status == 2


def test_optimize_prints_plans_and_draws_the_best(walle, tmp_path):
    done = walle("workflow", "optimize", MEDIUM, "--seconds", "0", "--plans", "2", "--svg", tmp_path / "plan.svg")
    rows = [line.split("\t") for line in done.out.splitlines()[:2]]
    assert [row[:3] for row in rows] == [["1", "7.4850", "6.242"], ["2", "7.4964", "6.242"]]
    assert "SpeechRecognition: wav2vec2-large-960h-lv60-self, 91% of its load" in done.out
    assert (tmp_path / "plan.svg").read_text().startswith("<svg")


def test_a_plan_that_was_printed_is_explained(walle, tmp_path):
    found = walle("workflow", "optimize", MEDIUM, "--seconds", "0", "--json")
    assert found.json["gap"] is None
    (tmp_path / "plans.json").write_text(found.out)
    done = walle("workflow", "explain", MEDIUM, "--plan", tmp_path / "plans.json", "--json")
    assert done.json["cost"] == pytest.approx(found.json["plans"][0]["cost"])
    plan = done.json["plan"]
    plan["workers"]["VQA"] = ["gpu-1"]
    (tmp_path / "worse.json").write_text(json.dumps(plan))
    done = walle("workflow", "explain", MEDIUM, "--plan", tmp_path / "worse.json")
    assert "gpu-1 serves 2 operators" in done.err
    (tmp_path / "none.json").write_text('{"models": {}}')
    assert walle("workflow", "explain", MEDIUM, "--plan", tmp_path / "none.json").status == 2


def test_without_a_solver_plans_are_made_and_not_proved(walle, monkeypatch):
    def missing():
        raise library.SolverMissing("proofs need HiGHS")

    monkeypatch.setattr("walle.placement.exact.program.load_solver", missing)
    done = walle("workflow", "optimize", MEDIUM, "--seconds", "5", "--json")
    assert (done.status, done.json["ended"]) == (0, "beam")
    assert "HiGHS" in done.err


def test_what_has_no_plan_ends_with_status_1(walle, tmp_path):
    document = json.loads(MEDIUM.read_text())
    document["target"]["rates"] = {"ReadImage": 1e6, "ReadSpeech": 1e6}
    (tmp_path / "busy.json").write_text(json.dumps(document))
    assert walle("workflow", "optimize", tmp_path / "busy.json", "--seconds", "0").status == 1
    assert walle("workflow", "explain", tmp_path / "busy.json").status == 1


def test_compare_has_a_row_for_each_baseline(walle):
    done = walle("workflow", "compare", MEDIUM, "--seconds", "0")
    rows = {line.split("\t")[0]: line.split("\t")[1:] for line in done.out.splitlines()}
    assert rows["this optimizer"][0] == "7.4850"
    assert rows["best fit"] == ["-"] * 5
    assert rows["PTc"][-1] == f"{1 - 7.485 / float(rows['PTc'][0]):.0%}"
    assert float(rows["PTc"][0]) > float(rows["PTe"][0])
    assert {"first fit", "most accurate models", "all-edge", "all-cloud", "SPC"} <= rows.keys()
