"""Show webhooks to site staff, who use the same services as REST; deliveries are read-only, but can be replayed."""

import json
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from unfold.decorators import display
from unfold.paginator import InfinitePaginator
from unfold.widgets import UnfoldAdminTextInputWidget

from accounts_app.actors import Actor
from kit.admin.staff import ISSUED_SECRETS, RowForm, StaffAdmin, StaffInline, as_json, link_to
from webhooks_app.exceptions import WebhookInactive
from webhooks_app.models import Attempt, Delivery, DeliveryState, Webhook
from webhooks_app.payload import body_of, message_id
from webhooks_app.selectors.webhooks import webhooks_managed_by
from webhooks_app.services import deliveries, webhooks

STATE_COLOURS: dict[str, str] = {
    DeliveryState.PENDING: "warning",
    DeliveryState.SENDING: "info",
    DeliveryState.DELIVERED: "success",
    DeliveryState.FAILED: "danger",
}
HEALTH_COLOURS = {"listening": "success", "failing": "warning", "off": "danger"}


class WebhookForm(RowForm):
    events = forms.CharField(
        widget=UnfoldAdminTextInputWidget,
        help_text="Separated by commas, such as release.*, version.register; * stands for all.",
    )

    class Meta:
        model = Webhook
        fields = ("scope", "url", "events", "description", "active")

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        if self.instance.pk:
            self.initial["events"] = ", ".join(self.instance.events)

    def clean_events(self) -> list[str]:
        return [part.strip() for part in self.cleaned_data["events"].split(",") if part.strip()]

    def clean(self) -> dict[str, Any]:
        super().clean()
        cleaned = self.cleaned_data
        webhooks.check(**{name: cleaned[name] for name in ("url", "events") if name in cleaned})
        if not self.instance.pk and "scope" in cleaned:
            webhooks.check_scope(cleaned["scope"])
        return cleaned


@admin.register(Webhook)
class WebhookAdmin(StaffAdmin):
    allowed = frozenset({"add", "change", "delete"})
    form = WebhookForm
    list_display = ("id", "scope", "host", "patterns", "health", "failing_since", "its_deliveries")
    list_filter = ("active", ("failing_since", admin.EmptyFieldListFilter), "scope")
    search_fields = ("scope", "url", "description")
    actions = ("ping", "rotate")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Webhook]:
        return webhooks_managed_by(Actor.of(request))

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        shown = ("active", "inactive_reason", "failing_since", "previous_until", "its_deliveries", "created_by")
        return ("scope", "url", "events", "description", *((*shown, "created_at") if obj else ()))

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        fields = ("url", "events", "description", "active")
        return tuple(name for name in self.get_fields(request, obj) if name not in fields) if obj else ()

    def save_model(self, request: HttpRequest, obj: Webhook, form: WebhookForm, change: bool) -> None:
        actor, now = Actor.of(request), timezone.now()
        values = {name: form.cleaned_data[name] for name in form.cleaned_data if name in form.fields}
        if change:
            webhooks.change_webhook(webhook=Webhook.objects.get(pk=obj.pk), actor=actor, now=now, **values)
        else:
            made, ISSUED_SECRETS[request] = webhooks.create_webhook(actor=actor, now=now, **values)
            obj.pk = made.pk

    def response_add(self, request: HttpRequest, obj: Webhook, post_url_continue: str | None = None) -> HttpResponse:
        """Show the page with the secret itself; a redirect would have to store it in between."""
        return self._show_secret(request, obj, ISSUED_SECRETS.pop(request))

    def delete_model(self, request: HttpRequest, obj: Webhook) -> None:
        webhooks.delete_webhook(webhook=obj, actor=Actor.of(request), now=timezone.now())

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Webhook]) -> None:
        for webhook in queryset:
            self.delete_model(request, webhook)

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        """Leave deliveries out: they are deleted with their webhook, and too many to be listed."""
        return [str(webhook) for webhook in objs], {"webhooks": len(objs)}, set(), []

    @admin.action(description="Send a ping to the selected webhooks")
    def ping(self, request: HttpRequest, queryset: QuerySet[Webhook]) -> None:
        for webhook in queryset:
            try:
                webhooks.ping(webhook=webhook, actor=Actor.of(request))
            except WebhookInactive as error:
                messages.error(request, f"{webhook}: {error}")

    @admin.action(description="Give the selected webhook a new secret; the present one signs for another day")
    def rotate(self, request: HttpRequest, queryset: QuerySet[Webhook]) -> HttpResponse | None:
        if queryset.count() != 1:
            messages.error(request, "Select one webhook: its new secret is shown once.")
            return None
        webhook, secret = webhooks.rotate_secret(webhook=queryset[0], actor=Actor.of(request), now=timezone.now())
        return self._show_secret(request, webhook, secret)

    def _show_secret(self, request: HttpRequest, webhook: Webhook, secret: str) -> HttpResponse:
        context = {**self.admin_site.each_context(request), "title": "Secret made", "opts": self.opts}
        return TemplateResponse(
            request, "webhooks_app/secret_issued.html", {**context, "webhook": webhook, "secret": secret}
        )

    @admin.display(description="host", ordering="url")
    def host(self, webhook: Webhook) -> str:
        return webhook.host

    @admin.display(description="events")
    def patterns(self, webhook: Webhook) -> str:
        return ", ".join(webhook.events)

    @display(description="state", label=HEALTH_COLOURS)
    def health(self, webhook: Webhook) -> str:
        if not webhook.active:
            return "off"
        return "failing" if webhook.failing_since else "listening"

    @admin.display(description="deliveries")
    def its_deliveries(self, webhook: Webhook) -> SafeString:
        address = reverse("admin:webhooks_app_delivery_changelist")
        query = urlencode({"webhook__id__exact": webhook.pk})
        return format_html('<a href="{}?{}" class="text-primary-600 underline">deliveries</a>', address, query)


