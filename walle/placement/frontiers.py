"""What accuracy and rate cost: the points where another plan becomes the cheapest one."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from walle.placement.evaluation import Evaluation, evaluate
from walle.placement.exact.accuracy_states import reachable_accuracies
from walle.placement.exact.limits import ProgramTooLarge
from walle.placement.exact.search import Clock, ProofResult, prove
from walle.placement.planning import optimize
from walle.placement.problem.model import PlacementPlan, PlacementProblem, PlacementTarget


@dataclass(frozen=True, slots=True)
class FrontierPoint:
    """The cheapest plan at one target.

    `factor` multiplies the problem's rates. No plan for the target costs less than `bound`. `changed` tells whether the
    plan differs from that of the point before, by models or by how many workers of a type and tier serve an operator.
    """

    accuracy: float
    factor: float
    plan: PlacementPlan
    evaluation: Evaluation
    bound: float
    changed: bool


def with_rates(problem: PlacementProblem, factor: float) -> PlacementProblem:
    """Return the problem with all rates multiplied."""
    rates = {name: rate * factor for name, rate in problem.target.rates.items()}
    return replace(problem, target=PlacementTarget(problem.target.accuracy, rates))


def with_accuracy(problem: PlacementProblem, accuracy: float) -> PlacementProblem:
    """Return the problem with another target accuracy."""
    return replace(problem, target=PlacementTarget(accuracy, problem.target.rates))


def accuracy_frontier(
    problem: PlacementProblem, budget_s: float, clock: Clock, cancelled: Callable[[], bool] = lambda: False
) -> Iterator[FrontierPoint]:
    """Yield the cheapest plan of each accuracy where the plan changes, from the least accurate one on.

    The sink's accuracy has finitely many values. After a plan that reaches one of them, the next to be asked for is the
    next higher one; so each step costs more than the one before, and nothing lies between them. Each of them takes at
    most `budget_s` seconds, after which the best plan so far stands for the cheapest; they end where no plan is
    feasible or known. There are none of a problem that is too large to be proved.
    """
    before: FrontierPoint | None = None
    try:
        values = reachable_accuracies(problem)
    except ProgramTooLarge:
        return
    for accuracy in values:
        if cancelled():
            return
        if before is not None and before.accuracy >= accuracy:
            continue
        asked = with_accuracy(problem, accuracy)
        proof = _cheapest(asked, budget_s, clock, cancelled)
        if proof.plan is None:
            return
        reached = evaluate(asked, proof.plan).accuracy
        point = _point(asked, proof.plan, proof.bound, -math.inf if reached is None else reached, 1.0)
        before = replace(point, changed=before is not None and different(problem, before.plan, point.plan))
        yield before


def throughput_frontier(
    problem: PlacementProblem,
    factors: Sequence[float],
    budget_s: float,
    clock: Clock,
    *,
    precision: float = 0.01,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[FrontierPoint]:
    """Yield the cheapest plan at multiples of the problem's rates, and on both sides of where the plan changes.

    `factors` are looked at in ascending order; where two neighbours have different plans, or the second has none, what
    lies between is halved until they are nearer to each other than `precision`, relatively. The workers of a plan cost
    the same at all rates that it carries, and its traffic grows with them: between points with one plan, cost is a
    straight line as long as loads stay as they are. Each point takes at most `budget_s` seconds, after which the best
    plan so far stands for the cheapest.
    """

    def at(factor: float) -> FrontierPoint | None:
        if cancelled():
            return None
        asked = with_rates(problem, factor)
        proof = _cheapest(asked, budget_s, clock, cancelled)
        if proof.plan is None:
            return None
        return _point(asked, proof.plan, proof.bound, asked.target.accuracy, factor)

    def between(low: FrontierPoint, factor: float, high: FrontierPoint | None) -> Iterator[FrontierPoint]:
        same = high is not None and not different(problem, low.plan, high.plan)
        if same or factor <= low.factor * (1 + precision) or cancelled():
            return
        middle = math.sqrt(low.factor * factor)
        if (found := at(middle)) is None:
            yield from between(low, middle, None)
            return
        yield from between(low, middle, found)
        yield found
        yield from between(found, factor, high)

    before: FrontierPoint | None = None
    for factor in sorted(factors):
        point = at(factor)
        found = between(before, factor, point) if before else iter(())
        for each in (*found, *([point] if point else ())):
            yield replace(each, changed=before is not None and different(problem, before.plan, each.plan))
            before = each
        if point is None:
            return


def _cheapest(problem: PlacementProblem, budget_s: float, clock: Clock, cancelled: Callable[[], bool]) -> ProofResult:
    """Return the cheapest plan that is found within the budget; the search begins at the beams' plan."""
    until = clock() + budget_s
    found = optimize(problem, random.Random(0), late=lambda: clock() > until)  # noqa: S311  orders, no secrets
    return prove(problem, until - clock(), clock, starts=[each.plan for each in found], cancelled=cancelled)


def different(problem: PlacementProblem, first: PlacementPlan, second: PlacementPlan) -> bool:
    """Return whether plans differ by models, or by how many workers of a type and tier serve an operator."""
    return outline(problem, first) != outline(problem, second)


def _point(
    problem: PlacementProblem, plan: PlacementPlan, bound: float, accuracy: float, factor: float
) -> FrontierPoint:
    return FrontierPoint(accuracy, factor, plan, evaluate(problem, plan), bound, changed=False)


def outline(problem: PlacementProblem, plan: PlacementPlan) -> dict[str, tuple[str, list[tuple[int, str]]]]:
    """Return the model of each operator, and the tiers and types of its workers: what plans differ by."""
    by_id = problem.infrastructure.by_id
    return {
        name: (plan.models[name], sorted((by_id[each].tier, by_id[each].type) for each in ids))
        for name, ids in plan.workers.items()
    }
