"""REST view of a release over time."""

from typing import ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.base import ApiView
from kit.api.outputs import Output
from kit.api.schema import endpoint
from releases_app.selectors.releases import release_visible_to
from releases_app.selectors.series import series_of


def _counts(meaning: str) -> serializers.ListField:
    return serializers.ListField(child=serializers.IntegerField(), help_text=meaning)


class ArmSeriesSerializer(Output):
    """The numbers of devices of one arm until each moment."""

    drawn = _counts("selected for the release")
    offered = _counts("offered the version; none in control")
    installed = _counts("that reported the installation")
    healthy = _counts("whose outcome is a success")
    failed = _counts("whose outcome is a failure")
    silent = _counts("silent: without a check-in within the silence timeout")
    rate = serializers.ListField(
        child=serializers.FloatField(allow_null=True),
        help_text="share of failures among outcomes; null while there is no outcome",
    )


class ReleaseEventSerializer(Output):
    """A move of the release, or a verdict that differed from the one before."""

    at = serializers.DateTimeField()
    kind = serializers.ChoiceField(choices=["move", "verdict"])
    name = serializers.CharField(help_text="action of a move, kind of a verdict")
    actor = serializers.CharField(help_text="system: automatically")
    text = serializers.CharField(help_text="reason, or the verdict in a sentence")
    state = serializers.CharField(help_text='state after a move; "" for a verdict')
    position = serializers.IntegerField(allow_null=True, help_text="the stage, counted from 0")


class ReleaseSeriesSerializer(Output):
    """A release over time: cumulative counts at up to 240 moments."""

    step_s = serializers.IntegerField(help_text="seconds between two moments; 0: it has reached no device")
    at = serializers.ListField(child=serializers.IntegerField(), help_text="the moments, in Unix seconds")
    treatment = ArmSeriesSerializer()
    control = ArmSeriesSerializer()
    low = serializers.ListField(child=serializers.FloatField(), help_text="lower bound of treatment's failure rate,")
    high = serializers.ListField(child=serializers.FloatField(), help_text="and its upper bound")
    confidence = serializers.FloatField(help_text="probability that the bounds hold at all moments together")
    limit = serializers.FloatField(help_text="the release fails when `low` reaches this failure rate")
    stop_rate = serializers.FloatField(help_text="failure rate at which the release fails")
    stop_after = serializers.IntegerField(help_text="number of outcomes from which it may fail")
    events = ReleaseEventSerializer(many=True, help_text="the newest 200, in order")
    counted_at = serializers.DateTimeField(
        allow_null=True, help_text="when devices were counted; null: now. Large numbers are counted from time to time"
    )


class ReleaseSeriesDetail(ApiView):
    live: ClassVar[frozenset[str]] = frozenset(
        {"step_s", "at", "treatment", "control", "low", "high", "events", "counted_at"}
    )

    @endpoint("get_release_series", ReleaseSeriesSerializer, needs="a role in the task's scenario or in the app")
    def get(self, request: Request, release: int) -> Response:
        """Return a release over time: the outcomes of its devices, the bounds of its failure rate, and its events.

        A device's first outcome counts when it was received; a fall-back turns it into a failure afterwards.
        """
        found = release_visible_to(self.actor, release)
        # Plain data: serializers would take longer for so many numbers than everything else.
        return Response(series_of(found, now=self.now).to_dict())
