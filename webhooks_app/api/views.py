"""REST views of webhooks, their deliveries, and replays."""

from typing import ClassVar, Final

from rest_framework.request import Request
from rest_framework.response import Response

from accounts_app.api.base import ApiView
from kit.api.inputs import PageInput
from kit.api.pages import page_of
from kit.api.schema import endpoint
from kit.api.views import filters_of
from webhooks_app.api import serializers as forms
from webhooks_app.models import Delivery, Webhook
from webhooks_app.selectors.webhooks import deliveries_of, webhooks_managed_by
from webhooks_app.services import deliveries, webhooks

MANAGE: Final = "`manage webhooks` in the scope"


class Webhooks(ApiView):
    @endpoint("list_webhooks", page_of(forms.WebhookSerializer), query=PageInput)
    def get(self, request: Request) -> Response:
        """List the webhooks that you may manage, newest first."""
        return self.respond_rows(forms.WebhookSerializer, webhooks_managed_by(self.actor))

    @endpoint(
        "create_webhook",
        forms.IssuedWebhookSerializer,
        status=201,
        body=forms.NewWebhookSerializer,
        needs=f"{MANAGE}; site staff for all scopes",
    )
    def post(self, request: Request) -> Response:
        """Create a webhook: events of a scope are sent to an address.

        The secret that signs them is only in this answer.
        """
        body = self.body(forms.NewWebhookSerializer)
        webhook, secret = webhooks.create_webhook(actor=self.actor, now=self.now, **body)
        return Response({**forms.WebhookSerializer(webhook).data, "secret": secret}, status=201)


class OneWebhook(ApiView):
    """The base class of all views below a webhook."""

    def webhook(self, pk: int) -> Webhook:
        return webhooks_managed_by(self.actor).get(pk=pk)

    def delivery(self, webhook: int, pk: int) -> Delivery:
        return deliveries_of(self.webhook(webhook)).prefetch_related("tries").get(pk=pk)


class WebhookDetail(OneWebhook):
    live: ClassVar[frozenset[str]] = frozenset({"failing_since"})

    @endpoint("get_webhook", forms.WebhookSerializer, needs=MANAGE)
    def get(self, request: Request, webhook: int) -> Response:
        """Return one webhook."""
        return self.respond(forms.WebhookSerializer, self.webhook(webhook))

    @endpoint("change_webhook", forms.WebhookSerializer, body=forms.WebhookChangeSerializer, needs=MANAGE)
    def patch(self, request: Request, webhook: int) -> Response:
        """Change a webhook's url, events or description, or switch it off or on.

        Fields that are left out keep their values. Pending deliveries fail when it is switched off, and can be replayed
        later; events while it is off are not stored for it.
        """
        found = self.webhook(webhook)
        body = self.body(forms.WebhookChangeSerializer)
        changed = webhooks.change_webhook(webhook=found, actor=self.actor, now=self.now, **body)
        return self.respond(forms.WebhookSerializer, changed)

    @endpoint("delete_webhook", status=204, needs=MANAGE)
    def delete(self, request: Request, webhook: int) -> Response:
        """Delete a webhook with its deliveries; it receives nothing from now on."""
        webhooks.delete_webhook(webhook=self.webhook(webhook), actor=self.actor, now=self.now)
        return Response(status=204)


class WebhookPing(OneWebhook):
    @endpoint("ping_webhook", forms.DeliverySerializer, status=201, needs=MANAGE)
    def post(self, request: Request, webhook: int) -> Response:
        """Send a webhook an event `webhook.ping`, whatever its patterns; the delivery shows the result."""
        found = self.webhook(webhook)
        return self.respond(forms.DeliverySerializer, webhooks.ping(webhook=found, actor=self.actor), status=201)


class WebhookSecret(OneWebhook):
    @endpoint("rotate_webhook_secret", forms.IssuedWebhookSerializer, body=forms.RotationSerializer, needs=MANAGE)
    def post(self, request: Request, webhook: int) -> Response:
        """Rotate the secret of a webhook.

        During the overlap every request carries two signatures, so that the receiver can change over in time. The new
        secret is only in this answer.
        """
        found = self.webhook(webhook)
        body = self.body(forms.RotationSerializer)
        rotated, secret = webhooks.rotate_secret(webhook=found, actor=self.actor, now=self.now, **body)
        return Response({**forms.WebhookSerializer(rotated).data, "secret": secret})


class Deliveries(OneWebhook):
    @endpoint("list_deliveries", page_of(forms.DeliverySerializer), query=forms.DeliveryQuery, needs=MANAGE)
    def get(self, request: Request, webhook: int) -> Response:
        """List the deliveries of a webhook, newest first; they are kept for 30 days."""
        query = self.query(forms.DeliveryQuery)
        lookups = filters_of(query, state="state", event="event", sequence="entry_id")
        found = deliveries_of(self.webhook(webhook)).filter(**lookups)
        return self.respond_rows(forms.DeliverySerializer, found, query=query)


class DeliveryDetail(OneWebhook):
    @endpoint("get_delivery", forms.DeliveryDetailSerializer, needs=MANAGE)
    def get(self, request: Request, webhook: int, delivery: int) -> Response:
        """Return one delivery, with the body that is sent and every answer."""
        return self.respond(forms.DeliveryDetailSerializer, self.delivery(webhook, delivery))


class DeliveryReplay(OneWebhook):
    @endpoint("replay_delivery", forms.DeliverySerializer, needs=MANAGE)
    def post(self, request: Request, webhook: int, delivery: int) -> Response:
        """Replay a delivery: send its event once more, under the same id, whatever its state."""
        found = self.delivery(webhook, delivery)
        deliveries.replay(delivery=found, actor=self.actor, now=self.now)
        return self.respond(forms.DeliverySerializer, self.delivery(webhook, delivery))
