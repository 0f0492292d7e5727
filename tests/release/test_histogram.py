"""Histograms with growing buckets: quantiles as close as they promise, whatever was measured."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.release.histogram import MOST_BUCKETS, PER_OCTAVE, bucket_of, quantile

SMALLEST = 0.1
CLOSE = 2 ** (1 / PER_OCTAVE)
values = st.lists(st.floats(SMALLEST, 1e7), min_size=1, max_size=200)


def counted(of: list[float]) -> list[int]:
    counts = Counter(bucket_of(value, SMALLEST) for value in of)
    return [counts[bucket] for bucket in range(max(counts) + 1)]


@given(values, st.sampled_from([0.01, 0.5, 0.9, 0.99, 1.0]))
def test_a_quantile_is_as_close_as_a_bucket_is_wide(of: list[float], share: float) -> None:
    found = quantile(counted(of), share, SMALLEST)
    place = next(place for place in range(1, len(of) + 1) if place >= share * len(of))
    exact = sorted(of)[place - 1]
    assert found is not None
    assert exact / CLOSE * (1 - 1e-9) <= found <= exact * CLOSE * (1 + 1e-9)


@given(st.floats(0, 1e300))
def test_every_value_has_a_bucket(value: float) -> None:
    assert 0 <= bucket_of(value, SMALLEST) < MOST_BUCKETS


def test_values_around_the_ends() -> None:
    assert (bucket_of(0.0, SMALLEST), bucket_of(SMALLEST, SMALLEST), bucket_of(1e300, SMALLEST)) == (0, 0, 255)
    assert bucket_of(2 * SMALLEST, SMALLEST) == PER_OCTAVE
    assert (quantile([], 0.5, SMALLEST), quantile([0, 0], 0.5, SMALLEST)) == (None, None)
    assert quantile([7], 0.5, SMALLEST) == SMALLEST


@pytest.mark.parametrize(("share", "expected"), [(0.25, 2 ** (0.5 / 8)), (0.5, 2 ** (1 / 8)), (0.75, 2 ** (1.5 / 8))])
def test_within_a_bucket_by_proportion(share: float, expected: float) -> None:
    assert quantile([0, 4, 4], share, 1.0) == pytest.approx(expected)
