"""Exposures: which devices were selected for a release, their outcomes, and how fast offers may go out.

Rows refer to a release and a stage by their numbers, without foreign keys.
"""

from django.db import models
from django.db.models import Case, Q, When

from devices_app.models.apps import App
from walle.release.cohort import BUCKETS

SELECTED_AT = Case(When(arm="control", then="drawn_at"), default="offered_at")
"""Since when a device is expected to check in again: both are moments at which it was online."""


ARMS = ("treatment", "control")
"""The arms that devices are in; a repeat is one of control."""


class Exposure(models.Model):
    """A device selected for a release: offered its version (treatment), or held back for comparison (control).

    There is one outcome per device and version: a failed installation, or the first run after the selection; a
    fall-back turns a success into a failure. The first cold and the first warm run say how long its runs take; a run
    that does not say how it began counts as cold. `silent` is known once the release's silence timeout is over: whether
    the device has not checked in since its selection. Verdicts count a device that the app's backend vouches for
    (`vouched`), or that was first seen before the release began.

    A device in control that is held back in a later stage as well has one more row for that stage, a `repeat`, with its
    outcome from then on: what happens to both arms at the same time is seen in both. A device in control that ran the
    version itself, got by another way, has `crossed`: it is in neither arm.
    """

    class Arm(models.TextChoices):
        TREATMENT = "treatment"
        CONTROL = "control"
        REPEAT = "repeat"

    class Outcome(models.TextChoices):
        OPEN = "", "open"
        SUCCESS = "success"
        FAILURE = "failure"

    app = models.ForeignKey(App, on_delete=models.CASCADE, related_name="exposures", db_index=False)
    release = models.BigIntegerField()
    stage = models.BigIntegerField(help_text="the stage during which the device was drawn")
    task = models.CharField(max_length=81)
    device = models.CharField(max_length=64)
    arm = models.CharField(max_length=9, choices=Arm.choices)
    bucket = models.PositiveIntegerField(help_text="where the device stands in the release's order, 0..999999")
    vouched = models.BooleanField(default=False, db_default=False)
    first_seen = models.DateTimeField(null=True, help_text="when the app's registry first knew of the device")
    drawn_at = models.DateTimeField()
    offered_at = models.DateTimeField(null=True)
    number = models.BigIntegerField(null=True, help_text="of the table under which it was offered")
    installed_at = models.DateTimeField(null=True)
    reported_at = models.DateTimeField(null=True, help_text="of the report that settled it, by the device's clock")
    outcome = models.CharField(max_length=7, choices=Outcome.choices, blank=True, default=Outcome.OPEN)
    error_class = models.CharField(max_length=80, blank=True)
    settled_at = models.DateTimeField(null=True)
    duration_ms = models.FloatField(null=True)
    cold_ms = models.FloatField(null=True, help_text="of the first run that was not warm")
    cold_at = models.DateTimeField(null=True, help_text="of that run, by the device's clock")
    warm_ms = models.FloatField(null=True, help_text="of the first warm run")
    warm_at = models.DateTimeField(null=True, help_text="of that run, by the device's clock")
    metrics = models.JSONField(default=dict)
    silent = models.BooleanField(null=True)
    crossed = models.BooleanField(default=False, db_default=False, help_text="held back, and ran the version itself")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["release", "device"], condition=~Q(arm="repeat"), name="exposure_once_in_release"
            ),
            models.UniqueConstraint(
                fields=["release", "device", "stage"], condition=Q(arm="repeat"), name="exposure_repeat_once_in_stage"
            ),
            models.CheckConstraint(condition=Q(arm__in=["treatment", "control", "repeat"]), name="exposure_arm_known"),
            models.CheckConstraint(condition=Q(outcome__in=["", "success", "failure"]), name="exposure_outcome_known"),
            models.CheckConstraint(condition=Q(bucket__range=(0, BUCKETS - 1)), name="exposure_bucket_range"),
            models.CheckConstraint(
                condition=Q(outcome="", settled_at=None) | (~Q(outcome="") & Q(settled_at__isnull=False)),
                name="exposure_settled_with_outcome",
            ),
        ]
        indexes = [
            models.Index(fields=["app", "-id"], name="exposure_of_app"),
            models.Index(fields=["device", "task"], name="exposure_of_device"),
            models.Index("release", SELECTED_AT, condition=Q(silent=None), name="exposure_not_settled"),
            models.Index(fields=["release"], condition=Q(first_seen=None), name="exposure_unregistered"),
        ]

    def __str__(self) -> str:
        return f"{self.device} in release {self.release}"


class PaceWindow(models.Model):
    """The number of offers of a release leased to gateways in the present second, by the database's clock."""

    release = models.BigIntegerField(unique=True)
    second = models.BigIntegerField(help_text="Unix seconds")
    leased = models.PositiveIntegerField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(leased__gte=0), name="pace_leased_positive")]

    def __str__(self) -> str:
        return f"{self.leased} offers of release {self.release} in second {self.second}"


class KeptFigures(models.Model):
    """The last counts of a release's exposures, for people, since counting many of them takes long.

    They outlive the exposures themselves, which are deleted some time after the end of their release.
    """

    release = models.BigIntegerField(unique=True)
    drawn = models.PositiveIntegerField(help_text="exposures that were counted")
    figures = models.JSONField()
    series = models.JSONField(null=True, help_text="the counts over time; empty: not counted since Walle knows of it")
    counted_at = models.DateTimeField()
    took_s = models.FloatField(help_text="how long that took")
    exposures_deleted_at = models.DateTimeField(null=True, help_text="when the exposures were deleted")

    def __str__(self) -> str:
        return f"figures of release {self.release}"
