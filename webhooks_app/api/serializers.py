"""Serializers of webhooks and their deliveries."""

import json
import re
from datetime import timedelta
from typing import Any

from rest_framework import serializers

from accounts_app.permissions import SITE
from accounts_app.scopes import scope_forms, scope_pattern
from kit.api.inputs import PageInput, StrictSerializer
from kit.api.outputs import RowOutput
from walle.webhooks.addresses import MAX_URL
from webhooks_app.models import Attempt, Delivery, DeliveryState, Webhook
from webhooks_app.payload import body_of, message_id


class WebhookSerializer(RowOutput):
    """A webhook without its secret, which is never shown again."""

    events = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = Webhook
        fields = [
            "id", "scope", "url", "description", "events", "active", "inactive_reason", "failing_since",
            "previous_until", "created_by", "created_at",
        ]  # fmt: skip
        extra_kwargs = {
            "previous_until": {
                "help_text": "until then the previous secret signs too; null: only the present one signs"
            }
        }


class IssuedWebhookSerializer(WebhookSerializer):
    """A webhook with a new secret; this is the only answer that contains it."""

    secret = serializers.CharField(help_text="shown only once: `whsec_` and the signing key in base64")

    class Meta(WebhookSerializer.Meta):
        fields = [*WebhookSerializer.Meta.fields, "secret"]


class EventsInput(serializers.ListField):
    """Patterns of events."""

    def __init__(self, **options: Any) -> None:
        child = serializers.CharField(max_length=61)
        super().__init__(child=child, max_length=50, help_text="such as release.start, release.* or *", **options)


class UrlInput(serializers.CharField):
    """The address to which events are sent."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=MAX_URL, help_text="https, to a public address", **options)


class NewWebhookSerializer(StrictSerializer):
    scope = serializers.RegexField(
        re.compile(rf"^{SITE}$|{scope_pattern()}".replace("$", r"\Z")),
        max_length=60,
        error_messages={"invalid": f"Expected {', '.join(scope_forms())} or {SITE}."},
        help_text=f"whose events: {', '.join(scope_forms())}, or {SITE} for all there are",
    )
    url = UrlInput()
    events = EventsInput()
    description = serializers.CharField(max_length=200, default="", allow_blank=True)


class WebhookChangeSerializer(StrictSerializer):
    url = UrlInput(required=False)
    events = EventsInput(required=False)
    description = serializers.CharField(max_length=200, required=False, allow_blank=True)
    active = serializers.BooleanField(required=False)


class RotationSerializer(StrictSerializer):
    overlap_hours = serializers.IntegerField(
        default=24, min_value=0, max_value=168, help_text="how long the previous secret signs too"
    )

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        return {"overlap": timedelta(hours=super().to_internal_value(data)["overlap_hours"])}


class DeliverySerializer(RowOutput):
    message = serializers.SerializerMethodField(help_text="id that the receiver sees as `webhook-id`")
    sequence = serializers.IntegerField(source="entry_id", help_text="number that grows from event to event")
    object_name = serializers.CharField(source="entry.object_name")
    next_attempt_at = serializers.DateTimeField(allow_null=True, help_text="null: it is in progress, or there is none")

    class Meta:
        model = Delivery
        fields = [
            "id", "message", "event", "sequence", "object_name", "state", "attempts", "next_attempt_at", "status",
            "error", "created_at", "finished_at",
        ]  # fmt: skip
        extra_kwargs = {"attempts": {"help_text": "number of attempts since it was created, or replayed"}}

    def get_message(self, delivery: Delivery) -> str:
        return message_id(delivery.entry)


class AttemptSerializer(RowOutput):
    class Meta:
        model = Attempt
        fields = ["at", "duration_ms", "status", "error", "answer"]


class DeliveryDetailSerializer(DeliverySerializer):
    """A delivery with its body and the answers."""

    payload = serializers.SerializerMethodField(help_text="the body, as JSON")
    tries = AttemptSerializer(many=True, help_text="all requests, oldest first, including replays")

    class Meta(DeliverySerializer.Meta):
        fields = [*DeliverySerializer.Meta.fields, "payload", "tries"]

    def get_payload(self, delivery: Delivery) -> dict[str, Any]:
        payload: dict[str, Any] = json.loads(body_of(delivery.entry, delivery.scopes))
        return payload


class DeliveryQuery(PageInput):
    state = serializers.ChoiceField(choices=DeliveryState.choices, required=False)
    event = serializers.CharField(required=False, max_length=61, help_text="such as release.start")
    sequence = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
