"""What `placement_run` runs: plans of published problems with stand-ins, and the examples with their models."""

from __future__ import annotations

import json
import random
import statistics
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import ceil, inf
from pathlib import Path
from typing import Any, Final

from walle.placement.evaluation import evaluate
from walle.placement.planning import optimize
from walle.placement.problem.document import problem_of, read_problem
from walle.placement.problem.model import PlacementPlan, PlacementProblem
from walle.placement.processor.code_document import CodeDocument, read_code
from walle.placement.processor.planning import WorkflowCode
from walle.placement.processor.ray_backend import RayBackend
from walle.placement.processor.reports import RunReport
from walle.placement.processor.running import PlanRun, Result, RunSettings
from walle.placement.profiling.document import profiled

INPUTS: Final = Path(__file__).with_name("inputs")
EXAMPLES: Final = Path(__file__).parents[3] / "examples" / "workflows"
WARM: Final = 0.25
"""The part of a run that is not counted: queues fill."""
PARTS: Final = 10
"""Into how many parts of equally many results a run is cut; their median is its rate."""


@dataclass(frozen=True)
class Achieved:
    """A run's report, its rate in items per second once queues have filled, and its results."""

    report: RunReport
    rate: float
    results: list[Result]


def published(name: str) -> PlacementProblem:
    """Return a problem of the inputs that the paper's authors published, or that are derived from them."""
    return read_problem((INPUTS / f"{name}.json").read_bytes(), name)


def cheapest(problem: PlacementProblem) -> PlacementPlan:
    """Return the optimizer's plan of a problem that has one."""
    return optimize(problem, random.Random(1))[0].plan


def carried(problem: PlacementProblem) -> tuple[PlacementProblem, PlacementPlan]:
    """Return a problem and its plan, at its rates, halved until this machine carries them.

    Exits if it does not carry a hundredth of them.
    """
    share = 1.0
    while share > 0.01:
        rates = {source: rate * share for source, rate in problem.target.rates.items()}
        slower = replace(problem, target=replace(problem.target, rates=rates))
        if found := optimize(slower, random.Random(1)):
            return slower, found[0].plan
        share /= 2
    raise SystemExit(f"expected a machine that carries a hundredth of the rates of {problem.name}")


def example(name: str, budget_s: float, cases: int) -> tuple[PlacementProblem, CodeDocument]:
    """Profile an example on this machine, on the same first cases each time; return its problem and its code."""
    document = json.loads((EXAMPLES / name / "problem.json").read_text())
    code = read_code(EXAMPLES / name / "code.json", tuple(each["name"] for each in document["infrastructure"]["tiers"]))
    return problem_of(profiled(document, code, budget_s=budget_s, most_cases=cases)), code


def run(
    problem: PlacementProblem,
    plan: PlacementPlan,
    items: Iterable[Mapping[str, Any]],
    count: int,
    *,
    code: WorkflowCode | None = None,
    as_fast_as_possible: bool = False,
) -> Achieved:
    """Run a plan on the first items.

    The rate is the median of that of parts of the run, from when queues have filled until they run empty: a moment in
    which others have this machine does not count.
    """
    results: list[Result] = []
    arrivals: list[tuple[float, int]] = []

    def sink(found: Sequence[Result]) -> None:
        results.extend(found)
        arrivals.append((time.monotonic(), sum(each.items for each in found)))

    report = PlanRun(
        problem,
        plan,
        RayBackend(),
        islice(iter(items), count),
        sink,
        code=code,
        settings=RunSettings(rate=inf if as_fast_as_possible else None),
    ).run()
    return Achieved(report, _steady(arrivals) or report.rate, results)


def _steady(arrivals: Sequence[tuple[float, int]]) -> float:
    """Return the items per second once queues have filled, from when how many arrived; 0 where too few did."""
    counted = arrivals[ceil(WARM * len(arrivals)) :]
    size = max(1, (len(counted) - 1) // PARTS)
    parts = [counted[start : start + size + 1] for start in range(0, len(counted) - size, size)]
    rates = [sum(items for _, items in part[1:]) / (part[-1][0] - part[0][0]) for part in parts]
    return statistics.median(rates) if rates else 0.0


def accuracy_of(code: CodeDocument, sink: str, results: Iterable[Result], truths: list[Any]) -> float:
    """Return the accuracy of results, as the sink's metric has it."""
    from walle.placement.processor.operators import load_function
    from walle.placement.processor.specs import OperatorCode

    metric = load_function(OperatorCode(str(code.folder)), code.metrics[sink])
    return float(metric(sorted(results, key=lambda each: each.number), truths))


def planned_accuracy(problem: PlacementProblem, plan: PlacementPlan) -> float:
    """Return the accuracy that a plan promises."""
    return evaluate(problem, plan).accuracy or 0.0
