"""Claim: the optimizer's plans are within 1 % of a proved bound, the beam answers in milliseconds, a proof in seconds.

JellyBean (PVLDB 16(3), section 6): within 1 % of the lower bound in 94.2 % of cases; brute force takes 27 minutes with
15 workers; 58.1 % of PTc's cost is saved on VQA and 36.3 % on AICity, SPC costs up to 5 and 2.1 times as much. On VQA
medium the authors' optimizer returns 7.509.

- Problems: the published inputs, and problems that are drawn (`benchmarks/support/placement/generator.py`).
- The answer is `walle.placement.optimizer.optimize` within a budget; its gap is to the bound that it proved. The bare
  beam is compared with the same bound.
- Beams and proofs are timed in CPU seconds of this process, and these bound every search: the beam is plain Python, the
  solver has one thread. A problem's time for the beam is the median of its runs, without what problems before left to
  be collected. The slowest problem of 30 workers decides: of 500 problems 21 have as many.
- Sweeps of Figures 8 to 13: their numbers beside the paper's, and drawn, a picture for each dataset. Runs that may be
  judged leave these in `benchmarks/results/placement/`.
- Ablation of Table 7: AICity's costs with models selected by the beam, by brute force, or as the most accurate ones.
- Bursts: what plans cost, and how many answers miss an objective of latency, if requests come in bursts: plans for the
  mean rate, plans with room, and those of InferLine's planner (`benchmarks/support/placement/bursts.py`).
"""

from __future__ import annotations

import gc
import json
import math
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console

from benchmarks.support.harness import Benchmark, Dimension
from benchmarks.support.outcome import Target
from benchmarks.support.placement import ablation
from benchmarks.support.placement.bursts import under_bursts
from benchmarks.support.placement.generator import generated
from benchmarks.support.placement.published import DATASETS, PAPER_SAVED, SETUPS, all_published, published
from benchmarks.support.placement.sweep_figure import draw
from benchmarks.support.placement.sweep_numbers import beside_the_paper
from benchmarks.support.placement.sweeps import Sweeper, with_prices
from walle.placement.baselines import compare
from walle.placement.beam.search import beam_search
from walle.placement.exact.search import prove
from walle.placement.frontiers import with_rates
from walle.placement.optimizer import optimize
from walle.placement.problem.model import PlacementProblem

BENCHMARK = Benchmark(
    "placement",
    scale={
        "problems": Dimension(500, 6),
        "budget_s": Dimension(20, 5),
        "sweep_points": Dimension(40, 3),
        "burst_s": Dimension(120, 5),
        "beam_runs": Dimension(5, 1),
    },
    targets=(
        Target("within_1_percent", at_least=0.99),
        Target("vqa_medium_usd", at_most=7.4851),
        Target("beam_p99_ms_at_30_workers", at_most=20),
        Target("proof_max_s_to_15_workers", at_most=2),
    ),
    assumptions=(
        "all accuracies and some latencies and sizes of the AICity inputs are assumed",
        "VQA medium is measured, the other VQA setups are derived from it",
        "generated problems are drawn from the published ranges; each is feasible by construction",
        "plans choose how workers share a load; the paper's lower bound of VQA medium (7.485) does, too",
        "times are CPU seconds of one thread on a machine that others may use",
        "some twenty of 500 problems have 30 workers, so the 99th percentile of the beam is one problem, the slowest; "
        "for it 13.8 to 35.7 ms were seen, on machines of different speed and load",
        "bursts: batches of one, requests served by the worker that is done first, 60 % of the medium setups' rates; "
        "an answer misses its objective after 1 s (vqa) or 3 s (aicity), which are chosen here",
        "bursts: every item takes the 75th percentile, the network no time; costs have its price at the mean rate",
        "bursts: our plans know the mean rate alone, InferLine's a sample of the same arrivals and the objective",
    ),
)
RESULTS = Path(__file__).parent / "results" / "placement"
OBJECTIVES_S = {"vqa": 1.0, "aicity": 3.0}
VARIATIONS = (1, 2, 4)
BURST_LOAD = 0.6
SLOW_S = 2.0
"""From which CPU seconds on a proof is told of."""
console = Console(highlight=False, width=130)


