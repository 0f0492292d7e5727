"""What is let in never exceeds the limits, leaves room for other plans, and says when to come again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.whitebox.runtime.admission import Admission, AdmissionLimits
from walle.whitebox.runtime.errors import Overloaded

LIMITS = AdmissionLimits(backlog_s=2.0, bytes=1000, deadline_s=10.0)


def test_what_cannot_be_answered_by_its_deadline_is_refused_with_the_time_after_which_it_could():
    admission = Admission(LIMITS, 1)
    admission.admit("a", 1.0, 1, None)
    admission.admit("b", 0.4, 1, 1.5)
    with pytest.raises(Overloaded, match="deadline") as refused:
        admission.admit("a", 0.5, 1, 0.9)
    # Its own second, b's 0.4, its own half: 1.9 seconds, a second too late.
    assert refused.value.retry_after == pytest.approx(1.0)
    assert admission.refused == 1


def test_twice_the_executors_halve_the_wait():
    admission = Admission(LIMITS, 2)
    admission.admit("a", 1.0, 1, None)
    assert admission.waiting_s("a", 1.0) == 0.5


def test_a_plan_that_asks_for_little_does_not_wait_for_all_of_a_large_batch():
    admission = Admission(LIMITS, 1)
    admission.admit("large", 1.0, 1, None)
    assert admission.waiting_s("small", 0.01) == pytest.approx(0.01)


def test_an_idle_engine_takes_what_exceeds_the_limits():
    Admission(LIMITS, 1).admit("a", 9.0, 5000, None)


def test_too_many_bytes_are_refused():
    admission = Admission(LIMITS, 1)
    admission.admit("a", 0.0, 600, None)
    with pytest.raises(Overloaded, match="bytes"):
        admission.admit("b", 0.0, 500, None)
    admission.done("a", 0.0, 600)
    admission.admit("b", 0.0, 500, None)


def test_one_plan_cannot_take_the_room_of_others():
    admission = Admission(LIMITS, 1)
    admission.admit("modest", 0.1, 1, None)
    for _ in range(9):
        admission.admit("greedy", 0.1, 1, None)
    with pytest.raises(Overloaded, match="of this plan"):
        admission.admit("greedy", 0.2, 1, None)
    for _ in range(5):
        admission.admit("modest", 0.1, 1, None)


def let_in(admission, plan, cost, size):
    try:
        admission.admit(plan, cost, size, None)
    except Overloaded as refused:
        return refused.retry_after <= 0
    return True


works = st.lists(st.tuples(st.sampled_from("abcd"), st.floats(0, 1.5), st.integers(0, 500), st.booleans()), max_size=60)


@given(works, st.integers(1, 4))
def test_limits_hold_and_nothing_remains_when_all_is_done(works, executors):
    admission = Admission(LIMITS, executors)
    inside = []
    for plan, cost, size, leaves in works:
        if leaves and inside:
            admission.done(*inside.pop(0))
            continue
        alone = not inside
        if not let_in(admission, plan, cost, size):
            assert not alone
            continue
        inside.append((plan, cost, size))
        if not alone:
            assert sum(each[1] for each in inside) <= LIMITS.backlog_s * executors + 1e-6
            assert admission.bytes <= LIMITS.bytes
        assert admission.backlog_s == pytest.approx(sum(each[1] for each in inside))
    for each in inside:
        admission.done(*each)
    assert (admission.backlog_s, admission.bytes) == (0, 0)
