"""Show apps, keys, devices and reports to site staff; what devices reported and what is signed is read-only."""

from typing import Final

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from unfold.decorators import action, display
from unfold.enums import ActionVariant
from unfold.widgets import UnfoldAdminTextInputWidget

from accounts_app.actors import Actor
from devices_app import admin_audience  # noqa: F401  registers the pages of facts, lists and exposures
from devices_app.admin_base import OfApp
from devices_app.models import (
    App,
    AppKey,
    AppVersion,
    Device,
    InstalledTask,
    PublishedTable,
    RegionBase,
    Report,
    Root,
    ServerKey,
)
from devices_app.selectors.tables import for_people, read_root, read_table
from devices_app.services import apps, devices
from kit.admin.dashboard import dashboard_page
from kit.admin.large import LargeAdmin
from kit.admin.reasons import RequiredReasonForm, go_to, reason_dialog
from kit.admin.staff import ISSUED_SECRETS, RowForm, StaffAdmin, StaffInline, as_json, link_to


class OfAppInline(StaffInline):
    """An inline of rows that belong to an app, on the app's page; the rows name it by their `app`."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        return super().get_queryset(request).select_related("app")


class AppVersionInline(OfAppInline):
    model = AppVersion
    fields = ("version", "created_at")
    hide_title = True
    per_page = 20


class AppKeyInline(OfAppInline):
    model = AppKey
    fields = readonly_fields = ("page", "kind", "created_at", "revoked_at")
    hide_title = True
    per_page = 20

    @admin.display(description="key")
    def page(self, key: AppKey) -> SafeString | str:
        return link_to(key)


class RegionBaseInline(OfAppInline):
    model = RegionBase
    fields = readonly_fields = ("page", "shared", "exclusive")
    hide_title = True

    @admin.display(description="region")
    def page(self, base: RegionBase) -> SafeString | str:
        return link_to(base)


@admin.register(App)
class AppAdmin(StaffAdmin):
    allowed = frozenset({"add", "change"})
    fields = ("slug", "name", "check_in_interval")
    list_display = ("slug", "name", "check_in_interval", "table_page", "devices_of_it", "created_at")
    list_filter = ("created_at",)
    search_fields = ("slug", "name")
    list_select_related = ("table",)

    def dashboard_page(self, app: App) -> str | None:
        return dashboard_page("apps", app.slug)

    def get_inlines(self, request: HttpRequest, obj: Model | None) -> tuple[type[StaffInline], ...]:
        return (AppVersionInline, AppKeyInline, RegionBaseInline) if obj else ()

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return (
            (*self.fields, "enrolment_limit", "table_page", "devices_of_it", "reports_of_it", "created_at")
            if obj
            else self.fields
        )

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return ("slug", "table_page", "devices_of_it", "reports_of_it", "created_at") if obj else ()

    def save_model(self, request: HttpRequest, obj: App, form: RowForm, change: bool) -> None:
        actor, now, name, interval = Actor.of(request), timezone.now(), obj.name, obj.check_in_interval
        if change:
            present = App.objects.get(pk=obj.pk)
            app = apps.configure_app(app=present, actor=actor, now=now, name=name, check_in_interval=interval)
            apps.limit_enrolment(app=app, per_hour=obj.enrolment_limit, actor=actor)
        else:
            obj.pk = apps.create_app(slug=obj.slug, actor=actor, now=now, name=name, check_in_interval=interval).pk

    @admin.display(description="table")
    def table_page(self, app: App) -> SafeString | str:
        return link_to(getattr(app, "table", None))

    @admin.display(description="devices")
    def devices_of_it(self, app: App) -> SafeString:
        return _list_link(Device, "devices", app__id__exact=app.pk)

    @admin.display(description="reports")
    def reports_of_it(self, app: App) -> SafeString:
        return _list_link(Report, "reports", app__id__exact=app.pk)


def _list_link(model: type[Model], text: str, **query: str | int) -> SafeString:
    name = f"{model._meta.app_label}_{model._meta.model_name}"
    address = f"{reverse(f'admin:{name}_changelist')}?{urlencode(query)}"
    return format_html('<a href="{}" class="text-primary-600 underline">{}</a>', address, text)


@admin.register(AppVersion)
class AppVersionAdmin(OfApp):
    allowed = frozenset({"add", "change"})
    fields = ("app", "version", "profile")
    list_display = ("version", "app_page", "created_at")
    list_filter = ("app", "created_at")
    search_fields = ("version", "app__slug")

    def dashboard_page(self, row: AppVersion) -> str | None:
        return dashboard_page("devices", app=row.app.slug, app_version=row.version)

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return ("app", "version") if obj else ()

    def save_model(self, request: HttpRequest, obj: AppVersion, form: RowForm, change: bool) -> None:
        actor, profile = Actor.of(request), obj.profile or {}
        if change:
            apps.declare_profile(version=obj, profile=profile, actor=actor)
        else:
            obj.pk = apps.add_version(app=obj.app, version=obj.version, profile=profile or None, actor=actor).pk


class AppKeyForm(RowForm):
    public_key = forms.RegexField(
        r"^[0-9A-Fa-f]{64}\Z",
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text="Of a backend key only: 64 hex digits. Enrol and gateway keys are made here and shown once.",
        error_messages={"invalid": "Expected 64 hex digits, the raw bytes of an Ed25519 public key."},
    )

    class Meta:
        model = AppKey
        fields = ("app", "kind", "label")

    def clean(self) -> None:
        super().clean()
        kind, public_key = self.cleaned_data.get("kind"), self.cleaned_data.get("public_key")
        if kind == AppKey.Kind.BACKEND and not public_key and "public_key" not in self.errors:
            raise ValidationError({"public_key": "A backend key needs its public half."})
        if kind != AppKey.Kind.BACKEND and public_key:
            raise ValidationError({"public_key": "Only a backend key has one; leave it out."})


@admin.register(AppKey)
class AppKeyAdmin(OfApp):
    allowed = frozenset({"add"})
    form = AppKeyForm
    list_display = ("label", "app_page", "kind", "created_at", "revoked_at")
    list_filter = ("kind", "app", ("revoked_at", admin.EmptyFieldListFilter))
    search_fields = ("label", "app__slug")
    actions = ("revoke",)

    def get_fields(self, request: HttpRequest, obj: AppKey | None = None) -> tuple[str, ...]:
        shown = ("app", "kind", "label")
        if obj is None:
            return (*shown, "public_key")
        public = ("material",) if obj.kind == AppKey.Kind.BACKEND else ()
        return (*shown, *public, "created_at", "revoked_at")

    def save_model(self, request: HttpRequest, obj: AppKey, form: AppKeyForm, change: bool) -> None:
        actor, cleaned = Actor.of(request), form.cleaned_data
        if obj.kind == AppKey.Kind.BACKEND:
            public_key = cleaned["public_key"]
            key = apps.add_backend_key(app=obj.app, label=obj.label, public_key=public_key, actor=actor)
        else:
            kind = AppKey.Kind(obj.kind)
            key, ISSUED_SECRETS[request] = apps.create_secret_key(app=obj.app, kind=kind, label=obj.label, actor=actor)
        obj.pk = key.pk

    def response_add(self, request: HttpRequest, obj: AppKey, post_url_continue: str | None = None) -> HttpResponse:
        """Show the page with a secret key's text, instead of a redirect: the text must not be stored in between."""
        if (text := ISSUED_SECRETS.pop(request, None)) is None:
            return super().response_add(request, obj, post_url_continue)
        context = {**self.admin_site.each_context(request), "title": "Key made", "key": obj, "opts": self.opts}
        response = TemplateResponse(request, "devices_app/key_made.html", {**context, "text": text})
        response["Cache-Control"] = "no-store"
        return response

    @admin.action(description="Revoke the selected keys")
    def revoke(self, request: HttpRequest, queryset: QuerySet[AppKey]) -> None:
        for key in queryset.select_related("app"):
            apps.revoke_key(key=key, actor=Actor.of(request), now=timezone.now())


