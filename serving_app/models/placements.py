"""Workflows, the infrastructures that they can run on, and placements: what an optimizer found for one on the other."""

from django.db import models
from django.db.models import Q

from tasks_app.models import Scenario


class PlacementDocument(models.Model):
    """A part of a placement problem (docs/workflow-format.md), kept under a name in a scenario."""

    scenario = models.ForeignKey(Scenario, on_delete=models.CASCADE, related_name="+")
    slug = models.CharField(max_length=40)
    document = models.JSONField()
    updated_by = models.CharField(max_length=150)
    updated_at = models.DateTimeField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.scenario.slug}/{self.slug}"


class Workflow(PlacementDocument):
    """Operators with their models, profiles and target: `workflow`, `profiles` and `target` of a problem."""

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["scenario", "slug"], name="workflow_once")]


class Infrastructure(PlacementDocument):
    """Tiers, workers and the network between them: `infrastructure` of a problem."""

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["scenario", "slug"], name="infrastructure_once")]


class Placement(models.Model):
    """One optimization: which models and workers a workflow gets on an infrastructure.

    `problem` is the whole problem as it was when the placement was asked for: later changes of its parts do not touch
    it. `progress` is what the solver said last. A placement is immutable once it has ended.
    """

    class State(models.TextChoices):
        PENDING = "pending"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        INFEASIBLE = "infeasible"
        FAILED = "failed"
        CANCELLED = "cancelled"

    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="placements")
    infrastructure = models.CharField(max_length=40, help_text="slug of the infrastructure, in the same scenario")
    problem = models.JSONField()
    budget_s = models.FloatField(help_text="seconds that the exact solver may take")
    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    progress = models.JSONField(default=dict)
    result = models.JSONField(null=True)
    error = models.CharField(max_length=2000, blank=True)
    created_by = models.CharField(max_length=150)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["pending", "running", "succeeded", "infeasible", "failed", "cancelled"]),
                name="placement_state_known",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["pending", "running"], finished_at=None)
                | (~Q(state__in=["pending", "running"]) & Q(finished_at__isnull=False)),
                name="placement_ended_has_time",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["succeeded", "infeasible"]) | Q(result__isnull=False),
                name="placement_answered_has_result",
            ),
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(state__in=["pending", "running"]), name="placements_under_way")
        ]

    def __str__(self) -> str:
        return f"placement {self.pk} of {self.workflow} on {self.infrastructure}"
