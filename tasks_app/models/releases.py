"""Releases: the process that takes one version to the devices of an app.

Devices are never listed: who is eligible follows from the rule at check-in. A release has stages; the uniform
policy has one, which reaches every eligible device at once.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

from devices_app.models import App
from tasks_app.models.catalogue import TaskVersion
from walle.release.cohort import BUCKETS
from walle.release.states import ReleaseAction, ReleaseState

STATES = [(state.value, state.value) for state in ReleaseState]


class Release(models.Model):
    """One version on its way to one app's devices. `state` moves only through services.releases."""

    app = models.ForeignKey(App, on_delete=models.PROTECT, related_name="releases")
    version = models.ForeignKey(TaskVersion, on_delete=models.PROTECT, related_name="releases")
    rule = models.JSONField(help_text="targeting rule: which devices are eligible")
    salt = models.BinaryField(help_text="16 bytes that order the devices of this release")
    state = models.CharField(max_length=10, choices=STATES, default=ReleaseState.DRAFT)
    created_by = models.CharField(max_length=150)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=[state.value for state in ReleaseState]), name="release_state_known"
            )
        ]
        indexes = [models.Index(fields=["app", "state"])]

    def __str__(self) -> str:
        return f"release {self.pk} of {self.version}"


class Stage(models.Model):
    """One step of a release: which part of the eligible devices it reaches, in millionths."""

    class Kind(models.TextChoices):
        FULL = "full"

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="stages")
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    share = models.PositiveIntegerField(default=BUCKETS)

    class Meta:
        ordering = ["release", "position"]
        constraints = [
            models.UniqueConstraint(fields=["release", "position"], name="stage_once"),
            models.CheckConstraint(condition=Q(share__range=(0, BUCKETS)), name="stage_share_range"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} stage of release {self.release_id}"


class Transition(models.Model):
    """One move of a release: who or what made it, why, and on what evidence. Written once, never changed."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="transitions")
    action = models.CharField(max_length=10, choices=[(action.value, action.value) for action in ReleaseAction])
    before = models.CharField(max_length=10, choices=STATES)
    after = models.CharField(max_length=10, choices=STATES)
    actor_name = models.CharField(max_length=150)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    reason = models.TextField(blank=True)
    evidence = models.JSONField(default=dict)
    at = models.DateTimeField()

    class Meta:
        ordering = ["release", "id"]

    def __str__(self) -> str:
        return f"{self.before} -> {self.after}"
