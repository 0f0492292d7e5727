"""Claim: under more load than the machine bears, what is too much is shed; a plan with a reservation notices little.

PRETZEL (thesis, 4.4.5): all 500 pipelines in one runtime, Zipf's law with alpha 2, Poisson arrivals, half of the
pipelines asked for batches of 100. Throughput grows until it is stable; latency grows with the load, gracefully; with
one core and its vectors reserved, a pipeline's latency does not.

- First the capacity: batches of 100 without a pause, for the same mix of pipelines. Then loads from a quarter of it to
  twice as much, each for some seconds. Latency counts from when a request was due, also where it waited for its turn.
- One plan has a reservation of a core and memory. It is asked for single records at a steady rate: alone, and beside
  each of the loads; so often that the 99th percentile is not made by one time that the process stood still. Such a
  time is seen in the 99.9th percentile and in the longest latency.

Beside the figures: latency against throughput, as JSON and as a picture, in the folder `whitebox_load` of
benchmarks/results.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.console import Console

from benchmarks.support.harness import Benchmark, Dimension
from benchmarks.support.outcome import Target
from benchmarks.support.walle import ROOT
from benchmarks.support.whitebox.archives import Archives
from benchmarks.support.whitebox.families import SCALE, TRAINED, as_records, families, raw_records
from benchmarks.support.whitebox.load_figure import draw
from benchmarks.support.whitebox.plans import install, read_folder, register, wait_for_executors
from benchmarks.support.whitebox.zipf_load import BATCH, OpenLoad, Outcomes, draw_arrivals
from walle.whitebox.runtime.reservations import Reservation
from walle.whitebox.runtime.served_plan import ServedPlan
from walle.whitebox.runtime.service import Runtime, RuntimeSettings

SEED: Final = 17
RESERVED: Final = "sa-reserved"
LOADS: Final = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
"""Offered records a second, as parts of the capacity."""
RESULTS: Final = ROOT / "benchmarks" / "results" / "whitebox_load"
BENCHMARK = Benchmark(
    "whitebox_load",
    scale={**SCALE, "records": Dimension(1000, 20), "seconds": Dimension(20, 0.3), "reserved_rate": Dimension(200, 40)},
    targets=(
        Target("reserved_p99_to_idle", at_most=2),
        Target("overload_shed", at_least=0.05),
        Target("overload_throughput", at_least=0.8),
        Target("overload_batch_p99_s", at_most=10),
    ),
    assumptions=(
        *TRAINED,
        "the load comes from the process of the runtime, which is what a front end would be: both share its thread",
        "shed are requests that the runtime refuses (HTTP: 429 or 503 with Retry-After); at once, without an executor",
        "10 s is the time in which a request without a deadline of its own must be answered",
        "three processes share two cores under overload: with nice 10 instead of 5 for executors that are not "
        "reserved, the reserved plan's p99 was 2.4 times that of idle, as with 5 (2.3)",
    ),
)
console = Console(highlight=False, width=130)


def main() -> int:
    BENCHMARK.announce()
    return BENCHMARK.judge(asyncio.run(measure()))


async def measure() -> dict[str, float]:
    rng = np.random.default_rng(SEED)
    with tempfile.TemporaryDirectory() as folder:
        runtime = Runtime(Path(folder), RuntimeSettings(executors=2, niceness=5))
        await runtime.start()
        try:
            plans, records = fill(runtime, rng)
            await wait_for_executors(runtime, [RESERVED, "sa-0"], records["sa"][:1] * BATCH)
            capacity = await find_capacity(runtime, plans, records, rng)
            load = OpenLoad(runtime, records, RESERVED, BENCHMARK.amount("reserved_rate"))
            idle = await load.run([], BENCHMARK.amount("seconds"), rng)
            found = {}
            for part in LOADS:
                rate = part * capacity / ((1 + BATCH) / 2)
                arrivals = draw_arrivals(plans, rate, BENCHMARK.amount("seconds"), rng)
                found[part] = await load.run(arrivals, BENCHMARK.amount("seconds"), rng)
                await asyncio.sleep(0.2)
        finally:
            await runtime.close()
    return figures_of(capacity, idle, found)


def fill(runtime: Runtime, rng: np.random.Generator) -> tuple[list[str], dict[str, list[Any]]]:
    """Register all pipelines of both families, and one more with a reservation; return the plans by popularity."""
    plans, records = [], {}
    for name, family in families(BENCHMARK).items():
        folders = Archives(family).folders(BENCHMARK.size("pipelines"))
        records[name] = as_records(raw_records(family, BENCHMARK.size("records")))
        install(runtime.store, folders)
        plans += register(runtime, folders, f"{name}-", engine="auto", sample=records[name][0])
        if name == "sa":
            reservation = Reservation(cores=1, memory_bytes=64 << 20)
            runtime.register(RESERVED, ServedPlan.of(read_folder(folders[0])), engine="batch", reservation=reservation)
    runtime.freeze_heap()
    rng.shuffle(plans)
    return plans, records


async def find_capacity(
    runtime: Runtime, plans: Sequence[str], records: Mapping[str, list[Any]], rng: np.random.Generator
) -> float:
    """Return the records a second that are answered where batches follow each other without a pause."""
    arrivals = [each for each in draw_arrivals(plans, 400, 1 + BENCHMARK.amount("seconds"), rng) if each.records > 1]
    waiting, answered, until = iter(arrivals * 100), 0, time.perf_counter() + BENCHMARK.amount("seconds")

    async def ask() -> None:
        nonlocal answered
        for each in waiting:
            if time.perf_counter() > until:
                return
            some = records[each.plan[:2]]
            await runtime.predict_batch(each.plan, (some * (1 + BATCH // len(some)))[:BATCH])
            answered += BATCH

    begun = time.perf_counter()
    await asyncio.gather(*(ask() for _ in range(8)))
    return answered / (time.perf_counter() - begun)


def figures_of(capacity: float, idle: Outcomes, found: Mapping[float, Outcomes]) -> dict[str, float]:
    """Print and save what became of each load; return the figures."""
    rows = []
    for part, each in found.items():
        rows.append({
            "load": part,
            "offered_records_per_s": part * capacity,
            "records_per_s": each.records_per_s,
            "shed": each.shed / max(1, each.asked),
            **{f"{kind}_p{q}_us": percentile(getattr(each, kind), q)
               for kind in ("singles", "batches", "reserved") for q in (50, 99)},
            **tail(each),
        })  # fmt: skip
        console.print(
            f"load {part:4.2f}: {each.records_per_s:8,.0f} records/s, shed {rows[-1]['shed']:6.1%}; single p50 "
            f"{rows[-1]['singles_p50_us']:8,.0f}, p99 {rows[-1]['singles_p99_us']:9,.0f}; batch p99 "
            f"{rows[-1]['batches_p99_us']:9,.0f}; reserved {described(each)}"
        )
    console.print(f"idle: reserved {described(idle)}")
    idle_p99 = percentile(idle.reserved, 99)
    result = {"capacity_records_per_s": capacity, "reserved_idle_p99_us": idle_p99, "loads": rows}
    save(result)
    most, last = max(row["records_per_s"] for row in rows), rows[-1]
    return {
        "capacity_records_per_s": capacity,
        "reserved_requests": float(min(len(each.reserved) for each in (idle, *found.values()))),
        "reserved_idle_p50_us": percentile(idle.reserved, 50),
        "reserved_idle_p99_us": idle_p99,
        **{f"idle_{name}": value for name, value in tail(idle).items()},
        "reserved_overload_p99_us": last["reserved_p99_us"],
        **{f"overload_{name}": last[name] for name in tail(idle)},
        "reserved_p99_to_idle": last["reserved_p99_us"] / idle_p99,
        "overload_shed": last["shed"],
        "overload_throughput": last["records_per_s"] / most,
        "overload_single_p99_us": last["singles_p99_us"],
        "overload_batch_p99_s": last["batches_p99_us"] / 1e6,
        **{f"single_p99_us_at_{row['load']:g}": row["singles_p99_us"] for row in rows},
    }


def tail(outcomes: Outcomes) -> dict[str, float]:
    """Return what the slowest requests of the reserved plan took."""
    reserved = outcomes.reserved
    return {"reserved_p99_9_us": percentile(reserved, 99.9), "reserved_longest_us": max(reserved, default=0.0)}


def described(outcomes: Outcomes) -> str:
    """Return the latencies of the reserved plan in words."""
    slow, reserved = tail(outcomes), outcomes.reserved
    return (
        f"p99 {percentile(reserved, 99):,.0f}, p99.9 {slow['reserved_p99_9_us']:,.0f}, longest "
        f"{slow['reserved_longest_us']:,.0f} us of {len(reserved):,}"
    )


def percentile(values: Sequence[float], part: float) -> float:
    return float(np.percentile(values, part)) if values else 0.0


def save(result: Mapping[str, Any]) -> None:
    """Write the curve and its picture: beside the code only where it may be judged."""
    if BENCHMARK.judged:
        RESULTS.mkdir(parents=True, exist_ok=True)
        (RESULTS / "curve.json").write_text(json.dumps(result, indent=1) + "\n")
        draw(result, RESULTS / "curve.svg")
    else:
        with tempfile.TemporaryDirectory() as folder:
            draw(result, Path(folder) / "curve.svg")


if __name__ == "__main__":
    sys.exit(main())
