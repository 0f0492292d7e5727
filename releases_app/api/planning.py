"""REST view that previews a release before it is created."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kit.api.outputs import Output
from kit.api.schema import endpoint
from releases_app.api.releases import BEFORE_RUNNING, NewReleaseSerializer, ReleaseDraft
from releases_app.models.releases import STAGE_KIND_CHOICES, STATES
from releases_app.services.planning import plan_release


class CountedSerializer(Output):
    """A number of devices."""

    count = serializers.IntegerField()
    exact = serializers.BooleanField(help_text="false: an estimate")
    margin = serializers.IntegerField(help_text="by how much an estimate is off at most, 19 times of 20")


class PlannedStageSerializer(Output):
    """A stage, computed from the devices known now."""

    position = serializers.IntegerField(help_text="counted from 0")
    kind = serializers.ChoiceField(source="plan.kind", choices=STAGE_KIND_CHOICES)
    share = serializers.IntegerField(source="plan.share", help_text="millionths of the eligible devices")
    id_list = serializers.CharField(source="plan.id_list", allow_null=True)
    reaches = CountedSerializer(help_text="devices reached at the end of the stage")
    adds = CountedSerializer(help_text="of these, devices not reached by the stage before")
    held_back = CountedSerializer(help_text="devices in the control group during the stage")
    dwell_s = serializers.FloatField(source="plan.dwell_s")
    evidence = serializers.IntegerField(
        source="plan.evidence", help_text="devices that have to report (minimum samples)"
    )
    pace = serializers.IntegerField(source="plan.pace", allow_null=True, help_text="offers per second; null: any")
    at_least_s = serializers.FloatField(help_text="seconds that it takes at least, by its soak time and pace")
    about_s = serializers.FloatField(
        allow_null=True,
        help_text="seconds until so many devices will have checked in, at the present rate of check-ins, and at least "
        "at_least_s; null: too few would ever report, or nothing is known of them",
    )


class PlanWarningSerializer(Output):
    """What is allowed but probably unintended."""

    field = serializers.CharField(help_text="the place in the request that causes it, as in errors")
    detail = serializers.CharField()


class PlannedCellSerializer(Output):
    app_version = serializers.CharField()
    os = serializers.CharField()
    os_version = serializers.CharField()


class PlannedSimulationSerializer(Output):
    """The simulation that would run before any device is offered the release."""

    needed = serializers.BooleanField(source="strategy.simulation")
    cells = PlannedCellSerializer(many=True, help_text="app versions and systems in which the task is simulated")
    problems = serializers.ListField(
        child=serializers.CharField(), help_text="app versions that cannot be simulated, and why"
    )


class OtherReleaseSerializer(Output):
    release = serializers.IntegerField(source="pk")
    version = serializers.CharField(source="version.version")
    state = serializers.ChoiceField(choices=STATES)


class SupersededSerializer(Output):
    """An older release of the task that would end."""

    release = serializers.IntegerField(source="release.pk")
    version = serializers.CharField(source="release.version.version")
    state = serializers.ChoiceField(source="release.state", choices=STATES)
    when = serializers.ChoiceField(choices=["first-devices", "complete"], help_text="of the new release")


class ReleasePlanSerializer(Output):
    """The effects of a release, if it were created and started now. None of it is stored."""

    app = serializers.CharField(source="release.app.slug")
    task = serializers.CharField(source="release.version.task.name")
    version = serializers.CharField(source="release.version.version")
    kind = serializers.CharField(
        source="release.version.kind", help_text="of the task; the callers of a `pipeline` are not counted"
    )
    rule = serializers.DictField(source="release.rule")
    strategy = serializers.DictField(source="release.strategy", help_text="the strategy with all defaults filled in")
    matched = CountedSerializer(help_text="devices that the rule matches")
    installed = CountedSerializer(help_text="of these, devices that have the version already")
    total = serializers.IntegerField(help_text="estimated number of the app's devices")
    simulation = PlannedSimulationSerializer(source="*")
    approval = serializers.BooleanField(
        source="strategy.approval", help_text="whether somebody other than its creator has to approve it"
    )
    stages = PlannedStageSerializer(many=True)
    at_least_s = serializers.FloatField(
        help_text="seconds that all stages take at least, without pauses and time outside the window"
    )
    about_s = serializers.FloatField(
        allow_null=True,
        help_text="seconds that all stages take at the present rate of check-ins, time outside the window included; "
        "null: not known, or never",
    )
    supersedes = SupersededSerializer(many=True)
    replaces = OtherReleaseSerializer(
        allow_null=True, help_text="release whose version devices return to if it is rolled back"
    )
    warnings = PlanWarningSerializer(many=True, help_text="what is allowed but probably unintended")


class ReleasePlanning(ReleaseDraft):
    writes = False

    @endpoint("plan_release", ReleasePlanSerializer, body=NewReleaseSerializer, needs=BEFORE_RUNNING)
    def post(self, request: Request) -> Response:
        """Preview a release without creating it.

        It is checked as if it were created, and refused for the same reasons. Counts are of the devices known now.
        """
        body: dict[str, Any] = self.body(NewReleaseSerializer)
        return self.respond(ReleasePlanSerializer, plan_release(**self.named(body), actor=self.actor, now=self.now))