class AttemptInline(StaffInline):
    model = Attempt
    fields = ("at", "status", "duration_ms", "error", "answer")
    show_change_link = False
    hide_title = True


@admin.register(Delivery)
class DeliveryAdmin(StaffAdmin):
    fields = (
        *("webhook_page", "message", "event", "shown_state", "attempts", "next_attempt", "status", "error"),
        *("entry_page", "payload", "created_at", "finished_at"),
    )
    list_display = ("id", "event", "webhook_page", "shown_state", "attempts", "status", "error", "created_at")
    list_filter = ("state", "created_at")
    search_fields = ("=id", "=entry__id", "=event")
    list_select_related = ("webhook", "entry")
    inlines = (AttemptInline,)
    actions = ("replay",)
    show_full_result_count = False
    paginator = InfinitePaginator

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        return lookup == "webhook__id__exact" or super().lookup_allowed(lookup, value, request)

    @admin.action(description="Send the selected deliveries once more")
    def replay(self, request: HttpRequest, queryset: QuerySet[Delivery]) -> None:
        for delivery in queryset:
            try:
                deliveries.replay(delivery=delivery, actor=Actor.of(request), now=timezone.now())
            except WebhookInactive as error:
                messages.error(request, f"{delivery}: {error}")

    @admin.display(description="webhook")
    def webhook_page(self, delivery: Delivery) -> SafeString | str:
        return link_to(delivery.webhook)

    @admin.display(description="audit entry")
    def entry_page(self, delivery: Delivery) -> SafeString | str:
        return link_to(delivery.entry)

    @admin.display(description="next attempt")
    def next_attempt(self, delivery: Delivery) -> datetime | None:
        return delivery.next_attempt_at

    @admin.display(description="webhook-id")
    def message(self, delivery: Delivery) -> str:
        return message_id(delivery.entry)

    @admin.display(description="body")
    def payload(self, delivery: Delivery) -> SafeString:
        return as_json(json.loads(body_of(delivery.entry, delivery.scopes)))

    @display(description="state", ordering="state", label=STATE_COLOURS)
    def shown_state(self, delivery: Delivery) -> str:
        return str(delivery.state)
