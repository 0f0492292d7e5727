"""REST views that create, read and move releases."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from django.core.exceptions import ObjectDoesNotExist
from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.base import ApiView
from devices_app.selectors.registry import app_visible_to
from kit.api.inputs import NumbersInput, OrderInput, PageInput, SlugInput, StrictSerializer, TaskNameInput
from kit.api.outputs import BesideRow, Output, RowOutput
from kit.api.pages import page_of
from kit.api.schema import endpoint
from kit.api.views import filters_of
from releases_app.api.fleet import PresentStageSerializer, ReachedSerializer
from releases_app.models import CompletionWatch, Release, Stage, StoredVerdict, Transition
from releases_app.models.releases import STAGE_KIND_CHOICES, STATES
from releases_app.selectors.delivery import grant_between
from releases_app.selectors.evidence import figures_of
from releases_app.selectors.having import having_version, withdrawal_of
from releases_app.selectors.releases import ORDERS, release_visible_to, release_with_history, releases_visible_to
from releases_app.selectors.underway import UnderWay, progress_of
from releases_app.services.releases import act, create_release
from tasks_app.selectors import catalogue
from walle.protocol.names import split_task_name
from walle.release.rules import uniform
from walle.release.states import ReleaseAction, ReleaseState

ACTIONS: Final = [str(action) for action in ReleaseAction]
BEFORE_RUNNING: Final = "`release` in the task's scenario, which has `deliver` in the app, and a role in the app"
Found = TypeVar("Found")


class ReleaseSerializer(RowOutput):
    app = serializers.CharField(source="app.slug")
    task = serializers.CharField(source="version.task.name")
    version = serializers.CharField(source="version.version")
    kind = serializers.CharField(
        source="version.kind", help_text="of the task; the devices of a `pipeline` are its callers"
    )
    rule = serializers.DictField(help_text="which devices are eligible")
    state = serializers.ChoiceField(choices=STATES)
    position = serializers.IntegerField(allow_null=True, help_text="present stage, counted from 0")

    class Meta:
        model = Release
        fields = ["id", "app", "task", "version", "kind", "rule", "state", "position", "created_by", "created_at"]


class ReleaseProgressSerializer(BesideRow):
    """How far a release has come."""

    stages = serializers.SerializerMethodField(help_text="number of its stages")
    stage = PresentStageSerializer(
        allow_null=True, help_text="that it is in, or was in last; null: it has reached no device"
    )
    moved_at = serializers.DateTimeField(source="moved.at", default=None, allow_null=True, help_text="its last move")
    reached = ReachedSerializer()

    def get_stages(self, each: UnderWay) -> int:
        """Return the number of its stages."""
        return len(each.release.stages.all())


class ReleaseRowSerializer(ReleaseSerializer):
    """A release of a list."""

    progress = ReleaseProgressSerializer(allow_null=True, help_text="null without `details`")

    class Meta(ReleaseSerializer.Meta):
        fields = [*ReleaseSerializer.Meta.fields, "progress"]


class StageSerializer(RowOutput):
    kind = serializers.ChoiceField(choices=STAGE_KIND_CHOICES)
    share = serializers.IntegerField(help_text="millionths of the eligible devices")

    class Meta:
        model = Stage
        fields = ["id", "position", "kind", "share", "id_list", "entered_at", "left_at"]


class TransitionSerializer(RowOutput):
    action = serializers.ChoiceField(choices=ACTIONS)
    before = serializers.ChoiceField(choices=STATES)
    after = serializers.ChoiceField(choices=STATES)
    actor = serializers.CharField(source="actor_name")
    evidence = serializers.DictField()

    class Meta:
        model = Transition
        fields = [
            "action",
            "before",
            "after",
            "position_before",
            "position_after",
            "actor",
            "reason",
            "evidence",
            "at",
        ]


class VerdictSerializer(RowOutput):
    kind = serializers.ChoiceField(choices=StoredVerdict.Kind.choices)
    evidence = serializers.DictField(help_text="figures and the result of each test")

    class Meta:
        model = StoredVerdict
        fields = ["stage", "kind", "sentence", "evidence", "at"]


class MayDeliverSerializer(Output):
    """The present delivery grant of the scenario."""

    deliver = serializers.BooleanField(help_text="false: the release can be halted, but does not proceed")
    complete_early = serializers.BooleanField(help_text="the release may be moved on before its stage has passed")


class WithdrawalSerializer(Output):
    """The version of a rolled-back release on its way off the devices."""

    began_at = serializers.DateTimeField()
    told_by = serializers.DateTimeField(help_text="by then every device that can reach the server has heard of it")
    devices = serializers.IntegerField(help_text="that had the version")
    remaining = serializers.IntegerField(help_text="that still have it")
    offline = serializers.IntegerField(help_text="of these, not heard of lately: they give it up when they come back")
    counted_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True, help_text="null: some still have it, or may have it")
    curve = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2),
        help_text="pairs of Unix seconds and the devices that had it from then on",
    )


class HavingSerializer(Output):
    """How many devices of the app have the version now, from this or another release."""

    devices = serializers.IntegerField()
    counted_at = serializers.DateTimeField(
        allow_null=True, help_text="null: now. Large numbers are counted from time to time"
    )


class CompletionWatchSerializer(Output):
    """How a complete release keeps to its limit, in the present period (docs/adr/0036)."""

    period = serializers.IntegerField(help_text="counted from 1, since it is complete")
    period_began_at = serializers.DateTimeField()
    reported = serializers.IntegerField(help_text="devices that have reported in the period, each counted once")
    failed = serializers.IntegerField(help_text="of these, devices whose first outcome in the period was a failure")
    sentence = serializers.CharField(help_text="the same in words, with the limit; empty before the first look")
    looked_at = serializers.DateTimeField(allow_null=True)
    exceeded_at = serializers.DateTimeField(
        allow_null=True, help_text="since when it exceeds its limit; null: it does not, as far as is known"
    )


class ReleaseDetailSerializer(ReleaseSerializer):
    strategy = serializers.DictField(help_text="stages, limits and pace")
    stages = StageSerializer(many=True)
    transitions = TransitionSerializer(many=True, help_text="all moves, oldest first")
    verdicts = VerdictSerializer(many=True, help_text="all verdicts that differed from the one before")
    having = serializers.SerializerMethodField(
        help_text="how many devices have the version now; null for a pipeline, whose callers have nothing installed"
    )
    withdrawal = serializers.SerializerMethodField(
        help_text="how a rolled-back version leaves the devices; null unless it was rolled back from any"
    )
    completion_watch = serializers.SerializerMethodField(
        help_text="how a complete release keeps to its limit; null unless it is complete and watched"
    )
    allowed = serializers.SerializerMethodField(help_text="present delivery grant of the task's scenario")
    figures = serializers.SerializerMethodField(
        help_text="devices selected (drawn), offered, reported, failed and silent, by arm; failed_late: devices of "
        "a stage that failed after it had been left; awaiting_trigger: devices on which the condition that triggers "
        "the task has not occurred; trigger: the ids of that condition; deferred: devices that put the version off, "
        "by arm, and by reason"
    )

    class Meta(ReleaseSerializer.Meta):
        details = [
            "strategy",
            "stages",
            "transitions",
            "verdicts",
            "having",
            "withdrawal",
            "completion_watch",
            "allowed",
            "figures",
        ]
        fields = [*ReleaseSerializer.Meta.fields, *details]

    @extend_schema_field(HavingSerializer(allow_null=True))
    def get_having(self, release: Release) -> dict[str, Any] | None:
        found = having_version(release, now=timezone.now())
        return None if found is None else dict(HavingSerializer(found).data)

    @extend_schema_field(WithdrawalSerializer(allow_null=True))
    def get_withdrawal(self, release: Release) -> dict[str, Any] | None:
        found = withdrawal_of(release)
        return None if found is None else dict(WithdrawalSerializer(found).data)

    @extend_schema_field(CompletionWatchSerializer(allow_null=True))
    def get_completion_watch(self, release: Release) -> dict[str, Any] | None:
        found = CompletionWatch.objects.filter(release=release, release__state=ReleaseState.COMPLETE).first()
        return None if found is None else dict(CompletionWatchSerializer(found).data)

    @extend_schema_field(MayDeliverSerializer)
    def get_allowed(self, release: Release) -> dict[str, bool]:
        grant = grant_between(release.app, release.version.task.scenario)
        return {"deliver": grant is not None, "complete_early": grant is not None and grant.complete_early}

    def get_figures(self, release: Release) -> dict[str, Any]:
        return figures_of(release, now=timezone.now())


class ReleaseQuery(PageInput):
    app = SlugInput(required=False)
    task = TaskNameInput(required=False, help_text="<scenario>/<task>")
    state = serializers.ChoiceField(choices=STATES, required=False)
    id = NumbersInput(required=False, help_text="only these releases: up to 200 numbers, separated by commas")
    order = OrderInput(ORDERS)
    details = serializers.BooleanField(default=False, help_text="also how far each has come")


class AppVersionsInput(serializers.ListField):
    """An input for the simplest kind of rule: versions of the app."""

    child = serializers.CharField(max_length=64)

    def __init__(self) -> None:
        help_text = "versions of the app that get it; instead of a rule"
        super().__init__(min_length=1, max_length=200, required=False, help_text=help_text)


def rule_in(body: dict[str, Any]) -> Any:
    """Return the rule of a body, given directly or as versions of the app; None if neither."""
    return uniform(sorted(set(body["app_versions"]))) if "app_versions" in body else body.get("rule")


class NewReleaseSerializer(StrictSerializer):
    app = SlugInput()
    task = TaskNameInput(help_text="<scenario>/<task>")
    version = serializers.CharField(max_length=64)
    app_versions = AppVersionsInput()
    rule = serializers.JSONField(required=False, help_text="targeting rule: which devices get it")
    strategy = serializers.JSONField(required=False, help_text="stages, limits and pace; missing keys get defaults")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("rule" in attrs) == ("app_versions" in attrs):
            raise serializers.ValidationError({"rule": "Expected a rule or app_versions, one of them."})
        return attrs


class MoveSerializer(StrictSerializer):
    reason = serializers.CharField(max_length=2000, allow_blank=True, default="", help_text="reason, for the history")
    state = serializers.ChoiceField(
        choices=STATES, required=False, help_text="state you saw; if the release has left it, nothing is done"
    )
    position = serializers.IntegerField(required=False, min_value=0, help_text="stage you saw, checked in the same way")


class ReleaseDraft(ApiView):
    """The base class of the views that accept a release which does not exist yet."""

    def named(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the objects that the names in the body refer to, as far as the actor may see them."""
        names = split_task_name(body["task"])
        app = _named("app", body["app"], lambda: app_visible_to(self.actor, body["app"]))
        task = _named("task", body["task"], lambda: catalogue.task_visible_to(self.actor, *names))
        version = _named("version", body["version"], lambda: catalogue.version_of(task, body["version"]))
        return {"app": app, "version": version, "rule": rule_in(body), "strategy": body.get("strategy")}


