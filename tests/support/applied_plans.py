"""A placement of the small workflow of tests/bundle/workflow_example.py that has ended."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from serving_app.models import Placement, Workflow
from tasks_app.models import Scenario
from tests.bundle.workflow_example import OPERATORS, plan, problem_document
from walle.placement.plan_documents import plan_document

CUTTING = {name: "phone" if name in ("words", "long") else "cloud" for name in OPERATORS}
"""By operator its tier in the best plan; in the second one all are on phones."""
WHOLE = dict.fromkeys(OPERATORS, "phone")
HIGHER = {name: "phone" if name == "words" else "cloud" for name in OPERATORS}


def lengths_placement(scenario: Scenario) -> Placement:
    """Return a placement with two plans and, in each frontier, a point that asks for what its plan reaches and one
    that asks for more.
    """
    made = timezone.now()
    workflow = Workflow.objects.create(
        scenario=scenario, slug="lengths", document=problem_document(), updated_by="ada", updated_at=made
    )
    result = {
        "plans": [{"plan": plan_document(plan(each))} for each in (CUTTING, WHOLE)],
        "accuracy_frontier": [_point(40.0, 1.0), _point(95.0, 1.0)],
        "rate_frontier": [_point(50.0, 0.5), _point(50.0, 1000.0)],
    }
    return Placement.objects.create(
        workflow=workflow,
        problem=problem_document(),
        budget_s=1,
        created_by="ada",
        created_at=made,
        finished_at=made,
        state=Placement.State.SUCCEEDED,
        result=result,
    )


def _point(accuracy: float, factor: float) -> dict[str, Any]:
    return {"accuracy": accuracy, "factor": factor, "best": {"plan": plan_document(plan(HIGHER))}}