@dataclass(frozen=True)
class Answer:
    """What was found for one problem: its size, costs in USD per hour, the bound, and CPU seconds."""

    name: str
    workers: int
    cost: float
    beam_cost: float
    bound: float
    proof_s: float
    beam_ms: float


def main() -> int:
    BENCHMARK.announce()
    answers = [answer(name, problem) for name, problem in problems()]
    figures = quality(answers) | saved() | ablated() | bursts()
    if BENCHMARK.judged:
        figures |= sweeps(RESULTS)
    else:
        with tempfile.TemporaryDirectory() as folder:
            figures |= sweeps(Path(folder))
    return BENCHMARK.judge(figures)


def problems() -> Iterator[tuple[str, PlacementProblem]]:
    yield from all_published().items()
    for seed in range(BENCHMARK.size("problems")):
        yield f"generated {seed}", generated(seed)


def answer(name: str, problem: PlacementProblem) -> Answer:
    times = []
    gc.collect()
    for _ in range(BENCHMARK.size("beam_runs")):
        began = time.process_time()
        beam = beam_search(problem, random.Random(0))
        times.append(time.process_time() - began)
    began = time.process_time()
    found = optimize(problem, BENCHMARK.amount("budget_s"), time.process_time, random.Random(0))
    proof_s = time.process_time() - began
    cost = found.best.evaluation.cost if found.best else math.inf
    beam_cost = beam[0].evaluation.cost if beam else math.inf
    workers = len(problem.infrastructure.workers)
    if not name.startswith("generated") or cost > found.bound * 1.01 or proof_s > SLOW_S:
        console.print(
            f"{name}: {cost:.4f} USD/h, bound {found.bound:.4f}, bare beam {beam_cost:.4f}; "
            f"{found.ended} in {proof_s:.2f} s of CPU, beam {min(times) * 1000:.1f} ms"
        )
    return Answer(name, workers, cost, beam_cost, found.bound, proof_s, statistics.median(times) * 1000)


def quality(answers: list[Answer]) -> dict[str, float]:
    def share(costs: list[tuple[float, float]]) -> float:
        return sum(cost <= bound * 1.01 for cost, bound in costs) / len(costs)

    small = [each.proof_s for each in answers if each.workers <= 15]
    large = sorted(each.beam_ms for each in answers if each.workers == 30)
    gaps = [each.beam_cost / each.cost - 1 for each in answers if math.isfinite(each.beam_cost)]
    return {
        "within_1_percent": share([(each.cost, each.bound) for each in answers]),
        "bare_beam_within_1_percent": share([(each.beam_cost, each.bound) for each in answers]),
        "bare_beam_mean_above_answer": statistics.fmean(gaps),
        "vqa_medium_usd": next(each.cost for each in answers if each.name == "vqa_medium"),
        "vqa_medium_bare_beam_usd": next(each.beam_cost for each in answers if each.name == "vqa_medium"),
        "beam_p99_ms_at_30_workers": large[math.ceil(0.99 * len(large)) - 1],
        "beam_median_ms_at_30_workers": statistics.median(large),
        "proof_max_s_to_15_workers": max(small),
        "proof_p99_s": sorted(each.proof_s for each in answers)[math.ceil(0.99 * len(answers)) - 1],
        "proof_max_s": max(each.proof_s for each in answers),
    }


def saved() -> dict[str, float]:
    """What the proved plan saves against baselines, by setup, and at the most beside the paper's numbers."""
    figures: dict[str, float] = {}
    for dataset in DATASETS:
        ratios: dict[str, list[float]] = {"ptc": [], "spc": [], "best_plan": []}
        for setup in SETUPS:
            problem = published(dataset, setup)
            own = prove(problem, BENCHMARK.amount("budget_s"), time.process_time).cost
            costs = {name: each.cost for name, each in compare(problem, random.Random(0)).items() if each}
            plans = [costs[name] for name in ("best fit", "first fit", "all-edge", "all-cloud") if name in costs]
            ratios["ptc"].append(costs["PTc"] / own)
            ratios["spc"].append(costs["SPC"] / own)
            ratios["best_plan"] += [min(plans) / own] if plans else []
            told = ", ".join(f"{name} {cost:.2f}" for name, cost in costs.items())
            console.print(f"{dataset} {setup}: {own:.2f}; {told}")
        paper_saved, paper_times = PAPER_SAVED[dataset]
        figures |= {
            f"{dataset}_saved_of_ptc": 1 - 1 / max(ratios["ptc"]),
            f"{dataset}_saved_of_ptc_paper": paper_saved,
            f"{dataset}_spc_times": max(ratios["spc"]),
            f"{dataset}_spc_times_paper": paper_times,
            f"{dataset}_saved_of_best_placement": 1 - 1 / max(ratios["best_plan"]) if ratios["best_plan"] else math.nan,
        }
    return figures


