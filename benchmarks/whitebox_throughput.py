"""Claim: batches of a thousand records go through a pipeline at ten times scikit-learn's rate on a core.

PRETZEL (thesis, 4.4.4): batches of 1000 queries, 2.6 times ML.NET's throughput for text pipelines and 10 times for
structured ones; it grows with the cores.

- One core: Walle's runtime with one executor, asked for one batch after the other (`Runtime.predict_batch` with the
  batch engine: what it takes to hand records over is in it), and scikit-learn (`predict_proba` of the batch), in turns,
  both on the same core and with one thread.
- Two cores: as many batches at once as executors, with one and with two of them. This process shares the cores.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from threadpoolctl import threadpool_limits

from benchmarks.support.harness import Benchmark, Dimension
from benchmarks.support.outcome import Target
from benchmarks.support.ratios import Ratio
from benchmarks.support.whitebox.archives import Archives, Family
from benchmarks.support.whitebox.families import SCALE, TRAINED, as_batch, families, raw_records
from benchmarks.support.whitebox.plans import install, register, wait_for_executors
from walle.whitebox.runtime.service import Runtime, RuntimeSettings

BENCHMARK = Benchmark(
    "whitebox_throughput",
    scale={**SCALE, "asked": Dimension(24, 2), "batch": Dimension(1000, 40), "rounds": Dimension(7, 1)},
    targets=(
        Target("sa_to_sklearn", at_least=10),
        Target("ac_to_sklearn", at_least=10),
        Target("sa_two_cores", at_least=1.8),
        Target("ac_two_cores", at_least=1.8),
    ),
    assumptions=(
        *TRAINED,
        "of all pipelines that are registered, the first ones are asked in turn",
        "records are at hand as each library takes them: texts as Python objects; numbers as a matrix (scikit-learn) or"
        " columns (Walle), whose making is counted for neither; Walle's answers are arrays, too",
    ),
)
console = Console(highlight=False, width=130)


def main() -> int:
    BENCHMARK.announce()
    figures: dict[str, float] = {}
    for name, family in families(BENCHMARK).items():
        figures |= asyncio.run(family_figures(name, family))
    return BENCHMARK.judge(figures)


async def family_figures(name: str, family: Family) -> dict[str, float]:
    """Measure one family."""
    folders = Archives(family).folders(BENCHMARK.size("pipelines"))
    raw = raw_records(family, BENCHMARK.size("batch"))
    records, asked = as_batch(raw), min(BENCHMARK.size("asked"), len(folders))
    with tempfile.TemporaryDirectory() as folder:
        runtimes = [Runtime(Path(folder), RuntimeSettings(executors=count, niceness=0)) for count in (1, 2)]
        install(runtimes[0].store, folders)
        try:
            for runtime in runtimes:
                await runtime.start()
                register(runtime, folders, engine="batch")
                await wait_for_executors(runtime, [str(number) for number in range(asked)], records)
            ratios, rates = await _beside_sklearn(runtimes[0], family, asked, raw)
            figures = {f"{name}_{system}_records_per_s": rate for system, rate in rates.items()}
            figures |= Ratio.of(ratios).figures(f"{name}_to_sklearn")
            return figures | await _cores(name, runtimes, asked, records)
        finally:
            for runtime in runtimes:
                await runtime.close()


async def _beside_sklearn(
    runtime: Runtime, family: Family, asked: int, raw: Sequence[Any]
) -> tuple[list[float], dict[str, float]]:
    """Return for each pipeline scikit-learn's time for a batch as a multiple of Walle's, and both rates."""
    records, everywhere = as_batch(raw), os.sched_getaffinity(0)
    given = raw if isinstance(raw[0], str) else np.array(raw)
    ratios, taken = [], {"walle": [], "sklearn": []}
    processes = [0, *(pid for pid in runtime.executors if pid is not None)]
    for process in processes:
        os.sched_setaffinity(process, {min(everywhere)})
    try:
        for number in range(asked):
            model, times = family.pipeline(number), {"walle": [], "sklearn": []}
            for _ in range(max(1, BENCHMARK.size("rounds") // 2)):
                with threadpool_limits(1):
                    begun = time.perf_counter()
                    model.predict_proba(given)
                    times["sklearn"].append(time.perf_counter() - begun)
                begun = time.perf_counter()
                await runtime.predict_batch(str(number), records)
                times["walle"].append(time.perf_counter() - begun)
            medians = {system: float(np.median(found)) for system, found in times.items()}
            ratios.append(medians["sklearn"] / medians["walle"])
            for system, median in medians.items():
                taken[system].append(median)
    finally:
        for process in processes:
            os.sched_setaffinity(process, everywhere)
    return ratios, {system: len(raw) / float(np.median(found)) for system, found in taken.items()}


async def _cores(name: str, runtimes: Sequence[Runtime], asked: int, records: Sequence[Any]) -> dict[str, float]:
    """Return how many records a second one and two executors answer, and the ratio, in turns."""
    rates: list[list[float]] = [[] for _ in runtimes]
    for round_ in range(BENCHMARK.size("rounds")):
        for place in sorted(range(len(runtimes)), reverse=bool(round_ % 2)):
            rates[place].append(await _rate(runtimes[place], range(asked), records, at_once=4))
    grown = Ratio.of([two / one for one, two in zip(*rates, strict=True)])
    console.print(
        f"{name}: {np.median(rates[0]):,.0f} records/s with one executor, {np.median(rates[1]):,.0f} with two"
    )
    return {
        **grown.figures(f"{name}_two_cores"),
        **{f"{name}_executors_{count}_records_per_s": float(np.median(each)) for count, each in enumerate(rates, 1)},
    }


async def _rate(runtime: Runtime, plans: Sequence[int], records: Sequence[Any], at_once: int) -> float:
    """Ask each plan for a batch, some at once; return the records a second."""
    waiting = iter(plans)

    async def ask() -> None:
        for number in waiting:
            await runtime.predict_batch(str(number), records)

    begun = time.perf_counter()
    await asyncio.gather(*(ask() for _ in range(at_once)))
    return len(plans) * len(records) / (time.perf_counter() - begun)


if __name__ == "__main__":
    sys.exit(main())
