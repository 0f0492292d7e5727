"""Read explanations of versions, and which versions still have none."""

from typing import Any, Final

from django.db.models import Count, Exists, OuterRef

from serving_app.models import ExplainedVersion
from tasks_app.models import TaskVersion, VersionFile
from walle.protocol.kinds import PIPELINE
from walle.whitebox.archive.files import PARAMETERS

MOST_SHARED: Final = 1000
"""The most parameters of a version of which is told who shares them, the largest first."""


def explanation_of(version: TaskVersion) -> dict[str, Any]:
    """Return the explanation of a version, whether it is pending, ready or failed, and why."""
    known = ExplainedVersion.objects.filter(manifest=version.manifest_digest).first()
    if known is None:
        return {"state": "pending", "problem": "", "explanation": None}
    state = "failed" if known.explanation is None else "ready"
    return {"state": state, "problem": known.problem, "explanation": known.explanation}


def sharing_of(version: TaskVersion) -> list[dict[str, Any]]:
    """Return the parameters of a version, the largest first, and how many versions of pipelines have each.

    A host keeps each of them once, however many of the versions it has installed.
    """
    files = VersionFile.objects.filter(version=version, path__startswith=PARAMETERS).order_by("-size", "path")
    sizes = dict(files.values_list("digest", "size")[:MOST_SHARED])
    having = VersionFile.objects.filter(digest__in=sizes, version__kind=PIPELINE, path__startswith=PARAMETERS)
    counts = dict(having.order_by().values_list("digest").annotate(versions=Count("version", distinct=True)))
    return [{"digest": digest, "bytes": size, "versions": counts[digest]} for digest, size in sizes.items()]


def unexplained(limit: int) -> list[TaskVersion]:
    """Return versions of pipelines without an explanation, the newest first."""
    known = ExplainedVersion.objects.filter(manifest=OuterRef("manifest_digest"))
    found = TaskVersion.objects.filter(~Exists(known), kind=PIPELINE, task__retired_at=None)
    return list(found.select_related("task__scenario").order_by("-id")[:limit])
