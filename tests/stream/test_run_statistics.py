"""What runs cost, in numbers of bounded size: counts, quantiles and the first failures."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.protocol.aggregates import is_aggregate
from walle.stream.run_statistics import ACCURACY, DurationSketch, RunSample, RunTotals


def totals(*runs: RunSample) -> RunTotals:
    found = RunTotals()
    for run in runs:
        found.add(run)
    return found


def run(at: float = 100.0, **more) -> RunSample:
    return RunSample(at, at + 1, **{"duration_ms": 2.0, **more})


@given(st.lists(st.floats(0.01, 1e6), min_size=1, max_size=60), st.sampled_from([0.01, 0.5, 0.9, 0.99, 1.0]))
def test_quantiles_are_right_to_within_the_accuracy(durations, share):
    sketch = DurationSketch()
    for duration in durations:
        sketch.add(duration)
    true = sorted(durations)[max(1, -int(-share * len(durations) // 1)) - 1]
    assert sketch.quantile(share) == pytest.approx(true, rel=ACCURACY * 1.01)


def test_a_sketch_is_bounded_whatever_comes():
    sketch = DurationSketch()
    assert sketch.quantile(0.5) is None
    draw = random.Random(1)
    for _ in range(20_000):
        sketch.add(10 ** draw.uniform(-9, 15))
    assert len(sketch) == 20_000
    assert len(sketch._buckets) < 1300


def test_sums_and_the_median_of_the_usual_start():
    found = totals(
        run(100, start="cold", duration_ms=80.0, cpu_ms=50.0, events=3),
        run(110, start="warm", duration_ms=2.0, cpu_ms=1.0, events=4),
        run(105, start="warm", duration_ms=4.0, cpu_ms=1.0, events=5),
    )
    assert (found.since, found.until, found.count, found.events, found.cold) == (100, 111, 3, 12, 1)
    assert (found.cpu_ms, found.max_ms, found.usual_start) == (52.0, 80.0, "warm")
    assert found.median_ms == pytest.approx(2.0, rel=ACCURACY)
    assert found.quantile(0.5) == pytest.approx(4.0, rel=ACCURACY)
    assert found.quantile(0.99) == 80.0, "never above the longest"
    assert totals(run(start="cold", duration_ms=None)).median_ms is None


def test_a_clock_that_is_set_back_does_not_turn_the_time_around():
    found = totals(run(100), run(50))
    assert (found.since, found.until) == (50, 101)
    assert totals(RunSample(100, 90)).until == 100


def test_the_first_failures_are_told_apart_and_the_rest_counted():
    found = totals(
        *(run(error_class=f"exception:E{n}", message=f"first {n}") for n in range(7)),
        run(error_class="exception:E1", message="later"),
    )
    assert found.failed == 8
    told = found.to_dict()["failures"]
    assert [each["error_class"] for each in told] == [f"exception:E{n}" for n in range(5)]
    assert (told[1]["count"], told[1]["message"]) == (2, "first 1")
    assert "message" not in totals(run(error_class="timeout")).to_dict()["failures"][0]


@given(st.lists(st.tuples(st.floats(0, 1e9), st.sampled_from(["cold", "warm"]), st.booleans())), st.integers(0, 9))
def test_merging_is_like_having_counted_together(runs, cut):
    samples = [run(at, start=start, error_class="timeout" if failed else None) for at, start, failed in runs]
    merged, together = totals(*samples[:cut]), totals(*samples)
    merged.merge(totals(*samples[cut:]))
    assert merged.to_dict() == together.to_dict()
    assert not samples or is_aggregate(together.to_dict())
