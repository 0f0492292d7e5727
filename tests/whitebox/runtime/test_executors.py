"""Executors are processes: one that is killed, crashes or loops gives no wrong answer, others go on, and it is back."""

import asyncio
import math
import os
import signal
import struct

import pytest

from tests.support.waiting import FACTOR
from tests.whitebox.compiling.test_columns import columns_of
from tests.whitebox.compiling.test_records import GOOD
from tests.whitebox.pipelines import attendees, data_of
from tests.whitebox.runtime.plans import LOADS_WITH, SumPlan, stored
from walle.whitebox.archive import Archive
from walle.whitebox.compiling.records import RecordRefused
from walle.whitebox.runtime import batch_engine
from walle.whitebox.runtime.admission import AdmissionLimits
from walle.whitebox.runtime.delayed_batching import BatchingLimits
from walle.whitebox.runtime.errors import Overloaded, PlanFailed, PlanIsolated
from walle.whitebox.runtime.executors.executor import Chunk, Executor, SentPlan
from walle.whitebox.runtime.parameter_store import ParameterStore, key_of
from walle.whitebox.runtime.reservations import Reservation
from walle.whitebox.runtime.served_plan import ServedPlan
from walle.whitebox.runtime.service import KERNELS, Runtime, RuntimeSettings

pytestmark = pytest.mark.processes

NICENESS = os.getpriority(os.PRIO_PROCESS, 0)
LEFT_S = 60.0 * FACTOR
"""So long a request may take: only what hangs does."""


async def started(folder, **settings):
    limits = AdmissionLimits(deadline_s=LEFT_S)
    settings = {"executors": 2, "modules": ("tests.whitebox.runtime.plans",), "admission": limits, **settings}
    runtime = Runtime(folder, RuntimeSettings(**settings))
    await runtime.start()
    return runtime


@pytest.fixture
async def runtime(tmp_path):
    runtime = await started(tmp_path)
    for name in ("a", "b", "c", "d", "e"):
        runtime.register(name, SumPlan(stored(runtime.store, [1.0])), engine="batch")
    yield runtime
    await runtime.close()


async def pids_of(runtime, plan):
    answers = await asyncio.gather(*[runtime.predict_batch(plan, ["pid"], LEFT_S) for _ in range(20)])
    return {pid for ((pid,),) in answers}


async def test_executors_answer_and_what_one_plan_does_to_them_harms_no_other(runtime, tmp_path, monkeypatch):
    # However long a busy machine takes to give the loop its processor time.
    monkeypatch.setattr(batch_engine, "_WALL_S", LEFT_S)
    answers = await runtime.predict_batch("a", [float(number) for number in range(3000)] + ["x"], LEFT_S)
    assert answers[:3000] == [(number + 1.0,) for number in range(3000)]
    assert isinstance(answers[3000], RecordRefused)
    assert answers[3000].index == 3000
    assert os.getpid() not in await pids_of(runtime, "a")

    async def failing(plan, record, problem):
        with pytest.raises(PlanFailed, match=problem):
            await runtime.predict_batch(plan, [1.0, record], LEFT_S)
        with pytest.raises(PlanIsolated, match=f"plan {plan} is isolated.*{problem}"):
            await runtime.predict_batch(plan, [1.0], LEFT_S)

    async def others():
        for number in range(50):
            assert await runtime.predict_batch("a", [float(number)], LEFT_S) == [(number + 1.0,)]

    await asyncio.gather(
        failing("b", "loop", "exceeded its time limit: 0.[23] s of processor time"),
        failing("c", "segfault", "crashed its executor: SIGSEGV"),
        failing("d", "killed", "crashed its executor: SIGKILL"),
        others(),
    )
    # A chunk whose executor somebody killed is run again by another one, and the plan is not to blame.
    assert await runtime.predict_batch("e", [1.0, f"killed once {tmp_path / 'e'}"], LEFT_S) == [(2.0,), (1.0,)]
    assert await runtime.predict_batch("e", [1.0], LEFT_S) == [(2.0,)]
    assert runtime.statistics()["executors"]["restarts"] >= 5


