"""Claim: pipelines that share featurizers answer three times as fast where they are asked for the same record.

PRETZEL (thesis, figure 4.5): with sub-plan materialisation about 80 % of the text pipelines are at least twice as fast,
and none is slower.

- Every record goes through all text pipelines, one after the other in an order that is drawn for each record, as where
  several versions of a model score the same text. Two runtimes take turns: one keeps results of shared stages, the
  other keeps none. A pipeline's speed-up is the ratio of its medians over all records.
- Records that never come again, for which there is nothing to gain: the same, over text and structured pipelines.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from benchmarks.support.harness import Benchmark, Dimension
from benchmarks.support.outcome import Target
from benchmarks.support.ratios import Ratio
from benchmarks.support.whitebox.archives import Archives, Family
from benchmarks.support.whitebox.families import SCALE, TRAINED, as_records, attendance, raw_records, sentiment
from benchmarks.support.whitebox.plans import install, register
from benchmarks.support.whitebox.timing import percentiles, times_us
from walle.whitebox.runtime.service import Runtime, RuntimeSettings

SEED: Final = 17
BENCHMARK = Benchmark(
    "whitebox_subplan",
    scale={**SCALE, "records": Dimension(60, 4), "fresh_records": Dimension(5000, 20), "rounds": Dimension(5, 1)},
    targets=(
        Target("twice_as_fast", at_least=0.8),
        Target("speedup", at_least=3),
        Target("slowest", at_least=0.95),
        Target("sa_fresh", at_least=0.95),
        Target("ac_fresh", at_least=0.95),
    ),
    assumptions=(
        *TRAINED,
        "one thread asks, and a record goes through all pipelines before the next one comes",
        "structured pipelines share stages, too, but cheap ones: whether keeping these pays is the runtime's choice",
        "where results were kept, a plan reads its own weights, too many for the processor's caches: that was "
        "seen to take two thirds of such a prediction, and no sharing saves it",
        "the same record asked of 1 or 64 plans again and again took 7 to 9 us, of all 250 of them 18: the difference "
        "comes from memory outside the processor; huge pages for weights were tried (MADV_COLLAPSE): 3.3 instead of "
        "4.1 us for 400 weights, and no difference in these figures",
        "weights in the order of how frequent n-grams are would not help much: a record's 280 to 610 n-grams lie in 15 "
        "to 29 % fewer lines of the cache then, as most of what a record has is rare",
    ),
)
console = Console(highlight=False, width=130)


def main() -> int:
    BENCHMARK.announce()
    figures = recurring(sentiment(BENCHMARK))
    for name, family in (("sa", sentiment(BENCHMARK)), ("ac", attendance(BENCHMARK))):
        figures |= fresh(name, family)
    return BENCHMARK.judge(figures)


class Pair:
    """A runtime that keeps results of stages and one that keeps none, with the same plans."""

    def __init__(self, family: Family, folder: Path) -> None:
        folders = Archives(family).folders(BENCHMARK.size("pipelines"))
        self.runtimes = {"keeps": Runtime(folder), "none": Runtime(folder, RuntimeSettings(stage_bytes=0))}
        install(self.runtimes["keeps"].store, folders)
        for runtime in self.runtimes.values():
            self.plans = register(runtime, folders, engine="request-response")

    def ask(self, kind: str, record: Any, plans: Sequence[str]) -> NDArray[np.float64]:
        """Return how long each plan takes for a record, in us."""
        runtime = self.runtimes[kind]
        return times_us(lambda plan: runtime.predict(plan, record), plans)


def recurring(family: Family) -> dict[str, float]:
    """Ask all plans for the same records."""
    records, rng = as_records(raw_records(family, 2 * BENCHMARK.size("records"))), random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        pair = Pair(family, Path(folder))
        times: dict[str, dict[str, list[float]]] = {kind: {plan: [] for plan in pair.plans} for kind in pair.runtimes}
        for place, record in enumerate(records):
            order = rng.sample(pair.plans, len(pair.plans))
            for kind in sorted(times, reverse=bool(place % 2)):
                found = pair.ask(kind, record, order)
                # The first half tells the runtime how often inputs recur.
                if place >= len(records) // 2:
                    for plan, taken in zip(order, found, strict=True):
                        times[kind][plan].append(float(taken))
        statistics = pair.runtimes["keeps"].statistics()["stages"]
    medians = {kind: np.array([np.median(each) for each in found.values()]) for kind, found in times.items()}
    speedups = medians["none"] / medians["keeps"]
    console.print(f"speed-up of {len(speedups)} pipelines: {np.percentile(speedups, [0, 10, 50, 90, 100]).round(2)}")
    return {
        **percentiles("keeps", np.concatenate([*times["keeps"].values()])),
        **percentiles("none", np.concatenate([*times["none"].values()])),
        **Ratio.of(speedups.tolist()).figures("speedup"),
        "twice_as_fast": float((speedups >= 2).mean()),
        "slowest": float(speedups.min()),
        "shared_stages": float(statistics["shared"]),
    }


def fresh(name: str, family: Family) -> dict[str, float]:
    """Ask for records that never come again; a part of 1 is as fast as without keeping anything."""
    records, rng = as_records(raw_records(family, BENCHMARK.size("fresh_records"))), random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        pair = Pair(family, Path(folder))
        parts = []
        for round_ in range(1 + BENCHMARK.size("rounds")):
            medians = {}
            some = records[round_ :: 1 + BENCHMARK.size("rounds")]
            asked = rng.choices(pair.plans, k=len(some))
            for kind in sorted(pair.runtimes, reverse=bool(round_ % 2)):
                taken = [pair.ask(kind, record, [plan])[0] for record, plan in zip(some, asked, strict=True)]
                medians[kind] = float(np.median(taken))
            if round_:
                parts.append(medians["none"] / medians["keeps"])
    return Ratio.of(parts).figures(f"{name}_fresh")


if __name__ == "__main__":
    sys.exit(main())