def ablated() -> dict[str, float]:
    """Table 7: what the beam's plan of other models costs, of that of the models which the beam selects."""
    figures: dict[str, float] = {}
    for setup, paper in ablation.PAPER.items():
        rows = list(ablation.ablation(published("aicity", setup), time.process_time))
        costs = {each.selected: each.cost for each in rows if each.placed == "beam"}
        for each in rows:
            took = f"; {each.took_ms:.1f} ms of CPU" if each.took_ms else ""
            console.print(
                f"aicity {setup}, table 7, models {each.selected}, placed by {each.placed}: "
                f"compute {each.compute:.2f}, network {each.network:.2f} USD/h{took}"
            )
        for name, of_the_paper in paper.items():
            key = f"aicity_{setup}_{name.replace(' ', '_')}_cost_of_selected"
            figures |= {key: costs.get(name, math.nan) / costs["beam"], f"{key}_paper": of_the_paper}
    return {name: value for name, value in figures.items() if math.isfinite(value)}


def bursts() -> dict[str, float]:
    figures: dict[str, float] = {}
    for dataset, objective_s in OBJECTIVES_S.items():
        problem = with_rates(published(dataset, "medium"), BURST_LOAD)
        for variation in VARIATIONS:
            for each in under_bursts(problem, objective_s, variation, BENCHMARK.amount("burst_s"), time.process_time):
                said = f"{each.cost:.2f} USD/h, {each.missed:.2%} later than {objective_s:g} s"
                told = said if math.isfinite(each.cost) else "no plan that it takes for good enough"
                console.print(f"{dataset}, bursts of {variation}: {each.planner}: {told}")
                planner = re.sub(r"\W+", "_", each.planner.lower())
                key = f"{dataset}_burst{variation}_{planner}"
                figures |= {f"{key}_usd": each.cost, f"{key}_missed": each.missed}
    return {name: value for name, value in figures.items() if math.isfinite(value)}


def sweeps(folder: Path) -> dict[str, float]:
    """Draw the sweeps of each dataset into a folder; return their numbers beside the paper's."""
    folder.mkdir(parents=True, exist_ok=True)
    figures: dict[str, float] = {}
    for dataset in DATASETS:
        sweeper = Sweeper(dataset, BENCHMARK.amount("budget_s"), time.process_time, BENCHMARK.size("sweep_points"))
        found = sweeper.all()
        draw(found, folder / f"{dataset}.svg")
        (folder / f"{dataset}.json").write_text(json.dumps([asdict(each) for each in found], indent=1) + "\n")
        for each in found:
            console.print(f"{each.name}: " + "; ".join(_ends(name, line) for name, line in each.lines.items()))
        console.print(f"picture of {dataset}: {folder / dataset}.svg, its points: {folder / dataset}.json")
        figures |= beside_the_paper(dataset, found)
    tell_changed_plan()
    return figures


def _ends(name: str, line: list[tuple[float, float]]) -> str:
    if not line:
        return f"{name} none"
    return f"{name} {line[0][1]:.2f} at {line[0][0]:g} to {line[-1][1]:.2f} at {line[-1][0]:g}"


def tell_changed_plan() -> None:
    """Figure 12: the plan of AICity medium, and that at a tenth of the prices of traffic."""
    medium = published("aicity", "medium")
    for name, problem in (("as published", medium), ("traffic at a tenth", with_prices(medium, 0.1))):
        plan = prove(problem, BENCHMARK.amount("budget_s"), time.process_time).plan
        shown: Mapping[str, tuple[str, ...]] = plan.workers if plan else {}
        console.print(f"aicity figure 12, {name}: " + "; ".join(f"{op} on {', '.join(w)}" for op, w in shown.items()))


if __name__ == "__main__":
    sys.exit(main())
