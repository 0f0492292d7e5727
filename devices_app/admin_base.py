"""Admin base class of everything that belongs to an app."""

from typing import Any, ClassVar

from django.contrib import admin
from django.utils.safestring import SafeString

from kit.admin.staff import StaffAdmin, link_to


class OfApp(StaffAdmin):
    """Rows of an app, with a link to the app.

    `of_device` is what the rows are called on a device's page, which then links to a search for the device's id among
    them.
    """

    of_device: ClassVar[str] = ""
    list_select_related = ("app",)

    @admin.display(description="app", ordering="app__slug")
    def app_page(self, row: Any) -> SafeString | str:
        return link_to(row.app)
