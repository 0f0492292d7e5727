"""The runtime of a serving process: plans by id, the two engines, caches, and what is counted of all of them."""

from __future__ import annotations

import asyncio
import gc
import logging
import marshal
import os
import resource
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Final

from walle.whitebox.columns import RecordColumns
from walle.whitebox.compiling.records import RecordRefused
from walle.whitebox.runtime.admission import AdmissionLimits
from walle.whitebox.runtime.batch_engine import BatchEngine, BatchPlan
from walle.whitebox.runtime.byte_lru import ByteLru
from walle.whitebox.runtime.catalog import StageCatalog
from walle.whitebox.runtime.contract import BoundPlan, Refusals, UnboundPlan
from walle.whitebox.runtime.delayed_batching import BatchingLimits
from walle.whitebox.runtime.engines import EngineName, EngineWish
from walle.whitebox.runtime.errors import (
    BatchTooLarge,
    PlanFailed,
    PlanUnknown,
)
from walle.whitebox.runtime.executors.executor import Setup
from walle.whitebox.runtime.isolation import Failure
from walle.whitebox.runtime.parameter_store import ParameterStore
from walle.whitebox.runtime.registered_plan import RegisteredPlan, barred
from walle.whitebox.runtime.reservations import Reservation, Reservations
from walle.whitebox.runtime.vector_pool import VectorPool

log = logging.getLogger(__name__)

KERNELS: Final = (
    "walle.whitebox.runtime.served_plan",
    "walle.whitebox.kernels:load_kernels",
    "walle.whitebox.kernels:character_classes",
)
"""What executors need: modules, and functions that load something."""
INLINE_S: Final = 300e-6
"""Batches that take less than this are answered in the caller's thread: handing them over would take longer."""
STARTING_S: Final = 0.1
"""The same while no executor runs, which takes a second after a start: nobody is to wait for that."""
TICK_S: Final = 1.0
"""How often files of parameters are looked at, and rates and engines are determined anew."""


@dataclass(frozen=True, slots=True)
class RuntimeSettings:
    """What a runtime may use.

    In bytes: parameters that are mapped, results of plans and of stages that are kept, and what plans may reserve.

    `executors` is their number, by default one for each processor that this process may use; they give way to it by
    `niceness`. `modules` are loaded, or called, before executors are forked.
    """

    executors: int | None = None
    niceness: int = 5
    parameter_bytes: int = 8 << 30
    result_bytes: int = 64 << 20
    stage_bytes: int = 128 << 20
    reserved_bytes: int = 512 << 20
    batch_records: int = 10_000
    admission: AdmissionLimits = field(default_factory=AdmissionLimits)
    batching: BatchingLimits = field(default_factory=BatchingLimits)
    modules: tuple[str, ...] = KERNELS


