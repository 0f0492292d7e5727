"""The interval of a median: how often it holds the true one, and what it is of few values."""

import random

import pytest

from benchmarks.support.ratios import Ratio


def test_the_interval_holds_the_true_median_in_at_least_95_of_100_cases():
    draw = random.Random(2022)
    trials = [Ratio.of([draw.gauss(0.7, 0.1) for _ in range(24)]) for _ in range(2000)]
    held = sum(one.low <= 0.7 <= one.high for one in trials) / len(trials)
    assert 0.95 <= held < 0.99


def test_24_values_leave_six_out_on_each_side():
    found = Ratio.of([float(value) for value in range(1, 25)])
    assert (found.low, found.median, found.high) == (7.0, 12.5, 18.0)
    assert found.spread == pytest.approx(5.5 / 12.5)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_few_values_have_their_whole_range(count):
    found = Ratio.of([float(value) for value in range(1, count + 1)])
    assert (found.low, found.high) == (1.0, float(count))


def test_equal_values_have_no_spread():
    assert Ratio.of([0.5] * 10).figures("ratio") == {
        "ratio": 0.5, "ratio_low": 0.5, "ratio_high": 0.5, "ratio_spread": 0.0,
    }  # fmt: skip
