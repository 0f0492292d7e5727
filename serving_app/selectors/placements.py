"""Read workflows and placements."""

from django.db.models import Prefetch, QuerySet

from accounts_app.actors import Actor
from accounts_app.selectors import slugs_among
from serving_app.models import Placement, Workflow
from tasks_app.selectors.catalogue import scenarios_visible_to


def workflows_visible_to(actor: Actor) -> QuerySet[Workflow]:
    """Return the workflows of the visible scenarios."""
    return Workflow.objects.filter(scenario__in=scenarios_visible_to(actor).values("pk")).select_related("scenario")


def with_last_placements(workflows: QuerySet[Workflow]) -> QuerySet[Workflow]:
    """Return workflows without their documents, each with its last placement in a list, `newest`."""
    last = Placement.objects.order_by("workflow_id", "-id").distinct("workflow_id").defer("problem", "result")
    return workflows.defer("document").prefetch_related(Prefetch("placements", last, to_attr="newest"))


def placements_visible_to(actor: Actor) -> QuerySet[Placement]:
    """Return the placements of the visible workflows, without their problems and results, the newest first."""
    return _placements().filter(workflow__scenario__in=scenarios_visible_to(actor).values("pk"))


def placements_within(scopes: frozenset[str] | None) -> QuerySet[Placement]:
    """Return the placements of the scenarios whose scopes are given, of all for None; as `placements_visible_to`."""
    found = _placements()
    return found if scopes is None else found.filter(workflow__scenario__slug__in=slugs_among(scopes, "scenario"))


def _placements() -> QuerySet[Placement]:
    return Placement.objects.select_related("workflow__scenario").defer("problem", "result").order_by("-id")
