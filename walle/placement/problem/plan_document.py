"""A plan as JSON: a model, workers and, where it says so, their shares of the load for each operator."""

from __future__ import annotations

from typing import Any, Final

from walle.placement.problem.model import PlacementPlan
from walle.placement.problem.outline import MAX_OPERATORS, MAX_WORKERS, NAME
from walle.schema import AnyJson, Fields, Items, Malformed, Named, Number, checked, read_json

MAX_PLAN_BYTES: Final = 4 * 1024 * 1024
_SHARES: Final = Items(Number(0, 1), "a list of shares from 0 to 1", 1, MAX_WORKERS)
_WORKERS: Final = Items(NAME, "a list of workers", 1, MAX_WORKERS, unique=True)
_PLAN: Final = Fields(
    {
        "models": Named(NAME, NAME, "a table of models by operator", 1, MAX_OPERATORS),
        "workers": Named(NAME, _WORKERS, "a table of lists of workers by operator", 1, MAX_OPERATORS),
        "shares": Named(NAME, _SHARES, "a table of lists of shares by operator", 0, MAX_OPERATORS),
        "evaluation": AnyJson(),
    },
    required=("models", "workers"),
)


class PlanMalformed(Malformed):
    """A document is no placement plan."""


def read_plan(content: bytes, file: str = "") -> PlacementPlan:
    """Read a plan from JSON. Raises PlanMalformed with all that is wrong with its form; `evaluate` checks its names."""
    try:
        document = read_json(content, file, MAX_PLAN_BYTES)
    except Malformed as error:
        raise PlanMalformed(error.problems) from error
    return plan_of(document)


def plan_of(document: Any) -> PlacementPlan:
    """Return the plan of a parsed document. Raises PlanMalformed."""
    given = checked(_PLAN, document, "", PlanMalformed)
    return PlacementPlan(
        dict(given["models"]),
        {name: tuple(found) for name, found in given["workers"].items()},
        {name: tuple(map(float, found)) for name, found in given.get("shares", {}).items()},
    )


def plan_to_dict(plan: PlacementPlan) -> dict[str, Any]:
    """Return a plan as JSON."""
    shares = {"shares": {name: list(found) for name, found in plan.shares.items()}} if plan.shares else {}
    return {"models": dict(plan.models), "workers": {name: list(each) for name, each in plan.workers.items()}, **shares}
