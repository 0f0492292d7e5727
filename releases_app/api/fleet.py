"""REST view of the fleet at a glance."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.base import ApiView
from devices_app.api.fleet import FleetQuery, queried_apps
from devices_app.attention import Concern, Urgency
from devices_app.selectors.registry import apps_visible_to
from devices_app.services.attention import acknowledge, reopen
from kit.api.inputs import StrictSerializer
from kit.api.outputs import Output
from kit.api.schema import endpoint
from releases_app.models.releases import STAGE_KIND_CHOICES, STATES
from releases_app.selectors.overview import concerns_of, overview

ACKNOWLEDGE: Final = "`acknowledge` in its scope"


class SomeDevicesSerializer(Output):
    known = serializers.IntegerField(help_text="devices that have checked in and are not revoked")
    online = serializers.IntegerField(help_text="of these, seen in the last two minutes")
    with_tasks = serializers.IntegerField(help_text="of these, with any task installed")


class AppVersionDevicesSerializer(SomeDevicesSerializer):
    app = serializers.CharField()
    app_version = serializers.CharField(help_text='"" of devices that name none')


class SystemDevicesSerializer(SomeDevicesSerializer):
    os = serializers.CharField()
    os_version = serializers.CharField()


class DevicesSerializer(SomeDevicesSerializer):
    """The number of devices; lists by kind hold only the most frequent kinds."""

    app_versions = AppVersionDevicesSerializer(many=True)
    systems = SystemDevicesSerializer(many=True, help_text="by operating system and its version")
    counted_at = serializers.DateTimeField(
        allow_null=True, help_text="when they were counted; null: now. Large numbers are counted from time to time"
    )


class RatesSerializer(Output):
    """Events of devices per second, on average over ten seconds."""

    at = serializers.DateTimeField(help_text="the end of these ten seconds")
    check_ins = serializers.FloatField()
    offers = serializers.FloatField(
        help_text="devices offered a version for the first time by a release under observation"
    )
    installs = serializers.FloatField()
    failures = serializers.FloatField()
    registered = serializers.FloatField(help_text="devices that were not known before")
    enrolled_by_key = serializers.FloatField(help_text="new devices that enrolled with an app key")
    enrolled_by_statement = serializers.FloatField(help_text="enrolments of devices that the app's backend vouches for")
    enrolments_refused = serializers.FloatField(help_text="new devices with an app key that a limit refused")


class PresentStageSerializer(Output):
    position = serializers.IntegerField(help_text="counted from 0")
    kind = serializers.ChoiceField(choices=STAGE_KIND_CHOICES)
    share = serializers.IntegerField(help_text="millionths of the eligible devices")
    id_list = serializers.CharField()
    entered_at = serializers.DateTimeField(allow_null=True)


class ReachedSerializer(Output):
    """The devices selected for the new version, and their outcomes."""

    drawn = serializers.IntegerField()
    offered = serializers.IntegerField()
    installed = serializers.IntegerField()
    reported = serializers.IntegerField()
    failed = serializers.IntegerField()
    counted_at = serializers.DateTimeField(allow_null=True, help_text="null: now")


class UnderWaySerializer(Output):
    """A release in progress."""

    id = serializers.IntegerField(source="release.pk")
    app = serializers.CharField(source="release.app.slug")
    task = serializers.CharField(source="release.version.task.name")
    version = serializers.CharField(source="release.version.version")
    state = serializers.ChoiceField(source="release.state", choices=STATES)
    stages = serializers.SerializerMethodField(help_text="number of its stages")
    stage = PresentStageSerializer(allow_null=True, help_text="null: it has reached no device yet")
    moved_at = serializers.DateTimeField(source="moved.at", default=None, allow_null=True, help_text="its last move")
    reached = ReachedSerializer()

    def get_stages(self, each: Any) -> int:
        """Return the number of its stages."""
        return len(each.release.stages.all())


class AcknowledgementSerializer(Output):
    by = serializers.CharField()
    note = serializers.CharField()
    at = serializers.DateTimeField()


class ConcernSerializer(Output):
    """Something that needs attention; its kind, target and title together name it."""

    kind = serializers.CharField(help_text="stable identifier for programs; docs/guides/rest.md lists them")
    urgency = serializers.ChoiceField(
        choices=[each.value for each in Urgency],
        help_text="now: devices are or may soon be worse off; soon: something stands still until somebody acts",
    )
    title = serializers.CharField(help_text="its subject")
    reason = serializers.CharField(help_text="what is wrong")
    next_step = serializers.CharField(help_text="what somebody should do")
    since = serializers.DateTimeField(allow_null=True)
    target = serializers.CharField(help_text='address below /api/v1/ of what it is about; "" where it has none')
    scope = serializers.CharField(
        help_text='the scenario or app in which `acknowledge` is needed to acknowledge it; "": site staff may'
    )
    acknowledged = AcknowledgementSerializer(
        allow_null=True, help_text="who knows of it; null: nobody, or it has begun again since"
    )


class FleetSerializer(Output):
    """The fleet as the requesting person may see it."""

    at = serializers.DateTimeField(help_text="time of this reading")
    apps = serializers.ListField(child=serializers.CharField(), help_text="slugs of the apps it covers")
    devices = DevicesSerializer()
    rates = RatesSerializer()
    releases = UnderWaySerializer(many=True, help_text="releases in progress, the newest first; at most 50")
    attention = ConcernSerializer(many=True, help_text="most urgent first, acknowledged last; at most 50")


class FleetOverview(ApiView):
    live: ClassVar[frozenset[str]] = frozenset({"at", "devices", "rates", "releases", "attention"})

    @endpoint("get_fleet", FleetSerializer, query=FleetQuery)
    def get(self, request: Request) -> Response:
        """Return the fleet at a glance: devices, rates, releases in progress, and what needs attention.

        It covers the apps and releases that you may see, or one app.
        """
        query = self.query(FleetQuery)
        apps = queried_apps(self.actor, query)
        return self.respond(FleetSerializer, overview(self.actor, apps, only="app" in query, now=self.now))


class ConcernInput(StrictSerializer):
    kind = serializers.CharField(max_length=40)
    target = serializers.CharField(max_length=120, allow_blank=True, default="")
    title = serializers.CharField(max_length=300)


class AcknowledgementInput(ConcernInput):
    note = serializers.CharField(max_length=2000, help_text="what is being done about it, or why nothing has to be")


class ConcernView(ApiView):
    def concern(self, named: Mapping[str, Any]) -> Concern:
        """Return what needs attention and has this kind, target and title. Raises ValidationError."""
        apps = list(apps_visible_to(self.actor))
        for each in concerns_of(self.actor, apps, only=False, now=self.now):
            if (each.kind, each.target, each.title) == (named["kind"], named["target"], named["title"]):
                return each
        problem = f"Expected what needs attention now, found {named['kind']!r}: it is over, or not yours to see."
        raise serializers.ValidationError({"kind": problem})


class ConcernAcknowledgement(ConcernView):
    @endpoint("acknowledge_concern", ConcernSerializer, body=AcknowledgementInput, needs=ACKNOWLEDGE)
    def post(self, request: Request) -> Response:
        """Tell everybody who sees it that you know of something that needs attention, and what is done about it.

        It stays acknowledged as long as it lasts. If it begins again later, it needs attention again.
        """
        body = self.body(AcknowledgementInput)
        found = acknowledge(concern=self.concern(body), note=body["note"], actor=self.actor, now=self.now)
        return self.respond(ConcernSerializer, found)


class ConcernReopening(ConcernView):
    @endpoint("reopen_concern", ConcernSerializer, body=ConcernInput, needs=ACKNOWLEDGE)
    def post(self, request: Request) -> Response:
        """Take the acknowledgement of something that needs attention back."""
        found = reopen(concern=self.concern(self.body(ConcernInput)), actor=self.actor)
        return self.respond(ConcernSerializer, found)
