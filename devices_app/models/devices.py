"""The registry of devices: what each device reported at its last check-in."""

from datetime import timedelta
from typing import Final

from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models.functions import Now

from devices_app.models.apps import App

REGISTRY_LAG: Final = timedelta(minutes=1)
"""How old `last_seen` may be while a device checks in all the time and says nothing new."""


class Device(models.Model):
    """One device of an app.

    Facts are the device's own claims; trusted facts were signed by the app's backend. A device is vouched for from the
    first check-in at which the app's backend stood up for it: with a signed statement in the device's credential, or
    with facts that the cloud holds about its user. It remains vouched for.
    """

    app = models.ForeignKey(App, on_delete=models.CASCADE, related_name="devices", db_index=False)
    device = models.CharField(max_length=64)
    claims = models.CharField(max_length=16, help_text="hash of facts and profile as they were said")
    facts = models.JSONField(default=dict)
    trusted = models.JSONField(default=dict)
    profile = models.JSONField(default=dict, help_text="task name to the first 24 hex digits of its manifest")
    first_seen = models.DateTimeField()
    last_seen = models.DateTimeField()
    vouched_at = models.DateTimeField(null=True, blank=True, help_text="since when the app's backend vouches for it")
    revoked_at = models.DateTimeField(null=True, blank=True)
    deferral = models.CharField(
        max_length=20,
        blank=True,
        db_default="",
        default="",
        help_text="why it puts off new versions; empty: it does not",
    )
    deferral_until = models.DateTimeField(null=True, blank=True, help_text="until when it expects to do so")
    changed_at = models.DateTimeField(
        db_default=Now(), editable=False, help_text="since when its facts, profile and deferral are as they are"
    )

    class Meta:
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["app", "device"], name="device_once")]
        indexes = [
            models.Index(fields=["app", "-id"], name="device_of_app"),
            models.Index(fields=["app", "-id"], condition=models.Q(revoked_at__isnull=False), name="device_revoked"),
            models.Index(fields=["app", "-first_seen", "-id"], name="device_by_coming"),
            models.Index(
                fields=["app", "vouched_at"],
                condition=models.Q(vouched_at__gt=models.F("first_seen")),
                name="device_vouched_late",
            ),
            models.Index(fields=["app"], condition=~models.Q(deferral=""), name="device_deferring"),
            models.Index(fields=["device"], opclasses=["varchar_pattern_ops"], name="device_prefix"),
            GinIndex(fields=["facts"], opclasses=["jsonb_path_ops"], name="device_facts"),
            GinIndex(fields=["trusted"], opclasses=["jsonb_path_ops"], name="device_trusted"),
        ]

    def __str__(self) -> str:
        return self.device


class PastClaims(models.Model):
    """What a device said of itself before it changed; written with the change, so that other check-ins cost nothing.

    A device that changes more often than PAST_AN_HOUR times an hour has its last row prolonged instead.
    """

    device = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="past", db_index=False)
    facts = models.JSONField()
    trusted = models.JSONField()
    profile = models.JSONField()
    deferral = models.CharField(max_length=20, blank=True)
    since = models.DateTimeField()
    until = models.DateTimeField()
    blurred_from = models.DateTimeField(null=True, help_text="since when it changed more often than is kept")

    class Meta:
        indexes = [
            models.Index(fields=["device", "-until"], name="past_of_device"),
            models.Index(fields=["until"], name="past_claims_by_end"),
        ]

    def __str__(self) -> str:
        return f"device {self.device_id} until {self.until}"


class InstalledTask(models.Model):
    """A task that a device has, by the short digest of its manifest; updated together with the device's profile."""

    device = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="installed")
    task = models.CharField(max_length=81)
    manifest = models.CharField(max_length=24)
    since = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["device", "task"], name="installed_once")]
        indexes = [models.Index(fields=["task", "manifest"])]

    def __str__(self) -> str:
        return f"{self.task} on {self.device_id}"
