"""Claim: a placement plan that runs achieves what it promises, and running it costs little beside its models.

JellyBean (figure 6, table 6): achieved throughput is nearly that expected, and the query processor adds 0.8 to 11.7 %
to operators at the median (QP exec), 19.4 % at most at the 90th percentile.

- Timed stand-ins: the optimizer's plans of the published problems run on Ray at the problems' rates, each worker taking
  the profile's latency for an item. Judged: how far the achieved rate is from the asked one, at most. Also what a plan
  achieves as fast as it can, of what it promises to be able to.
- Real models: the examples, profiled here, at rates that two cores carry. Rate and accuracy, achieved against planned;
  one of them also with a higher accuracy asked for, whose models take long enough for the next figure on any machine.
- Overhead: for each operator that takes more than 20 ms, how long a worker is occupied with an item, against how long
  the operator itself takes for it there, at the median: a machine that others use slows both. For stand-ins, against
  what they were told to wait. Beside it, not judged, as it tells of this machine's cores as well: against the same
  operator alone in another process during the same run; and how long an item takes to the next worker's queue.
- The same plan in plain Ray, actors chained by references through the driver, as fast as both can; and VQA medium with
  everything in the cloud: what its workers and what it really sends cost, of what the optimizer's plan costs.
"""

from __future__ import annotations

import math
import random
import statistics
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path
from typing import Final

from rich.console import Console

from benchmarks.support.harness import Benchmark, Dimension
from benchmarks.support.outcome import Target
from benchmarks.support.placement import runs
from benchmarks.support.placement.plain_ray import PlainWorkflow
from benchmarks.support.placement.twins import Hosted, Twins
from walle.placement.baselines import on_one_tier
from walle.placement.problem.model import PlacementPlan, PlacementProblem
from walle.placement.processor.code_document import CodeDocument
from walle.placement.processor.operators import Records, load_function
from walle.placement.processor.planning import WorkflowCode, deploy
from walle.placement.processor.ray_backend import LocalRay, tier_resources
from walle.placement.processor.specs import HostedSpec, OperatorCode
from walle.placement.profiling.models import ValidationRun

PROBLEMS: Final = ("vqa_small", "vqa_medium", "aicity_small_assumed", "aicity_medium_assumed")
CLOUD: Final = "vqa_medium"
"""The first of the published problems whose cloud carries it alone."""
EXAMPLES: Final[dict[str, tuple[str, float | None]]] = {
    "vqa": ("vqa", None),
    "tracking": ("tracking", None),
    "accurate_vqa": ("vqa", 90),
}
"""By their names here, the examples and the accuracy that replaces theirs: at 90 % images need a model of 80 ms."""
LONG_MS: Final = 20.0
"""Overhead is judged of operators that take longer."""
BENCHMARK = Benchmark(
    "placement_run",
    scale={
        "problems": Dimension(4, 1),
        "examples": Dimension(3, 2),
        "seconds": Dimension(30, 2),
        "profile_seconds": Dimension(1.0, 0.02),
        "profile_cases": Dimension(10_000, 60),
    },
    targets=(
        Target("standin_off", at_most=0.05),
        Target("vqa_off", at_most=0.05),
        Target("tracking_off", at_most=0.05),
        Target("standin_overhead_p50", at_most=0.05),
        Target("overhead_p50", at_most=0.05),
    ),
    assumptions=(
        "all tiers are on this machine: what is slower is imitated by waiting, the network by token buckets and delays",
        "stand-ins wait as long as the published profiles say; accuracies of aicity are assumed",
        "plain Ray has no network to imitate",
    ),
)
console = Console(highlight=False, width=130)


@dataclass(frozen=True)
class Added:
    """What the executor adds to an operator: around it, in the same process, and to the same one alone; as parts."""

    around: float
    to_alone: float


