"""Show serving hosts and what they told, workflows and placements to site staff, who change none of them here."""

from django.contrib import admin
from django.utils import timezone

from kit.admin.dashboard import dashboard_page
from kit.admin.staff import StaffAdmin, StaffInline
from serving_app.models import ExplainedVersion, HostedPlan, Placement, ServingHost, Workflow
from serving_app.selectors.hosts import is_lost


class HostedPlanInline(StaffInline):
    model = HostedPlan
    fields = ("task", "version", "state", "problem", "since")


@admin.register(ServingHost)
class ServingHostAdmin(StaffAdmin):
    list_display = ("name", "seen_at", "lives", "installed", "started_at")
    search_fields = ("name",)
    inlines = (HostedPlanInline,)

    def dashboard_page(self, host: ServingHost) -> str | None:
        return dashboard_page("serving")

    @admin.display(description="lives", boolean=True)
    def lives(self, host: ServingHost) -> bool:
        return not is_lost(host, timezone.now())


@admin.register(HostedPlan)
class HostedPlanAdmin(StaffAdmin):
    list_display = ("task", "version", "host", "state", "problem", "since")
    list_filter = ("state",)
    search_fields = ("task", "version", "manifest")
    list_select_related = ("host",)

    def dashboard_page(self, plan: HostedPlan) -> str | None:
        return dashboard_page("serving", *plan.task.split("/", 1))


@admin.register(ExplainedVersion)
class ExplainedVersionAdmin(StaffAdmin):
    list_display = ("manifest", "problem", "at")
    search_fields = ("manifest",)
    exclude = ("explanation",)


@admin.register(Workflow)
class WorkflowAdmin(StaffAdmin):
    list_display = ("slug", "scenario", "updated_by", "updated_at")
    search_fields = ("slug", "scenario__slug")
    list_select_related = ("scenario",)

    def dashboard_page(self, workflow: Workflow) -> str | None:
        return dashboard_page("placements", workflow.scenario.slug, workflow.slug)


@admin.register(Placement)
class PlacementAdmin(StaffAdmin):
    list_display = ("id", "workflow", "state", "created_by", "created_at", "finished_at")
    list_filter = ("state",)
    search_fields = ("workflow__slug", "created_by")
    list_select_related = ("workflow__scenario",)
    exclude = ("problem", "measurements", "result")

    def dashboard_page(self, placement: Placement) -> str | None:
        return dashboard_page("placements", placement.workflow.scenario.slug, placement.workflow.slug)