class Releases(ReleaseDraft):
    @endpoint("list_releases", page_of(ReleaseRowSerializer), query=ReleaseQuery)
    def get(self, request: Request) -> Response:
        """List the releases of the scenarios and to the apps you may see, newest first."""
        query = self.query(ReleaseQuery)
        lookups = filters_of(query, app="app__slug", state="state", id="pk__in")
        if "task" in query:
            scenario, task = split_task_name(query["task"])
            lookups |= {"version__task__scenario__slug": scenario, "version__task__slug": task}
        visible = releases_visible_to(self.actor).prefetch_related("stages").filter(**lookups)
        page = self.page_in_order(visible, ORDERS, query)
        progress = {each.release.pk: each for each in progress_of(page.rows)} if query["details"] else {}
        return self.respond_page(ReleaseRowSerializer, page, progress=progress)

    @endpoint("create_release", ReleaseDetailSerializer, status=201, body=NewReleaseSerializer, needs=BEFORE_RUNNING)
    def post(self, request: Request) -> Response:
        """Draft a release of a version, in stages, to the devices of an app that a rule matches.

        Nothing happens before it starts.
        """
        body = self.body(NewReleaseSerializer)
        made = create_release(**self.named(body), actor=self.actor, now=self.now)
        return self.respond(ReleaseDetailSerializer, release_with_history(self.actor, made.pk), status=201)


