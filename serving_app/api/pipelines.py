"""REST views of pipelines."""

from typing import ClassVar, Final

from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.base import ApiView
from kit.api.pages import Page, page_of
from kit.api.schema import endpoint
from serving_app.api import serializers as forms
from serving_app.selectors.explanations import explanation_of, sharing_of
from serving_app.selectors.figures import figures_by_minute
from serving_app.selectors.overview import detail_of, overview_of
from serving_app.selectors.pipelines import pipelines_visible_to
from tasks_app.models import Task
from tasks_app.selectors.catalogue import tasks_found, version_of

ROLE: Final = "a role in the scenario"


class Pipelines(ApiView):
    live: ClassVar[frozenset[str]] = frozenset({"results"})

    @endpoint("list_pipelines", page_of(forms.PipelineSerializer), query=forms.PipelineQuery)
    def get(self, request: Request) -> Response:
        """List the pipelines of the scenarios you may see, the last created first.

        With the versions that answer callers, and the figures of the last five minutes.
        """
        query = self.query(forms.PipelineQuery)
        found = tasks_found(pipelines_visible_to(self.actor), query)
        page = Page.cut(found, by="-id", limit=query["limit"], cursor=query.get("cursor"))
        shown = overview_of(page.rows, now=self.now)
        return Response({"results": forms.PipelineSerializer(shown, many=True).data, "next": page.next})


class OnePipeline(ApiView):
    """The base class of all views of one pipeline, and below it."""

    def pipeline(self, scenario: str, task: str) -> Task:
        return pipelines_visible_to(self.actor).get(scenario__slug=scenario, slug=task)


class PipelineDetail(OnePipeline):
    live: ClassVar[frozenset[str]] = frozenset({"figures", "versions", "plans", "hosts", "troubled"})

    @endpoint("get_pipeline", forms.PipelineDetailSerializer, needs=ROLE)
    def get(self, request: Request, scenario: str, task: str) -> Response:
        """Return one pipeline: its versions, who gets which, where each is installed, and how it goes."""
        return self.respond(forms.PipelineDetailSerializer, detail_of(self.pipeline(scenario, task), now=self.now))


class PipelineSeries(OnePipeline):
    live: ClassVar[frozenset[str]] = frozenset({"points"})

    @endpoint("get_pipeline_series", forms.PipelineSeriesSerializer, query=forms.MinutesQuery, needs=ROLE)
    def get(self, request: Request, scenario: str, task: str) -> Response:
        """Return the predictions of a pipeline by version and minute, for one day at most."""
        minutes = self.query(forms.MinutesQuery)["minutes"]
        name = self.pipeline(scenario, task).name
        return self.respond(
            forms.PipelineSeriesSerializer, {"points": figures_by_minute(name, minutes=minutes, now=self.now)}
        )


class VersionExplanation(OnePipeline):
    live: ClassVar[frozenset[str]] = frozenset({"state", "problem", "explanation", "shared"})

    @endpoint("explain_pipeline_version", forms.PipelineExplanationSerializer, needs=ROLE)
    def get(self, request: Request, scenario: str, task: str, version: str) -> Response:
        """Explain how a version is compiled: its logical plan, what each rule rewrote, its physical plan.

        It is computed once, in the background, some seconds after the version was pushed: pending until then.
        """
        found = version_of(self.pipeline(scenario, task), version)
        shared = sharing_of(found, pipelines_visible_to(self.actor))
        return self.respond(forms.PipelineExplanationSerializer, {**explanation_of(found), "shared": shared})
