"""Reading webhooks and their deliveries."""

from datetime import datetime

from django.db.models import Min, QuerySet

from accounts_app.actors import Actor
from accounts_app.permissions import SITE, Permission, allowed
from accounts_app.selectors import seen_scopes
from webhooks_app.models import OPEN, Delivery, Webhook


def webhooks_managed_by(actor: Actor) -> QuerySet[Webhook]:
    """The webhooks of the scopes in which the actor may manage them: nobody else sees them."""
    webhooks = Webhook.objects.filter(deleted_at=None)
    scopes = seen_scopes(actor)
    if scopes is None:
        return webhooks if allowed(actor, Permission.MANAGE_WEBHOOKS, SITE) else webhooks.none()
    managed = [scope for scope in scopes if allowed(actor, Permission.MANAGE_WEBHOOKS, scope)]
    return webhooks.filter(scope__in=managed)


def deliveries_of(webhook: Webhook) -> QuerySet[Delivery]:
    """What a webhook was told or is to be told, with what its display needs."""
    return Delivery.objects.filter(webhook=webhook).select_related("entry", "webhook")


def next_due() -> datetime | None:
    """When the next attempt is due; None if nothing is on its way."""
    due: datetime | None = Delivery.objects.filter(state__in=OPEN).aggregate(due=Min("due_at"))["due"]
    return due
