"""Executors take started batches first, then plans in turn; nothing is lost or done twice."""

from hypothesis import given
from hypothesis import strategies as st

from walle.whitebox.runtime.schedule import Schedule, Work


def taken(schedule, owner=None, now=0.0, late=None):
    found = schedule.take(owner, now, [] if late is None else late)
    return None if found is None else (found[0].plan, found[1])


def test_a_started_batch_goes_before_one_that_waits():
    schedule = Schedule()
    schedule.add(Work("first", 3, 3.0))
    schedule.add(Work("second", 1, 0.001))
    assert [taken(schedule) for _ in range(5)] == [("first", 0), ("first", 1), ("first", 2), ("second", 0), None]


def test_a_plan_that_asks_for_much_waits_for_those_that_ask_for_little():
    schedule = Schedule()
    for _ in range(3):
        schedule.add(Work("greedy", 1, 1.0))
    schedule.add(Work("modest", 1, 0.1))
    schedule.add(Work("modest", 1, 0.1))
    order = [taken(schedule)[0] for _ in range(5)]
    assert order == ["greedy", "modest", "modest", "greedy", "greedy"]


def test_a_plan_gains_nothing_by_having_been_idle():
    schedule = Schedule()
    for _ in range(10):
        schedule.add(Work("busy", 1, 1.0))
    for _ in range(5):
        taken(schedule)
    for _ in range(4):
        schedule.add(Work("new", 1, 1.0))
    order = [taken(schedule)[0] for _ in range(4)]
    assert order.count("new") == 2


def test_a_batch_whose_deadline_passed_is_told_and_not_run():
    schedule, late = Schedule(), []
    schedule.add(Work("late", 1, 1.0, deadline=5.0))
    schedule.add(Work("in time", 1, 1.0, deadline=5.1))
    assert taken(schedule, now=5.0, late=late) == ("in time", 0)
    assert [work.plan for work in late] == ["late"]


def test_a_cancelled_batch_is_passed_over_started_or_not():
    schedule = Schedule()
    started, waiting = Work("started", 2, 1.0), Work("waiting", 1, 1.0)
    schedule.add(started)
    schedule.add(waiting)
    taken(schedule)
    started.cancelled = waiting.cancelled = True
    assert taken(schedule) is None


def test_a_chunk_of_a_killed_executor_is_run_again_first():
    schedule = Schedule()
    work = Work("a", 2, 1.0)
    schedule.add(work)
    schedule.add(Work("b", 1, 0.0))
    assert taken(schedule) == ("a", 0)
    schedule.put_back(work, 0)
    assert [taken(schedule) for _ in range(4)] == [("a", 0), ("a", 1), ("b", 0), None]


def test_a_reserved_plan_waits_for_its_own_executors_only():
    schedule = Schedule()
    schedule.reserve("own")
    schedule.add(Work("own", 1, 1.0))
    schedule.add(Work("other", 1, 1.0))
    assert taken(schedule) == ("other", 0)
    assert taken(schedule) is None
    assert taken(schedule, "own") == ("own", 0)
    assert taken(schedule, "own") is None


def test_what_waits_for_reserved_executors_joins_the_others_when_they_are_given_back():
    schedule = Schedule()
    schedule.reserve("own")
    schedule.add(Work("own", 2, 1.0))
    schedule.add(Work("own", 1, 1.0))
    assert taken(schedule, "own") == ("own", 0)
    schedule.release("own")
    assert [taken(schedule) for _ in range(3)] == [("own", 1), ("own", 0), None]


batches = st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 4), st.floats(0, 10)), max_size=12)


@given(batches, st.data())
def test_every_chunk_runs_once_whatever_the_order(batches, data):
    schedule, left = Schedule(), list(batches)
    done, added = [], {}
    while left or len(done) < sum(work.chunks for work in added.values()):
        found = None if left and data.draw(st.booleans()) else schedule.take(None, 0.0, [])
        if found is None:
            work = Work(*left.pop())
            added[id(work)] = work
            schedule.add(work)
            continue
        work, chunk = found
        # One of the batches at most is started and not done, so that what holds memory is done first.
        assert sum(1 for each in added.values() if each.started and each.waiting) <= 1
        # The simplest choices come to an end: those that put back for ever are tried until Hypothesis gives up.
        if data.draw(st.integers(0, 5)) == 5:
            schedule.put_back(work, chunk)
        else:
            done.append((id(work), chunk))
    assert sorted(done) == sorted((key, chunk) for key, work in added.items() for chunk in range(work.chunks))
    assert schedule.take(None, 0.0, []) is None


@given(st.lists(st.floats(0.01, 1.0), min_size=2, max_size=4), st.integers(20, 60))
def test_plans_with_work_get_equal_time(costs, turns):
    """Each plan always has work; what they got differs by no more than the largest two pieces of work."""
    schedule = Schedule()
    got = dict.fromkeys(range(len(costs)), 0.0)
    for plan, cost in enumerate(costs):
        for _ in range(turns):
            schedule.add(Work(plan, 1, cost))
    while sum(got.values()) < 0.5 * turns * min(costs):
        work, _ = schedule.take(None, 0.0, [])
        got[work.plan] += work.cost_s
    assert max(got.values()) - min(got.values()) <= 2 * max(costs) + 1e-9
