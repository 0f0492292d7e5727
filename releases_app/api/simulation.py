"""REST views of simulations: the result of a task in each app version and system that its release can reach."""

from typing import Any, Final

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.base import ApiView
from kit.api.downloads import attachment
from kit.api.inputs import StrictSerializer
from kit.api.outputs import Output, RowOutput
from kit.api.schema import endpoint
from releases_app.models import Release, SimulationCell
from releases_app.selectors.releases import release_visible_to
from releases_app.selectors.simulation import budget_of, cell_of, cells_of, latest_attempt, verdict_of
from releases_app.services.simulation import simulate_again

KINDS: Final = ["pending", "pass", "fail", "error"]


class SimulatedSampleSerializer(Output):
    name = serializers.CharField()
    passed = serializers.BooleanField()
    error_class = serializers.CharField(allow_null=True, help_text="null: the run itself succeeded")
    message = serializers.CharField(allow_null=True)
    mismatches = serializers.ListField(child=serializers.CharField(), help_text="expectations that were not met")
    duration_ms = serializers.FloatField()
    cpu_ms = serializers.FloatField()
    peak_memory_kb = serializers.IntegerField(help_text="peak resident memory, including the interpreter")
    enforced = serializers.DictField(child=serializers.CharField(), help_text="isolation in effect, and on what system")


class SimulationCellSerializer(RowOutput):
    state = serializers.ChoiceField(choices=SimulationCell.State.choices)
    profile = serializers.DictField(help_text="profile of the app version; empty: none is declared")
    limits = serializers.SerializerMethodField(help_text="the lesser of the task's limits and the profile's")
    samples = serializers.SerializerMethodField()
    logs = serializers.CharField(help_text="output of the samples, the failed ones first, up to 16 KiB")

    class Meta:
        model = SimulationCell
        fields = [
            "id", "app_version", "os", "os_version", "state", "sentence", "profile", "limits", "samples", "logs",
            "started_at", "finished_at",
        ]  # fmt: skip

    def get_limits(self, cell: SimulationCell) -> dict[str, int]:
        """Return the lesser of the task's limits and the profile's."""
        limits: dict[str, int] = cell.result.get("limits", {})
        return limits

    @extend_schema_field(SimulatedSampleSerializer(many=True))
    def get_samples(self, cell: SimulationCell) -> list[Any]:
        """Return the result of each sample."""
        return list(SimulatedSampleSerializer(cell.result.get("samples", []), many=True).data)


class SimulationBudgetSerializer(Output):
    """The scenario's allowance of simulation workers, and why its waiting cells wait."""

    scenario = serializers.CharField()
    running = serializers.IntegerField(help_text="running cells of all its releases")
    at_once = serializers.IntegerField(help_text="maximum number of running cells")
    waiting = serializers.IntegerField(help_text="waiting cells of all its releases")
    spent_s = serializers.FloatField(help_text="seconds that its cells took within the last hour")
    seconds_per_hour = serializers.FloatField(help_text="maximum of these seconds")
    free_at = serializers.DateTimeField(
        allow_null=True, help_text="when another cell may start at the earliest; null: when a running one has ended"
    )
    reason = serializers.CharField(help_text="why its waiting cells wait; empty: none waits")


class SimulationSerializer(Output):
    """The newest simulation of a release, or the requested one."""

    attempt = serializers.IntegerField(help_text="number of the simulation of the release; 0: there was none yet")
    kind = serializers.ChoiceField(choices=KINDS, allow_null=True, help_text="null: there was none yet")
    sentence = serializers.CharField()
    budget = SimulationBudgetSerializer()
    cells = SimulationCellSerializer(many=True)


class SimulationQuery(StrictSerializer):
    attempt = serializers.IntegerField(
        required=False, min_value=1, max_value=10_000, help_text="the newest if left out"
    )


class Simulation(ApiView):
    @endpoint(
        "get_simulation",
        SimulationSerializer,
        query=SimulationQuery,
        needs="a role in the task's scenario or in the app",
    )
    def get(self, request: Request, release: int) -> Response:
        """Return the result of a release's task in each app version and system that it can reach, with logs."""
        found = release_visible_to(self.actor, release)
        return self._shown(found, self.query(SimulationQuery).get("attempt") or latest_attempt(found))

    @endpoint("simulate_again", SimulationSerializer, needs="`simulate` in the task's scenario")
    def post(self, request: Request, release: int) -> Response:
        """Simulate a release again whose last simulation ended in error, with the profiles as they are now."""
        found = release_visible_to(self.actor, release)
        simulate_again(release=found, actor=self.actor, now=self.now)
        return self._shown(found, latest_attempt(found))

    def _shown(self, release: Release, attempt: int) -> Response:
        cells = list(cells_of(release, attempt))
        shown: dict[str, Any] = {
            "attempt": attempt,
            "kind": None,
            "sentence": "There was no simulation.",
            "budget": budget_of(release.version.task.scenario.slug, now=self.now),
            "cells": cells,
        }
        if cells:
            verdict = verdict_of(cells, attempt)
            shown |= {"kind": verdict.kind, "sentence": verdict.sentence}
        return self.respond(SimulationSerializer, shown)


class SimulationLog(ApiView):
    @endpoint(
        "get_simulation_log",
        {(200, "text/plain"): OpenApiTypes.STR},
        needs="a role in the task's scenario or in the app",
    )
    def get(self, request: Request, release: int, cell: int) -> HttpResponseBase:
        """Return the output of the samples in one cell of a simulation, as text."""
        found = cell_of(release_visible_to(self.actor, release), cell)
        name = f"release-{release}-cell-{cell}.log"
        return attachment(request, iter([found.logs.encode()]), name, "text/plain; charset=utf-8")
