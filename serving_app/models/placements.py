"""Workflows, and their placements: the models and workers that an optimizer found for them."""

from django.db import models
from django.db.models import Q

from tasks_app.models import Scenario


class Workflow(models.Model):
    """A workflow of a scenario: the document of a placement problem (docs/workflow-format.md)."""

    scenario = models.ForeignKey(Scenario, on_delete=models.CASCADE, related_name="workflows")
    slug = models.CharField(max_length=40)
    document = models.JSONField()
    updated_by = models.CharField(max_length=150)
    updated_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["scenario", "slug"], name="workflow_once")]

    def __str__(self) -> str:
        return f"{self.scenario.slug}/{self.slug}"


class Placement(models.Model):
    """One optimization: which model and which workers each operator of a workflow gets.

    `problem` is the document as it was when the placement was asked for: later changes of the workflow do not touch it.
    `progress` is what the solver said last, `result` what it has found until then. A placement is immutable once it has
    ended.

    `profiled` says what its accuracies, sizes and latencies were measured of: a `task` and `version`, for how many
    `seconds` each model was timed, the `types` of workers, and as `placement` the one that had them measured. It is
    None where the workflow's document has them. `measurements` are these numbers, once they are known.
    """

    class State(models.TextChoices):
        PENDING = "pending"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        INFEASIBLE = "infeasible"
        FAILED = "failed"
        CANCELLED = "cancelled"

    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="placements")
    problem = models.JSONField()
    profiled = models.JSONField(null=True)
    measurements = models.JSONField(null=True)
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
            models.Index(fields=["id"], condition=Q(state__in=["pending", "running"]), name="placements_under_way"),
            models.Index(fields=["workflow", "-id"], name="placements_newest_of_each"),
        ]

    def __str__(self) -> str:
        return f"placement {self.pk} of {self.workflow}"

    @property
    def cost(self) -> float | None:
        """What the best plan that is known costs in USD per hour; None without one."""
        best: float | None = self.progress.get("best")
        return best