async def test_a_batch_is_divided_among_executors_that_are_idle(runtime):
    divided, whole = await asyncio.gather(*(runtime.predict_batch(name, ["pid"] * 100, LEFT_S) for name in "ab"))
    assert (len(set(divided)), len(set(whole))) == (2, 1)


def test_a_short_chunk_takes_processor_time_while_the_timer_runs(tmp_path):
    """What a record costs is learned from it: chunks that seemed to cost nothing would be too long, and never shed."""
    executor, plan = Executor(), SumPlan(stored(ParameterStore(tmp_path, 1 << 20), [1.0]))
    parameter = {key_of(plan.addend): struct.pack("=d", 1.0)}
    first = Chunk("a", SentPlan(plan, parameter, ()), (), [], 60.0)
    executor.take(first, [])
    executor.answer(first)
    signal.setitimer(signal.ITIMER_PROF, 60.0)
    try:
        replies = [executor.answer(Chunk("a", None, (), [1.0] * 100, 60.0)) for _ in range(20)]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    assert all(about["ran_s"] > 0 for _, about, _ in replies)


async def test_executors_come_back_when_all_are_killed_with_what_starts_them(runtime):
    before = await pids_of(runtime, "a")
    server = int(open(f"/proc/{int(next(iter(before)))}/stat").read().rpartition(")")[2].split()[1])  # noqa: SIM115
    os.kill(server, signal.SIGKILL)
    assert await runtime.predict_batch("a", [1.0], LEFT_S) == [(2.0,)]
    async with asyncio.timeout(LEFT_S):
        while not before.isdisjoint(await pids_of(runtime, "a")):
            pass


async def test_a_reserved_executor_runs_nothing_else(runtime, tmp_path):
    await pids_of(runtime, "a")
    runtime.register("own", SumPlan(stored(runtime.store, [9.0])), engine="batch", reservation=Reservation(cores=1))
    assert await runtime.predict_batch("own", [1.0], LEFT_S) == [(10.0,)]
    own = await pids_of(runtime, "own")
    assert len(own) == 1
    # It does not give way to the front end, as the others do.
    assert {os.getpriority(os.PRIO_PROCESS, int(pid)) for pid in own} == {NICENESS}
    assert {os.getpriority(os.PRIO_PROCESS, int(pid)) for pid in await pids_of(runtime, "a")} == {min(19, NICENESS + 5)}
    assert own.isdisjoint(await pids_of(runtime, "a"))
    runtime.unregister("own")
    async with asyncio.timeout(LEFT_S):
        while len(await pids_of(runtime, "a")) < 2:
            pass


async def test_an_executor_that_is_reserved_while_it_starts_is_ready_before_anybody_asks(tmp_path):
    runtime = await started(tmp_path)
    try:
        own = SumPlan(stored(runtime.store, [9.0]))
        runtime.register("own", own, engine="batch", reservation=Reservation(cores=1))
        async with asyncio.timeout(LEFT_S):
            while runtime._batches._pool._members[-1].setup.niceness or runtime.executors[-1] is None:
                await asyncio.sleep(0.01)
        assert os.getpriority(os.PRIO_PROCESS, runtime.executors[-1]) == NICENESS
    finally:
        await runtime.close()


async def test_records_that_come_one_by_one_are_answered_together_while_executors_work(runtime):
    runtime.register(
        "one", SumPlan(stored(runtime.store, [1.0])), engine="batch", batching=BatchingLimits(delay_s=0.05, records=50)
    )
    records = [float(number) for number in range(200)] + ["x"]
    answers = await asyncio.gather(
        *[runtime.predict_one("one", record, LEFT_S) for record in records], return_exceptions=True
    )
    assert answers[:200] == [(number + 1.0,) for number in range(200)]
    assert isinstance(answers[200], RecordRefused)
    assert answers[200].index == 0
    found = runtime.statistics()["plans"]["one"]
    assert (found["single"]["count"], found["refused"]) == (200, 1)