class RegionBaseForm(RowForm):
    shared = forms.URLField(assume_scheme="https", widget=UnfoldAdminTextInputWidget)
    exclusive = forms.URLField(assume_scheme="https", widget=UnfoldAdminTextInputWidget)

    class Meta:
        model = RegionBase
        fields = ("app", "region", "shared", "exclusive")


@admin.register(RegionBase)
class RegionBaseAdmin(OfApp):
    allowed = frozenset({"add", "change"})
    form = RegionBaseForm
    fields = ("app", "region", "shared", "exclusive")
    list_display = ("region_name", "app_page", "shared", "exclusive")
    list_filter = ("app",)
    search_fields = ("region", "app__slug", "shared", "exclusive")

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return ("app", "region") if obj else ()

    def save_model(self, request: HttpRequest, obj: RegionBase, form: RegionBaseForm, change: bool) -> None:
        values = {"region": obj.region, "shared": obj.shared, "exclusive": obj.exclusive}
        obj.pk = apps.set_base(app=obj.app, actor=Actor.of(request), now=timezone.now(), **values).pk

    @admin.display(description="region", ordering="region")
    def region_name(self, base: RegionBase) -> str:
        return base.region or "everywhere else"


@admin.register(PublishedTable)
class PublishedTableAdmin(OfApp):
    fields = ("app_page", "number", "published_at", "content")
    list_display = ("app_page", "number", "published_at")
    search_fields = ("app__slug", "=number")

    @admin.display(description="content")
    def content(self, published: PublishedTable) -> SafeString:
        return as_json(for_people(read_table(published)))


class InstalledInline(StaffInline):
    model = InstalledTask
    fields = ("task", "manifest", "since")
    show_change_link = False
    hide_title = True


_REVOKED: Final = (
    "Its credential no longer counts, and it cannot enrol again. It keeps what it has, and hears of no rollback."
)


