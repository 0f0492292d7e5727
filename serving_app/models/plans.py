"""What a version of a pipeline compiles to, for people."""

from django.db import models
from django.db.models import Q


class ExplainedVersion(models.Model):
    """The explanation of a pipeline's version, computed once by a job: plans follow from the archive alone.

    It is null where that failed, for the reason in `problem`; `refused` says that the archive is it, so that no host
    can serve the version. Other reasons may pass: after so many `attempts` it is tried again from `again_at` on, which
    is null where nothing is left to do.
    """

    manifest = models.CharField(max_length=64, primary_key=True)
    explanation = models.JSONField(null=True)
    problem = models.CharField(max_length=2000, blank=True)
    refused = models.BooleanField(default=False, db_default=False)
    attempts = models.PositiveSmallIntegerField(default=1, db_default=1)
    again_at = models.DateTimeField(null=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(explanation__isnull=False, problem="") | Q(Q(explanation=None), ~Q(problem="")),
                name="explained_version_or_problem",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.manifest[:12]}: {self.problem or 'explained'}"