def main() -> int:
    BENCHMARK.announce()
    problems = {name: runs.published(name) for name in PROBLEMS[: BENCHMARK.size("problems")]}
    known = [*problems.values(), runs.published(CLOUD)]
    tiers = {tier for problem in known for tier in problem.infrastructure.tiers} | {"edge", "cloud"}
    with tempfile.TemporaryDirectory() as logs, LocalRay(tier_resources([*tiers] * 12), Path(logs)):
        figures = stand_ins(problems)
        figures |= against_plain_ray(problems["vqa_small"])
        figures |= against_the_cloud(runs.published(CLOUD))
        added: list[Added] = []
        for name in [*EXAMPLES][: BENCHMARK.size("examples")]:
            figures |= real(name, added)
    figures |= {
        "overhead_p50": statistics.median(each.around for each in added) if added else math.nan,
        "overhead_to_alone_p50": statistics.median(each.to_alone for each in added) if added else math.nan,
    }
    left_out = tuple(target.figure for target in BENCHMARK.targets if target.figure not in figures)
    return BENCHMARK.judge(figures, left_out=left_out)


def count_of(problem: PlacementProblem, speed: float = 1.0) -> int:
    """Return how many items make up the run, at a multiple of the problem's rate."""
    rate = next(iter(problem.target.rates.values()))
    return max(20, round(rate * speed * BENCHMARK.amount("seconds")))


def stand_ins(problems: dict[str, PlacementProblem]) -> dict[str, float]:
    """Run each problem's plan at its rate, and as fast as it can."""
    figures, off, added = {}, [], []
    for name, problem in problems.items():
        plan, nothing = runs.cheapest(problem), repeat(dict.fromkeys(problem.workflow.sources))
        asked = runs.run(problem, plan, nothing, count_of(problem))
        full = runs.run(problem, plan, nothing, count_of(problem), as_fast_as_possible=True)
        achieved = asked.rate / asked.report.deployment.rate
        off.append(abs(achieved - 1))
        added += standin_overheads(asked.report)
        figures[f"{name}_achieved"] = achieved
        figures[f"{name}_capacity"] = full.rate / full.report.deployment.planned_capacity
        hours = asked.report.elapsed_s / 3600
        planned = asked.report.deployment.planned_network_usd
        figures[f"{name}_network"] = asked.report.network_usd / hours / planned if planned else 1.0
        console.print(
            f"{name}: {asked.rate:.3g} of {asked.report.deployment.rate:.3g} items/s, "
            f"as fast as it can {full.rate:.3g} of {full.report.deployment.planned_capacity:.3g}"
        )
    return {**figures, "standin_off": max(off), "standin_overhead_p50": statistics.median(added)}


def standin_overheads(report: runs.RunReport) -> list[float]:
    """Return what the executor adds to the stand-ins that wait for more than LONG_MS, at the median of each."""
    waits = {
        (hosted.operator, worker): hosted.latency_ms
        for worker, spec in report.deployment.workers.items()
        for hosted in spec.hosted
    }
    return [
        1e3 * figures.handling.percentile(50) / waits[key] - 1
        for key, figures in report.operators.items()
        if waits[key] > LONG_MS
    ]


def against_plain_ray(problem: PlacementProblem) -> dict[str, float]:
    """Run a plan in plain Ray, and here, as fast as both can."""
    plan, nothing = runs.cheapest(problem), dict.fromkeys(problem.workflow.sources)
    deployment = deploy(problem, plan, WorkflowCode())
    plain = PlainWorkflow(deployment)
    plain.run(nothing, 10)
    rate = plain.run(nothing, count_of(problem))
    plain.close()
    own = runs.run(problem, plan, repeat(nothing), count_of(problem), as_fast_as_possible=True)
    console.print(f"{problem.name}: {own.rate:.3g} items/s, in plain Ray {rate:.3g}")
    return {"plain_ray_capacity": rate / deployment.planned_capacity, "over_plain_ray": own.rate / rate}


