"""Cost and missed objectives under bursts: plans for the mean rate, plans with room, and InferLine's."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean

from benchmarks.support.placement.inferline import inferline_plan
from benchmarks.support.placement.simulation import arrivals, missed
from walle.placement.beam.selection import most_accurate
from walle.placement.evaluation import evaluate
from walle.placement.exact.search import Clock, prove
from walle.placement.frontiers import with_rates
from walle.placement.problem.model import PlacementPlan, PlacementProblem

BUDGET_S = 20.0
SAMPLE_SEED, RUN_SEEDS = 1, range(2, 7)
ROOM = (1.0, 1.25, 1.5, 2.0)
"""The factors of the mean rate that plans are made for."""


@dataclass(frozen=True)
class Burst:
    """One planner under one process of arrivals: USD per hour, and the part of requests that miss their objective."""

    planner: str
    variation: float
    cost: float
    missed: float


def under_bursts(
    problem: PlacementProblem, objective_s: float, variation: float, seconds: float, clock: Clock
) -> Iterator[Burst]:
    """Yield each planner's cost and misses; InferLine plans with a sample of the same process, from another seed.

    Requests are answered in time within `objective_s`, and come for so many seconds. Misses are the mean of several
    runs: in one, a single long burst decides.
    """
    rate = max(problem.target.rates.values())
    sample, *runs = (arrivals(rate, variation, seconds, random.Random(seed)) for seed in (SAMPLE_SEED, *RUN_SEEDS))
    exact = {room: prove(with_rates(problem, room), BUDGET_S, clock).plan for room in ROOM}
    mean = exact[1.0]
    if mean is None:
        return
    plans: dict[str, PlacementPlan | None] = {
        f"planned for {room:.0%} of the rate": plan for room, plan in exact.items()
    }
    plans["InferLine, our models"] = inferline_plan(problem, mean.models, sample, objective_s)
    accurate = most_accurate(problem).models
    plans["InferLine, most accurate models"] = inferline_plan(problem, accurate, sample, objective_s)
    for name, plan in plans.items():
        if plan is None:
            yield Burst(name, variation, math.nan, math.nan)
        else:
            balanced = PlacementPlan(plan.models, plan.workers)
            late = fmean(missed(problem, plan, run, objective_s) for run in runs)
            yield Burst(name, variation, evaluate(problem, balanced).cost, late)
