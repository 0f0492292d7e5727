"""When tasks run: at once when new, then by their period, never twice to make up."""

from hypothesis import given
from hypothesis import strategies as st

from walle.device.running.schedule import Period, Schedule

EVERY_10 = {"a": Period("v1", 10.0)}


def test_a_new_version_is_due_at_once_then_by_its_period():
    schedule = Schedule()
    schedule.update(EVERY_10, 100.0)
    assert schedule.take_due(100.0) == ["a"]
    assert (schedule.take_due(109.9), schedule.wait(104.0)) == ([], 6.0)
    assert schedule.take_due(110.0) == ["a"]


def test_an_update_is_due_at_once_and_an_unchanged_task_keeps_its_time():
    schedule = Schedule()
    schedule.update({**EVERY_10, "b": Period("v1", 10.0)}, 0.0)
    schedule.take_due(0.0)
    schedule.update({"a": Period("v2", 10.0), "b": Period("v1", 10.0)}, 4.0)
    assert schedule.take_due(4.0) == ["a"]
    assert schedule.wait(4.0) == 6.0


def test_a_removed_task_is_forgotten():
    schedule = Schedule()
    schedule.update(EVERY_10, 0.0)
    schedule.update({}, 1.0)
    assert (schedule.take_due(100.0), schedule.wait(100.0)) == ([], None)


@given(st.floats(0.1, 1e4), st.lists(st.floats(0.0, 1e5), min_size=1, max_size=30))
def test_after_any_sleep_a_task_runs_once_and_then_within_its_period(every_s, sleeps):
    schedule, now = Schedule(), 0.0
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
