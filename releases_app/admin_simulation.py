"""Show the cells of simulations to site staff."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from kit.admin.dashboard import dashboard_page
from kit.admin.staff import StaffAdmin, StaffInline, as_json, link_to
from releases_app.models import SimulationCell


class SimulationCellInline(StaffInline):
    """The simulation matrix on the page of its release."""

    model = SimulationCell
    fields = ("attempt", "app_version", "os", "os_version", "state", "sentence")
    hide_title = True
    verbose_name_plural = "simulation"
    per_page = 30

    def get_queryset(self, request: HttpRequest) -> QuerySet[SimulationCell]:
        return super().get_queryset(request).defer("logs", "result", "profile")


@admin.register(SimulationCell)
class SimulationCellAdmin(StaffAdmin):
    fields = (
        *("release_page", "attempt", "app_version", "os", "os_version", "state", "sentence", "result_text"),
        *("profile_text", "logs", "started_at", "finished_at"),
    )
    list_display = ("release_page", "attempt", "app_version", "os", "os_version", "state", "sentence", "finished_at")
    list_filter = ("state", "release__app", "finished_at")
    search_fields = ("=release__id", "app_version", "sentence")
    list_select_related = ("release__version__task__scenario",)

    def dashboard_page(self, cell: SimulationCell) -> str | None:
        return dashboard_page("releases", cell.release_id)

    def get_queryset(self, request: HttpRequest) -> QuerySet[SimulationCell]:
        return super().get_queryset(request).defer("logs", "result", "profile", "release__version__manifest")

    @admin.display(description="release", ordering="release")
    def release_page(self, cell: SimulationCell) -> SafeString | str:
        return link_to(cell.release)

    @admin.display(description="result")
    def result_text(self, cell: SimulationCell) -> SafeString:
        return as_json(cell.result)

    @admin.display(description="profile")
    def profile_text(self, cell: SimulationCell) -> SafeString:
        return as_json(cell.profile)
