"""REST views of workflows and their placements."""

from typing import Any, ClassVar, Final

from django.core.exceptions import ValidationError
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kit.api.inputs import PageInput, SlugInput, StrictSerializer
from kit.api.outputs import RowOutput
from kit.api.pages import page_of
from kit.api.schema import endpoint
from kit.api.views import filters_of
from serving_app.models import Placement, Workflow
from serving_app.selectors import placements as selectors
from serving_app.services import placements as services
from serving_app.services.applying import Applying, apply_placement
from serving_app.services.profiling import Profiling
from tasks_app.api.archives import warm_hooks
from tasks_app.api.scenarios import ROLE, OneScenario
from tasks_app.api.serializers import TaskVersionDetailSerializer
from tasks_app.exceptions import NoSuchVersion
from tasks_app.selectors import catalogue
from walle.placement.answer import ACCURACY, PLANS, RATE
from walle.protocol.names import MAX_VERSION

PUSH: Final = "`push` in the scenario"
SIMULATE: Final = "`simulate` in the scenario"
MOST_BUDGET_S: Final = 300.0
MOST_TIMED_S: Final = 30.0


class WorkflowDetailSerializer(RowOutput):
    scenario = serializers.CharField(source="scenario.slug")
    document = serializers.DictField(help_text="as in docs/workflow-format.md")

    class Meta:
        model = Workflow
        fields = ["scenario", "slug", "updated_by", "updated_at", "document"]


class PlacementSerializer(RowOutput):
    scenario = serializers.CharField(source="workflow.scenario.slug")
    workflow = serializers.CharField(source="workflow.slug")
    state = serializers.ChoiceField(choices=Placement.State.choices)
    progress = serializers.DictField(help_text="what the solver said last: phase, seconds, best cost, bound")
    cost = serializers.FloatField(
        allow_null=True, help_text="USD per hour of the best plan that is known; null: none is, or an older release ran"
    )
    error = serializers.CharField(help_text="why it failed; empty: it did not")
    profiled = serializers.DictField(
        allow_null=True,
        help_text="what accuracies, sizes and latencies were measured of: `task`, `version`, `seconds`, `types`, and, "
        "once they are known, the `placement` that had them measured; null: the workflow's document had them",
    )

    class Meta:
        model = Placement
        fields = [
            "id",
            "scenario",
            "workflow",
            "state",
            "profiled",
            "progress",
            "cost",
            "error",
            "budget_s",
            "created_by",
            "created_at",
            "started_at",
            "finished_at",
        ]


class PlacementDetailSerializer(PlacementSerializer):
    problem = serializers.DictField(help_text="the whole problem as it was when the placement was asked for")
    measurements = serializers.DictField(
        allow_null=True,
        help_text="what was measured: `accuracy_rows` by operator and model, `edges`, and `profiles` in ms by "
        "percentile, operator, model and type of worker; null: nothing was",
    )
    result = serializers.DictField(
        allow_null=True,
        help_text="plans, bound, baselines and frontiers, until it has ended those found so far; null: there are none",
    )

    class Meta(PlacementSerializer.Meta):
        fields = [*PlacementSerializer.Meta.fields, "problem", "measurements", "result"]


class WorkflowSerializer(RowOutput):
    scenario = serializers.CharField(source="scenario.slug")
    last_placement = serializers.SerializerMethodField(help_text="null: it was never placed")

    class Meta:
        model = Workflow
        fields = ["scenario", "slug", "updated_by", "updated_at", "last_placement"]

    @extend_schema_field(PlacementSerializer(allow_null=True))
    def get_last_placement(self, workflow: Any) -> Any:
        return next((PlacementSerializer(each).data for each in workflow.newest), None)


class NewWorkflowSerializer(StrictSerializer):
    document = serializers.DictField(help_text="as in docs/workflow-format.md")


class PlacementTargetSerializer(StrictSerializer):
    accuracy: Any = serializers.FloatField()
    rates = serializers.DictField(child=serializers.FloatField(), help_text="items per second at each source")


class NewProfileSerializer(StrictSerializer):
    task = SlugInput(help_text="a task of the kind workflow in the workflow's scenario")
    version = serializers.CharField(
        max_length=MAX_VERSION, required=False, help_text="whose models are measured; the highest if left out"
    )
    seconds = serializers.FloatField(
        default=1.0, min_value=0.01, max_value=MOST_TIMED_S, help_text="for how long each model is timed"
    )
    types = serializers.ListField(
        child=serializers.CharField(max_length=200),
        default=list,
        max_length=100,
        help_text="types of workers whose latencies are the server's; left out: those for which code.json has a "
        "`slowdown`",
    )


