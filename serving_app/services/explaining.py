"""Keep explanations of versions."""

from datetime import datetime
from typing import Any, Final

from serving_app.models import ExplainedVersion
from tasks_app.models import TaskVersion

_MOST_PROBLEM: Final = 2000


def keep_explanation(
    version: TaskVersion,
    *,
    explanation: dict[str, Any] | None = None,
    problem: str = "",
    refused: bool = False,
    now: datetime,
) -> None:
    """Keep a version's explanation, or the problem where there is none; what is kept already stays.

    A `refused` version is one that no host can serve.
    """
    values = {"explanation": explanation, "problem": problem[:_MOST_PROBLEM], "refused": refused, "at": now}
    ExplainedVersion.objects.get_or_create(manifest=version.manifest_digest, defaults=values)
