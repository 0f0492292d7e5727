"""The processes that serve pipelines, and what each has installed: rows that they write about themselves."""

from django.db import models
from django.db.models import Q


class ServingHost(models.Model):
    """One serving process. It is lost if it has not reported for longer than its lease (serving_app.selectors.hosts).

    `state` is what its runtime last counted (walle.whitebox.runtime): memory, queues, reservations, caches.
    """

    name = models.CharField(max_length=100, unique=True)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    installed = models.PositiveIntegerField(help_text="versions that are ready")
    state = models.JSONField(default=dict)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class HostMinute(models.Model):
    """The state that a host told last in a minute, for charts."""

    pk = models.CompositePrimaryKey("host_id", "at")
    host = models.ForeignKey(ServingHost, on_delete=models.CASCADE, db_index=False, related_name="minutes")
    at = models.DateTimeField(help_text="when the minute began")
    state = models.JSONField(default=dict)

    class Meta:
        indexes = [models.Index(fields=["at"], name="host_minute_by_age")]

    def __str__(self) -> str:
        return f"{self.host_id} at {self.at:%Y-%m-%d %H:%M}"


class HostedPlan(models.Model):
    """A version of a pipeline on one host: installed and able to answer, or not, and why not."""

    class State(models.TextChoices):
        READY = "ready"
        FAILED = "failed"
        ISOLATED = "isolated"

    host = models.ForeignKey(ServingHost, on_delete=models.CASCADE, related_name="plans")
    task = models.CharField(max_length=81)
    version = models.CharField(max_length=64)
    manifest = models.CharField(max_length=64)
    state = models.CharField(max_length=8, choices=State.choices)
    error_class = models.CharField(max_length=80, blank=True)
    problem = models.CharField(max_length=2000, blank=True)
    since = models.DateTimeField()

    class Meta:
        ordering = ["task", "version", "host"]
        constraints = [
            models.UniqueConstraint(fields=["host", "manifest"], name="hosted_plan_once"),
            models.CheckConstraint(
                condition=Q(state__in=["ready", "failed", "isolated"]), name="hosted_plan_state_known"
            ),
        ]
        indexes = [models.Index(fields=["manifest"]), models.Index(fields=["task"])]

    def __str__(self) -> str:
        return f"{self.task} {self.version} on {self.host_id}"
