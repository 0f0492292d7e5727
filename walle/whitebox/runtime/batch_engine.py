"""The batch engine: admits batches, divides them into chunks, and has executors answer these."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from walle.whitebox.runtime.admission import Admission, AdmissionLimits
from walle.whitebox.runtime.chunks import chunk_ranges, sizes_of
from walle.whitebox.runtime.contract import BoundPlan, Refusals, UnboundPlan
from walle.whitebox.runtime.errors import Overloaded, PlanFailed, PlanUnknown
from walle.whitebox.runtime.executors.executor import Setup
from walle.whitebox.runtime.executors.messages import Kind, Reply, TooLongForArena
from walle.whitebox.runtime.executors.pool import ExecutorPool
from walle.whitebox.runtime.isolation import Failure
from walle.whitebox.runtime.parameter_store import SharedParameter
from walle.whitebox.runtime.reservations import Reservations
from walle.whitebox.runtime.schedule import Schedule, Work

log = logging.getLogger(__name__)

LIMIT_S: Final = 0.25
"""The processor time that a chunk may take at least, and TIMES as much as it is estimated to."""
TIMES: Final = 20.0
SECONDS_A_BYTE: Final = 1e-6
_WALL_S: Final = 5.0
"""So much longer a chunk may take by the clock: an executor may be stopped, or have no processor."""
LOOK_EVERY_S: Final = 0.5
_FIRST_RECORD_S: Final = 50e-6
_SOON_S: Final = 0.1
_WEIGHT: Final = 0.2
"""How much one chunk changes the estimate of what a record costs."""
_OUTLIER: Final = 2.0
"""How many times the estimate a chunk counts at most."""
_CRASHES: Final = frozenset(
    {0, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT, signal.SIGTRAP, signal.SIGSYS}
)


AnswerReader = Callable[[bytes], Any]


@dataclass(eq=False, slots=True)
class BatchPlan:
    """A plan of the batch engine. `key` tells it from one that had the same id.

    `failed` and `succeeded` are told how its chunks went; `barred` returns why it must not run now.
    """

    id: str
    key: str
    unbound: UnboundPlan
    bound: BoundPlan
    failed: Callable[[Failure, str], object]
    barred: Callable[[], Exception | None]
    parameters: Sequence[SharedParameter]
    """Its parameters, which are there until it is closed."""
    succeeded: Callable[[], None]
    closed: bool = False
    record_s: float = _FIRST_RECORD_S
    """The processor time that a record costs an executor, estimated."""

    def took(self, record_s: float) -> None:
        """Take note of the processor time of a chunk's records; one that took far longer does not count in full."""
        self.record_s += _WEIGHT * (min(record_s, _OUTLIER * self.record_s) - self.record_s)


@dataclass(eq=False, slots=True)
class _Batch:
    plan: BatchPlan
    records: Sequence[Any]
    ranges: list[tuple[int, int]]
    bytes: int
    answered: asyncio.Future[tuple[list[Any], Refusals]]
    read: AnswerReader
    answers: list[Any]
    refused: Refusals = field(default_factory=list)
    left: int = 0
    deaths: set[int] = field(default_factory=set)
    """The chunks whose executor was killed once."""


@dataclass(eq=False, slots=True)
class _Running:
    work: Work
    chunk: int
    since: float
    limit_s: float
    overdue: bool = False


