"""REST view of the devices on which a task's versions are installed."""

from typing import ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kit.api.outputs import Output
from kit.api.schema import endpoint
from tasks_app.api.scenarios import ROLE
from tasks_app.api.tasks import OneTask
from tasks_app.selectors.installed import installed_of


class InstalledOnAppSerializer(Output):
    app = serializers.CharField()
    devices = serializers.IntegerField()


class InstalledVersionSerializer(Output):
    """The number of devices that have one version."""

    version = serializers.CharField(help_text='"" of manifests of no registered version')
    devices = serializers.IntegerField()
    apps = InstalledOnAppSerializer(many=True, help_text="number by app, the most devices first")


class InstalledSerializer(Output):
    """The number of devices that have each version of a task, by their last check-ins."""

    devices = serializers.IntegerField(help_text="number of devices that have any version")
    versions = InstalledVersionSerializer(many=True, help_text="versions that any device has, the most devices first")
    counted_at = serializers.DateTimeField(
        allow_null=True, help_text="when they were counted; null: now. Large numbers are counted from time to time"
    )


class TaskInstalled(OneTask):
    live: ClassVar[frozenset[str]] = frozenset({"devices", "versions", "counted_at"})

    @endpoint("get_installed_versions", InstalledSerializer, needs=ROLE)
    def get(self, request: Request, scenario: str, task: str) -> Response:
        """Count the devices that have each version of the task, in all apps.

        If it is on many devices, they are counted from time to time.
        """
        return self.respond(InstalledSerializer, installed_of(self.task(scenario, task)))
