"""Show site staff what people have by e-mail and what became of each message; people themselves choose."""

from django.contrib import admin
from django.utils.safestring import SafeString
from unfold.decorators import display
from unfold.paginator import InfinitePaginator

from kit.admin.staff import StaffAdmin, StaffInline, link_to
from webhooks_app.models import Mail, MailedEntry, MailSettings

MAIL_COLOURS: dict[str, str] = {
    Mail.State.PENDING: "warning",
    Mail.State.SENDING: "info",
    Mail.State.SENT: "success",
    Mail.State.FAILED: "danger",
    Mail.State.DROPPED: "warning",
}


@admin.register(MailSettings)
class MailSettingsAdmin(StaffAdmin):
    fields = ("person", "address", "new_address", "is_on", "chosen_kinds", "where")
    list_display = ("person", "address", "is_on", "chosen_kinds", "where")
    list_filter = ("is_on",)
    search_fields = ("user__username",)
    list_select_related = ("user",)

    @admin.display(description="user", ordering="user__username")
    def person(self, row: MailSettings) -> SafeString | str:
        return link_to(row.user)

    @admin.display(description="address")
    def address(self, row: MailSettings) -> str:
        return row.user.email or "-"

    @admin.display(description="kinds")
    def chosen_kinds(self, row: MailSettings) -> str:
        return ", ".join(row.kinds) or "none"

    @admin.display(description="where")
    def where(self, row: MailSettings) -> str:
        return ", ".join(row.scopes) or "wherever they may read"


class MailedEntryInline(StaffInline):
    model = MailedEntry
    fields = ("kind", "event", "is_urgent", "left_out", "created_at")
    show_change_link = False
    hide_title = True

    @admin.display(description="audit entry")
    def event(self, row: MailedEntry) -> SafeString | str:
        return link_to(row.entry)


@admin.register(Mail)
class MailAdmin(StaffAdmin):
    fields = (
        *("person", "purpose", "address", "subject", "shown_state", "attempts", "due_at", "error"),
        *("created_at", "finished_at"),
    )
    list_display = ("id", "person", "purpose", "subject", "shown_state", "attempts", "error", "created_at")
    list_filter = ("state", "purpose", "created_at")
    search_fields = ("=id", "=user__username", "=address")
    list_select_related = ("user",)
    inlines = (MailedEntryInline,)
    show_full_result_count = False
    paginator = InfinitePaginator

    @admin.display(description="user", ordering="user__username")
    def person(self, mail: Mail) -> SafeString | str:
        return link_to(mail.user)

    @display(description="state", ordering="state", label=MAIL_COLOURS)
    def shown_state(self, mail: Mail) -> str:
        return str(mail.state)
