"""Plans and their evaluations as JSON, and plans read from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from walle.placement.evaluation import Evaluation, PlanMismatch, evaluate
from walle.placement.problem.model import PlacementPlan, PlacementProblem
from walle.placement.problem.outline import MAX_OPERATORS, MAX_WORKERS, NAME
from walle.schema import Fields, Items, Malformed, Named, Number, Problem, checked

_BY_OPERATOR: Final = f"a table by operator, of 1 to {MAX_OPERATORS}"
_WORKERS: Final = Items(NAME, f"a list of 1 to {MAX_WORKERS} workers", 1, MAX_WORKERS, unique=True)
_SHARES: Final = Items(Number(0, 1), "a list of shares of the load, by worker", 1, MAX_WORKERS)
PLAN: Final = Fields(
    {
        "models": Named(NAME, NAME, _BY_OPERATOR, 1, MAX_OPERATORS),
        "workers": Named(NAME, _WORKERS, _BY_OPERATOR, 1, MAX_OPERATORS),
        "shares": Named(NAME, _SHARES, f"a table by operator, of at most {MAX_OPERATORS}", 0, MAX_OPERATORS),
    },
    required=("models", "workers"),
)


class PlanMalformed(Malformed):
    """A document is no plan of a problem."""


def plan_document(plan: PlacementPlan) -> dict[str, Any]:
    """Return a plan as JSON data."""
    return {
        "models": dict(plan.models),
        "workers": {name: list(ids) for name, ids in plan.workers.items()},
        "shares": {name: list(shares) for name, shares in plan.shares.items()},
    }


def read_any_plan(document: Any) -> PlacementPlan:
    """Return the plan of a parsed document, of whatever problem. Raises PlanMalformed if it is no plan."""
    checked(PLAN, document, "", PlanMalformed)
    if set(document["models"]) != set(document["workers"]):
        expected = "models and workers of the same operators"
        raise PlanMalformed([Problem("", "workers", expected, ", ".join(document["workers"]))])
    return PlacementPlan(
        models=dict(document["models"]),
        workers={name: tuple(ids) for name, ids in document["workers"].items()},
        shares={name: tuple(map(float, shares)) for name, shares in document.get("shares", {}).items()},
    )


def read_plan(document: Any, problem: PlacementProblem) -> PlacementPlan:
    """Return the plan of a parsed document. Raises PlanMalformed if it is none of the problem."""
    plan = read_any_plan(document)
    try:
        evaluate(problem, plan)
    except PlanMismatch as error:
        raise PlanMalformed([Problem("", "", "a plan of this problem", str(error))]) from error
    return plan


def evaluation_document(evaluation: Evaluation) -> Mapping[str, Any]:
    """Return an evaluation as JSON data; costs are USD per hour, throughput items per second."""
    return {
        "cost": evaluation.cost,
        "compute": evaluation.compute,
        "network": evaluation.network,
        "accuracy": evaluation.accuracy,
        "throughput": evaluation.throughput,
        "utilisation": dict(evaluation.utilisation),
        "violations": [each.text for each in evaluation.violations],
    }
