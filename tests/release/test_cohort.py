"""Cohorts: published vectors, nesting, and shares that are met."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.protocol.strategies import device_ids
from walle.conformance.vectors import load
from walle.release.cohort import BUCKETS, MASK, Cohort, cohort_limit, device_point

VECTORS = load("cohort.json")


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector['salt_hex'][:4]} {vector['device'][:12]}")
def test_vector(vector: dict[str, object]) -> None:
    cohort = Cohort(bytes.fromhex(str(vector["salt_hex"])))
    assert cohort.bucket(device_point(str(vector["device"]))) == vector["bucket"]


@given(st.binary(min_size=16, max_size=16), device_ids)
def test_a_bucket_is_in_range_and_stays(salt: bytes, device: str) -> None:
    cohort = Cohort(salt)
    point = device_point(device)
    found = cohort.bucket(point)
    assert 0 <= found < BUCKETS
    assert cohort.bucket(point) == found == Cohort(salt).bucket(point)


@given(st.integers(1, BUCKETS - 1))
@example(1)
@example(BUCKETS - 1)
def test_the_limit_of_a_share_is_the_first_number_of_its_bucket(share: int) -> None:
    """To the last number: with a factor of 0, the offset of a salt is the number of every device."""
    limit = cohort_limit(share)
    first, before = (Cohort(bytes(8) + number.to_bytes(8, "big")) for number in (limit, limit - 1))
    assert (first.bucket(0), before.bucket(0)) == (share, share - 1)


def test_a_share_of_all_takes_every_number_and_one_of_none_takes_no_number() -> None:
    assert (cohort_limit(0), cohort_limit(BUCKETS)) == (0, MASK + 1)


@pytest.mark.parametrize("length", [0, 15, 17])
def test_a_salt_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match="a salt of 16 bytes"):
        Cohort(bytes(length))


@pytest.mark.slow
@pytest.mark.parametrize("share", [1_000, 10_000, 250_000, 900_000])
def test_a_share_takes_about_that_many_devices(share: int) -> None:
    """Over 40 releases with random salts: within four standard deviations of a binomial draw of the same devices."""
    draw, points = random.Random(2022), [device_point(f"device-{number}") for number in range(20_000)]
    probability = share / BUCKETS
    for _ in range(40):
        cohort = Cohort(draw.randbytes(16))
        drawn = sum(cohort.bucket(point) < share for point in points)
        assert abs(drawn - len(points) * probability) <= 4 * (len(points) * probability * (1 - probability)) ** 0.5


def test_another_salt_draws_other_devices() -> None:
    """So that the same devices are not always first: of a fifth and a fifth, a twenty-fifth is in both."""
    draw, points = random.Random(2022), [device_point(f"device-{number}") for number in range(10_000)]
    cohorts = [Cohort(draw.randbytes(16)) for _ in range(12)]
    firsts = [{point for point in points if cohort.bucket(point) < 200_000} for cohort in cohorts]
    for first, second in pairwise(firsts):
        assert 0.02 < len(first & second) / len(points) < 0.06
