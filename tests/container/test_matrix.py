"""The verdict of a simulation: it passes only where something was tested and nothing speaks against it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.container.matrix import MAX_LISTED, CellSummary, judge

STATES = ("pending", "passed", "failed", "excluded", "error")
cells = st.lists(st.builds(CellSummary, st.text(max_size=5), st.sampled_from([*STATES, "odd"]), st.text(max_size=5)))


def summaries(*states):
    return [CellSummary(f"app {n} on os 1", state, f"reason {n}") for n, state in enumerate(states)]


@given(cells)
def test_it_passes_only_if_something_was_tested_and_nothing_speaks_against_it(found):
    verdict = judge(found)
    states = {cell.state for cell in found}
    assert (verdict.kind == "pass") == (states <= {"passed", "excluded"} and "passed" in states)
    assert (verdict.kind == "pending") == ("pending" in states)
    assert (verdict.kind == "fail") == ("failed" in states and "pending" not in states)
    assert verdict.sentence
    assert json.loads(json.dumps(verdict.summary)) == verdict.summary
    assert sum(verdict.summary["cells"].values()) == len(found)


@given(cells, st.randoms())
def test_the_order_of_the_cells_decides_nothing(found, random):
    other = list(found)
    random.shuffle(other)
    assert judge(found).kind == judge(other).kind


@pytest.mark.parametrize(
    ("states", "kind", "sentence"),
    [
        ([], "error", "nothing was tested: the simulation has no cells"),
        (["pending", "passed", "failed"], "pending", "2 of 3 cells done"),
        (["passed"], "pass", "1 cell passed"),
        (["passed", "excluded", "passed"], "pass", "2 cells passed, 1 excluded by the task's requirements"),
        (["passed", "failed", "error"], "fail", "1 of 3 cells failed: app 1 on os 1: reason 1"),
        (["passed", "error"], "error", "1 of 2 cells could not be tested: app 1 on os 1: reason 1"),
        (
            ["excluded"],
            "error",
            "nothing was tested: no device that the release can reach would install the task; app 0 on os 1: reason 0",
        ),
    ],
)
def test_every_verdict_has_its_sentence(states, kind, sentence):
    verdict = judge(summaries(*states))
    assert (verdict.kind, verdict.sentence) == (kind, sentence)


def test_the_summary_is_bounded():
    verdict = judge(summaries(*["failed"] * 100, *["error"] * 3))
    assert verdict.summary["cells"] == {"error": 3, "failed": 100}
    assert len(verdict.summary["reasons"]) == MAX_LISTED
    assert verdict.summary["reasons"]["app 0 on os 1"] == "reason 0"
