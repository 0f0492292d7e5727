"""Read webhooks and their deliveries."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Min, QuerySet

from accounts_app.actors import Actor
from accounts_app.permissions import SITE, Permission, allowed, scopes_allowing
from accounts_app.selectors import seen_scopes
from devices_app.attention import MOST, Concern, Urgency
from devices_app.models import App
from webhooks_app.models import OPEN, Delivery, Webhook

TROUBLED_AFTER: Final = timedelta(minutes=10)


def webhooks_managed_by(actor: Actor) -> QuerySet[Webhook]:
    """Return the webhooks of the scopes in which the actor may manage them: nobody else sees them."""
    webhooks = Webhook.objects.filter(deleted_at=None)
    if not actor.has_every_permission:
        return webhooks.filter(scope__in=scopes_allowing(actor, Permission.MANAGE_WEBHOOKS))
    scopes = seen_scopes(actor)
    if scopes is None:
        return webhooks if allowed(actor, Permission.MANAGE_WEBHOOKS, SITE) else webhooks.none()
    return webhooks.filter(scope__in=[scope for scope in scopes if allowed(actor, Permission.MANAGE_WEBHOOKS, scope)])


def deliveries_of(webhook: Webhook) -> QuerySet[Delivery]:
    """Return the deliveries of a webhook, with what their display needs."""
    return Delivery.objects.filter(webhook=webhook).select_related("entry", "webhook")


def next_due() -> datetime | None:
    """Return when the next attempt is due; None if there is no delivery in progress."""
    due: datetime | None = Delivery.objects.filter(state__in=OPEN).aggregate(due=Min("due_at"))["due"]
    return due


def of_webhooks(actor: Actor, apps: Sequence[App], now: datetime) -> Iterator[Concern]:
    """Yield concerns about webhooks without a working receiver: those switched off for it, or about to be."""
    troubled = webhooks_managed_by(actor).filter(failing_since__lt=now - TROUBLED_AFTER)
    for webhook in troubled.order_by("-failing_since")[:MOST]:
        kind, urgency = ("webhook-failing", Urgency.LATER) if webhook.active else ("webhook-off", Urgency.SOON)
        reason, next_step = "its receiver takes nothing", "look at its deliveries, and at the receiver"
        if not webhook.active:
            reason, next_step = f"switched off, {webhook.inactive_reason}", "mend the receiver, then switch it on again"
        target, since = f"webhooks/{webhook.pk}", webhook.failing_since
        yield Concern(kind, urgency, webhook.host, reason, since, target, next_step=next_step, scope=webhook.scope)
