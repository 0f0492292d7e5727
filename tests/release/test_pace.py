"""Pace: however many gateways ask, in whatever order, they never get more than there is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from walle.release.pace import grant, next_request

COUNTS = st.integers(0, 10_000)


@given(pace=st.integers(1, 10_000), requested=st.lists(COUNTS))
def test_the_sum_of_what_is_granted_never_exceeds_the_pace(pace: int, requested: list[int]) -> None:
    leased = 0
    for count in requested:
        granted = grant(pace, leased, count)
        assert 0 <= granted <= count
        leased += granted
    assert leased == min(pace, sum(requested))


@given(pace=COUNTS, leased=COUNTS, requested=COUNTS)
def test_a_pace_that_was_lowered_within_a_second_grants_nothing_more(pace: int, leased: int, requested: int) -> None:
    if leased >= pace:
        assert grant(pace, leased, requested) == 0


@given(before=COUNTS, now=COUNTS)
def test_a_gateway_always_asks_for_something_and_for_what_it_expects(before: int, now: int) -> None:
    requested = next_request(before, now)
    assert requested >= 1
    assert now + requested >= before


@given(demand=st.integers(1, 10**6))
def test_a_rush_is_met_after_few_requests(demand: int) -> None:
    """From nothing to any demand within one second, by doubling."""
    got = requests = 0
    while got < demand:
        got += next_request(0, got)
        requests += 1
    assert requests <= demand.bit_length() + 1
