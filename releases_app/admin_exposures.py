"""Show the exposures of devices to site staff."""

from django.contrib import admin
from django.utils.safestring import SafeString
from unfold.decorators import display

from devices_app.admin_base import OfApp
from kit.admin.dashboard import dashboard_page
from kit.admin.large import LargeAdmin
from kit.admin.staff import as_json
from releases_app.models import Exposure


@admin.register(Exposure)
class ExposureAdmin(LargeAdmin, OfApp):
    of_device = "releases that selected it"
    fields = (
        *("app_page", "release", "stage", "task", "device", "arm", "bucket", "drawn_at", "offered_at", "number"),
        *("installed_at", "result", "error_class", "reported_at", "settled_at", "duration_ms", "measured", "silent"),
    )
    list_display = ("device", "release", "task", "arm", "drawn_at", "offered_at", "installed_at", "result", "app_page")
    list_filter = ("app", "arm", "outcome", "silent")
    searched = ("device", "release")
    search_help_text = "A device's id, or the number of a release"

    def dashboard_page(self, row: Exposure) -> str | None:
        return dashboard_page("releases", row.release, "devices")

    @display(description="outcome", ordering="outcome", label={"success": "success", "failure": "danger", "open": ""})
    def result(self, row: Exposure) -> str:
        return row.outcome or "open"

    @admin.display(description="metrics")
    def measured(self, row: Exposure) -> SafeString:
        return as_json(row.metrics)
