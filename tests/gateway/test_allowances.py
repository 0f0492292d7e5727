"""Token buckets against what they promise, for any course of events."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from walle.gateway.allowances import HOUR_S, Allowance, Buckets

per_hours = st.floats(0.1, 1e6)
pauses = st.lists(st.floats(0, 2000), min_size=1, max_size=80)


def came(buckets: Buckets[str], allowance: Allowance, now: float) -> bool:
    if buckets.wait("a", allowance, now):
        return False
    buckets.take("a", allowance, now)
    return True


@given(per_hours, pauses)
def test_never_more_than_the_burst_and_what_time_brings(per_hour: float, pauses: list[float]) -> None:
    allowance, buckets, now, times = Allowance(per_hour), Buckets[str](10), 0.0, []
    for pause in pauses:
        now += pause
        for _ in range(3):
            if came(buckets, allowance, now):
                times.append(now)
    for first, start in enumerate(times):
        for last, end in enumerate(times[first:], first):
            assert last - first + 1 <= allowance.burst + (end - start) * per_hour / HOUR_S + 1e-3


@given(per_hours, st.integers(0, 200), st.floats(0, 1))
def test_the_wait_is_as_long_as_it_says(per_hour: float, before: int, part: float) -> None:
    allowance, buckets = Allowance(per_hour), Buckets[str](10)
    for _ in range(before):
        came(buckets, allowance, 0.0)
    wait = buckets.wait("a", allowance, 0.0)
    assert (wait > 0) == (before >= allowance.burst)
    assert wait <= HOUR_S / per_hour + 1e-3
    assert buckets.wait("a", allowance, wait) == 0
    if part < 0.99:
        assert (buckets.wait("a", allowance, wait * part) > 0) == (wait > 0)


@given(st.integers(1, 20), st.lists(st.integers(0, 60), max_size=200))
def test_however_many_keys_come_few_are_kept_and_those_used_last_are_among_them(most: int, keys: list[int]) -> None:
    buckets = Buckets[int](most)
    for now, key in enumerate(keys):
        buckets.take(key, Allowance(0.001), float(now))
        assert len(buckets) <= most
        assert buckets.wait(key, Allowance(0.001), float(now)) > 0


def test_a_raised_number_counts_at_once() -> None:
    buckets = Buckets[str](10)
    for _ in range(10):
        assert came(buckets, Allowance(100), 0.0)
    assert not came(buckets, Allowance(100), 0.0)
    assert came(buckets, Allowance(1000), 0.0)
    assert not came(buckets, Allowance(50), 0.0)


def test_a_tenth_of_an_hour_s_number_may_come_at_once_and_one_at_least() -> None:
    assert [Allowance(number).burst for number in (3600, 360, 10, 1, 0.01)] == [360, 36, 1, 1, 1]
