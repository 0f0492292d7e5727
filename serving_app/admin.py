"""Show serving hosts and what they told, workflows and placements to site staff, who change none of them here."""

from django.contrib import admin
from django.utils import timezone

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

    @admin.display(description="lives", boolean=True)
    def lives(self, host: ServingHost) -> bool:
        return not is_lost(host, timezone.now())


@admin.register(HostedPlan)
class HostedPlanAdmin(StaffAdmin):
    list_display = ("task", "version", "host", "state", "problem", "since")
    list_filter = ("state",)
    search_fields = ("task", "version", "manifest")
    list_select_related = ("host",)


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


@admin.register(Placement)
class PlacementAdmin(StaffAdmin):
    list_display = ("id", "workflow", "state", "created_by", "created_at", "finished_at")
    list_filter = ("state",)
    search_fields = ("workflow__slug", "created_by")
    list_select_related = ("workflow__scenario",)
    exclude = ("problem", "measurements", "result")