def revoke_device(self: "DeviceAdmin", request: HttpRequest, form: RequiredReasonForm, object_id: int) -> HttpResponse:
    device = self.get_object(request, str(object_id))
    if device is None:
        raise Http404
    reason = form.cleaned_data["reason"]
    devices.revoke(device=device, actor=Actor.of(request), now=timezone.now(), reason=reason)
    return go_to(request, reverse("admin:devices_app_device_change", args=[object_id]))


@admin.register(Device)
class DeviceAdmin(LargeAdmin, OfApp):
    fields = (
        *("device", "app_page", "state", "first_seen", "last_seen", "vouched_at", "revoked_at"),
        *("attributes", "vouched", "elsewhere"),
    )
    list_display = ("device", "app_page", "app_version", "os", "state", "last_seen")
    list_filter = ("app", ("revoked_at", admin.EmptyFieldListFilter), "last_seen")
    searched = ("device__startswith",)
    search_help_text = "The beginning of a device's id"
    inlines = (InstalledInline,)
    actions = ("reinstate",)
    actions_detail = ("revoke_device",)
    revoke_device = action(
        revoke_device,
        description="Revoke",
        url_path="revoke",
        icon="block",
        variant=ActionVariant.DANGER,
        dialog=reason_dialog("Revoke", "Revoke this device?", _REVOKED, RequiredReasonForm),
    )

    def dashboard_page(self, device: Device) -> str | None:
        return dashboard_page("devices", device.app.slug, device.device)

    @display(description="state", label={"good": "success", "revoked": "danger"})
    def state(self, device: Device) -> str:
        return "revoked" if device.revoked_at else "good"

    @admin.display(description="app version")
    def app_version(self, device: Device) -> str:
        return str(device.facts.get("app_version", "-"))

    @admin.display(description="OS")
    def os(self, device: Device) -> str:
        return f"{device.facts.get('os', '-')} {device.facts.get('os_version', '')}"

    @admin.display(description="attributes")
    def attributes(self, device: Device) -> SafeString:
        return as_json(device.facts)

    @admin.display(description="attributes vouched for")
    def vouched(self, device: Device) -> SafeString:
        return as_json(device.trusted)

    @admin.display(description="more")
    def elsewhere(self, device: Device) -> SafeString:
        query: dict[str, str | int] = {"app__id__exact": device.app_id, "q": device.device}
        pages = admin.site._registry.items()
        found = [(model, page.of_device) for model, page in pages if isinstance(page, OfApp) and page.of_device]
        links = ((_list_link(model, text, **query),) for model, text in found)
        return format_html_join(", ", "{}", links)

    @admin.action(description="Reinstate: take a revocation back")
    def reinstate(self, request: HttpRequest, queryset: QuerySet[Device]) -> None:
        for device in queryset.select_related("app"):
            devices.reinstate(device=device, actor=Actor.of(request))


@admin.register(Report)
class ReportAdmin(LargeAdmin, OfApp):
    of_device = "reports"
    fields = (
        *("report_id", "app_page", "device_page", "task", "version", "manifest", "kind", "result", "error_class"),
        *("message", "duration_ms", "peak_memory_kb", "measured", "gave", "release", "stage", "number", "evidence"),
        *("start", "vm_end", "several", "reported_at", "received_at"),
    )
    list_display = ("received_at", "task", "version", "kind", "result", "error_class", "device", "app_page", "evidence")
    list_filter = ("app", "kind", "outcome", "evidence", "received_at")
    searched = ("device", "task", "release")
    search_help_text = "A device's id, a task, or the number of a release"

    def dashboard_page(self, report: Report) -> str | None:
        return dashboard_page("devices", report.app.slug, report.device)

    @display(description="outcome", ordering="outcome", label={"success": "success", "failure": "danger"})
    def result(self, report: Report) -> str:
        return report.outcome

    @admin.display(description="device")
    def device_page(self, report: Report) -> SafeString | str:
        found = Device.objects.filter(app_id=report.app_id, device=report.device).first()
        return link_to(found) if found else report.device

    @admin.display(description="metrics")
    def measured(self, report: Report) -> SafeString:
        return as_json(report.metrics)

    @admin.display(description="several runs")
    def several(self, report: Report) -> SafeString:
        return as_json(report.runs)

    @admin.display(description="output")
    def gave(self, report: Report) -> SafeString:
        return as_json(report.output)


@admin.register(ServerKey)
class ServerKeyAdmin(StaffAdmin):
    """The server's keys by name. Their secrets never leave the services."""

    fields = ("purpose", "key_id", "shown_state", "created_at")
    list_display = ("purpose", "key_id", "shown_state", "created_at")
    list_filter = ("purpose", "state")
    search_fields = ("key_id",)

    @display(description="state", ordering="state", label={"active": "success", "accepted": "info", "retired": ""})
    def shown_state(self, key: ServerKey) -> str:
        return key.state


@admin.register(Root)
class RootAdmin(StaffAdmin):
    fields = ("version", "created_at", "expires_at", "document")
    list_display = ("version", "created_at", "expires_at")
    list_filter = ("expires_at",)
    search_fields = ("=version",)

    @admin.display(description="TUF root metadata")
    def document(self, root: Root) -> SafeString:
        return as_json(read_root(root))
