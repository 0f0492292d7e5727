"""Releases: the process that takes one version to the devices of an app, stage by stage.

Devices are never listed: the rule decides at check-in who is eligible.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from devices_app.models import App
from tasks_app.models.catalogue import TaskVersion
from walle.release.cohort import BUCKETS
from walle.release.rules import eligible
from walle.release.stage_kinds import STAGE_KINDS
from walle.release.states import ReleaseAction, ReleasePosition, ReleaseState
from walle.release.strategy import Strategy

STAGE_KIND_CHOICES = [(name, kind.title) for name, kind in STAGE_KINDS.items()]
STATES = [(state.value, state.value) for state in ReleaseState]


@lru_cache(maxsize=1024)
def _parsed(strategy: str) -> Strategy:
    """Read a strategy, as JSON: reading it takes half a millisecond, and publishing needs those of all releases."""
    return Strategy.from_stored(json.loads(strategy))


class Release(models.Model):
    """The release of one version to the devices of one app.

    Its position (`state`, `position`, `resumes`) changes only through services.moves. The clock of its stage has run
    for `clock_s` seconds, and since `clock_since` if set; it stands still in pauses and outside the time window.
    `baseline` is what was known of the task before the release: thresholds for latency and drift.
    """

    app = models.ForeignKey(App, on_delete=models.PROTECT, related_name="releases")
    version = models.ForeignKey(TaskVersion, on_delete=models.PROTECT, related_name="releases")
    rule = models.JSONField(help_text="targeting rule: which devices are eligible")
    strategy = models.JSONField(default=dict, help_text="stages, limits and pace")
    salt = models.BinaryField(help_text="16 bytes that order the devices of this release")
    state = models.CharField(max_length=17, choices=STATES, default=ReleaseState.DRAFT)
    position = models.PositiveSmallIntegerField(null=True, help_text="the stage it is in, counted from 0")
    resumes = models.CharField(max_length=17, choices=STATES, blank=True, help_text="where a pause resumes")
    clock_s = models.FloatField(default=0)
    clock_since = models.DateTimeField(null=True)
    baseline = models.JSONField(default=dict)
    superseded_by = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="superseded")
    superseded_from = models.CharField(max_length=17, choices=STATES, blank=True)
    created_by = models.CharField(max_length=150)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=[state.value for state in ReleaseState]), name="release_state_known"
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["running", "complete"]) | Q(position__isnull=False),
                name="release_running_has_position",
            ),
        ]
        indexes = [models.Index(fields=["app", "state"])]

    def __str__(self) -> str:
        return f"release {self.pk} of {self.version}"

    @property
    def eligible_rule(self) -> Mapping[str, Any]:
        """Return the rule restricted to devices that can run the version: no other is ever offered it."""
        return eligible(self.rule, self.version.kind, self.version.interpreter or None)

    @property
    def parsed_strategy(self) -> Strategy:
        """Return the parsed strategy."""
        return _parsed(json.dumps(self.strategy, sort_keys=True))

    @property
    def began_at(self) -> datetime | None:
        """When the release reached its first devices; None before that."""
        return min((stage.entered_at for stage in self.stages.all() if stage.entered_at), default=None)

    @property
    def current(self) -> ReleasePosition:
        return ReleasePosition(
            ReleaseState(self.state), self.position, ReleaseState(self.resumes) if self.resumes else None
        )


class Stage(models.Model):
    """One step of a release: the share of the eligible devices that it reaches, in millionths, or an id list."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="stages")
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=10, choices=STAGE_KIND_CHOICES)
    share = models.PositiveIntegerField(default=BUCKETS)
    id_list = models.CharField(max_length=40, blank=True)
    entered_at = models.DateTimeField(null=True)
    left_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["release", "position"]
        constraints = [
            models.UniqueConstraint(fields=["release", "position"], name="stage_once"),
            models.CheckConstraint(condition=Q(share__range=(0, BUCKETS)), name="stage_share_range"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} stage {self.position} of release {self.release_id}"


class StoredVerdict(models.Model):
    """A verdict about a stage, with its evidence; written when the verdict changes, and immutable."""

    class Kind(models.TextChoices):
        PASS = "pass"  # noqa: S105 - no password
        FAIL = "fail"
        ERROR = "error"
        INCONCLUSIVE = "inconclusive"

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="verdicts")
    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="verdicts")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    sentence = models.TextField()
    evidence = models.JSONField()
    at = models.DateTimeField()

    class Meta:
        ordering = ["release", "id"]

    def __str__(self) -> str:
        return f"{self.kind} of release {self.release_id}"


class Quarantine(models.Model):
    """A version that was rolled back: it cannot be released again until somebody lifts the quarantine."""

    version = models.OneToOneField(TaskVersion, on_delete=models.PROTECT, related_name="quarantine")
    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="+", help_text="that was rolled back")
    reason = models.TextField()
    by = models.CharField(max_length=150)
    at = models.DateTimeField()

    class Meta:
        ordering = ["-at"]

    def __str__(self) -> str:
        return f"quarantine of {self.version}"


class Transition(models.Model):
    """One move of a release: who or what made it, why, and on what evidence. It is immutable."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="transitions")
    action = models.CharField(max_length=10, choices=[(action.value, action.value) for action in ReleaseAction])
    before = models.CharField(max_length=17, choices=STATES)
    after = models.CharField(max_length=17, choices=STATES)
    position_before = models.PositiveSmallIntegerField(null=True)
    position_after = models.PositiveSmallIntegerField(null=True)
    actor_name = models.CharField(max_length=150)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    reason = models.TextField(blank=True)
    evidence = models.JSONField(default=dict)
    at = models.DateTimeField()

    class Meta:
        ordering = ["release", "id"]

    def __str__(self) -> str:
        return f"{self.before} -> {self.after}"
