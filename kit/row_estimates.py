"""Asking PostgreSQL's planner before asking for rows."""

import json
from typing import Any, Final

from django.db.models import QuerySet

AFFORDABLE: Final = 3_000.0
"""In the planner's units, of which a page read from the disk is four: some ten milliseconds."""


def estimate_count(rows: QuerySet[Any]) -> int:
    """How many rows a query has: counted where that is little work, otherwise as the planner's statistics say."""
    plan = _plan(rows)
    return rows.count() if plan.get("Total Cost", 0.0) <= AFFORDABLE else int(plan["Plan Rows"])


def cost_of(rows: QuerySet[Any]) -> float:
    """What the planner expects a query to cost, in its units: a page that is read from the disk is four.

    Nothing, where Django knows by itself that there can be no row.
    """
    return float(_plan(rows).get("Total Cost", 0.0))


def _plan(rows: QuerySet[Any]) -> dict[str, Any]:
    told = rows.explain(format="json")
    plan: dict[str, Any] = json.loads(told)[0]["Plan"] if told else {}
    return plan
