"""Read workflows and placements."""

from django.db.models import QuerySet

from accounts_app.actors import Actor
from serving_app.models import Placement, Workflow
from tasks_app.selectors.catalogue import scenarios_visible_to


def workflows_visible_to(actor: Actor) -> QuerySet[Workflow]:
    """Return the workflows of the visible scenarios."""
    return Workflow.objects.filter(scenario__in=scenarios_visible_to(actor).values("pk")).select_related("scenario")


def placements_visible_to(actor: Actor) -> QuerySet[Placement]:
    """Return the placements of the visible workflows, without their problems and results, the newest first."""
    visible = Placement.objects.filter(workflow__scenario__in=scenarios_visible_to(actor).values("pk"))
    return visible.select_related("workflow__scenario").defer("problem", "result").order_by("-id")
