"""One plan of a runtime: its parameters, its pool of vectors, its health, and what is counted of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from time import perf_counter_ns
from typing import Any, Final

from walle.whitebox.runtime.batch_engine import BatchPlan
from walle.whitebox.runtime.catalog import Reuse
from walle.whitebox.runtime.contract import BoundPlan, Refusals, UnboundPlan
from walle.whitebox.runtime.delayed_batching import BatchingLimits, PendingBatch
from walle.whitebox.runtime.engines import EngineChoice, EngineWish
from walle.whitebox.runtime.errors import PlanIsolated
from walle.whitebox.runtime.isolation import PlanHealth
from walle.whitebox.runtime.latencies import LatencyHistogram
from walle.whitebox.runtime.materialisation import SharedResults
from walle.whitebox.runtime.parameter_store import ParameterLease
from walle.whitebox.runtime.vector_pool import VectorPool

_MEASURED: Final = 5
"""How often a sample is run to tell what a record costs; the least time counts."""
_FIRST_RECORD_S: Final = 50e-6
_QUANTILES: Final = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "worst": 1.0}


class RegisteredPlan:
    """A plan as it is registered. `number` is another one for each registration in a process."""

    def __init__(
        self,
        plan_id: str,
        number: int,
        unbound: UnboundPlan,
        bound: BoundPlan,
        *,
        lease: ParameterLease,
        engine: EngineWish,
        batching: BatchingLimits,
        cached: bool,
        vectors: VectorPool,
    ) -> None:
        # What each prediction needs lies side by side.
        self.health = PlanHealth()
        self.cached = cached
        self._vectors = vectors
        self.reuse: Reuse | None = None
        self.latencies, self.batches = LatencyHistogram(), LatencyHistogram()
        """Of single records, from the call to the answer, and of batches."""
        self.unbound, self.bound, self.lease = unbound, bound, lease
        self.id, self.number = plan_id, number
        self.choice = EngineChoice(engine)
        self.sharing: SharedResults | None = None
        self.pending = PendingBatch(batching)
        self.tasks: set[asyncio.Task[None]] = set()
        self.batch_records = self.refused = self.from_cache = 0
        self.records_per_s = 0.0
        self.batch: BatchPlan
        self.record_s = _FIRST_RECORD_S
        """What a record costs in the caller's thread, measured."""
        self._ticked: tuple[float, int, int, int] | None = None

    def measure(self, record: Any) -> None:
        """Run the plan with a record, and choose its engine by what that costs."""
        times, vectors = [], self._vectors.take(self.bound)
        for _ in range(_MEASURED):
            started = perf_counter_ns()
            self.bound.predict(record, vectors)
            times.append(perf_counter_ns() - started)
        self._vectors.give(vectors)
        self.record_s = min(times) / 1e9
        self.choice.measured(self.record_s)

    def predict(self, record: Any) -> Any:
        """Return the prediction for one record, and count how long it took."""
        started = perf_counter_ns()
        vectors = self._vectors.take(self.bound)
        reuse = self.reuse
        try:
            prediction = self.bound.predict(record, vectors) if reuse is None else reuse(record, vectors)
        finally:
            self._vectors.give(vectors)
        self.latencies.record(perf_counter_ns() - started)
        if self.health.failures:
            self.health.succeeded()
        return prediction

    def run(self, records: Sequence[Any]) -> tuple[bytes, Refusals]:
        """Return the answers to records, made in the caller's thread, and which were refused."""
        vectors = self._vectors.take(self.bound)
        try:
            return self.bound.run(records, vectors)
        finally:
            self._vectors.give(vectors)

    def barred(self, now: float) -> PlanIsolated | None:
        """Return why the plan must not run now, if it must not."""
        return barred(self.id, self.health, now)

    def batched(self, records: int, refused: int, nanoseconds: int) -> None:
        """Count a batch that was answered."""
        self.batches.record(nanoseconds)
        self.batch_records += records
        self.refused += refused

    @property
    def records(self) -> int:
        """How many records were answered."""
        return self.latencies.count + self.batch_records + self.from_cache

    def tick(self, now: float) -> None:
        """Take note of the rate, and of what a record costs, since the last time."""
        present = now, self.records, self.latencies.count, self.latencies.total_ns
        before, self._ticked = self._ticked, present
        if before is None or now <= before[0]:
            return
        self.records_per_s = (present[1] - before[1]) / (now - before[0])
        singles = present[2] - before[2]
        if self.choice.engine == "batch":
            self.choice.measured(self.batch.record_s)
        elif singles:
            self.record_s = (present[3] - before[3]) / singles / 1e9
            self.choice.measured(self.record_s)

    def statistics(self, now: float) -> dict[str, Any]:
        """Return what is counted, as JSON has it; latencies in seconds."""
        barred = self.barred(now)
        return {
            "engine": self.choice.engine,
            "records": self.records,
            "records_per_s": self.records_per_s,
            "refused": self.refused,
            "errors": self.health.errors,
            "from_cache": self.from_cache,
            "single": _quantiles(self.latencies),
            "batch": _quantiles(self.batches),
            "parameters": len(self.lease.keys),
            "sharing": None if self.sharing is None else {"looks_up": True, "hit_rate": self.sharing.rate},
            "isolated": None if barred is None else {"reason": barred.reason, "seconds": barred.retry_after},
        }


def barred(plan_id: str, health: PlanHealth, now: float) -> PlanIsolated | None:
    """Return why a plan with this health must not run now, if it must not."""
    isolation = health.isolation
    left = health.left(now) if isolation is not None else 0.0
    return PlanIsolated(plan_id, isolation.reason, left) if isolation is not None and left else None


def _quantiles(counts: LatencyHistogram) -> dict[str, float | int | None]:
    return {"count": counts.count, **{name: counts.quantile(share) for name, share in _QUANTILES.items()}}
