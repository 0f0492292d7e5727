"""The state of the collection of unused artifacts."""

from django.db import models
from django.db.models import Q

from tasks_app.models.catalogue import DIGEST


class UnusedArtifact(models.Model):
    """An artifact that no row refers to, and since when that is known.

    The row is deleted once a row refers to the artifact.
    """

    class Store(models.TextChoices):
        SHARED = "shared"
        EXCLUSIVE = "exclusive"

    store = models.CharField(max_length=9, choices=Store.choices)
    digest = models.CharField(max_length=64)
    since = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["store", "digest"], name="unused_artifact_once"),
            models.CheckConstraint(condition=Q(digest__regex=DIGEST), name="unused_artifact_digest_format"),
            models.CheckConstraint(condition=Q(store__in=["shared", "exclusive"]), name="unused_artifact_store_known"),
        ]

    def __str__(self) -> str:
        return f"{self.store} {self.digest}"
