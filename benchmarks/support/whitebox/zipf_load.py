"""An open load on a runtime: requests at random times, for pipelines of very different popularity."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from walle.whitebox.runtime.errors import Overloaded
from walle.whitebox.runtime.service import Runtime

BATCH: Final = 100
ALPHA: Final = 2.0
"""The i-th of the pipelines, by popularity, is asked for i^-ALPHA of the requests (thesis, 4.4.5)."""


@dataclass(frozen=True)
class Arrival:
    """A request: when it is due, in seconds after the start, for which plan, and how many records."""

    at: float
    plan: str
    records: int


def draw_arrivals(plans: Sequence[str], rate: float, seconds: float, rng: np.random.Generator) -> list[Arrival]:
    """Return a Poisson process of `rate` requests a second: half of them, by pipeline, are batches.

    Of two pipelines of neighbouring popularity one is asked for single records, the other for batches.
    """
    count = rng.poisson(rate * seconds)
    weights = np.arange(1, len(plans) // 2 + 1, dtype=float) ** -ALPHA
    ranks = rng.choice(len(weights), count, p=weights / weights.sum())
    batches = rng.random(count) < 0.5
    times = np.sort(rng.random(count)) * seconds
    return [
        Arrival(float(at), plans[2 * rank + int(batch)], BATCH if batch else 1)
        for at, rank, batch in zip(times, ranks, batches, strict=True)
    ]


@dataclass
class Outcomes:
    """What became of a load: latencies in us from when a request was due; `reserved` are those of one plan."""

    singles: list[float] = field(default_factory=list)
    batches: list[float] = field(default_factory=list)
    reserved: list[float] = field(default_factory=list)
    records: int = 0
    shed: int = 0
    asked: int = 0
    seconds: float = 0.0

    @property
    def records_per_s(self) -> float:
        return self.records / self.seconds


class OpenLoad:
    """Asks a runtime whatever becomes of the requests before; one plan is asked at a steady rate besides."""

    def __init__(self, runtime: Runtime, records: dict[str, list[Any]], reserved: str, reserved_rate: float) -> None:
        self._runtime, self._records = runtime, records
        self._reserved, self._reserved_rate = reserved, reserved_rate

    async def run(self, arrivals: Sequence[Arrival], seconds: float, rng: np.random.Generator) -> Outcomes:
        """Send all requests when they are due, and wait for all answers."""
        outcomes = Outcomes()
        steady = np.sort(rng.random(rng.poisson(self._reserved_rate * seconds))) * seconds
        every = sorted([*arrivals, *(Arrival(float(at), self._reserved, 1) for at in steady)], key=lambda each: each.at)
        started, waiting = time.perf_counter(), set[asyncio.Task[None]]()
        for arrival in every:
            while (early := started + arrival.at - time.perf_counter()) > 0:
                # A sleep of less than a millisecond lasts about that long; the loop serves answers meanwhile.
                await asyncio.sleep(early if early > 0.002 else 0)
            task = asyncio.create_task(self._ask(arrival, started + arrival.at, outcomes))
            waiting.add(task)
            task.add_done_callback(waiting.discard)
            await asyncio.sleep(0)
        await asyncio.gather(*waiting)
        outcomes.seconds = time.perf_counter() - started
        return outcomes

    async def _ask(self, arrival: Arrival, due: float, outcomes: Outcomes) -> None:
        records = self._records[arrival.plan[:2]]
        place = int(arrival.at * 1e6) % len(records)
        outcomes.asked += 1
        try:
            if arrival.records == 1:
                await self._runtime.predict_one(arrival.plan, records[place])
            else:
                await self._runtime.predict_batch(
                    arrival.plan, (records * (2 + BATCH // len(records)))[place : place + BATCH]
                )
        except Overloaded:
            outcomes.shed += 1
            return
        taken = (time.perf_counter() - due) * 1e6
        outcomes.records += arrival.records
        kind = outcomes.reserved if arrival.plan == self._reserved else None
        (kind if kind is not None else outcomes.singles if arrival.records == 1 else outcomes.batches).append(taken)
