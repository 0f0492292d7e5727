"""The fleet at one glance."""

from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.base import ApiView
from devices_app.api.fleet import FleetQuery, apps_asked
from devices_app.attention import Urgency
from kit.api.outputs import Output
from kit.api.schema import endpoint
from releases_app.models.releases import STAGE_KIND_CHOICES, STATES
from releases_app.selectors.overview import overview


class SomeDevicesSerializer(Output):
    known = serializers.IntegerField(help_text="that have ever checked in and are not revoked")
    online = serializers.IntegerField(help_text="of these, seen in the last two minutes")
    with_tasks = serializers.IntegerField(help_text="of these, with any task installed")


class AppVersionDevicesSerializer(SomeDevicesSerializer):
    app = serializers.CharField()
    app_version = serializers.CharField(help_text='"" of devices that name none')


class SystemDevicesSerializer(SomeDevicesSerializer):
    os = serializers.CharField()
    os_version = serializers.CharField()


class DevicesSerializer(SomeDevicesSerializer):
    """How many devices there are; those of one kind are the most frequent kinds only."""

    app_versions = AppVersionDevicesSerializer(many=True)
    systems = SystemDevicesSerializer(many=True, help_text="by operating system and its version")
    counted_at = serializers.DateTimeField(
        allow_null=True, help_text="when they were counted; null: now. Many are counted from time to time"
    )


class RatesSerializer(Output):
    """What devices do per second, on average over ten seconds."""

    at = serializers.DateTimeField(help_text="the end of these ten seconds")
    check_ins = serializers.FloatField()
    offers = serializers.FloatField(help_text="devices that a release under observation offered its version first")
    installs = serializers.FloatField()
    failures = serializers.FloatField()
    registered = serializers.FloatField(help_text="devices that were not known before")
    enrolled_by_key = serializers.FloatField(help_text="new devices that enrolled with an app key")
    enrolled_by_statement = serializers.FloatField(help_text="of devices that the app's backend vouches for")
    enrolments_refused = serializers.FloatField(help_text="new devices with an app key that a limit kept out")


class PresentStageSerializer(Output):
    position = serializers.IntegerField(help_text="counted from 0")
    kind = serializers.ChoiceField(choices=STAGE_KIND_CHOICES)
    share = serializers.IntegerField(help_text="millionths of the eligible devices")
    id_list = serializers.CharField()
    entered_at = serializers.DateTimeField(allow_null=True)


class ReachedSerializer(Output):
    """Devices that were drawn for the new version, and what came of it."""

    drawn = serializers.IntegerField()
    offered = serializers.IntegerField()
    installed = serializers.IntegerField()
    reported = serializers.IntegerField()
    failed = serializers.IntegerField()
    counted_at = serializers.DateTimeField(allow_null=True, help_text="null: now")


class UnderWaySerializer(Output):
    """A release that was started and has not ended."""

    id = serializers.IntegerField(source="release.pk")
    app = serializers.CharField(source="release.app.slug")
    task = serializers.CharField(source="release.version.task.name")
    version = serializers.CharField(source="release.version.version")
    state = serializers.ChoiceField(source="release.state", choices=STATES)
    stages = serializers.SerializerMethodField(help_text="how many it has")
    stage = PresentStageSerializer(allow_null=True, help_text="null: it has met no device yet")
    moved_at = serializers.DateTimeField(source="moved.at", default=None, allow_null=True, help_text="its last move")
    reached = ReachedSerializer()

    def get_stages(self, each: Any) -> int:
        """How many stages it has."""
        return len(each.release.stages.all())


class ConcernSerializer(Output):
    """Something that needs somebody."""

    kind = serializers.CharField(help_text="a word for programs; docs/guides/rest.md lists them")
    urgency = serializers.ChoiceField(
        choices=[each.value for each in Urgency],
        help_text="now: devices are or may soon be worse off; soon: something stands still until somebody acts",
    )
    title = serializers.CharField(help_text="what it is about")
    reason = serializers.CharField(help_text="what is the matter, and what would help")
    since = serializers.DateTimeField(allow_null=True)
    target = serializers.CharField(help_text='address below /api/v1/ of what it is about; "" where it has none')


class FleetSerializer(Output):
    """The fleet as the person sees it who asks."""

    at = serializers.DateTimeField(help_text="when this was read")
    apps = serializers.ListField(child=serializers.CharField(), help_text="slugs of the apps it is about")
    devices = DevicesSerializer()
    rates = RatesSerializer()
    releases = UnderWaySerializer(many=True, help_text="those under way, the newest first; at most 50")
    attention = ConcernSerializer(many=True, help_text="the most urgent first; at most 50")


class FleetOverview(ApiView):
    live: ClassVar[frozenset[str]] = frozenset({"at", "devices", "rates", "releases", "attention"})

    @endpoint("get_fleet", FleetSerializer, asks=FleetQuery)
    def get(self, request: Request) -> Response:
        """The fleet at one glance: devices, rates, releases under way, and what needs somebody.

        Of the apps and releases that you may see, or of one app.
        """
        asked = self.query(FleetQuery)
        apps = apps_asked(self.actor, asked)
        return self.respond(FleetSerializer, overview(self.actor, apps, only="app" in asked, now=self.now))
