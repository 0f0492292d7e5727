"""Stored counts of the fleet, for fleets that are too large to count while somebody waits."""

from django.db import models

from devices_app.models.apps import App


class FleetCount(models.Model):
    """The last counts of an app's devices: by version and system, and by installed task.

    Revoked devices are left out. Lists hold only the most frequent values, because devices can claim anything.
    """

    app = models.OneToOneField(App, on_delete=models.CASCADE, related_name="+")
    known = models.PositiveIntegerField()
    online = models.PositiveIntegerField()
    with_tasks = models.PositiveIntegerField(help_text="that have any task")
    app_versions = models.JSONField(help_text="of each: app_version, known, online, with_tasks")
    systems = models.JSONField(help_text="of each: os, os_version, known, online, with_tasks")
    installed = models.JSONField(help_text="of each: task, manifest (24 hex digits), devices")
    counted_at = models.DateTimeField()
    took_s = models.FloatField(help_text="how long it took to count all apps")

    def __str__(self) -> str:
        return f"{self.known} devices of {self.app_id}"
