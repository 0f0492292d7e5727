"""The workflows and placements in the large Walle of the benchmark `api`."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from benchmarks.support.api.seed import Size

_DOCUMENT: Final = Path(__file__).parents[1] / "placement" / "inputs" / "vqa_medium.json"


def write_workflows(size: Size, now: datetime) -> None:
    """Write them into a database that has the scenarios."""
    from serving_app.models import Placement, Workflow
    from tasks_app.models import Scenario

    document, scenario = json.loads(_DOCUMENT.read_text()), Scenario.objects.get(slug="bench-0")
    about = {"document": document, "updated_by": "ada", "updated_at": now}
    slugs = ["questions", *(f"workflow-{n}" for n in range(1, size.workflows))]
    workflows = Workflow.objects.bulk_create(Workflow(scenario=scenario, slug=slug, **about) for slug in slugs)
    ended = {"state": "succeeded", "result": {"plans": [document] * 5}, "created_at": now, "finished_at": now}
    Placement.objects.bulk_create(
        Placement(workflow=workflows[n % size.workflows], problem=document, budget_s=10, created_by="ada", **ended)
        for n in range(size.placements)
    )
