"""Show site staff which scenarios may deliver to which apps."""

from typing import ClassVar

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.safestring import SafeString

from accounts_app.actors import Actor
from kit.admin.dashboard import dashboard_page
from kit.admin.staff import RowForm, StaffAdmin, link_to
from releases_app.models import DeliveryGrant
from releases_app.services.delivery_grants import allow_delivery, withdraw_delivery


@admin.register(DeliveryGrant)
class DeliveryGrantAdmin(StaffAdmin):
    allowed: ClassVar[frozenset[str]] = frozenset({"add", "change", "delete"})
    fields = ("app", "scenario", "complete_early", "note")
    list_display = ("name", "app_page", "scenario_page", "complete_early", "granted_by", "granted_at")
    list_filter = ("app", "scenario", "complete_early")
    search_fields = ("app__slug", "scenario__slug", "note")
    list_select_related = ("app", "scenario")

    def dashboard_page(self, grant: DeliveryGrant) -> str | None:
        return dashboard_page("tasks", scenario=grant.scenario.slug)

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return ("app", "scenario", "granted_by", "granted_at") if obj else ()

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return (*self.fields, "granted_by", "granted_at") if obj else self.fields

    def save_model(self, request: HttpRequest, obj: DeliveryGrant, form: RowForm, change: bool) -> None:
        grant = allow_delivery(
            app=obj.app,
            scenario=obj.scenario,
            actor=Actor.of(request),
            now=timezone.now(),
            complete_early=obj.complete_early,
            note=obj.note,
        )
        obj.pk = grant.pk

    def delete_model(self, request: HttpRequest, obj: DeliveryGrant) -> None:
        withdraw_delivery(app=obj.app, scenario=obj.scenario, actor=Actor.of(request), now=timezone.now())

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[DeliveryGrant]) -> None:
        for grant in queryset:
            self.delete_model(request, grant)

    @admin.display(description="who")
    def name(self, grant: DeliveryGrant) -> str:
        return str(grant)

    @admin.display(description="app", ordering="app__slug")
    def app_page(self, grant: DeliveryGrant) -> SafeString | str:
        return link_to(grant.app)

    @admin.display(description="scenario", ordering="scenario__slug")
    def scenario_page(self, grant: DeliveryGrant) -> SafeString | str:
        return link_to(grant.scenario)
