"""Show serving hosts and what they told to site staff; hosts write these rows, nobody changes them."""

from django.contrib import admin
from django.utils import timezone

from kit.admin.staff import StaffAdmin, StaffInline
from serving_app.models import ExplainedVersion, HostedPlan, ServingHost
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
