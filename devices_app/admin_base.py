"""What the pages of everything that belongs to an app have in common."""

from typing import Any, ClassVar

from django.contrib import admin
from django.utils.safestring import SafeString

from kit.admin.staff import StaffAdmin, link_to


class OfApp(StaffAdmin):
    """Rows of an app, with a link to it.

    `of_device` says what they are to a device, where a search for its id finds them: its page then has a link there.
    """

    of_device: ClassVar[str] = ""
    list_select_related = ("app",)

    @admin.display(description="app", ordering="app__slug")
    def app_page(self, row: Any) -> SafeString | str:
        return link_to(row.app)
