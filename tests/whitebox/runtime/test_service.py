"""The runtime answers single records in the caller's thread: what it counts, keeps, refuses and isolates."""

import numpy as np
import pytest

from tests.whitebox.runtime.plans import SumPlan, stored
from walle.whitebox.compiling.records import RecordRefused
from walle.whitebox.runtime.errors import (
    BatchTooLarge,
    ParameterUnavailable,
    PlanFailed,
    PlanIsolated,
    PlanUnknown,
    ReservationRefused,
)
from walle.whitebox.runtime.isolation import FIRST_S, TOLERATED
from walle.whitebox.runtime.reservations import Reservation
from walle.whitebox.runtime.service import Runtime, RuntimeSettings


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def runtime(tmp_path, clock):
    return Runtime(tmp_path, RuntimeSettings(executors=2, batch_records=10, reserved_bytes=100), clock)


def add(runtime, name, addend, **how):
    runtime.register(name, SumPlan(stored(runtime.store, [addend])), **how)


def test_plans_answer_with_their_own_parameters_until_they_are_forgotten(runtime):
    add(runtime, "a", 2.0)
    add(runtime, "b", 3.0)
    assert (runtime.predict("a", 1.0), runtime.predict("b", 1.0)) == ((3.0,), (4.0,))
    runtime.unregister("a")
    for forgotten in (lambda: runtime.predict("a", 1.0), lambda: runtime.unregister("a")):
        with pytest.raises(PlanUnknown):
            forgotten()
    assert runtime.statistics()["memory"]["shared_bytes"] == 8


async def test_a_batch_has_an_answer_or_a_refusal_for_each_record(runtime):
    add(runtime, "a", 2.0)
    first, second, third = await runtime.predict_batch("a", [1.0, "x", 2.0])
    assert (first, third) == ((3.0,), (4.0,))
    assert isinstance(second, RecordRefused)
    assert (second.index, second.field, second.expected) == (1, "x", "a number")
    with pytest.raises(BatchTooLarge):
        await runtime.predict_batch("a", [1.0] * 11)
    found = runtime.statistics()["plans"]["a"]
    assert (found["records"], found["refused"], found["batch"]["count"]) == (3, 1, 1)


def test_a_refused_record_is_no_failure(runtime):
    add(runtime, "a", 2.0)
    for _ in range(TOLERATED + 2):
        with pytest.raises(RecordRefused):
            runtime.predict("a", "x")
    assert runtime.statistics()["plans"]["a"]["errors"] == 0


def test_a_plan_that_raises_is_isolated_by_name_for_a_time_and_others_go_on(runtime, clock):
    add(runtime, "bad", 2.0)
    add(runtime, "good", 2.0)
    for _ in range(TOLERATED + 1):
        with pytest.raises(PlanFailed, match="plan bad failed: ZeroDivisionError: as it was told"):
            runtime.predict("bad", "raise")
    with pytest.raises(PlanIsolated, match="plan bad is isolated for another 30 s: raised: Zero") as barred:
        runtime.predict("bad", 1.0)
    assert barred.value.retry_after == FIRST_S
    assert runtime.predict("good", 1.0) == (3.0,)
    assert runtime.statistics()["plans"]["bad"]["isolated"]["seconds"] == FIRST_S
    clock.now += FIRST_S
    assert runtime.predict("bad", 1.0) == (3.0,)
    assert runtime.statistics()["plans"]["bad"]["isolated"] is None


def test_only_plans_that_need_a_corrupt_parameter_are_not_registered(runtime, tmp_path):
    plan = SumPlan(stored(runtime.store, [2.0]))
    (tmp_path / f"{plan.addend.digest}.bin").write_bytes(b"12345678")
    with pytest.raises(ParameterUnavailable, match=f"parameter {plan.addend.digest[:16]} is corrupt"):
        runtime.register("bad", plan)
    add(runtime, "good", 3.0)
    assert runtime.predict("good", 1.0) == (4.0,)


def test_equal_parameters_are_in_memory_once(runtime):
    add(runtime, "a", 2.0)
    add(runtime, "b", 2.0)
    memory = runtime.statistics()["memory"]
    assert (memory["shared_bytes"], memory["unshared_bytes"], memory["parameters"]) == (8, 16, 1)


def test_results_are_kept_for_a_plan_that_wants_it_and_never_for_another_type_of_value(runtime):
    add(runtime, "a", 2.0, cached=True)
    assert [runtime.predict("a", 1.0) for _ in range(3)] == [(3.0,)] * 3
    found = runtime.statistics()
    assert (found["plans"]["a"]["from_cache"], found["plans"]["a"]["records"], found["results"]["hits"]) == (2, 3, 2)
    with pytest.raises(RecordRefused):
        runtime.predict("a", 1)
    # What has no bytes of its own is answered, and not kept.
    assert runtime.predict("a", np.float64(1.0)) == (3.0,)


def test_a_replaced_plan_answers_no_longer_from_its_results(runtime):
    add(runtime, "a", 2.0, cached=True)
    assert runtime.predict("a", 1.0) == (3.0,)
    add(runtime, "a", 5.0, cached=True)
    assert runtime.predict("a", 1.0) == (6.0,)


def test_a_sample_tells_the_cost_and_with_it_the_engine(runtime):
    add(runtime, "quick", 1.0, sample=1.0)
    add(runtime, "asked", 1.0, sample=1.0, engine="batch")
    assert runtime.engine_of("quick") == "request-response"
    assert runtime.engine_of("asked") == "batch"
    assert runtime.statistics()["plans"]["asked"]["records"] == 0


def test_a_reservation_that_is_not_to_be_had_leaves_the_plan_unregistered(runtime):
    with pytest.raises(ReservationRefused):
        add(runtime, "a", 1.0, reservation=Reservation(cores=2))
    with pytest.raises(PlanUnknown):
        runtime.predict("a", 1.0)
    add(runtime, "a", 1.0, reservation=Reservation(cores=1, memory_bytes=64))
    assert runtime.statistics()["plans"]["a"]["reservation"] == {"cores": 1, "memory_bytes": 64}
    assert set(runtime.statistics()["queues"]) == {"", "a"}
    runtime.unregister("a")
    assert set(runtime.statistics()["queues"]) == {""}


def test_latencies_are_those_of_answers(runtime):
    add(runtime, "a", 1.0)
    for _ in range(5):
        runtime.predict("a", 1.0)
    single = runtime.statistics()["plans"]["a"]["single"]
    assert single["count"] == 5
    assert 0 < single["p50"] <= single["p99"] <= single["worst"] < 1


def test_rates_and_the_engine_follow_what_was_measured(runtime, clock):
    add(runtime, "a", 1.0)
    plan = runtime.plan("a")
    plan.tick(clock.now)
    for _ in range(20):
        plan.latencies.record(900_000)
    clock.now += 2.0
    plan.tick(clock.now)
    assert plan.records_per_s == 10.0
    assert runtime.engine_of("a") == "batch"