def against_the_cloud(problem: PlacementProblem) -> dict[str, float]:
    """Run a plan, and the one with everything in the cloud, at the problem's rate."""
    cloud = on_one_tier(problem, len(problem.infrastructure.tiers) - 1, random.Random(1))
    if cloud is None:
        raise SystemExit(f"expected a problem whose cloud carries it, found {problem.name}")
    nothing, count = repeat(dict.fromkeys(problem.workflow.sources)), count_of(problem)
    sent = runs.run(problem, cloud.plan, nothing, count).report
    mine = runs.run(problem, runs.cheapest(problem), nothing, count).report
    console.print(f"{problem.name}: {_cost(mine):.4g} USD/h, all in the cloud {_cost(sent):.4g}")
    return {"all_cloud_cost": _cost(sent) / _cost(mine), "all_cloud_network": sent.network_usd / mine.network_usd}


def _cost(report: runs.RunReport) -> float:
    """Return what a run costs in an hour: its workers, and what it really sent."""
    return report.deployment.planned_compute_usd + report.network_usd / report.elapsed_s * 3600


def real(name: str, added: list[Added]) -> dict[str, float]:
    """Run an example with its models: its rate and accuracy; append what the executor adds to operators."""
    folder, accuracy = EXAMPLES[name]
    problem, code = runs.example(folder, BENCHMARK.amount("profile_seconds"), BENCHMARK.size("profile_cases"))
    if accuracy is not None:
        problem = replace(problem, target=replace(problem.target, accuracy=accuracy))
    problem, plan = runs.carried(problem)
    cases = load_function(OperatorCode(str(code.folder)), code.validation)()
    count = min(count_of(problem), len(cases) * 50)
    items = [item for item, _ in cases]
    with Twins(twins_of(problem, plan, code)) as twins:
        done = runs.run(problem, plan, (items[n % len(items)] for n in range(count)), count, code=code.code)
    truths = [cases[n % len(cases)][1].get(problem.workflow.sink) for n in range(count)]
    achieved = runs.accuracy_of(code, problem.workflow.sink, done.results, truths)
    figures = {
        f"{name}_off": abs(done.rate / done.report.deployment.rate - 1),
        f"{name}_accuracy": achieved,
        f"{name}_planned_accuracy": runs.planned_accuracy(problem, plan),
        f"{name}_latency_p99_ms": 1e3 * done.report.latency.percentile(99),
    }
    added += overheads(name, twins.alone_ms(), done.report)
    transit = [1e3 * each.transit.percentile(50) for each in done.report.operators.values()]
    return {**figures, f"{name}_transit_p50_ms": statistics.median(transit)}


def twins_of(
    problem: PlacementProblem, plan: PlacementPlan, code: CodeDocument
) -> dict[Hosted, tuple[HostedSpec, list[tuple[Records, int]]]]:
    """Return the operators that take more than LONG_MS by the plan, with what they are given of the first cases."""
    deployment = deploy(problem, plan, code.code)
    cases = load_function(OperatorCode(str(code.folder)), code.validation)()[:20]
    validation = ValidationRun(problem.workflow, code.code, cases)
    found = {}
    for worker, spec in deployment.workers.items():
        for hosted in spec.hosted:
            if hosted.latency_ms > LONG_MS:
                ready, _ = validation.taken(hosted.operator, plan.models)
                found[hosted.operator, worker] = hosted, [(each.records, number) for each, number in ready if number]
    return found


def overheads(name: str, alone: Mapping[Hosted, float], report: runs.RunReport) -> list[Added]:
    """Return what the executor adds to each operator that was timed alone, at the median."""
    added = []
    for (operator, worker), alone_ms in alone.items():
        figures = report.operators[operator, worker]
        service, occupied = (1e3 * each.percentile(50) for each in (figures.service, figures.handling))
        added.append(Added(occupied / service - 1, occupied / alone_ms - 1))
        console.print(
            f"{name} {operator} on {worker}: {service:.2f} ms, a worker is occupied for {occupied:.2f} ms; "
            f"alone {alone_ms:.2f} ms"
        )
    return added


if __name__ == "__main__":
    sys.exit(main())