class Runtime:
    """All plans of a process. `clock` returns monotonic seconds.

    `predict`, `register` and `unregister` may be called in any thread; the rest in that of the event loop in which the
    runtime was started. Without `start`, only the request-response engine works.
    """

    def __init__(
        self, folder: Path, settings: RuntimeSettings | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.settings = settings or RuntimeSettings()
        self.store = ParameterStore(folder, self.settings.parameter_bytes)
        self._clock = clock
        self._plans: dict[str, RegisteredPlan] = {}
        self._vectors = VectorPool()
        self._catalog = StageCatalog(self.settings.stage_bytes)
        self._results: ByteLru[tuple[int, bytes], Any] = ByteLru(self.settings.result_bytes)
        processors = sorted(os.sched_getaffinity(0))
        count = self.settings.executors or len(processors)
        self._reservations = Reservations(count, self.settings.reserved_bytes)
        self._batches = self._engine(processors, count)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._changing = threading.RLock()
        self._ticking: asyncio.Task[None] | None = None
        self._registered = 0

    def _engine(self, processors: Sequence[int], count: int) -> BatchEngine:
        own = self.settings
        setups = [
            Setup(
                number,
                (processors[number],) if count == len(processors) else (),
                own.niceness,
            )
            for number in range(count)
        ]
        return BatchEngine(setups, own.modules, self._reservations, own.admission, self._clock)

    async def start(self) -> None:
        """Start the executors, which are ready soon after.

        Each large parameter takes two handles, so this process may have as many as it is allowed from here on.
        """
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        self._loop = asyncio.get_running_loop()
        await self._batches.start()
        self._ticking = asyncio.create_task(self._tick_for_ever())

    async def close(self) -> None:
        """End the executors; what they have not answered fails."""
        if self._ticking is not None:
            self._ticking.cancel()
            await asyncio.gather(self._ticking, return_exceptions=True)
        if self._loop is not None:
            self._batches.close()
            self._loop = None

    @property
    def executors(self) -> list[int | None]:
        """The process ids of the executors by number, None for one that is being started."""
        return self._batches.pids

    def register(
        self,
        plan_id: str,
        plan: UnboundPlan,
        *,
        engine: EngineWish = "auto",
        reservation: Reservation | None = None,
        cached: bool = False,
        batching: BatchingLimits | None = None,
        prefault: bool = True,
        sample: Any = None,
    ) -> None:
        """Make a plan ready to predict; a plan of the same id is replaced once this one is ready.

        Results are kept if it is `cached`. With a `sample` record, it is run once, which tells its cost. Raises
        ParameterUnavailable and ReservationRefused; whatever the plan raises with the sample goes through.
        """
        with self._changing:
            lease = self.store.lease()
            try:
                bound = plan.bind(lease.get)
                pool = self._pool_for(bound, reservation)
                if prefault:
                    self.store.prefault(lease.keys)
                    pool.prepare(bound)
                registered = RegisteredPlan(
                    plan_id,
                    self._registered,
                    plan,
                    bound,
                    lease=lease,
                    engine=engine,
                    batching=batching or self.settings.batching,
                    cached=cached,
                    vectors=pool,
                )
                if sample is not None:
                    registered.measure(sample)
                self._unregister(plan_id)
                if reservation is not None:
                    self._reservations.reserve(plan_id, reservation)
            except BaseException:
                lease.close()
                raise
            self._registered += 1
            registered.batch = self._batch_plan(registered)
            self._catalog.add(registered)
            self._plans[plan_id] = registered
        if reservation is not None:
            self._tell(self._batches.reserved)

    def freeze_heap(self) -> None:
        """Exempt all that this process holds from garbage collection, after plans were registered.

        A full collection would look at the objects of hundreds of plans again and again, and hold up whoever waits for
        a prediction. What is given back later goes at once as long as no cycle of references keeps it, and plans are in
        none; the collection before spares what is garbage already.
        """
        gc.collect()
        gc.freeze()

    def unregister(self, plan_id: str) -> None:
        """Forget a plan: what runs is answered still. Raises PlanUnknown."""
        with self._changing:
            if not self._unregister(plan_id):
                raise PlanUnknown(plan_id)

    def engine_of(self, plan_id: str) -> EngineName:
        """Return which engine answers a plan's single records now. Raises PlanUnknown."""
        return self._plan(plan_id).choice.engine

    def isolate(self, plan_id: str, reason: str) -> None:
        """Keep a plan from running, as if it had crashed."""
        self._plan(plan_id).health.failed(Failure.CRASH, reason, self._clock())

    def predict(self, plan_id: str, record: Any) -> Any:
        """Return the prediction for one record, made in the caller's thread.

        Raises PlanUnknown, PlanIsolated, PlanFailed and RecordRefused.
        """
        plan = self._plans.get(plan_id)
        if plan is None:
            raise PlanUnknown(plan_id)
        if plan.health.isolation is not None:
            self._check(plan)
        key = _key(record) if plan.cached else None
        if key is not None and (known := self._results.get((plan.number, key))) is not None:
            plan.from_cache += 1
            return known
        try:
            prediction = plan.predict(record)
        except RecordRefused:
            plan.refused += 1
            raise
        except Exception as error:
            plan.health.failed(Failure.EXCEPTION, f"{type(error).__name__}: {error}", self._clock())
            raise PlanFailed(plan_id, f"{type(error).__name__}: {error}") from error
        if key is not None:
            self._results.put((plan.number, key), prediction, len(key) + _size(prediction))
        return prediction

    async def predict_one(self, plan_id: str, record: Any, left_s: float | None = None) -> Any:
        """Return the prediction for one record, by the engine that the plan has for these, in `left_s` seconds.

        Raises what `predict` does, and Overloaded.
        """
        plan = self._plan(plan_id)
        if plan.choice.engine == "request-response" or self._loop is None:
            return self.predict(plan_id, record)
        self._check(plan)
        key = _key(record) if plan.cached else None
        if key is not None and (known := self._results.get((plan.number, key))) is not None:
            plan.from_cache += 1
            return known
        waiting = self._loop.create_future()
        if plan.pending.add((record, left_s, waiting), self._clock(), self._batches.is_idle_for(plan_id)):
            self._flush(plan)
        elif len(plan.pending.waiting) == 1:
            self._loop.call_later(plan.pending.limits.delay_s, self._flush, plan)
        prediction = await waiting
        if key is not None:
            self._results.put((plan.number, key), prediction, len(key) + _size(prediction))
        return prediction

    async def predict_batch(self, plan_id: str, records: Sequence[Any], left_s: float | None = None) -> Sequence[Any]:
        """Return for each record its prediction, or the RecordRefused that says what is wrong with it.

        Records that are columns (RecordColumns) are answered by BatchAnswers. Raises PlanUnknown, PlanIsolated,
        PlanFailed, BatchTooLarge and Overloaded.
        """
        plan = self._plan(plan_id)
        if len(records) > self.settings.batch_records:
            raise BatchTooLarge(len(records), self.settings.batch_records)
        self._check(plan)
        started = time.perf_counter_ns()
        columnar = isinstance(records, RecordColumns)
        read: Callable[[bytes], Any] = bytes if columnar else plan.bound.read
        if self._is_inline(plan, len(records)):
            answers, refused = self._run_inline(plan, records)
            parts = [read(answers)]
        else:
            parts, refused = await self._batches.predict(plan.batch, records, left_s, read)
        found = plan.bound.columns(b"".join(parts), refused) if columnar else _merged(parts, refused)
        plan.batched(len(records), len(refused), time.perf_counter_ns() - started)
        return found

    def answers_inline(self, plan_id: str, records: int) -> bool:
        """Return whether a batch of so many records would be answered in the caller's thread. Raises PlanUnknown."""
        return self._is_inline(self._plan(plan_id), records)

    def statistics(self) -> dict[str, Any]:
        """Return what is counted: of memory, of caches, of the queues, and of each plan, as JSON has it."""
        now = self._clock()
        held = self._reservations.held
        memory = self.store.statistics()
        return {
            "memory": {
                "shared_bytes": memory.shared_bytes,
                "unshared_bytes": memory.unshared_bytes,
                "mapped_bytes": memory.mapped_bytes,
                "capacity_bytes": memory.capacity_bytes,
                "parameters": memory.parameters,
                "evicted": memory.evicted,
                "corrupt": list(memory.corrupt),
            },
            "results": _cache_statistics(self._results),
            "stages": {
                **_cache_statistics(self._catalog.results.kept),
                "different": self._catalog.stages,
                "shared": self._catalog.shared,
            },
            "queues": self._batches.statistics(),
            "executors": {
                "processes": self._batches.pids,
                "restarts": self._batches.restarts,
                "busy_s": self._batches.busy_s,
                "shed": self._batches.shed,
            },
            "plans": {
                plan_id: {
                    **plan.statistics(now),
                    "shared_stages": len(self._catalog.shared_by(plan)),
                    "reservation": {"cores": held[plan_id].cores, "memory_bytes": held[plan_id].memory_bytes}
                    if plan_id in held
                    else None,
                }
                for plan_id, plan in list(self._plans.items())
            },
        }

    def plan(self, plan_id: str) -> RegisteredPlan:
        """Return what is known of a plan. Raises PlanUnknown."""
        return self._plan(plan_id)

    def _plan(self, plan_id: str) -> RegisteredPlan:
        plan = self._plans.get(plan_id)
        if plan is None:
            raise PlanUnknown(plan_id)
        return plan

    def _pool_for(self, plan: BoundPlan, reservation: Reservation | None) -> VectorPool:
        if reservation is None or not reservation.memory_bytes:
            return self._vectors
        pool = VectorPool()
        pool.fill(plan, reservation.memory_bytes)
        return pool

    def _is_inline(self, plan: RegisteredPlan, records: int) -> bool:
        most_s = INLINE_S if self._batches.is_ready else STARTING_S
        quick = plan.choice.engine == "request-response" and plan.batch.record_s * records < most_s
        return quick or self._loop is None

    def _check(self, plan: RegisteredPlan) -> None:
        isolated = plan.barred(self._clock())
        if isolated is not None:
            raise isolated

    def _batch_plan(self, plan: RegisteredPlan) -> BatchPlan:
        """Return the plan for the batch engine. It does not refer to this one, so that both go without a collector."""
        plan_id, health = plan.id, plan.health
        return BatchPlan(
            plan.id,
            f"{plan.number} {plan.id}",
            plan.unbound,
            plan.bound,
            failed=lambda failure, detail: health.failed(failure, detail, self._clock()),
            barred=lambda: barred(plan_id, health, self._clock()),
            parameters=plan.lease.shared(),
            succeeded=health.succeeded,
            record_s=plan.record_s,
        )

    def _unregister(self, plan_id: str) -> bool:
        plan = self._plans.pop(plan_id, None)
        if plan is None:
            return False
        self._catalog.remove(plan)
        self._tell(self._retire, plan)
        if plan_id in self._reservations.held:
            self._reservations.release(plan_id)
            self._tell(self._batches.reserved)
        return True

    def _retire(self, plan: RegisteredPlan) -> None:
        """Give a plan's parameters back: in the thread that sends them to executors, once it does so no longer."""
        self._batches.forget(plan.batch)
        plan.lease.close()

    def _tell(self, function: Callable[..., object], *arguments: Any) -> None:
        """Have something done in the event loop's thread, as soon as that can be."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(function, *arguments)
        else:
            function(*arguments)

    def _run_inline(self, plan: RegisteredPlan, records: Sequence[Any]) -> tuple[bytes, Refusals]:
        try:
            return plan.run(records)
        except Exception as error:
            plan.health.failed(Failure.EXCEPTION, f"{type(error).__name__}: {error}", self._clock())
            raise PlanFailed(plan.id, f"{type(error).__name__}: {error}") from error

    def _flush(self, plan: RegisteredPlan) -> None:
        waiting = [each for each in plan.pending.take() if not each[2].done()]
        if waiting:
            task = asyncio.ensure_future(self._answer_together(plan, waiting))
            plan.tasks.add(task)
            task.add_done_callback(plan.tasks.discard)

    async def _answer_together(
        self, plan: RegisteredPlan, waiting: list[tuple[Any, float | None, asyncio.Future[Any]]]
    ) -> None:
        """Answer the records that waited as one batch."""
        limits = [left for _, left, _ in waiting if left is not None]
        started = time.perf_counter_ns()
        found: list[Any]
        try:
            records = [record for record, _, _ in waiting]
            left_s = min(limits, default=None)
            found = _merged(*await self._batches.predict(plan.batch, records, left_s, plan.bound.read))
        except Exception as error:
            found = [error] * len(waiting)
        taken = time.perf_counter_ns() - started
        for (_, _, future), prediction in zip(waiting, found, strict=True):
            if future.done():
                continue
            if isinstance(prediction, RecordRefused):
                plan.refused += 1
                future.set_exception(RecordRefused(0, prediction.field, prediction.expected))
            elif isinstance(prediction, Exception):
                future.set_exception(prediction)
            else:
                plan.latencies.record(taken)
                future.set_result(prediction)

    async def _tick_for_ever(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            for plan in list(self._plans.values()):
                plan.tick(self._clock())
            for digest in await asyncio.to_thread(self.audit):
                log.error("the file of parameter %s is corrupt; what is in memory is not concerned", digest)

    def audit(self) -> frozenset[str]:
        """Return the parameters whose files were found corrupt since they were verified."""
        with self._changing:
            return self.store.audit()


def _key(record: Any) -> bytes | None:
    """Return the record as bytes that differ if the records do, in a type too; None for what has none."""
    try:
        return marshal.dumps(record, 0)
    except ValueError:
        return None


def _size(prediction: Any) -> int:
    """Return about how many bytes a prediction takes."""
    return 200 + sum(32 * len(part) for part in prediction if isinstance(part, (list, tuple)))


def _merged(parts: Sequence[Sequence[Any]], refused: Refusals) -> list[Any]:
    """Return the answers of all parts with the refusals in the places of the records that have none."""
    answers = list(chain.from_iterable(parts))
    for index, column, expected in refused:
        answers.insert(index, RecordRefused(index, column, expected))
    return answers


def _cache_statistics(cache: ByteLru[Any, Any]) -> dict[str, int]:
    return {
        "bytes": cache.used,
        "capacity_bytes": cache.most,
        "entries": len(cache),
        "hits": cache.hits,
        "misses": cache.misses,
        "evicted": cache.evicted,
    }
