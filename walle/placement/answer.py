"""The answer to a placement problem as JSON data: plans, what is proved of them, frontiers, or why there is no plan.

Plans are found in it again by where they stand: `PLANS` are the best ones, the frontiers have one at each point.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

from walle.placement.baselines import BaselineCost
from walle.placement.beam.search import RankedPlan
from walle.placement.evaluation import evaluate
from walle.placement.exact.search import SearchProgress
from walle.placement.frontiers import FrontierPoint, with_accuracy, with_rates
from walle.placement.infeasible import Infeasibility
from walle.placement.optimizer import Optimized
from walle.placement.plan_documents import evaluation_document, plan_document, read_plan
from walle.placement.problem.model import PlacementPlan, PlacementProblem

SEARCHING: Final = "searching"
"""In place of how a search ended, where it has not."""
PLANS: Final = "plans"
ACCURACY: Final = "accuracy"
RATE: Final = "rate"
PlanList = Literal["plans", "accuracy", "rate"]
"""A list of an answer that has plans: the best ones, or the points of a frontier."""
_KEYS: Final[Mapping[PlanList, str]] = {PLANS: "plans", ACCURACY: "accuracy_frontier", RATE: "rate_frontier"}


def answer_json(
    found: Optimized,
    *,
    infeasible: Infeasibility | None = None,
    baselines: Iterable[tuple[str, BaselineCost | None]] = (),
    accuracy_frontier: Iterable[FrontierPoint] = (),
    rate_frontier: Iterable[FrontierPoint] = (),
) -> dict[str, Any]:
    """Return what an optimizer found, what it is compared with, what other targets cost, and why there is no plan.

    `infeasible` is null where there is a plan.
    """
    return {
        **plans_json(found),
        "baselines": [baseline_json(*each) for each in baselines],
        "accuracy_frontier": [point_json(each) for each in accuracy_frontier],
        "rate_frontier": [point_json(each) for each in rate_frontier],
        "infeasible": None if infeasible is None else infeasible_json(infeasible),
    }


def plans_json(found: Optimized) -> dict[str, Any]:
    """Return the best plans, cheapest first, and what is known of better ones.

    `bound` is the USD per hour below which there is none, and `gap` the part of the best plan's cost that this leaves
    open; both are null where nothing is known.
    """
    return {
        "plans": [ranked_json(each) for each in found.plans],
        "bound": _finite(found.bound),
        "gap": found.gap,
        "ended": found.ended,
        "seconds": found.seconds,
        "beam_cost": found.beam_cost,
        "history": [progress_json(each) for each in found.history],
    }


def plan_count(answer: Mapping[str, Any], of: PlanList = PLANS) -> int:
    """Return how many plans a list of an answer has."""
    return len(answer.get(_KEYS[of], ()))


def plan_at(
    answer: Mapping[str, Any], problem: PlacementProblem, number: int, of: PlanList = PLANS
) -> tuple[PlacementProblem, PlacementPlan]:
    """Return the plan of an answer at a place from 1 on, and the problem that it solves.

    A point of a frontier solves the problem with another target. Raises IndexError where there is no such plan.
    """
    each = answer[_KEYS[of]][number - 1]
    if of == PLANS:
        return problem, read_plan(each["plan"], problem)
    asked = with_accuracy(problem, each["accuracy"]) if of == ACCURACY else with_rates(problem, each["factor"])
    return asked, read_plan(each["best"]["plan"], asked)


def interim_json(problem: PlacementProblem, progress: SearchProgress) -> dict[str, Any]:
    """Return the answer of a search that goes on and has a plan: that one alone, and `ended` is `searching`."""
    assert progress.plan is not None  # noqa: S101
    plan = RankedPlan(progress.plan, evaluate(problem, progress.plan))
    return answer_json(Optimized((plan,), progress.bound, SEARCHING, progress.seconds))


def progress_json(progress: SearchProgress) -> dict[str, Any]:
    """Return how far a search is; `best` is null as long as there is no plan, `bound` once there can be none."""
    return {"seconds": progress.seconds, "bound": _finite(progress.bound), "best": _finite(progress.best)}


def ranked_json(ranked: RankedPlan) -> dict[str, Any]:
    """Return a plan with its evaluation."""
    return {"plan": plan_document(ranked.plan), **evaluation_document(ranked.evaluation)}


def point_json(point: FrontierPoint) -> dict[str, Any]:
    """Return the cheapest plan at one accuracy and one multiple of the problem's rates."""
    return {
        "accuracy": point.accuracy,
        "factor": point.factor,
        "bound": point.bound,
        "changed": point.changed,
        "best": ranked_json(RankedPlan(point.plan, point.evaluation)),
    }


def baseline_json(name: str, found: BaselineCost | None) -> dict[str, Any]:
    """Return what a baseline costs in an hour, in USD, with its plan in `best`; null where it has none.

    A baseline that finds no feasible plan has no costs either.
    """
    return {
        "name": name,
        "cost": found.cost if found else None,
        "compute": found.compute if found else None,
        "network": found.network if found else None,
        "accuracy": found.accuracy if found else None,
        "best": ranked_json(found.plan) if found and found.plan else None,
    }


def infeasible_json(infeasible: Infeasibility) -> dict[str, Any]:
    """Return why there is no plan, and the changes that would make one possible."""
    return {
        "constraints": list(infeasible.constraints),
        "certain": infeasible.certain,
        "remedies": [
            {"constraint": each.constraint, "subject": each.subject, "value": each.value, "text": each.text}
            for each in infeasible.remedies
        ],
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
