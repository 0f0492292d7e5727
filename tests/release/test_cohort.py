"""Cohorts: published vectors, nesting, and shares that are met."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.protocol.strategies import device_ids
from tests.vectors.generate import HERE
from walle.release.cohort import BUCKETS, Cohort

VECTORS = json.loads((HERE / "cohort.json").read_text("ascii"))


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{vector['salt_hex'][:4]} {vector['device'][:12]}")
def test_vector(vector: dict[str, object]) -> None:
    cohort = Cohort(bytes.fromhex(str(vector["salt_hex"])))
    assert cohort.bucket(str(vector["device"]).encode()) == vector["bucket"]


@given(st.binary(min_size=16, max_size=16), device_ids)
def test_a_bucket_is_in_range_and_stays(salt: bytes, device: str) -> None:
    cohort = Cohort(salt)
    found = cohort.bucket(device.encode())
    assert 0 <= found < BUCKETS
    assert cohort.bucket(device.encode()) == found == Cohort(salt).bucket(device.encode())


@pytest.mark.parametrize("share", [1_000, 10_000, 250_000, 900_000])
def test_a_share_takes_about_that_many_devices(share: int) -> None:
    """Four standard deviations of a binomial draw of 20 000 devices, which are always the same ones."""
    cohort, devices = Cohort(b"0123456789abcdef"), 20_000
    drawn = sum(cohort.bucket(b"device-%d" % number) < share for number in range(devices))
    probability = share / BUCKETS
    assert abs(drawn - devices * probability) <= 4 * (devices * probability * (1 - probability)) ** 0.5


def test_another_salt_draws_other_devices() -> None:
    """So that the same devices are not always first."""
    names = [b"device-%d" % number for number in range(2_000)]
    first, second = ({name for name in names if Cohort(salt).bucket(name) < 200_000} for salt in (b"a" * 16, b"b" * 16))
    assert len(first & second) < 0.1 * len(names)
