"""A release over time."""

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
    """Devices of one arm until each moment."""

    drawn = _counts("drawn for the release")
    offered = _counts("offered the version; none in control")
    installed = _counts("that reported its installation")
    healthy = _counts("whose outcome is a success")
    failed = _counts("whose outcome is a failure")
    silent = _counts("never heard of again")
    rate = serializers.ListField(
        child=serializers.FloatField(allow_null=True),
        help_text="failed among those with an outcome; null as long as there is none",
    )


class ReleaseEventSerializer(Output):
    """A move of the release, or a verdict that differed from the one before."""

    at = serializers.DateTimeField()
    kind = serializers.ChoiceField(choices=["move", "verdict"])
    name = serializers.CharField(help_text="action of a move, kind of a verdict")
    actor = serializers.CharField(help_text="system: the release by itself")
    text = serializers.CharField(help_text="the reason, or the verdict in a sentence")
    state = serializers.CharField(help_text='the state that a move led to; "" of a verdict')
    position = serializers.IntegerField(allow_null=True, help_text="the stage, counted from 0")


class ReleaseSeriesSerializer(Output):
    """A release over time: counts that only grow, at 240 moments or fewer."""

    step_s = serializers.IntegerField(help_text="seconds between two moments; 0: it has met no device")
    at = serializers.ListField(child=serializers.IntegerField(), help_text="the moments, in Unix seconds")
    treatment = ArmSeriesSerializer()
    control = ArmSeriesSerializer()
    low = serializers.ListField(child=serializers.FloatField(), help_text="treatment's failure rate is at least this,")
    high = serializers.ListField(child=serializers.FloatField(), help_text="and at most this")
    confidence = serializers.FloatField(help_text="how likely that is, at all moments together")
    limit = serializers.FloatField(help_text="the release fails when `low` reaches this failure rate")
    stop_rate = serializers.FloatField(help_text="it fails at this rate")
    stop_after = serializers.IntegerField(help_text="after so many outcomes")
    events = ReleaseEventSerializer(many=True, help_text="in order; the newest 200")
    counted_at = serializers.DateTimeField(
        allow_null=True, help_text="when devices were counted; null: now. Many are counted from time to time"
    )


class ReleaseSeriesDetail(ApiView):
    live: ClassVar[frozenset[str]] = frozenset(
        {"step_s", "at", "treatment", "control", "low", "high", "events", "counted_at"}
    )

    @endpoint("get_release_series", ReleaseSeriesSerializer, needs="a role in the task's scenario or in the app")
    def get(self, request: Request, release: int) -> Response:
        """A release over time: what became of its devices, how sure its failure rate is, and its events.

        A device's first outcome counts when it was received; a fall-back turns it into a failure afterwards.
        """
        found = release_visible_to(self.actor, release)
        # As data, which they are: serializers take longer for so many numbers than all else.
        return Response(series_of(found, now=self.now).to_dict())
