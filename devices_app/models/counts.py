"""Counts of the fleet that take long where it is large: kept for people who look, with their time."""

from django.db import models

from devices_app.models.apps import App


class FleetCount(models.Model):
    """How many devices an app has, of which versions and systems, and what they have installed, as counted last.

    Revoked devices are left out. Lists hold the most frequent only: devices can claim to be anything.
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