class BatchEngine:
    """Everything is called in the event loop's thread. `clock` returns monotonic seconds."""

    def __init__(
        self,
        setups: Sequence[Setup],
        modules: Sequence[str],
        reservations: Reservations,
        limits: AdmissionLimits,
        clock: Callable[[], float],
    ) -> None:
        self._niceness = setups[0].niceness
        self._pool = ExecutorPool(setups, modules, self._replied, self._died)
        self._reservations = reservations
        self._limits = limits
        self._clock = clock
        self._schedule = Schedule()
        self._admissions: dict[str | None, Admission] = {}
        self._running: dict[int, _Running] = {}
        self._watch: asyncio.TimerHandle | None = None
        self.shed = 0
        self.busy_s = 0.0
        self.reserved()

    @property
    def pids(self) -> list[int | None]:
        return self._pool.pids

    @property
    def is_ready(self) -> bool:
        """Whether an executor runs."""
        return any(pid is not None for pid in self._pool.pids)

    @property
    def restarts(self) -> int:
        return self._pool.restarts

    async def start(self) -> None:
        await self._pool.start()
        self._look()

    def close(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
        self._pool.close()
        for work in [*self._schedule.waiting, *(running.work for running in self._running.values())]:
            self._fail(work, Overloaded("the engine is shut down", 1.0))

    def reserved(self) -> None:
        """Take note of reservations that were made or given back."""
        owners: set[str | None] = {None, *(plan for plan, each in self._reservations.held.items() if each.cores)}
        for gone in self._admissions.keys() - owners:
            self._schedule.release(gone)
        for owner in owners:
            self._schedule.reserve(owner)
        self._admissions = {owner: self._admissions.get(owner) or Admission(self._limits, 0) for owner in owners}
        for owner, admission in self._admissions.items():
            admission.executors = len(self._reservations.of(owner))
        self._dispatch()

    def is_idle_for(self, plan: str) -> bool:
        """Return whether an executor could take a chunk of this plan at once."""
        return self._idle(plan if plan in self._admissions else None) > 0

    async def predict(
        self, plan: BatchPlan, records: Sequence[Any], left_s: float | None, read: Callable[[bytes], Any]
    ) -> tuple[list[Any], Refusals]:
        """Return what `read` makes of the answers of each chunk, in their order, and the refusals.

        Answers are those of the records that were not refused, as executors wrote them. `left_s` are the seconds until
        the deadline. Raises Overloaded or PlanFailed.
        """
        sizes = sizes_of(records)
        total, cost_s = int(sizes.sum()), plan.record_s * len(records)
        owner = plan.id if plan.id in self._admissions else None
        admission = self._admissions[owner]
        admission.admit(plan.id, cost_s, total, left_s)
        try:
            left_s = self._limits.deadline_s if left_s is None else left_s
            work = self._work(plan, records, sizes, self._idle(owner), read)
            work.deadline = self._clock() + left_s
            self._schedule.add(work)
            self._dispatch()
            batch: _Batch = work.payload
            try:
                async with asyncio.timeout(left_s):
                    return await batch.answered
            except TimeoutError:
                self.shed += 1
                raise Overloaded("the deadline has passed", admission.waiting_s(plan.id, cost_s)) from None
            finally:
                work.cancelled = True
        finally:
            admission.done(plan.id, cost_s, total)

    def forget(self, plan: BatchPlan) -> None:
        """Have executors give up a plan, and no longer send it to any."""
        plan.closed = True
        self._pool.forget(plan.key)

    def statistics(self) -> dict[str, Any]:
        """Return queue lengths, what waits, and what was refused, for all ("") and for plans with executors."""
        lengths = self._schedule.lengths()
        return {
            owner or "": {
                "executors": admission.executors,
                "low": lengths[owner][0],
                "high": lengths[owner][1],
                "backlog_s": admission.backlog_s,
                "bytes": admission.bytes,
                "refused": admission.refused,
            }
            for owner, admission in self._admissions.items()
        }

    def _idle(self, owner: str | None) -> int:
        """Return how many executors of those who reserved them, or of everybody (None), run nothing."""
        return sum(number not in self._running for number in self._reservations.of(owner))

    def _work(
        self,
        plan: BatchPlan,
        records: Sequence[Any],
        sizes: NDArray[np.int64],
        idle: int,
        read: Callable[[bytes], Any],
    ) -> Work:
        ranges = chunk_ranges(sizes, plan.record_s, idle)
        future: asyncio.Future[tuple[list[Any], Refusals]] = asyncio.get_running_loop().create_future()
        answers = [None] * len(ranges)
        batch = _Batch(plan, records, ranges, int(sizes.sum()), future, read, answers, left=len(ranges))
        return Work(plan.id, len(ranges), plan.record_s * len(records), payload=batch)

    def _dispatch(self) -> None:
        for number in range(len(self._pool)):
            if number not in self._running:
                self._give(number)

    def _give(self, number: int) -> None:
        """Have an idle executor run what comes next, if anything waits for it."""
        owned = self._reservations.owner(number) is not None
        self._pool.set_niceness(number, 0 if owned else self._niceness)
        while (taken := self._next(number)) is not None and not self._hand(number, *taken):
            continue

    def _next(self, number: int) -> tuple[Work, int] | None:
        late: list[Work] = []
        taken = self._schedule.take(self._reservations.owner(number), self._clock(), late)
        for work in late:
            self._fail(work, Overloaded("the deadline has passed", _SOON_S))
        return taken

    def _hand(self, number: int, work: Work, index: int) -> bool:
        """Have an idle executor run a chunk; return whether it could be sent."""
        batch: _Batch = work.payload
        barred = PlanUnknown(work.plan) if batch.plan.closed else batch.plan.barred()
        if barred is not None:
            self._fail(work, barred)
            return False
        first, last = batch.ranges[index]
        estimate = batch.plan.record_s * (last - first)
        limit = LIMIT_S + TIMES * estimate + SECONDS_A_BYTE * batch.bytes
        try:
            self._pool.send(number, batch.plan, batch.records[first:last], limit)
        except TooLongForArena as error:
            self._fail(work, PlanFailed(work.plan, str(error)))
            return False
        self._running[number] = _Running(work, index, self._clock(), limit)
        return True

    def _replied(self, number: int, reply: Reply) -> None:
        running = self._running.pop(number)
        batch: _Batch = running.work.payload
        if reply.kind is Kind.ANSWERED:
            self._answered(running, reply)
        else:
            self._failed(batch.plan, running.work, Failure.EXCEPTION, reply.about["problem"])
        self._give(number)

    def _answered(self, running: _Running, reply: Reply) -> None:
        batch: _Batch = running.work.payload
        first, last = batch.ranges[running.chunk]
        ran_s = reply.about["ran_s"]
        self.busy_s += ran_s
        batch.plan.took(ran_s / (last - first))
        batch.plan.succeeded()
        batch.answers[running.chunk] = batch.read(reply.data)
        batch.refused.extend((first + index, column, expected) for index, column, expected in reply.about["refused"])
        batch.left -= 1
        if not batch.left and not batch.answered.done():
            batch.answered.set_result((batch.answers, sorted(batch.refused)))

    def _died(self, number: int, ended_by: int) -> None:
        """An executor ended and another has its number; what it ran is run again, or its plan is to blame."""
        running = self._running.pop(number, None)
        if running is not None:
            self._blame(running, ended_by)
        self._give(number)

    def _blame(self, running: _Running, ended_by: int) -> None:
        batch: _Batch = running.work.payload
        name = signal.Signals(ended_by).name if ended_by else "an exit"
        again = running.chunk in batch.deaths
        log.warning("an executor ended by %s while it ran plan %s", name, running.work.plan)
        if ended_by == signal.SIGPROF:
            self._failed(batch.plan, running.work, Failure.TIME_LIMIT, f"{running.limit_s:.1f} s of processor time")
        elif ended_by in _CRASHES or (again and not running.overdue):
            self._failed(batch.plan, running.work, Failure.CRASH, name)
        elif again:
            self._failed(batch.plan, running.work, Failure.TIME_LIMIT, f"{running.limit_s + _WALL_S:.1f} s")
        else:
            batch.deaths.add(running.chunk)
            self._schedule.put_back(running.work, running.chunk)

    def _failed(self, plan: BatchPlan, work: Work, failure: Failure, detail: str) -> None:
        plan.failed(failure, detail)
        self._fail(work, PlanFailed(plan.id, f"{failure.value}: {detail}"))

    def _fail(self, work: Work, error: Exception) -> None:
        work.cancelled = True
        batch: _Batch = work.payload
        if isinstance(error, Overloaded):
            self.shed += 1
        if not batch.answered.done():
            batch.answered.set_exception(error)

    def _look(self) -> None:
        """End executors that are far beyond their time by the clock.

        Those that were reserved while they were being started are given their niceness, before a request waits for it.
        """
        now = self._clock()
        for number, running in self._running.items():
            if self._pool.pids[number] is None:
                # It is still being started, which takes long where a machine is busy, and no time of the plan's.
                running.since = now
            elif now - running.since > running.limit_s + _WALL_S:
                running.overdue = True
                self._pool.kill(number)
        self._dispatch()
        self._watch = asyncio.get_running_loop().call_later(LOOK_EVERY_S, self._look)
