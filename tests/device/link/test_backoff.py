"""Back-off: bounds that hold for every draw, and the server's floor."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.device.link.backoff import LONGEST_S, Backoff, CheckInPacer, spread_retry

numbers = st.floats(0, 1, exclude_max=True)
times = st.floats(0, 1e6)
requests = st.floats(0, LONGEST_S)


@given(st.integers(1, 10_000), numbers, st.floats(0.001, 100), st.floats(0.001, 1e5))
def test_a_delay_lies_between_zero_and_the_ceiling(failures, number, base, cap):
    backoff = Backoff(base, cap)
    assert 0 <= backoff.delay(failures, lambda: number) <= backoff.ceiling(failures) <= cap


@given(st.integers(1, 100))
def test_the_ceiling_doubles_until_the_cap(failures):
    backoff = Backoff(base=1, cap=300)
    assert backoff.ceiling(failures + 1) == min(300, 2 * backoff.ceiling(failures))
    assert [Backoff(base=base).ceiling(1) for base in (1, 0.5, 30)] == [1, 0.5, 30]


def test_no_failure_no_delay():
    assert Backoff().delay(0, lambda: 0.9) == 0


def test_full_jitter_spreads_a_herd():
    number = random.Random(1).random
    delays = sorted(Backoff(base=8, cap=8).delay(1, number) for _ in range(2000))
    quarters = [sum(low <= delay < low + 2 for delay in delays) for low in (0, 2, 4, 6)]
    assert all(400 < count < 600 for count in quarters)


@given(times, numbers)
def test_politeness_never_undercuts_and_adds_a_quarter_at_most(requested, number):
    assert requested <= spread_retry(requested, lambda: number) <= requested * 1.25


@given(times, st.floats(0.1, 1000), requests, numbers)
def test_after_an_answer_what_the_server_said_counts_exactly(now, interval, requested, number):
    pacer = CheckInPacer(interval=interval, randomness=lambda: number)
    pacer.answered(now, requested)
    said_nothing = spread_retry(interval, lambda: number)
    assert pacer.wait(now) == pytest.approx(requested or said_nothing, abs=1e-6)


@given(st.floats(1, LONGEST_S), numbers)
def test_an_apps_request_may_carry_a_check_in_from_three_quarters_of_the_wait_on(requested, number):
    pacer = CheckInPacer(interval=60, randomness=lambda: number)
    pacer.answered(0, requested)
    assert not pacer.may_ride(0.749 * requested)
    assert pacer.may_ride(0.751 * requested)
    assert not pacer.ready(0.999 * requested)


def test_after_a_failure_nothing_rides_before_it_is_due():
    pacer = CheckInPacer(interval=60, randomness=lambda: 0.0)
    pacer.answered(0, 60)
    pacer.failed(60, 40)
    assert not pacer.may_ride(99)
    assert pacer.may_ride(100)


def test_the_first_check_in_waits_a_little_for_a_request_that_carries_it():
    pacer = CheckInPacer(interval=60, randomness=lambda: 0.0)
    pacer.await_ride(1000, 5)
    assert pacer.may_ride(1000)
    assert not pacer.ready(1004)
    assert pacer.ready(1005)


@given(times, st.lists(st.tuples(requests, numbers), min_size=1, max_size=20))
def test_after_failures_the_servers_floor_holds(now, failures):
    pacer = CheckInPacer(interval=1, randomness=lambda: failures[-1][1])
    for requested, _ in failures:
        pacer.failed(now, requested)
    assert pacer.wait(now) >= failures[-1][0] - 1e-6
    assert pacer.failures == len(failures)


def test_an_answer_ends_a_row_of_failures():
    pacer = CheckInPacer(interval=10, randomness=lambda: 0.0)
    pacer.failed(0)
    pacer.answered(5)
    assert (pacer.failures, pacer.wait(5), pacer.ready(15)) == (0, 10, True)


def test_with_something_to_do_the_next_time_comes_within_a_second_of_its_own_accord():
    pacer = CheckInPacer(interval=60, randomness=lambda: 0.0)
    pacer.answered(0, soon=True)
    assert pacer.wait(0) == 1
    pacer.answered(0, 30, soon=True)
    assert pacer.wait(0) == 30


@pytest.mark.parametrize("asked", [86_400.0, 31_536_000.0, float("9" * 400)])
def test_a_server_that_asks_for_ages_is_asked_again_after_a_day(asked):
    pacer = CheckInPacer(interval=60.0, randomness=lambda: 0.0)
    pacer.failed(0.0, asked)
    assert pacer.wait(0.0) == 86_400.0
    pacer.answered(0.0, asked)
    assert pacer.wait(0.0) == 86_400.0
