"""When tasks run: at once when new, spread when they are many, then by their period whatever the clock does."""

import random

from hypothesis import given
from hypothesis import strategies as st

from walle.device.running.schedule import SPREAD_S, Period, Schedule

EVERY_10 = {"a": Period("v1", 10.0)}


def test_a_new_version_is_due_at_once_then_by_its_period():
    schedule = Schedule(random.Random(1).random)
    schedule.update(EVERY_10, 100.0)
    assert schedule.take_due(100.0) == ["a"]
    assert (schedule.take_due(109.9), schedule.wait(104.0)) == ([], 6.0)
    assert schedule.take_due(110.0) == ["a"]


def test_an_update_is_due_at_once_and_an_unchanged_task_keeps_its_time():
    schedule = Schedule(random.Random(1).random)
    schedule.update({**EVERY_10, "b": Period("v1", 10.0)}, 0.0, spread=False)
    schedule.take_due(0.0)
    schedule.update({"a": Period("v2", 10.0), "b": Period("v1", 10.0)}, 4.0)
    assert schedule.take_due(4.0) == ["a"]
    assert schedule.wait(4.0) == 6.0


def test_a_removed_task_is_forgotten():
    schedule = Schedule(random.Random(1).random)
    schedule.update(EVERY_10, 0.0)
    schedule.update({}, 1.0)
    assert (schedule.take_due(100.0), schedule.wait(100.0)) == ([], None)


@given(st.floats(0.1, 1e4), st.lists(st.floats(0.0, 1e5), min_size=1, max_size=30))
def test_after_any_sleep_a_task_runs_once_and_then_within_its_period(every_s, sleeps):
    schedule, now = Schedule(random.Random(1).random), 0.0
    schedule.update({"a": Period("v", every_s)}, now)
    schedule.take_due(now)
    for sleep in sleeps:
        now += sleep
        first = schedule.take_due(now)
        assert len(first) <= 1
        assert schedule.take_due(now) == []
        wait = schedule.wait(now)
        assert wait is not None
        assert 0.0 <= wait <= every_s * 1.001


def first_runs(periods, seed):
    """When each task runs first, in seconds after the start."""
    schedule, found = Schedule(random.Random(seed).random), {}
    schedule.update(periods, 50.0)
    now = 50.0
    while len(found) < len(periods):
        for name in schedule.take_due(now):
            found.setdefault(name, now - 50.0)
        now += schedule.wait(now)
    return found


@given(st.lists(st.floats(0.1, 1e4), min_size=1, max_size=20), st.integers())
def test_the_first_runs_of_many_tasks_are_spread_within_their_periods(every_s, seed):
    periods = {f"t{at}": Period("v", period) for at, period in enumerate(every_s)}
    first = first_runs(periods, seed)
    for name, period in periods.items():
        assert first[name] <= min(SPREAD_S * (len(periods) - 1), period.every_s) * 1.001
    assert first == first_runs(periods, seed)


def test_a_storm_is_spread_over_a_time_that_grows_with_it():
    hundred = first_runs({f"t{at}": Period("v", 3600.0) for at in range(100)}, 3)
    assert max(hundred.values()) > 0.9 * 99 * SPREAD_S
    busiest = max(sum(low <= at < low + 10 * SPREAD_S for at in hundred.values()) for low in range(100))
    assert busiest < 25


def test_a_short_period_does_not_gather_the_first_runs_at_its_end():
    first = first_runs({f"t{at}": Period("v", 10.0) for at in range(100)}, 3)
    assert len(set(first.values())) == 100


def test_all_is_due_at_once_where_nothing_is_to_be_spread():
    schedule = Schedule(random.Random(1).random)
    schedule.update({f"t{at}": Period("v", 3600.0) for at in range(100)}, 0.0, spread=False)
    assert len(schedule.take_due(0.0)) == 100


def test_after_a_nights_sleep_an_hourly_task_runs_once_and_keeps_its_minute():
    schedule = Schedule(random.Random(1).random)
    schedule.update({"a": Period("v", 3600.0)}, 0.0)
    schedule.take_due(0.0)
    awake = 8 * 3600.0 + 600.0
    assert schedule.take_due(awake) == ["a"]
    assert (schedule.take_due(awake), schedule.wait(awake)) == ([], 3000.0)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_wherever_the_clock_jumps_a_task_runs_within_its_period(jumps):
    schedule, now = Schedule(random.Random(1).random), 0.0
    schedule.update(EVERY_10, now)
    for jump in jumps:
        now += jump
        assert len(schedule.take_due(now)) <= 1
        wait = schedule.wait(now)
        assert 0.0 <= wait <= 10.001
        now += wait + 0.01
        assert schedule.take_due(now) == ["a"]
