"""REST views that revoke all devices which registered in a time range with an app key alone."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from devices_app.api.apps import KEYS, OneApp
from devices_app.selectors.newcomers import FirstSeenRange
from devices_app.services.newcomers import reinstate_newcomers, revoke_newcomers
from kit.api.inputs import StrictSerializer
from kit.api.outputs import Output
from kit.api.schema import endpoint


class SpanSerializer(StrictSerializer):
    first_seen_since = serializers.DateTimeField(help_text="devices whose first check-in was at this time or later")
    first_seen_before = serializers.DateTimeField(
        required=False, help_text="devices whose first check-in was before this time; now if left out"
    )


class RevokedSpanSerializer(SpanSerializer):
    reason = serializers.CharField(max_length=2000, help_text="why, for the audit log")


class NewcomersSerializer(Output):
    """The devices that registered in a time range."""

    devices = serializers.IntegerField(help_text="number of devices concerned")
    first_seen_since = serializers.DateTimeField(source="span.since")
    first_seen_before = serializers.DateTimeField(source="span.before")


class _Newcomers(OneApp):
    def span(self, body: dict[str, Any]) -> FirstSeenRange:
        return FirstSeenRange(body["first_seen_since"], body.get("first_seen_before", self.now))

    def accepted(self, span: FirstSeenRange, devices: int) -> Response:
        return self.respond(NewcomersSerializer, {"span": span, "devices": devices}, status=202)


class NewcomersRevocation(_Newcomers):
    @endpoint("revoke_newcomers", NewcomersSerializer, status=202, body=RevokedSpanSerializer, needs=KEYS)
    def post(self, request: Request, app: str) -> Response:
        """Revoke the devices that registered in a time range with an app key alone.

        Devices that the app's backend vouches for are not affected. A worker does it within seconds. Then the
        credentials of the others are no longer valid, and they cannot enrol again under their ids.
        """
        body = self.body(RevokedSpanSerializer)
        span, found = self.span(body), self.app(app)
        revoked = revoke_newcomers(app=found, span=span, actor=self.actor, now=self.now, reason=body["reason"])
        return self.accepted(span, revoked)


class NewcomersReinstatement(_Newcomers):
    @endpoint("reinstate_newcomers", NewcomersSerializer, status=202, body=SpanSerializer, needs=KEYS)
    def post(self, request: Request, app: str) -> Response:
        """Reinstate the devices that came in a span of time with an app key alone.

        All that are revoked, also those that were revoked one by one.
        """
        span = self.span(self.body(SpanSerializer))
        reinstated = reinstate_newcomers(app=self.app(app), span=span, actor=self.actor, now=self.now)
        return self.accepted(span, reinstated)
