"""What a version of a pipeline compiles to, for people."""

from django.db import models
from django.db.models import Q


class ExplainedVersion(models.Model):
    """The explanation of a pipeline's version, computed once by a job: plans follow from the archive alone."""

    class State(models.TextChoices):
        PENDING = "pending"
        READY = "ready"
        FAILED = "failed"

    manifest = models.CharField(max_length=64, primary_key=True)
    state = models.CharField(max_length=7, choices=State.choices, default=State.PENDING)
    explanation = models.JSONField(null=True)
    problem = models.CharField(max_length=2000, blank=True)
    asked_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state="ready", explanation__isnull=False) | Q(~Q(state="ready"), explanation=None),
                name="explained_version_ready_with_explanation",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.manifest[:12]}: {self.state}"
