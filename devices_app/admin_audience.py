"""Show declared facts, id lists and facts about users to site staff."""

from typing import Any, Final

from django import forms
from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils import timezone
from django.utils.safestring import SafeString
from unfold.widgets import UnfoldAdminTextareaWidget

from accounts_app.actors import Actor
from devices_app.admin_base import OfApp
from devices_app.models import AppFact, IdList, UserFacts
from devices_app.selectors.registry import members_of
from devices_app.services.facts import declare_fact
from devices_app.services.lists import checked_ids, put_list
from kit.admin.dashboard import dashboard_page
from kit.admin.large import LargeAdmin
from kit.admin.staff import RowForm, as_json

MAX_SHOWN: Final = 2000
"""The maximum number of ids that the form shows; longer lists are uploaded over REST."""


@admin.register(AppFact)
class AppFactAdmin(OfApp):
    allowed = frozenset({"add", "change"})
    fields = ("app", "source", "name", "type", "values", "description")
    list_display = ("full_name", "app_page", "type", "description")
    list_filter = ("app", "source", "type")
    search_fields = ("name", "description")

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return ("app", "source", "name", "type") if obj else ()

    def save_model(self, request: HttpRequest, obj: AppFact, form: RowForm, change: bool) -> None:
        values = {name: getattr(obj, name) for name in ("app", "source", "name", "type", "values", "description")}
        obj.pk = declare_fact(actor=Actor.of(request), **values).pk


class IdListForm(RowForm):
    devices = forms.CharField(
        required=False,
        widget=UnfoldAdminTextareaWidget,
        help_text=f"One device id on a line. Lists of more than {MAX_SHOWN} are uploaded over REST.",
    )

    class Meta:
        model = IdList
        fields = ("app", "name", "description")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk and "devices" in self.fields:
            members = members_of(self.instance).values_list("device", flat=True)
            self.fields["devices"].initial = "\n".join(reversed(members))

    def clean(self) -> None:
        super().clean()
        lines = self.cleaned_data.get("devices", "").splitlines()
        self.cleaned_data["devices"] = checked_ids(line.strip() for line in lines if line.strip())


@admin.register(IdList)
class IdListAdmin(OfApp):
    allowed = frozenset({"add", "change"})
    form = IdListForm
    list_display = ("name", "app_page", "size", "updated_at", "updated_by")
    list_filter = ("app",)
    search_fields = ("name", "description")

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        short = obj is None or getattr(obj, "size", 0) <= MAX_SHOWN
        return short and super().has_change_permission(request, obj)

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        if obj is not None and not self.has_change_permission(request, obj):
            return ("app", "name", "description", "size", "updated_at", "updated_by")
        return ("app", "name", "description", "devices")

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return ("app", "name", "size", "updated_at", "updated_by") if obj else ()

    def save_model(self, request: HttpRequest, obj: IdList, form: IdListForm, change: bool) -> None:
        obj.pk = put_list(
            app=obj.app,
            name=obj.name,
            description=obj.description,
            devices=form.cleaned_data["devices"],
            actor=Actor.of(request),
            now=timezone.now(),
        ).pk


@admin.register(UserFacts)
class UserFactsAdmin(LargeAdmin, OfApp):
    of_device = "what is held of its user"
    fields = ("device", "app_page", "held", "updated_at")
    list_display = ("device", "app_page", "updated_at")
    list_filter = ("app",)
    searched = ("device",)
    search_help_text = "A device's id"

    def dashboard_page(self, row: UserFacts) -> str | None:
        return dashboard_page("devices", row.app.slug, row.device)

    @admin.display(description="facts held by the cloud")
    def held(self, row: UserFacts) -> SafeString:
        return as_json(row.facts)