class NewPlacementSerializer(StrictSerializer):
    target = PlacementTargetSerializer(required=False, help_text="instead of the workflow's own")
    percentile = serializers.ChoiceField(choices=["p50", "p75", "p90"], required=False)
    profile = NewProfileSerializer(
        required=False, help_text="measure the models of a version first, on its validation data, in a sandbox"
    )
    profiled_by = serializers.IntegerField(
        required=False, min_value=1, help_text="a placement of this workflow whose measurements are taken"
    )
    budget_s = serializers.FloatField(
        default=10.0, min_value=0.0, max_value=MOST_BUDGET_S, help_text="seconds for proving that a plan is the best"
    )


class PlanToApplySerializer(StrictSerializer):
    task = SlugInput(help_text="a task of the kind workflow in the placement's scenario")
    version = serializers.CharField(max_length=MAX_VERSION, help_text="name of the version that is made")
    base = serializers.CharField(
        max_length=MAX_VERSION, required=False, help_text="version that the plan is applied to; the highest if left out"
    )
    plan = serializers.IntegerField(default=1, min_value=1, help_text="which plan of those of `of`, from 1 on")
    of = serializers.ChoiceField(
        choices=[PLANS, ACCURACY, RATE],
        default=PLANS,
        help_text="the placement's best plans, the best one first, or the points of its frontier of accuracy or rates",
    )
    device_tiers = serializers.ListField(
        child=serializers.CharField(max_length=200),
        default=list,
        max_length=20,
        help_text="tiers that are the device; the lowest one if left out",
    )
    spanning = serializers.ChoiceField(
        choices=["device", "cloud"],
        required=False,
        help_text="where operators run whose workers are of both; without it, such a plan is refused",
    )
    reason = serializers.CharField(
        max_length=2000, required=False, help_text="why; the message of the commit and the tag begins with it"
    )


class PlacementQuery(PageInput):
    scenario = SlugInput(required=False)
    workflow = SlugInput(required=False)


class WorkflowQuery(PageInput):
    scenario = SlugInput(required=False)


class Workflows(OneScenario):
    live: ClassVar[frozenset[str]] = frozenset({"results"})

    @endpoint("list_workflows", page_of(WorkflowSerializer), query=WorkflowQuery)
    def get(self, request: Request) -> Response:
        """List the workflows of the scenarios you may see, the last created first, each with its last placement."""
        query = self.query(WorkflowQuery)
        rows = selectors.workflows_visible_to(self.actor).filter(**filters_of(query, scenario="scenario__slug"))
        return self.respond_rows(WorkflowSerializer, selectors.with_last_placements(rows), query=query)


class WorkflowView(OneScenario):
    """The base class of the views of one workflow."""

    def workflow(self, scenario: str, name: str) -> Workflow:
        return selectors.workflows_visible_to(self.actor).get(scenario__slug=scenario, slug=name)


class OneWorkflow(WorkflowView):
    @endpoint("get_workflow", WorkflowDetailSerializer, needs=ROLE)
    def get(self, request: Request, scenario: str, workflow: str) -> Response:
        """Return one workflow with its document."""
        return self.respond(WorkflowDetailSerializer, self.workflow(scenario, workflow))

    @endpoint("put_workflow", WorkflowDetailSerializer, body=NewWorkflowSerializer, needs=PUSH)
    def put(self, request: Request, scenario: str, workflow: str) -> Response:
        """Create or replace a workflow; placements that were asked for before keep what they were asked for.

        All problems of the document are told at once.
        """
        found, body = self.scenario(scenario), self.body(NewWorkflowSerializer)
        row = services.put_workflow(
            scenario=found, slug=workflow, document=body["document"], actor=self.actor, now=self.now
        )
        return self.respond(WorkflowDetailSerializer, row)

    @endpoint("delete_workflow", status=204, needs=PUSH)
    def delete(self, request: Request, scenario: str, workflow: str) -> Response:
        """Delete a workflow with its placements; refused while one of them is under way."""
        services.delete_workflow(workflow=self.workflow(scenario, workflow), actor=self.actor)
        return Response(status=204)