def _named(field: str, name: str, find: Callable[[], Found]) -> Found:
    try:
        return find()
    except ObjectDoesNotExist as error:
        problem = f"Expected the name of a known {field}, found {name!r}: it does not exist, or is not yours to see."
        raise serializers.ValidationError({field: problem}) from error


class ReleaseDetail(ApiView):
    live = frozenset({"figures", "having", "withdrawal", "completion_watch"})

    @endpoint("get_release", ReleaseDetailSerializer, needs="a role in the task's scenario or in the app")
    def get(self, request: Request, release: int) -> Response:
        """Return one release with its stages, figures, verdicts and history."""
        return self.respond(ReleaseDetailSerializer, release_with_history(self.actor, release))


class ReleaseMove(ApiView):
    @endpoint(
        "move_release",
        ReleaseDetailSerializer,
        body=MoveSerializer,
        needs=f"{BEFORE_RUNNING}; to reject, pause, abort or roll back, `halt releases` in either",
    )
    def post(self, request: Request, release: int, action: str) -> Response:
        """Start, approve, reject, promote, complete, pause, resume, abort or roll back a release.

        Devices notice it at their next check-in. A rollback withdraws the version: the newest complete release decides
        again, and the version goes into quarantine. To promote or complete a release whose stage has not passed, the
        scenario needs `complete early` in the app, and you a reason.
        """
        body = self.body(MoveSerializer)
        expected: dict[str, Any] = {name: body[name] for name in ("state", "position") if name in body}
        found = release_visible_to(self.actor, release)
        cause = {"actor": self.actor, "now": self.now, "reason": body["reason"]}
        act(release=found, action=ReleaseAction(action), expected=expected, **cause)
        return self.respond(ReleaseDetailSerializer, release_with_history(self.actor, release))
