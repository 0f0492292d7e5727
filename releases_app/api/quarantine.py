"""REST view that ends the quarantine of a version."""

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kit.api.inputs import StrictSerializer
from kit.api.schema import endpoint
from releases_app.services.quarantine import lift_quarantine
from tasks_app.api.serializers import TaskVersionDetailSerializer
from tasks_app.api.tasks import OneVersion


class QuarantineEnd(StrictSerializer):
    reason = serializers.CharField(max_length=2000, help_text="why it may be released again")


class VersionQuarantineEnd(OneVersion):
    @endpoint(
        "lift_quarantine",
        TaskVersionDetailSerializer,
        body=QuarantineEnd,
        needs="`release` in the scenario",
    )
    def post(self, request: Request, scenario: str, task: str, version: str) -> Response:
        """Lift the quarantine of a rolled-back version, so that it can be released again."""
        body = self.body(QuarantineEnd)
        found = self.version(scenario, task, version)
        lift_quarantine(version=found, actor=self.actor, now=self.now, reason=body["reason"])
        return self.shown(self.version(scenario, task, version))
