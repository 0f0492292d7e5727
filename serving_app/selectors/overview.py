"""Put together what is shown of pipelines: versions, who gets which, where it is installed, and how it goes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from serving_app.models import HostedPlan
from serving_app.selectors.figures import LATELY, PredictionFigures, figures_lately, total_of
from serving_app.selectors.hosts import is_lost, plans_of
from serving_app.selectors.pipelines import Offering, offerings_of
from tasks_app.models import Task, TaskVersion

NEWEST: Final = 20


def overview_of(tasks: Sequence[Task], *, now: datetime) -> list[dict[str, Any]]:
    """Return what a list shows of each pipeline, in their order."""
    names = [task.name for task in tasks]
    newest = _newest(tasks)
    offerings, plans, figures = offerings_of(tasks), plans_of(names), figures_lately(names, now=now)
    return [
        _named(task, newest.get(task.pk))
        | {"offerings": [_offering(offering) for offering in offerings.get(task.pk, [])]}
        | _served(plans.get(task.name, []), figures.get(task.name, {}), now)
        for task in tasks
    ]


def detail_of(task: Task, *, now: datetime) -> dict[str, Any]:
    """Return all that is shown of one pipeline."""
    (shown,) = overview_of([task], now=now)
    manifest = _manifest(_newest([task]).get(task.pk))
    plans = plans_of([task.name]).get(task.name, [])
    figures = figures_lately([task.name], now=now).get(task.name, {})
    wanted = {offering["version"] for offering in shown["offerings"]} | {plan.version for plan in plans}
    return shown | {
        "inputs": manifest.get("inputs", {}),
        "outputs": manifest.get("outputs", {}),
        "versions": [_version(version, figures) for version in _versions(task, wanted)],
        "plans": [_plan(plan, now) for plan in plans],
    }


def _named(task: Task, newest: TaskVersion | None) -> dict[str, Any]:
    manifest = _manifest(newest)
    return {
        "name": task.name,
        "scenario": task.scenario.slug,
        "slug": task.slug,
        "description": manifest.get("description", ""),
        "engine": manifest.get("serving", {}).get("engine", "auto"),
        "version": newest.version if newest else "",
        "retired": task.retired_at is not None,
    }


def _served(plans: Sequence[HostedPlan], figures: Mapping[str, PredictionFigures], now: datetime) -> dict[str, Any]:
    living = [plan for plan in plans if not is_lost(plan.host, now)]
    return {
        "hosts": len({plan.host_id for plan in living if plan.state == HostedPlan.State.READY}),
        "troubled": sum(plan.state != HostedPlan.State.READY for plan in living),
        "figures": total_of(figures.values()),
    }


def _offering(offering: Offering) -> dict[str, Any]:
    mode = "held" if offering.held else "offered" if offering.observed else "complete"
    return asdict(offering) | {"mode": mode}


def _newest(tasks: Sequence[Task]) -> dict[int, TaskVersion]:
    found = TaskVersion.objects.filter(task__in=tasks).order_by("task_id", "-order").distinct("task_id")
    return {version.task_id: version for version in found}


def _versions(task: Task, wanted: set[str]) -> list[TaskVersion]:
    rows = TaskVersion.objects.filter(task=task).order_by("-order")
    newest = list(rows[:NEWEST])
    known = {version.version for version in newest}
    return newest + list(rows.filter(version__in=wanted - known))


def _version(version: TaskVersion, figures: Mapping[str, PredictionFigures]) -> dict[str, Any]:
    return {
        "version": version.version,
        "manifest_digest": version.manifest_digest,
        "size": version.total_size,
        "created_at": version.created_at,
        "serving": _manifest(version).get("serving", {}),
        "figures": figures.get(version.version) or PredictionFigures(LATELY.total_seconds()),
    }


def _plan(plan: HostedPlan, now: datetime) -> HostedPlan:
    plan.lost = is_lost(plan.host, now)  # type: ignore[attr-defined]
    return plan


def _manifest(version: TaskVersion | None) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(bytes(version.manifest)) if version else {}
    return values
