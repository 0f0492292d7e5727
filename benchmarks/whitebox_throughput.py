"""Claim: batches of a thousand records go through a pipeline at ten times scikit-learn's rate on a core.

PRETZEL (thesis, 4.4.4): batches of 1000 queries, 2.6 times ML.NET's throughput for text pipelines and 10 times for
structured ones; it grows with the cores.

- A core: Walle's runtime with one executor, asked for one batch after the other (`Runtime.predict_batch` with the
  batch engine), and scikit-learn (`predict_proba` of the batch), in turns of some batches each. Both are measured by
  the processor time that all of their processes take: for Walle what it takes to hand records over is in it, and is
  given apart.
- Two cores: four batches at once, with one executor and with two. With one, this process, which hands records over, has
  the same core as its executor; with two, all three processes share both cores. What kernels alone take when both cores
  are busy, beside what they take on one, bounds what two cores can be worth on this machine.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final

import numpy as np
import psutil
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
        "handing a batch over takes about as long whatever its pipeline: numbers are copied once, and two processes are"
        " woken; that was seen to be half of the time of the smallest structured pipelines, a tenth of the largest;"
        " where it took 1.3 ms of a structured batch, 8.6 times scikit-learn would have been 12.8 without it",
        "of batches one after the other, without scikit-learn between them, handing one over was seen to take 0.6 ms of"
        " its owner and 0.3 of an executor, spread over some 300 calls in Python, pickling being 0.05",
        "with one executor whose owner has the other core, two were seen to be 1.77 times as fast: 2 / (1 + 0.13);"
        " 0.13 is what the owner takes beside an executor. With one core for both, nothing but the memory is shared",
        "of what executors run for structured pipelines, walks through trees were seen to be two thirds to four fifths:"
        " 1.1 to 1.4 ns a node, 4 to 5 cycles for a dozen instructions; 82 to 97 % of the nodes are needed",
        "nodes of half the size, compared as integers in half of the instructions, were tried: 10 % less for ensembles"
        " of 60 and 100 trees, 5 % more for 140 and 180 on a busy machine, so instructions are not what bounds them",
        "records are at hand as each library takes them: texts as Python objects; numbers as a matrix (scikit-learn) or"
        " columns (Walle), whose making is counted for neither; Walle's answers are arrays, too",
    ),
)
PASSES: Final = 3
"""Through all plans without a pause, so that what the last batches leave idle is little."""
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
            figures = await _beside_sklearn(name, runtimes[0], family, asked, raw)
            return figures | await _cores(name, runtimes, asked, records)
        finally:
            for runtime in runtimes:
                await runtime.close()


async def _beside_sklearn(
    name: str, runtime: Runtime, family: Family, asked: int, raw: Sequence[Any]
) -> dict[str, float]:
    """Compare the processor time of a batch with scikit-learn's, for each pipeline."""
    records, given = as_batch(raw), raw if isinstance(raw[0], str) else np.array(raw)
    taken: dict[str, list[float]] = {"sklearn": [], "walle": [], "kernels": []}
    with on_one_core(runtime):
        for number in range(asked):
            model, rounds = family.pipeline(number), max(1, BENCHMARK.size("rounds") // 2)
            times, ran = {"sklearn": list[float](), "walle": list[float]()}, busy_s(runtime)
            with threadpool_limits(1):
                for _ in range(rounds):
                    begun = time.process_time()
                    model.predict_proba(given)
                    times["sklearn"].append(time.process_time() - begun)
            for _ in range(rounds):
                begun = processor_s(runtime)
                await runtime.predict_batch(str(number), records)
                times["walle"].append(processor_s(runtime) - begun)
            for system, found in times.items():
                taken[system].append(float(np.median(found)))
            taken["kernels"].append((busy_s(runtime) - ran) / rounds)
    sklearn, walle, kernels = (np.array(each) for each in taken.values())
    handing_over = 1000 * float(np.median(walle - kernels))
    console.print(f"{name}: of {1000 * np.median(walle):.2f} ms for a batch, {handing_over:.2f} ms are handing over")
    return {
        **{f"{name}_{system}_records_per_s": len(raw) / float(np.median(each)) for system, each in taken.items()},
        **Ratio.of((sklearn / walle).tolist()).figures(f"{name}_to_sklearn"),
        **Ratio.of((sklearn / kernels).tolist()).figures(f"{name}_kernels_to_sklearn"),
        f"{name}_handing_over_ms": handing_over,
    }


@contextmanager
def on_one_core(runtime: Runtime) -> Iterator[None]:
    """Have this process and a runtime's executors on one core."""
    everywhere = os.sched_getaffinity(0)
    processes = [0, *(pid for pid in runtime.executors if pid is not None)]
    for process in processes:
        os.sched_setaffinity(process, {min(everywhere)})
    try:
        yield
    finally:
        for process in processes:
            os.sched_setaffinity(process, everywhere)


def processor_s(runtime: Runtime) -> float:
    """Return the seconds of processor time that this process and a runtime's executors have had."""
    # The clock of another process's time, as clock_getcpuclockid(3) of Linux has it.
    clocks = (~pid << 3 | 2 for pid in runtime.executors if pid is not None)
    return time.process_time() + sum(map(time.clock_gettime, clocks))


def busy_s(runtime: Runtime) -> float:
    """Return the seconds of processor time for which a runtime's executors ran plans."""
    return float(runtime.statistics()["executors"]["busy_s"])


async def _cores(name: str, runtimes: Sequence[Runtime], asked: int, records: Sequence[Any]) -> dict[str, float]:
    """Return how many records a second one and two cores answer, and the ratio, in turns."""
    rates: list[list[float]] = [[] for _ in runtimes]
    kernels_s = [0.0 for _ in runtimes]
    owner_s = total_s = 0.0
    machine_s, began = _machine_s(), time.monotonic()
    for round_ in range(BENCHMARK.size("rounds")):
        for place in sorted(range(len(runtimes)), reverse=bool(round_ % 2)):
            own, total = time.process_time(), processor_s(runtimes[place])
            ran = busy_s(runtimes[place])
            with nullcontext() if place else on_one_core(runtimes[place]):
                rates[place].append(await _rate(runtimes[place], PASSES * [*range(asked)], records, at_once=4))
            kernels_s[place] += busy_s(runtimes[place]) - ran
            owner_s += time.process_time() - own
            total_s += processor_s(runtimes[place]) - total
    others_s = _machine_s() - machine_s - total_s
    others = max(0.0, others_s / (time.monotonic() - began) / (os.cpu_count() or 1))
    grown = Ratio.of([two / one for one, two in zip(*rates, strict=True)])
    bound = len(runtimes) * kernels_s[0] / kernels_s[1]
    console.print(
        f"{name}: {np.median(rates[0]):,.0f} records/s on one core, {np.median(rates[1]):,.0f} on two; "
        f"handing over is {owner_s / total_s:.0%} of the processor time, others had {others:.0%} of the machine; "
        f"two executors that nobody hands anything over to would be {bound:.2f} times as fast as one"
    )
    return {
        **grown.figures(f"{name}_two_cores"),
        f"{name}_two_cores_of_kernels": bound,
        **{f"{name}_executors_{count}_records_per_s": float(np.median(each)) for count, each in enumerate(rates, 1)},
        f"{name}_owner_share": owner_s / total_s,
        f"{name}_others_share": others,
    }


def _machine_s() -> float:
    """Return the seconds of processor time that all processes of the machine have had, and what its host took."""
    times = psutil.cpu_times()
    return float(times.user + times.nice + times.system + times.irq + times.softirq + times.steal)


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
