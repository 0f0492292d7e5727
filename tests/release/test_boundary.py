"""The threshold of a limit: as low as its alpha allows, and never lower."""

from __future__ import annotations

from math import exp, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walle.release.boundary import false_alarms, limit_threshold
from walle.release.sequential import limit_evidence

CASES = [(0.01, 0.0055), (0.1, 0.0003), (0.3, 0.05), (0.5, 0.001)]


def alarms_within(trials: int, limit: float, threshold: float) -> float:
    """The probability that one of so many looks at a release exactly at its limit rejects: trial by trial."""
    alive, rejected = {0: 1.0}, 0.0
    for seen in range(1, trials + 1):
        after: dict[int, float] = {}
        for hits, chance in alive.items():
            after[hits] = after.get(hits, 0.0) + chance * (1 - limit)
            after[hits + 1] = after.get(hits + 1, 0.0) + chance * limit
        alive = {hits: chance for hits, chance in after.items() if chance > 1e-15}
        for hits in [hits for hits in alive if hits > limit * seen]:
            if limit_evidence(hits, seen, limit) >= threshold:
                rejected += alive.pop(hits)
    return rejected


@pytest.mark.parametrize(("limit", "alpha"), CASES)
def test_a_release_at_its_limit_is_rejected_as_often_as_alpha_says(limit: float, alpha: float) -> None:
    found = alarms_within(max(200, int(6 / limit)), limit, limit_threshold(limit, alpha))
    assert 0.3 * alpha < found <= alpha


@pytest.mark.parametrize(("limit", "alpha"), CASES[:2])
def test_the_threshold_is_lower_than_that_of_villes_inequality_and_a_still_lower_one_would_not_do(
    limit: float, alpha: float
) -> None:
    threshold = limit_threshold(limit, alpha)
    assert threshold < -log(alpha) - 0.25
    assert false_alarms(limit, threshold) <= alpha < false_alarms(limit, threshold - 0.045)


@settings(max_examples=25, deadline=None)
@given(st.floats(1e-6, 0.98), st.floats(1e-5, 0.2))
def test_the_bound_holds_for_every_limit(limit: float, alpha: float) -> None:
    threshold = limit_threshold(limit, alpha)
    assert threshold <= -log(alpha)
    assert false_alarms(limit, threshold) <= alpha * (1 + 1e-9)


@settings(max_examples=25, deadline=None)
@given(st.floats(0.02, 0.9), st.floats(0.001, 0.2), st.integers(1, 9))
def test_what_is_worked_out_in_steps_is_what_all_orders_of_hits_add_up_to(
    limit: float, alpha: float, most: int
) -> None:
    """Every order of hits among a few trials: none rejects more often than the bound says."""
    threshold = -log(alpha)
    rejected = 0.0
    for order in range(2**most):
        hits = 0
        for seen in range(1, most + 1):
            hits += order >> (seen - 1) & 1
            if limit_evidence(hits, seen, limit) >= threshold:
                total = bin(order).count("1")
                rejected += limit**total * (1 - limit) ** (most - total)
                break
    assert rejected <= false_alarms(limit, threshold) + 1e-12


@given(st.integers(0, 400), st.integers(0, 400), st.floats(1e-4, 0.95))
def test_one_more_trial_at_the_limit_leaves_the_evidence_as_it_is_on_average(
    hits: int, misses: int, limit: float
) -> None:
    now = limit_evidence(hits, hits + misses, limit)
    hit = limit_evidence(hits + 1, hits + misses + 1, limit)
    miss = limit_evidence(hits, hits + misses + 1, limit)
    assert limit * exp(hit - now) + (1 - limit) * exp(miss - now) == pytest.approx(1)
