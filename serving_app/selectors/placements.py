"""Read workflows and placements."""

from typing import Any, Final

from django.conf import settings
from django.db.models import Prefetch, QuerySet

from accounts_app.actors import Actor
from accounts_app.selectors import slugs_among
from jobs_app.turns import WorkAllowance
from serving_app.models import Placement, Workflow
from tasks_app.models import TaskVersion
from tasks_app.selectors.catalogue import scenarios_visible_to

HOUR_S: Final = 3600
LARGE: Final = ("problem", "measurements", "result")
"""The documents of a placement, which lists do without."""


def workflows_visible_to(actor: Actor) -> QuerySet[Workflow]:
    """Return the workflows of the visible scenarios."""
    return Workflow.objects.filter(scenario__in=scenarios_visible_to(actor).values("pk")).select_related("scenario")


def with_last_placements(workflows: QuerySet[Workflow]) -> QuerySet[Workflow]:
    """Return workflows without their documents, each with its last placement in a list, `newest`."""
    last = Placement.objects.order_by("workflow_id", "-id").distinct("workflow_id").defer(*LARGE)
    return workflows.defer("document").prefetch_related(Prefetch("placements", last, to_attr="newest"))


def placements_visible_to(actor: Actor) -> QuerySet[Placement]:
    """Return the placements of the visible workflows, without their documents, the newest first."""
    return _placements().filter(workflow__scenario__in=scenarios_visible_to(actor).values("pk"))


def placements_within(scopes: frozenset[str] | None) -> QuerySet[Placement]:
    """Return the placements of the scenarios whose scopes are given, of all for None; as `placements_visible_to`."""
    found = _placements()
    return found if scopes is None else found.filter(workflow__scenario__slug__in=slugs_among(scopes, "scenario"))


def _placements() -> QuerySet[Placement]:
    return Placement.objects.select_related("workflow__scenario").defer(*LARGE).order_by("-id")


def measured_placement(workflow: Workflow, placement: int) -> Placement:
    """Return a placement of a workflow with what was measured for it; raises Placement.DoesNotExist."""
    return _placements().defer(None).get(workflow=workflow, pk=placement, measurements__isnull=False)


def profiled_version(placement: Placement) -> TaskVersion:
    """Return the version that is to be measured for a placement; raises TaskVersion.DoesNotExist."""
    asked: dict[str, Any] = placement.profiled or {}
    rows = TaskVersion.objects.select_related("task__scenario").filter(task__scenario=placement.workflow.scenario_id)
    return rows.get(task__slug=asked["task"], version=asked["version"])


def allowance() -> WorkAllowance:
    """Return what each scenario may use, for its profiles, of the workers that simulate."""
    return WorkAllowance(settings.WALLE_SIMULATIONS_AT_ONCE, settings.WALLE_SIMULATION_SECONDS_PER_HOUR, HOUR_S)
