"""Isolation, reservations, the choice of an engine, delayed batches and chunks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walle.whitebox.runtime.chunks import MOST_BYTES, MOST_RECORDS, chunk_ranges, size_of
from walle.whitebox.runtime.delayed_batching import BatchingLimits, PendingBatch
from walle.whitebox.runtime.engines import FAST_S, SLOW_S, EngineChoice
from walle.whitebox.runtime.errors import ReservationRefused
from walle.whitebox.runtime.isolation import FIRST_S, LONGEST_S, TOLERATED, Failure, PlanHealth
from walle.whitebox.runtime.reservations import Reservation, Reservations


@pytest.mark.parametrize("failure", [Failure.CRASH, Failure.TIME_LIMIT])
def test_what_harms_others_isolates_a_plan_at_once(failure):
    health = PlanHealth()
    assert health.failed(failure, "so", 10.0).reason == f"{failure.value}: so"
    assert health.left(10.0) == FIRST_S
    assert health.left(10.0 + FIRST_S) == 0.0


@pytest.mark.parametrize("failure", [Failure.EXCEPTION, Failure.KILLED])
def test_exceptions_and_killed_executors_isolate_a_plan_when_they_follow_each_other(failure):
    health = PlanHealth()
    for _ in range(TOLERATED):
        assert health.failed(failure, "", 0.0) is None
    health.succeeded()
    for _ in range(TOLERATED):
        assert health.failed(failure, "", 0.0) is None
    assert health.failed(failure, "", 0.0) is not None


def test_each_isolation_is_twice_as_long_until_the_plan_answers():
    health, now = PlanHealth(), 0.0
    for times in range(8):
        isolation = health.failed(Failure.EXCEPTION if times else Failure.CRASH, "", now)
        assert isolation.until - now == min(LONGEST_S, FIRST_S * 2**times)
        now = isolation.until
        assert health.left(now) == 0.0
    health.succeeded()
    assert health.failed(Failure.CRASH, "", now).until - now == FIRST_S


def test_a_plan_has_its_executors_to_itself_and_one_stays_everybodys():
    reservations = Reservations(3, 100)
    reservations.reserve("a", Reservation(cores=1))
    reservations.reserve("b", Reservation(cores=1, memory_bytes=60))
    assert (reservations.of("a"), reservations.of("b"), reservations.shared) == ([2], [1], [0])
    with pytest.raises(ReservationRefused, match="0 cores at most"):
        reservations.reserve("c", Reservation(cores=1))
    with pytest.raises(ReservationRefused, match="40 bytes at most"):
        reservations.reserve("c", Reservation(memory_bytes=50))
    with pytest.raises(ReservationRefused, match="already"):
        reservations.reserve("a", Reservation(memory_bytes=1))
    reservations.release("a")
    reservations.reserve("c", Reservation(cores=1, memory_bytes=40))
    assert reservations.owner(2) == "c"


@pytest.mark.parametrize("wrong", [{}, {"cores": -1}, {"cores": 1, "memory_bytes": -1}])
def test_a_reservation_is_of_something(wrong):
    with pytest.raises(ValueError, match="reservation"):
        Reservation(**wrong)


changes = st.lists(
    st.tuples(st.sampled_from("abc"), st.one_of(st.none(), st.tuples(st.integers(0, 3), st.integers(0, 80)))),
    max_size=30,
)


@given(changes, st.integers(1, 4))
def test_reservations_never_overlap_and_never_take_all(changes, executors):
    reservations = Reservations(executors, 100)
    for plan, wanted in changes:
        before = reservations.held, reservations.shared
        if wanted is None or not any(wanted):
            reservations.release(plan)
        else:
            try:
                reservations.reserve(plan, Reservation(*wanted))
            except ReservationRefused:
                assert (reservations.held, reservations.shared) == before
        assert reservations.shared
        assert sum(each.memory_bytes for each in reservations.held.values()) <= 100
        for each, held in reservations.held.items():
            assert len(reservations.of(each)) == held.cores
        assert len(reservations.shared) == executors - sum(each.cores for each in reservations.held.values())


def test_a_slow_plan_leaves_the_callers_thread_and_returns_when_it_is_much_faster():
    choice = EngineChoice("auto")
    assert choice.engine == "request-response"
    for seconds, engine in (
        (SLOW_S, "batch"),
        ((SLOW_S + FAST_S) / 2, "batch"),
        (FAST_S * 0.9, "request-response"),
        ((SLOW_S + FAST_S) / 2, "request-response"),
    ):
        choice.measured(seconds)
        assert choice.engine == engine


def test_an_engine_that_was_asked_for_stays():
    choice = EngineChoice("request-response", 1.0)
    assert choice.engine == "request-response"


def test_records_wait_for_each_other_only_while_executors_work_and_not_longer_than_they_may():
    pending = PendingBatch(BatchingLimits(delay_s=0.5, records=3))
    assert pending.add("a", 0.0, idle=True)
    assert pending.take() == ["a"]
    assert not pending.add("b", 1.0, idle=False)
    assert not pending.add("c", 1.4, idle=False)
    assert not pending.is_due(1.49)
    assert pending.is_due(1.5)
    assert pending.add("d", 1.5, idle=False)
    assert pending.take() == ["b", "c", "d"]
    assert not pending.is_due(9.0)
    assert not pending.add("e", 9.0, idle=False)
    assert not pending.add("f", 9.1, idle=False)
    assert pending.add("g", 9.2, idle=False)


sizes = st.lists(st.integers(0, MOST_BYTES * 2), max_size=40) | st.integers(0, 3000).map(lambda count: [16] * count)


@given(sizes, st.sampled_from([0.0, 5e-324, 1e-6, 1e-5, 1e-3, 1.0]), st.integers(1, 8))
def test_chunks_are_all_records_in_order_and_bounded(sizes, record_s, idle):
    ranges = chunk_ranges(sizes, record_s, idle)
    assert [index for first, last in ranges for index in range(first, last)] == list(range(len(sizes)))
    for first, last in ranges:
        assert 0 < last - first <= MOST_RECORDS
        assert last - first == 1 or sum(sizes[first:last]) <= MOST_BYTES


def test_a_batch_is_divided_among_idle_executors_unless_parts_are_too_short():
    assert chunk_ranges([16] * 200, 2e-5, 2) == [(0, 100), (100, 200)]
    assert chunk_ranges([16] * 200, 1e-7, 2) == [(0, 200)]
    assert chunk_ranges([16] * 1000, 1e-3, 2)[0] == (0, 16)


def test_the_size_of_a_record_is_at_least_that_of_its_texts():
    assert size_of({"a": "x" * 100, "b": [1.0, "y" * 50]}) >= 150
