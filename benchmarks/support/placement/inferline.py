"""InferLine's planner (Crankshaw et al., arXiv:1812.01776, section 4.3) on the workers of a placement problem.

It begins with a plan that keeps the latency objective, and makes it cheaper by the action that saves most, as long as
a simulation of a sample of requests says that the 99th percentile keeps the objective.

- It does not select models, and does not know prices of traffic: models are given, and only compute is minimised.
- Its clusters have as many workers of a type as it wants. Here, workers are those of the infrastructure: an operator
  begins with the fastest that is free, bottlenecks get the next fastest. To downgrade hardware is to serve an operator
  by as few workers of a cheaper type as keep the objective, or to exchange one worker for a cheaper one that is free.
  Plans keep to the one-way rule.
- Profiles have no batches: the batch size stays 1, and the action that increases it is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from benchmarks.support.placement.simulation import latencies, service_seconds
from walle.placement.evaluation import evaluate
from walle.placement.problem.model import PlacementPlan, PlacementProblem, PlacementWorker

TAIL = 0.99


def inferline_plan(
    problem: PlacementProblem, models: Mapping[str, str], sample: Sequence[float], objective_s: float
) -> PlacementPlan | None:
    """Return the planner's plan for a sample of requests; None where all workers together miss the objective."""

    def feasible(plan: PlacementPlan) -> bool:
        if any(each.constraint in ("one-way", "unable", "one-operator") for each in evaluate(problem, plan).violations):
            return False
        found = sorted(latencies(problem, plan, sample))
        return found[int(TAIL * (len(found) - 1))] <= objective_s

    plan = _initial(problem, models, feasible)
    while plan is not None:
        cheaper = sorted(_actions(problem, plan), key=lambda each: evaluate(problem, each).compute)
        better = next((each for each in cheaper if feasible(each)), None)
        if better is None:
            return plan
        plan = better
    return None


def _initial(problem: PlacementProblem, models: Mapping[str, str], feasible: object) -> PlacementPlan | None:
    """Return the plan to begin with: replicas for the busiest operator until the objective is kept."""
    plan = PlacementPlan(dict(models), dict.fromkeys(problem.workflow.order, ()))
    for name in reversed(problem.workflow.order):
        grown = _grown(problem, plan, name)
        if grown is None:
            return None
        plan = grown
    assert callable(feasible)
    while not feasible(plan):
        busiest = sorted(problem.workflow.order, key=lambda name: -_busy(problem, plan, name))
        grown = next((each for name in busiest if (each := _grown(problem, plan, name)) is not None), None)
        if grown is None:
            return None
        plan = grown
    return plan


def _busy(problem: PlacementProblem, plan: PlacementPlan, name: str) -> float:
    return max(problem.target.rates.values()) / sum(1 / each for each in service_seconds(problem, plan, name).values())


def _grown(problem: PlacementProblem, plan: PlacementPlan, name: str) -> PlacementPlan | None:
    """Return the plan with the fastest free worker for an operator that keeps traffic from going down."""
    used = {each for ids in plan.workers.values() for each in ids}
    able = [
        each
        for each in problem.infrastructure.workers
        if each.id not in used
        and problem.capacity(name, plan.models[name], each)
        and _fits(problem, plan, name, each.tier)
    ]
    if not able:
        return None
    best = max(able, key=lambda each: problem.capacity(name, plan.models[name], each))
    return PlacementPlan(plan.models, {**plan.workers, name: (*plan.workers[name], best.id)})


def _fits(problem: PlacementProblem, plan: PlacementPlan, name: str, tier: int) -> bool:
    tiers = {each.id: each.tier for each in problem.infrastructure.workers}
    before = [tiers[w] for edge in problem.workflow.into[name] for w in plan.workers.get(edge.source, ())]
    after = [tiers[w] for edge in problem.workflow.out_of[name] for w in plan.workers[edge.target]]
    return all(each <= tier for each in before) and all(each >= tier for each in after)


def _actions(problem: PlacementProblem, plan: PlacementPlan) -> Iterator[PlacementPlan]:
    """Yield the plans of all actions that save compute: a replica less, a cheaper one, another type."""
    infrastructure = problem.infrastructure
    used = {each for ids in plan.workers.values() for each in ids}
    for name, ids in plan.workers.items():
        for each in ids:
            left = tuple(other for other in ids if other != each)
            if left:
                yield PlacementPlan(plan.models, {**plan.workers, name: left})
            price = infrastructure.hourly(infrastructure.by_id[each])
            for other in infrastructure.workers:
                if other.id not in used and infrastructure.hourly(other) < price:
                    yield PlacementPlan(plan.models, {**plan.workers, name: (*left, other.id)})
        for crew in _downgraded(problem, plan, name):
            yield PlacementPlan(plan.models, {**plan.workers, name: crew})


def _downgraded(problem: PlacementProblem, plan: PlacementPlan, name: str) -> Iterator[tuple[str, ...]]:
    """Yield the crews of one type and tier that cost an operator less than its workers: one, two and so on of each."""
    infrastructure, own = problem.infrastructure, plan.workers[name]
    used = {each for ids in plan.workers.values() for each in ids} - set(own)
    price = sum(infrastructure.hourly(infrastructure.by_id[each]) for each in own)
    alike: dict[tuple[str, int], list[PlacementWorker]] = {}
    for worker in infrastructure.workers:
        if worker.id not in used and problem.capacity(name, plan.models[name], worker):
            alike.setdefault((worker.type, worker.tier), []).append(worker)
    for found in alike.values():
        for count, total in enumerate(accumulate(infrastructure.hourly(each) for each in found), 1):
            if total < price:
                yield tuple(each.id for each in found[:count])
