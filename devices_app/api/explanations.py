"""REST view that explains why a device has the tasks it has."""

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.base import ApiView
from devices_app.api.apps import ROLE
from devices_app.selectors import registry
from devices_app.selectors.explanation import explanations, past_explanations
from kit.api.inputs import StrictSerializer, TaskNameInput
from kit.api.outputs import Output
from kit.api.schema import endpoint


class ExplainQuery(StrictSerializer):
    task = TaskNameInput(required=False, help_text="<scenario>/<task>; left out: all")
    at = serializers.DateTimeField(
        required=False, help_text="an earlier moment to explain, as far as it is kept; left out: the next check-in"
    )


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
    change = serializers.ChoiceField(
        choices=["install", "remove", "none"], help_text="at the device's next check-in, or at one then"
    )
    release = serializers.IntegerField(allow_null=True, help_text="release that decides")
    considered = ConsiderationSerializer(many=True)


class DeviceExplanationSerializer(Output):
    results = ExplanationSerializer(many=True)
    at = serializers.DateTimeField(allow_null=True, help_text="the moment that was asked for; null: the next check-in")
    table = serializers.IntegerField(allow_null=True, help_text="number of the table that decides; null: none")
    released_since = serializers.DateTimeField(allow_null=True, help_text="since when this is released to the app")
    said_since = serializers.DateTimeField(
        allow_null=True, help_text="since when the device says of itself what is explained; as far as is known"
    )
    facts = serializers.DictField(help_text="what it says of itself then")
    trusted = serializers.DictField(help_text="what its credential says of its user then")
    deferral = serializers.CharField(help_text="why it puts off new versions then; empty: it does not")
    caveats = serializers.ListField(child=serializers.CharField(), help_text="what is not known as it was then")
    unexplained = serializers.CharField(help_text="why nothing is known of that moment; empty: something is")


class DeviceExplanation(ApiView):
    @endpoint("explain_device", DeviceExplanationSerializer, query=ExplainQuery, needs=ROLE)
    def get(self, request: Request, app: str, device: str) -> Response:
        """Explain which release decides about each task on a device, and why the others do not.

        The decision is made as at a check-in, from the facts and tasks of the device's last check-in; with `at`, as at
        a check-in then, from what was released then and what the device said of itself.
        """
        query = self.query(ExplainQuery)
        found = registry.device_visible_to(self.actor, app, device)
        task, at = query.get("task"), query.get("at")
        if at is not None and at > self.now:
            raise ValidationError({"at": ["Expected a moment in the past."]})
        told = explanations(found, task, now=self.now) if at is None else past_explanations(found, task, at=at)
        claims = told.claims
        # Plain data: serializers are slow for the releases of a large table.
        return Response(
            {
                "results": [each.to_dict() for each in told.results],
                "at": at,
                "table": told.number,
                "released_since": told.released_since,
                "said_since": told.said_since,
                "facts": claims.facts if claims else {},
                "trusted": claims.trusted if claims else {},
                "deferral": claims.deferral if claims else "",
                "caveats": told.caveats,
                "unexplained": told.unexplained,
            }
        )
