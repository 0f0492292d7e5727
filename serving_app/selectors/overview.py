"""Put together what is shown of pipelines: versions, who gets which, where it is installed, and how it goes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final, Self

from django.db.models import Q

from serving_app.models import HostedPlan
from serving_app.selectors.figures import LATELY, PredictionFigures, figures_lately, total_of
from serving_app.selectors.hosts import is_lost, plans_of
from serving_app.selectors.pipelines import Offering, offerings_of
from tasks_app.models import Task, TaskVersion

NEWEST: Final = 20


@dataclass(frozen=True)
class _Reading:
    """What is read of some tasks: by primary key their newest versions and offerings, by name the rest."""

    newest: Mapping[int, TaskVersion]
    offerings: Mapping[int, list[Offering]]
    plans: Mapping[str, list[HostedPlan]]
    figures: Mapping[str, Mapping[str, PredictionFigures]]
    now: datetime

    @classmethod
    def of(cls, tasks: Sequence[Task], now: datetime) -> Self:
        names = [task.name for task in tasks]
        return cls(_newest(tasks), offerings_of(tasks), plans_of(names), figures_lately(names, now=now), now)

    def overview(self, task: Task) -> dict[str, Any]:
        offerings = {"offerings": [_offering(offering) for offering in self.offerings.get(task.pk, [])]}
        served = _served(self.plans.get(task.name, []), self.figures.get(task.name, {}), self.now)
        return _named(task, self.newest.get(task.pk)) | offerings | served


def overview_of(tasks: Sequence[Task], *, now: datetime) -> list[dict[str, Any]]:
    """Return what a list shows of each pipeline, in their order."""
    reading = _Reading.of(tasks, now)
    return [reading.overview(task) for task in tasks]


def detail_of(task: Task, *, now: datetime) -> dict[str, Any]:
    """Return all that is shown of one pipeline."""
    reading = _Reading.of([task], now)
    shown, plans = reading.overview(task), reading.plans.get(task.name, [])
    manifest = _manifest(reading.newest.get(task.pk))
    figures = reading.figures.get(task.name, {})
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
    return list(rows.filter(Q(pk__in=rows.values("pk")[:NEWEST]) | Q(version__in=wanted)))


def _version(version: TaskVersion, figures: Mapping[str, PredictionFigures]) -> dict[str, Any]:
    return {
        "version": version.version,
        "manifest_digest": version.manifest_digest,
        "size": version.total_size,
        "created_at": version.created_at,
        "serving": _manifest(version).get("serving", {}),
        "figures": figures.get(version.version) or PredictionFigures(LATELY.total_seconds()),
    }


def _plan(plan: HostedPlan, now: datetime) -> dict[str, Any]:
    return {
        "host": plan.host.name,
        "version": plan.version,
        "manifest_digest": plan.manifest,
        "state": plan.state,
        "error_class": plan.error_class,
        "problem": plan.problem,
        "since": plan.since,
        "lost": is_lost(plan.host, now),
        "runtime": plan.host.state.get("plans", {}).get(plan.manifest, {}),
    }


def _manifest(version: TaskVersion | None) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(bytes(version.manifest)) if version else {}
    return values
