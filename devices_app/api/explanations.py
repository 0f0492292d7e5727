"""Why a device has what it has."""

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.base import ApiView
from devices_app.api.apps import ROLE
from devices_app.selectors import registry
from devices_app.selectors.explanation import explanations
from kit.api.inputs import StrictSerializer, TaskNameInput
from kit.api.outputs import Output
from kit.api.schema import endpoint


class ExplainQuery(StrictSerializer):
    task = TaskNameInput(required=False, help_text="<scenario>/<task>; left out: all")


class ConsiderationSerializer(Output):
    release = serializers.IntegerField()
    stage = serializers.IntegerField()
    bucket = serializers.IntegerField(help_text="where the device stands in the release's order, 0..999999")
    share = serializers.IntegerField(help_text="buckets below this number are drawn")
    decides = serializers.BooleanField()
    reason = serializers.CharField()


class ExplanationSerializer(Output):
    """What becomes of one task on the device, and the part that each release had in it, newest first."""

    task = serializers.CharField()
    change = serializers.ChoiceField(choices=["install", "remove", "none"], help_text="at the device's next check-in")
    release = serializers.IntegerField(allow_null=True, help_text="release that decides")
    considered = ConsiderationSerializer(many=True)


class DeviceExplanationSerializer(Output):
    results = ExplanationSerializer(many=True)


class DeviceExplanation(ApiView):
    @endpoint("explain_device", DeviceExplanationSerializer, asks=ExplainQuery, needs=ROLE)
    def get(self, request: Request, app: str, device: str) -> Response:
        """Which release decides about each task on a device, and why the others do not.

        Decided as at a check-in, from the facts and tasks that the device told at its last one.
        """
        asked = self.query(ExplainQuery)
        found = registry.device_visible_to(self.actor, app, device)
        # As data, which they are: serializers take a while for the releases of a large table.
        return Response({"results": [each.to_dict() for each in explanations(found, asked.get("task"))]})
