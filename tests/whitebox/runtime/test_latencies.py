"""Latencies are counted in buckets narrow enough for quantiles that are right to a few per cent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.whitebox.runtime.latencies import LatencyHistogram

latencies = st.lists(st.integers(0, 1 << 39), min_size=1, max_size=200)


def counted(values):
    counts = LatencyHistogram()
    for value in values:
        counts.record(value)
    return counts


@given(latencies, st.sampled_from([0.0, 0.5, 0.9, 0.99, 1.0]))
def test_a_quantile_is_right_to_a_thirty_second(values, share):
    exact = sorted(values)[max(1, round(share * len(values))) - 1]
    assert counted(values).quantile(share) * 1e9 == pytest.approx(exact, rel=1 / 31, abs=1)


@given(latencies, latencies)
def test_counts_of_several_plans_add_up(first, second):
    whole = counted(first)
    whole.add([counted(second)])
    together = counted(first + second)
    assert (whole.count, whole.total_ns) == (together.count, together.total_ns)
    assert whole.quantile(0.5) == together.quantile(0.5)


def test_nothing_counted_has_no_quantile():
    assert LatencyHistogram().quantile(0.5) is None


def test_what_takes_longer_than_a_bucket_can_hold_counts_in_the_last():
    assert counted([1 << 60]).quantile(1.0) == pytest.approx(1099.5, rel=1 / 31)


@given(latencies)
def test_cumulative_counts_rise_to_the_whole(values):
    counts = counted(values).cumulative([1e-6, 1e-3, 1.0, 1e4])
    assert counts == sorted(counts)
    assert counts[-1] == len(values)


def test_cumulative_counts_separate_what_is_far_from_a_bound():
    assert counted([500, 2_000, 5_000_000]).cumulative([1e-6, 1e-3, 1e-2]) == [1, 2, 3]