class Placements(OneScenario):
    live: ClassVar[frozenset[str]] = frozenset({"results"})

    @endpoint("list_placements", page_of(PlacementSerializer), query=PlacementQuery)
    def get(self, request: Request) -> Response:
        """List the placements of the scenarios you may see, the newest first."""
        query = self.query(PlacementQuery)
        filters = filters_of(query, scenario="workflow__scenario__slug", workflow="workflow__slug")
        rows = selectors.placements_visible_to(self.actor).filter(**filters)
        return self.respond_rows(PlacementSerializer, rows, query=query)


class WorkflowPlacements(WorkflowView):
    @endpoint("request_placement", PlacementSerializer, status=202, body=NewPlacementSerializer, needs=SIMULATE)
    def post(self, request: Request, scenario: str, workflow: str) -> Response:
        """Ask for a placement of a workflow: a model and workers for each of its operators.

        A worker computes it: read the placement until its state is no longer pending or running. An infeasible problem
        is answered with what makes it so, and the nearest change that would make it feasible.
        """
        found, body = self.workflow(scenario, workflow), self.body(NewPlacementSerializer)
        profile = self.profile(found, body.pop("profile", None), body.pop("profiled_by", None))
        made = services.request_placement(workflow=found, actor=self.actor, now=self.now, profile=profile, **body)
        return self.respond(PlacementSerializer, made, status=202)

    def profile(self, workflow: Workflow, asked: Any, placement: int | None) -> Profiling | Placement | None:
        """Return where measurements come from; None where the workflow's document has them."""
        if asked is None:
            return None if placement is None else selectors.measured_placement(workflow, placement)
        if placement is not None:
            raise ValidationError({"profiled_by": "Expected either this or `profile`."})
        task = catalogue.task_visible_to(self.actor, workflow.scenario.slug, asked["task"])
        named = asked.get("version")
        version = catalogue.version_of(task, named) if named else catalogue.latest_version(task)
        if version is None:
            raise NoSuchVersion(f"{task.name} has no version that could be measured: push its sources first")
        return Profiling(version, asked["seconds"], tuple(asked["types"]))


class OnePlacement(OneScenario):
    live: ClassVar[frozenset[str]] = frozenset(
        {
            "state",
            "progress",
            "cost",
            "problem",
            "profiled",
            "measurements",
            "result",
            "error",
            "started_at",
            "finished_at",
        }
    )

    @endpoint("get_placement", PlacementDetailSerializer, needs=ROLE)
    def get(self, request: Request, placement: int) -> Response:
        """Return one placement with its problem and the plans that were found until now."""
        found = selectors.placements_visible_to(self.actor).defer(None).get(pk=placement)
        return self.respond(PlacementDetailSerializer, found)


class PlacementCancel(OneScenario):
    @endpoint("cancel_placement", PlacementSerializer, needs=SIMULATE)
    def post(self, request: Request, placement: int) -> Response:
        """Cancel a placement that is pending or running."""
        found = selectors.placements_visible_to(self.actor).get(pk=placement)
        services.cancel_placement(placement=found, actor=self.actor, now=self.now)
        return self.respond(PlacementSerializer, selectors.placements_visible_to(self.actor).get(pk=placement))


class PlacementApply(OneScenario):
    @endpoint(
        "apply_placement",
        {201: TaskVersionDetailSerializer, 200: TaskVersionDetailSerializer},
        body=PlanToApplySerializer,
        needs=PUSH,
    )
    def post(self, request: Request, placement: int) -> Response:
        """Make a version of a plan: what of a workflow runs on devices and what in the cloud.

        The server commits it to the task's branch and tags it, both in your name. All that stands against it is told
        at once. A version that is there already with this content is answered with 200, a new one with 201.
        """
        found = selectors.placements_visible_to(self.actor).defer(None).get(pk=placement)
        body = self.body(PlanToApplySerializer)
        task = catalogue.task_visible_to(self.actor, found.workflow.scenario.slug, body.pop("task"))
        named = body.pop("base", None)
        base = catalogue.version_of(task, named) if named else catalogue.latest_version(task)
        if base is None:
            raise NoSuchVersion(f"{task.name} has no version that a plan could be applied to: push its sources first")
        device_tiers = tuple(body.pop("device_tiers"))
        applying = Applying(base=base, device_tiers=device_tiers, warm=warm_hooks(request), **body)
        made, is_new = apply_placement(placement=found, applying=applying, actor=self.actor, now=self.now)
        return self.respond(TaskVersionDetailSerializer, made, status=201 if is_new else 200)
