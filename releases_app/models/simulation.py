"""The simulation test of a release: one row for each app version and system that it can reach."""

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q

from releases_app.models.releases import Release


class SimulationCell(models.Model):
    """A task simulated in one app version on one version of a system, under the profile declared at that time.

    The cells of a pipeline are the engines of serving hosts: they have no app version, and no profile. `attempt` counts
    the simulations of the release. A cell is immutable once it is no longer pending. A simulation that could not
    start, such as of an app version without a profile, is a cell in error, without a system.
    """

    class State(models.TextChoices):
        PENDING = "pending"
        PASSED = "passed"
        FAILED = "failed"
        EXCLUDED = "excluded"
        ERROR = "error"

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="simulation_cells")
    attempt = models.PositiveSmallIntegerField()
    app_version = models.CharField(max_length=64, blank=True)
    os = models.CharField(max_length=40, blank=True)
    os_version = models.CharField(max_length=32, blank=True)
    profile = models.JSONField(default=dict)
    state = models.CharField(max_length=8, choices=State.choices, default=State.PENDING)
    sentence = models.TextField(blank=True)
    result = models.JSONField(default=dict, encoder=DjangoJSONEncoder, help_text="limits, and what came of each sample")
    logs = models.TextField(blank=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["release", "attempt", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["release", "attempt", "app_version", "os", "os_version"], name="simulation_cell_once"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["pending", "passed", "failed", "excluded", "error"]),
                name="simulation_cell_state_known",
            ),
            models.CheckConstraint(
                condition=Q(state="pending", finished_at=None) | (~Q(state="pending") & Q(finished_at__isnull=False)),
                name="simulation_cell_finished_has_time",
            ),
        ]
        indexes = [models.Index(fields=["id"], condition=Q(state="pending"), name="simulation_cells_pending")]

    def __str__(self) -> str:
        return f"app {self.app_version} on {self.os} {self.os_version}, release {self.release_id}"
