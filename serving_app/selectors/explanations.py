"""Read explanations of versions, and which versions still have none."""

from typing import Any

from django.db.models import Exists, OuterRef

from serving_app.models import ExplainedVersion
from tasks_app.models import TaskVersion
from walle.protocol.kinds import PIPELINE


def explanation_of(version: TaskVersion) -> dict[str, Any]:
    """Return the explanation of a version, whether it is pending, ready or failed, and why."""
    known = ExplainedVersion.objects.filter(manifest=version.manifest_digest).first()
    if known is None:
        return {"state": "pending", "problem": "", "explanation": None}
    state = "failed" if known.explanation is None else "ready"
    return {"state": state, "problem": known.problem, "explanation": known.explanation}


def unexplained(limit: int) -> list[TaskVersion]:
    """Return versions of pipelines without an explanation, the newest first."""
    known = ExplainedVersion.objects.filter(manifest=OuterRef("manifest_digest"))
    found = TaskVersion.objects.filter(~Exists(known), kind=PIPELINE, task__retired_at=None)
    return list(found.select_related("task__scenario").order_by("-id")[:limit])