async def test_a_parameter_whose_file_becomes_corrupt_is_named_and_answers_stay_right(runtime, tmp_path):
    for name, values in (("small", [5.0]), ("large", [5.0] * 10_000)):
        plan = SumPlan(stored(runtime.store, values))
        runtime.register(name, plan, engine="batch")
        (tmp_path / f"{plan.addend.digest}.bin").write_bytes(bytes(8 * len(values)))
    async with asyncio.timeout(LEFT_S):
        while len(runtime.statistics()["memory"]["corrupt"]) < 2:
            await asyncio.sleep(0.05)
    # No executor has seen them before.
    assert await runtime.predict_batch("small", [1.0], LEFT_S) == [(6.0,)]
    assert await runtime.predict_batch("large", [1.0], LEFT_S) == [(6.0,)]


async def test_what_waits_when_the_runtime_is_closed_is_refused_at_once(tmp_path):
    runtime = await started(tmp_path, executors=1)
    runtime.register("a", SumPlan(stored(runtime.store, [1.0])), engine="batch")
    waiting = [asyncio.ensure_future(runtime.predict_batch("a", ["loop"], LEFT_S)) for _ in range(3)]
    await asyncio.sleep(0)
    await runtime.close()
    answers = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(each) for each in answers] == [Overloaded] * 3


async def test_more_than_can_be_answered_in_time_is_shed(tmp_path):
    runtime = await started(tmp_path, executors=1, admission=AdmissionLimits(backlog_s=0.0, deadline_s=LEFT_S))
    try:
        runtime.register("a", SumPlan(stored(runtime.store, [1.0])), engine="batch")
        answers = await asyncio.gather(
            *[runtime.predict_batch("a", [1.0], LEFT_S) for _ in range(20)], return_exceptions=True
        )
        assert answers.count([(2.0,)]) == 1
        assert sum(isinstance(each, Overloaded) and each.retry_after > 0 for each in answers) == 19
        assert await runtime.predict_batch("a", [1.0], LEFT_S) == [(2.0,)]
    finally:
        await runtime.close()


async def test_batches_are_answered_by_the_caller_until_an_executor_runs(tmp_path):
    runtime = await started(tmp_path)
    try:
        runtime.register("a", SumPlan(stored(runtime.store, [1.0])), engine="request-response")
        assert await runtime.predict_batch("a", ["pid"] * 100, LEFT_S) == [(float(os.getpid()),)] * 100
        async with asyncio.timeout(LEFT_S):
            while runtime.answers_inline("a", 100):
                await asyncio.sleep(0.01)
        assert os.getpid() not in {pid for (pid,) in await runtime.predict_batch("a", ["pid"] * 100, LEFT_S)}
    finally:
        await runtime.close()


async def test_the_time_in_which_an_executor_is_started_is_no_time_of_its_plan(tmp_path, monkeypatch):
    may_load, now = tmp_path / "may-load", [0.0]
    monkeypatch.setenv(LOADS_WITH, str(may_load))
    monkeypatch.setattr(batch_engine, "LOOK_EVERY_S", 0.01)
    settings = RuntimeSettings(executors=1, modules=("tests.whitebox.runtime.plans:load_when_told",))
    runtime = Runtime(tmp_path, settings, clock=lambda: now[0])
    await runtime.start()
    try:
        runtime.register("a", SumPlan(stored(runtime.store, [1.0])), engine="batch")
        answers = asyncio.create_task(runtime.predict_batch("a", [1.0], LEFT_S))
        await asyncio.sleep(0)
        now[0] += 1000
        await asyncio.sleep(0.1)
        may_load.touch()
        assert await answers == [(2.0,)]
        assert runtime.statistics()["executors"]["restarts"] == 0
    finally:
        await runtime.close()


async def test_columns_are_answered_as_their_records(tmp_path):
    runtime, program = await started(tmp_path, modules=KERNELS), attendees()
    for digest, raw in data_of(program).items():
        (runtime.store.folder / f"{digest}.bin").write_bytes(raw)
    runtime.register("numbers", ServedPlan.of(Archive(program.graph, program.statistics, {})), engine="batch")
    given = [GOOD | {"age": float(age)} for age in range(700)] + [GOOD | {"age": math.inf}]
    try:
        found = await runtime.predict_batch("numbers", columns_of(given, list(GOOD)), LEFT_S)
        *expected, refused = await runtime.predict_batch("numbers", given, LEFT_S)
    finally:
        await runtime.close()
    assert list(found)[:-1] == expected
    assert found.refused.keys() == {700}
    assert str(found[700]) == str(refused)
