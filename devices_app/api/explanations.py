"""REST view that explains why a device has the tasks it has."""

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
    bucket = serializers.IntegerField(help_text="bucket of the device in the release, 0..999999")
    share = serializers.IntegerField(help_text="buckets below this number are selected")
    decides = serializers.BooleanField()
    reason = serializers.CharField()


class ExplanationSerializer(Output):
    """The decision about one task on the device, and the part that each release had in it, newest first."""

    task = serializers.CharField()
    change = serializers.ChoiceField(choices=["install", "remove", "none"], help_text="at the device's next check-in")
    release = serializers.IntegerField(allow_null=True, help_text="release that decides")
    considered = ConsiderationSerializer(many=True)


class DeviceExplanationSerializer(Output):
    results = ExplanationSerializer(many=True)


class DeviceExplanation(ApiView):
    @endpoint("explain_device", DeviceExplanationSerializer, query=ExplainQuery, needs=ROLE)
    def get(self, request: Request, app: str, device: str) -> Response:
        """Explain which release decides about each task on a device, and why the others do not.

        The decision is made as at a check-in, from the facts and tasks of the device's last check-in.
        """
        query = self.query(ExplainQuery)
        found = registry.device_visible_to(self.actor, app, device)
        # Plain data: serializers are slow for the releases of a large table.
        return Response({"results": [each.to_dict() for each in explanations(found, query.get("task"))]})
