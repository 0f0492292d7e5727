"""The figures of repeated runs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.cli.commands.device.repetition import Repetition, percentiles
from walle.cli.trial import TrialRun
from walle.container.result import RunResult
from walle.container.samples import SampleResult


def trial_run(whole_ms=1.0, *, error=None, mismatches=(), name="one", **run):
    result = RunResult("failure" if error else "success", error, **run)
    return TrialRun(SampleResult(name, result, mismatches), whole_ms)


def test_percentiles_are_values_that_were_measured():
    assert percentiles(range(1, 101)) == {"p50": 50, "p90": 90, "p99": 99, "max": 100}
    assert percentiles([3.0]) == {"p50": 3.0, "p90": 3.0, "p99": 3.0, "max": 3.0}


@given(st.lists(st.floats(0, 1e6), min_size=1))
def test_percentiles_rise_and_at_least_their_share_is_no_larger(values):
    found = percentiles(values)
    assert found["p50"] <= found["p90"] <= found["p99"] <= found["max"] == max(values)
    for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99)):
        assert sum(value <= found[name] for value in values) >= share * len(values)


def test_cold_and_warm_runs_are_told_apart():
    warm = [trial_run(2.0, start="warm", duration_ms=0.5, held_mb=3.0, peak_memory_kb=9) for _ in range(9)]
    found = Repetition.of([trial_run(50.0, duration_ms=20.0, peak_memory_kb=10), *warm], kept=True)
    assert (found.cold.runs, found.cold.whole_ms["p50"], found.cold.task_ms["max"]) == (1, 50.0, 20.0)
    assert (found.warm.runs, found.warm.whole_ms["p99"], found.warm.task_ms["p50"]) == (9, 2.0, 0.5)
    assert (found.peak_memory_kb, found.held_mb, found.failures) == (10, 3.0, {})


def test_failed_runs_are_counted_by_class_and_take_no_part_in_the_times():
    found = Repetition.of(
        [
            trial_run(9.0, error="timeout", name="first"),
            trial_run(9.0, error="timeout", name="second"),
            trial_run(1.0, mismatches=("double: expected 2, found 3",), name="third"),
            trial_run(9.0, error="memory-limit", held_mb=3.0),
        ],
        kept=True,
    )
    assert found.failures == {"timeout": 2, "unexpected-output": 1, "memory-limit": 1}
    assert {one.name for one in found.first_failures} == {"first", "third", "one"}
    assert (found.cold.runs, found.cold.whole_ms["max"], found.warm) == (1, 1.0, None)
    assert found.held_mb is None


def test_why_vms_ended_is_counted():
    ends = ["held-too-much", None, "held-too-much", "killed:SIGKILL"]
    assert Repetition.of([trial_run(vm_end=end) for end in ends], kept=True).vm_ends == {
        "held-too-much": 2,
        "killed:SIGKILL": 1,
    }


@pytest.mark.parametrize(
    ("kept", "run", "said"),
    [
        (False, {}, "not kept: every run is a new process"),
        (True, {"held_mb": 3.25}, "kept, holds 3.4 MB after the last run; ended between runs: never"),
        (True, {"vm_end": "idle"}, "none after the last run; ended between runs: idle (1)"),
    ],
)
def test_what_is_kept_is_said(capsys, kept, run, said):
    Repetition.of([trial_run(**run)], kept=kept).tell()
    assert said in capsys.readouterr().out
