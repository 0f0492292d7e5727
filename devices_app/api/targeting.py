"""Targeting rules before they are released."""

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.inputs import Strict
from accounts_app.api.outputs import Output
from accounts_app.api.schema import endpoint
from devices_app.api.apps import ROLE, OneApp
from devices_app.selectors.targeting import preview


class RuleToPreview(Strict):
    rule = serializers.DictField(help_text="which devices; docs/guides/targeting.md has the forms of rules")


class PreviewSerializer(Output):
    """What a rule matches now, of the app's devices that are not revoked."""

    count = serializers.IntegerField(help_text="devices that it matches")
    total = serializers.IntegerField(help_text="all of them")
    sample = serializers.ListField(child=serializers.CharField(), help_text="ids of the last registered that match")


class TargetingPreview(OneApp):
    @endpoint("preview_targeting", PreviewSerializer, takes=RuleToPreview, needs=ROLE)
    def post(self, request: Request, app: str) -> Response:
        """Count the devices that a rule matches, before it is released.

        By what the devices said at their last check-in. A rule that a release would be refused is refused here too.
        """
        return self.one(PreviewSerializer, preview(self.app(app), self.given(RuleToPreview)["rule"]))
