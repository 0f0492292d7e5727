"""When a run is judged, and what its end says."""

import json

import pytest

from benchmarks.support.harness import Benchmark, Dimension, Status, fraction, is_tiny, needs_idle_machine
from benchmarks.support.outcome import Target

BENCHMARK = Benchmark(
    "example",
    scale={"devices": Dimension(1000, 3), "seconds": Dimension(4.0, 0.5)},
    targets=(Target("rate", at_least=10), Target("wait_ms", at_most=5)),
    assumptions=("the sun shines",),
)
GOOD = {"rate": 10.0, "wait_ms": 5.0}


@pytest.fixture(autouse=True)
def _variables(monkeypatch):
    for name in ("BENCH_SCALE", "BENCH_DEVICES", "BENCH_SECONDS"):
        monkeypatch.delenv(name, raising=False)


def result(capsys):
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_all_targets_kept_is_met(capsys):
    assert BENCHMARK.judge(GOOD) == Status.MET == 0
    found = result(capsys)
    assert (found["judged"], found["met"]) == (True, True)
    assert found["scale"] == found["stated_scale"] == {"devices": 1000, "seconds": 4.0}
    assert found["assumptions"] == ["the sun shines"]
    assert found["targets"] == {"rate": ">= 10", "wait_ms": "<= 5"}


@pytest.mark.parametrize("bad", [{"rate": 9.9}, {"wait_ms": 5.1}, {"rate": float("nan")}, {"wait_ms": float("inf")}])
def test_one_target_missed_is_a_failure(bad, capsys):
    assert BENCHMARK.judge(GOOD | bad) == Status.MISSED == 1
    assert result(capsys)["met"] is False


@pytest.mark.parametrize(
    "variable", [("BENCH_SCALE", "tiny"), ("BENCH_SCALE", "0.5"), ("BENCH_DEVICES", "999"), ("BENCH_SECONDS", "3.9")]
)
def test_below_the_stated_scale_nothing_is_met(variable, monkeypatch, capsys):
    monkeypatch.setenv(*variable)
    assert BENCHMARK.judge(GOOD) == Status.NOT_JUDGED
    text = capsys.readouterr().out
    assert "example: not judged: below the stated scale" in text
    found = json.loads(text.splitlines()[-1])
    assert (found["judged"], found["met"]) == (False, False)


def test_above_the_stated_scale_is_judged(monkeypatch):
    monkeypatch.setenv("BENCH_DEVICES", "2000")
    assert BENCHMARK.judge(GOOD) == Status.MET


def test_a_target_that_was_left_out_leaves_the_run_without_judgement(capsys):
    assert BENCHMARK.judge({"rate": 10.0}, left_out=("wait_ms",)) == Status.NOT_JUDGED


def test_a_target_whose_figure_is_missing_is_a_fault():
    with pytest.raises(KeyError):
        BENCHMARK.judge({"rate": 10.0})


@pytest.mark.parametrize(
    ("asked", "devices", "seconds"),
    [("tiny", 3, 0.5), ("0.5", 500, 2.0), ("0.0001", 3, 0.5), ("1", 1000, 4.0), ("2", 2000, 8.0)],
)
def test_one_variable_sets_the_scale(asked, devices, seconds, monkeypatch):
    monkeypatch.setenv("BENCH_SCALE", asked)
    assert (BENCHMARK.size("devices"), BENCHMARK.amount("seconds")) == (devices, seconds)


def test_a_variable_of_one_dimension_goes_before(monkeypatch):
    monkeypatch.setenv("BENCH_SCALE", "tiny")
    monkeypatch.setenv("BENCH_DEVICES", "77")
    assert (BENCHMARK.size("devices"), BENCHMARK.amount("seconds")) == (77, 0.5)


@pytest.mark.parametrize("asked", ["", "0", "-1", "nan", "inf", "huge"])
def test_any_other_scale_is_refused(asked, monkeypatch):
    monkeypatch.setenv("BENCH_SCALE", asked)
    with pytest.raises(SystemExit, match="expected BENCH_SCALE to be a number above 0 or 'tiny'"):
        fraction()


def test_only_what_may_be_judged_needs_an_idle_machine(monkeypatch):
    assert needs_idle_machine()
    assert not is_tiny()
    for asked in ("tiny", "0.9"):
        monkeypatch.setenv("BENCH_SCALE", asked)
        assert not needs_idle_machine()
