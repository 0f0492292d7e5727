"""Estimates of row counts and costs from PostgreSQL's planner."""

import json
from typing import Any, Final

from django.db.models import QuerySet

AFFORDABLE: Final = 3_000.0
"""Acceptable cost in the planner's units, of which reading a page from disk is four: some ten milliseconds."""


def estimate_count(rows: QuerySet[Any]) -> int:
    """Return the number of rows of a query: counted if cheap, otherwise estimated from the planner's statistics."""
    plan = _plan(rows)
    return rows.count() if plan.get("Total Cost", 0.0) <= AFFORDABLE else int(plan["Plan Rows"])


def cost_of(rows: QuerySet[Any]) -> float:
    """Return the planner's expected cost of a query, in its units: reading a page from disk is four.

    The cost is 0 if Django knows that the query has no rows.
    """
    return float(_plan(rows).get("Total Cost", 0.0))


def _plan(rows: QuerySet[Any]) -> dict[str, Any]:
    explained = rows.explain(format="json")
    plan: dict[str, Any] = json.loads(explained)[0]["Plan"] if explained else {}
    return plan
