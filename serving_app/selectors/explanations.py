"""Read explanations of versions, what they share with others, and which versions still have none."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from serving_app.models import ExplainedVersion, HostedPlan
from tasks_app.models import TaskVersion
from walle.protocol.kinds import PIPELINE

if TYPE_CHECKING:
    from tasks_app.selectors.catalogue import CountedTask

MOST_COMPARED: Final = 500
"""With so many installed versions a version is compared at most, those installed last."""


def explanation_of(version: TaskVersion) -> dict[str, Any]:
    """Return the explanation of a version, whether it is pending, ready or failed, and why."""
    known = ExplainedVersion.objects.filter(manifest=version.manifest_digest).first()
    if known is None:
        return {"state": "pending", "problem": "", "explanation": None}
    state = "failed" if known.explanation is None else "ready"
    return {"state": state, "problem": known.problem, "explanation": known.explanation}


def sharing_of(version: TaskVersion, tasks: "QuerySet[CountedTask]") -> list[dict[str, Any]]:
    """Return what installed versions of these tasks have in common with a version, those with the most bytes first.

    Of each its plan stages by identity, which compute the same of the same columns, and its equal parameters.
    """
    known = ExplainedVersion.objects.filter(manifest=version.manifest_digest).first()
    if known is None or known.explanation is None:
        return []
    stages, parameters = _identities(_parts(known.explanation)), _sizes(known.explanation.get("parameters"))
    installed = HostedPlan.objects.exclude(manifest=version.manifest_digest).filter(task__in=_names(tasks))
    names = {plan.manifest: (plan.task, plan.version) for plan in installed.order_by("-id")[:MOST_COMPARED]}
    rows = ExplainedVersion.objects.filter(manifest__in=names, explanation__isnull=False)
    found = [
        _in_common(names[manifest], stages & _identities(of_stages), parameters, _sizes(of_parameters))
        for manifest, of_stages, of_parameters in rows.values_list(
            "manifest", "explanation__physical__stages", "explanation__parameters"
        )
    ]
    return sorted((each for each in found if each["stages"] or each["parameters"]), key=_by_bytes)


def _in_common(
    name: tuple[str, str], stages: Collection[str], own: Mapping[str, int], others: Mapping[str, int]
) -> dict[str, Any]:
    equal = own.keys() & others.keys()
    return {
        "task": name[0],
        "version": name[1],
        "stages": sorted(stages),
        "parameters": len(equal),
        "bytes": sum(own[digest] for digest in equal),
    }


def _by_bytes(sharing: Mapping[str, Any]) -> tuple[int, str, str]:
    return -sharing["bytes"], sharing["task"], sharing["version"]


def _parts(explanation: Mapping[str, Any]) -> Any:
    return explanation.get("physical", {}).get("stages")


def _identities(stages: Sequence[Mapping[str, Any]] | None) -> set[str]:
    return {each["identity"] for each in stages or () if each.get("identity")}


def _sizes(parameters: Sequence[Mapping[str, Any]] | None) -> dict[str, int]:
    return {each["digest"]: each["bytes"] for each in parameters or ()}


def _names(tasks: "QuerySet[CountedTask]") -> list[str]:
    return [task.name for task in tasks]


def unexplained(limit: int, now: datetime) -> Sequence[TaskVersion]:
    """Return versions of pipelines without an explanation that are to be explained now, the newest first."""
    of_version = ExplainedVersion.objects.filter(manifest=OuterRef("manifest_digest"))
    known = of_version.filter(Q(again_at=None) | Q(again_at__gt=now))
    found = TaskVersion.objects.filter(~Exists(known), kind=PIPELINE, task__retired_at=None)
    return list(found.select_related("task__scenario").order_by("-id")[:limit])
