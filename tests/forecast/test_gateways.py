"""Gateways that lease quotas: never more than the pace, and most of it where there is demand."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from walle.forecast.gateways import Gateways


@given(
    st.integers(1, 20),
    st.lists(st.integers(0, 3_000), min_size=1, max_size=6),
    st.integers(1, 4_000),
    st.integers(0, 9),
)
def test_a_second_never_exceeds_the_pace(count: int, wanting: list[int], pace: int, seed: int) -> None:
    gateways = Gateways(count, np.random.default_rng(seed))
    for devices in wanting:
        admitted = gateways.admit(devices, pace)
        assert len(admitted) == devices
        assert admitted.sum() <= pace


def test_without_a_pace_everybody_is_admitted() -> None:
    assert Gateways(3, np.random.default_rng(1)).admit(500, None).all()


def test_a_steady_demand_uses_nearly_all_of_the_pace() -> None:
    gateways = Gateways(8, np.random.default_rng(1))
    admitted = [int(gateways.admit(9_000, 6_700).sum()) for _ in range(20)]
    assert min(admitted[2:]) >= 0.95 * 6_700


def test_a_steady_demand_below_the_pace_is_met() -> None:
    gateways = Gateways(8, np.random.default_rng(1))
    admitted = [int(gateways.admit(4_000, 6_700).sum()) for _ in range(20)]
    assert min(admitted[2:]) >= 0.95 * 4_000
