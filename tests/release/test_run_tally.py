"""What reports add to the counts of runs: never less than there was, and never times that are too short."""

from __future__ import annotations

import random
from collections import Counter
from math import ceil
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vectors.reports import FULL, RUNS
from walle.protocol.reports import Report
from walle.release.histogram import bucket_of
from walle.release.run_tally import MOST_RUNS, SMALLEST_KB, SMALLEST_MS, RunTally, durations_of, tallied


def tallies(**changes: Any) -> dict[bool, RunTally]:
    return dict(tallied(Report.from_dict(FULL | {"id": str(UUID(int=7))} | changes)))


def bucket(milliseconds: float) -> int:
    return bucket_of(milliseconds, SMALLEST_MS)


def test_each_backend_that_ran_models_counts_once_for_a_run() -> None:
    told = {"first": "mnn", "second": "mnn", "third": "walle", "fourth": "of-tomorrow"}
    found = tallies(start="warm", backends=told)[True]
    assert found.backends == Counter(mnn=1, walle=1, other=1)


def test_each_run_of_an_aggregate_counts_for_its_backends() -> None:
    found = tallies(start="cold", runs=RUNS, backends={"net": "mnn"})
    assert {warm: tally.backends for warm, tally in found.items()} == {False: Counter(mnn=1), True: Counter(mnn=40)}


@pytest.mark.parametrize(("start", "warm"), [("warm", True), ("cold", False), (None, False)])
def test_one_run_counts_as_it_began(start: str | None, warm: bool) -> None:
    found = tallies(start=start, outcome="failure", vm_end="killed:SIGKILL")
    memory = Counter({bucket_of(20480, SMALLEST_KB): 1})
    assert found == {warm: RunTally(1, 1, 0, Counter({bucket(12.5): 1}), memory, Counter(killed=1))}


def test_a_run_that_says_no_times_counts_all_the_same() -> None:
    assert tallies(duration_ms=None, peak_memory_kb=None) == {False: RunTally(1)}


def test_the_runs_of_an_aggregate() -> None:
    """41 runs, one of them cold: of the other 40, 20 take at most the median, even if the cold one was the fastest."""
    found = tallies(start="cold", duration_ms=30, vm_end="idle", runs=RUNS)
    cold, warm = found[False], found[True]
    assert (cold.runs, cold.failed, cold.shed, cold.vm_ends) == (1, 0, 2, Counter(idle=1))
    assert cold.durations == {bucket(30): 1}
    assert (warm.runs, warm.failed, warm.shed, warm.vm_ends) == (40, 3, 0, Counter())
    assert warm.durations == {bucket(1.25): 20, bucket(2): 16, bucket(31.5): 4}
    assert sum(warm.memory.values()) == 40


def test_times_that_are_not_known_are_not_counted() -> None:
    runs = RUNS | dict.fromkeys(("p99_ms", "max_ms"))
    found = tallies(start="warm", peak_memory_kb=None, runs=runs)
    assert (found[False].durations, found[False].memory) == ({}, {})
    assert (found[True].runs, sum(found[True].durations.values())) == (40, 36)


def test_failures_that_are_more_than_the_warm_runs_were_cold_ones() -> None:
    found = tallies(runs=RUNS | {"count": 5, "cold": 4, "failed": 3})
    assert (found[False].failed, found[True].failed) == (2, 1)


def test_a_report_adds_a_bounded_number_of_runs() -> None:
    huge = 2**53 - 1
    found = tallies(runs=RUNS | {"count": huge, "cold": huge, "failed": huge, "shed": huge}, start="cold")
    assert found.keys() == {False}
    assert (found[False].runs, found[False].failed, found[False].shed) == (MOST_RUNS,) * 3


@given(
    st.lists(st.tuples(st.floats(0.2, 1e4), st.booleans()), min_size=1, max_size=150),
    st.randoms(use_true_random=False),
)
def test_what_is_counted_never_says_that_runs_were_faster(runs: list[tuple[float, bool]], rng: random.Random) -> None:
    """At each time, no more runs are counted as done than were: of all, of the cold and of the warm ones."""
    times = sorted(took for took, _ in runs)
    quantiles = {
        name: times[ceil(len(times) * p / 100) - 1] for p, name in ((50, "p50_ms"), (90, "p90_ms"), (99, "p99_ms"))
    }
    cold = sorted(took for took, is_cold in runs if is_cold)
    told = RUNS | quantiles | {"count": len(runs), "cold": len(cold), "failed": 0, "max_ms": times[-1], "failures": []}
    start = {"start": "cold", "duration_ms": cold[(len(cold) - 1) // 2]} if cold else {"start": "warm"}
    found = tallies(runs=told, **start)
    warm = [took for took, is_cold in runs if not is_cold]
    for took, counts in (
        (times, durations_of(told)),
        (cold, found.get(False, RunTally()).durations),
        (warm, found.get(True, RunTally()).durations),
    ):
        assert sum(counts.values()) == len(took)
        until = rng.choice(times)
        done = sum(count for place, count in counts.items() if place <= bucket(until))
        assert done <= sum(bucket(each) <= bucket(until) for each in took)
