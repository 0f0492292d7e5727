"""Create and change webhooks. The audit log names only their hosts: the rest of a URL may be secret."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction

from accounts_app.actors import SYSTEM, Actor
from accounts_app.models import AuditEntry
from accounts_app.permissions import SITE, Permission, require
from accounts_app.services.audit import record
from kit.encryption import encrypt
from walle.webhooks.addresses import Reach, UrlRefused, check_url
from walle.webhooks.events import is_pattern
from walle.webhooks.signatures import KEY_SIZE, secret_text
from webhooks_app.exceptions import WebhookInactive
from webhooks_app.models import Delivery, DeliveryState, Webhook
from webhooks_app.services.outbox import hand_over

MOST_PER_SCOPE: Final = 50
OVERLAP: Final = timedelta(hours=24)
# The value in the audit log for each field.
_FACTS: Final = {"url": "host", "events": "events", "description": "description", "active": "active"}


def reach() -> Reach:
    """Return which addresses this installation's webhooks may be sent to."""
    return Reach(tuple(settings.WALLE_WEBHOOK_NETWORKS))


@transaction.atomic
def create_webhook(
    *, scope: str, url: str, events: Sequence[str], description: str = "", actor: Actor, now: datetime
) -> tuple[Webhook, str]:
    """Create a webhook; return it with the secret that signs its requests, whose text is only in this return value.

    Raises ValidationError.
    """
    require(actor, Permission.MANAGE_WEBHOOKS, scope)
    check(url=url, events=events)
    check_scope(scope)
    secret = _new_secret()
    webhook = Webhook.objects.create(
        scope=scope,
        url=url,
        events=list(events),
        description=description,
        sealed_secret=encrypt(secret.encode()),
        created_by=actor.name,
        created_at=now,
    )
    _record(actor, "create", webhook, after=_facts(webhook))
    return webhook, secret


@transaction.atomic
def change_webhook(*, webhook: Webhook, actor: Actor, now: datetime, **changes: Any) -> Webhook:
    """Change its url, events or description, or switch it on or off with `active`. Raises ValidationError.

    Pending deliveries fail when it is switched off; they can be replayed later.
    """
    row = _locked(webhook, actor)
    check(**{name: changes[name] for name in ("url", "events") if name in changes})
    before = _facts(row)
    if not (changed := [_FACTS[name] for name, value in changes.items() if getattr(row, name) != value]):
        return row
    for name, value in changes.items():
        setattr(row, name, value)
    if row.active != before["active"]:
        row.inactive_reason = "" if row.active else f"switched off by {actor.name}"
    if {"url", "active"} & changes.keys():
        row.failing_since = None
    row.save()
    if not row.active:
        _fail_pending(row, now)
    after = _facts(row)
    facts = {"before": {name: before[name] for name in changed}, "after": {name: after[name] for name in changed}}
    _record(actor, "change", row, **facts)
    return row


@transaction.atomic
def delete_webhook(*, webhook: Webhook, actor: Actor, now: datetime) -> None:
    """Mark a webhook as deleted; it receives nothing from now on."""
    row = _locked(webhook, actor)
    row.active, row.deleted_at = False, now
    row.save(update_fields=["active", "deleted_at"])
    _fail_pending(row, now)
    _record(actor, "delete", row, before=_facts(row))


@transaction.atomic
def rotate_secret(
    *, webhook: Webhook, actor: Actor, now: datetime, overlap: timedelta = OVERLAP
) -> tuple[Webhook, str]:
    """Rotate the secret of a webhook; during the overlap the previous one signs too."""
    row = _locked(webhook, actor)
    secret = _new_secret()
    row.sealed_previous, row.previous_until = row.sealed_secret, now + overlap
    row.sealed_secret = encrypt(secret.encode())
    row.save(update_fields=["sealed_secret", "sealed_previous", "previous_until"])
    _record(actor, "rotate-secret", row, after={"overlap_s": overlap.total_seconds()})
    return row, secret


@transaction.atomic
def ping(*, webhook: Webhook, actor: Actor) -> Delivery:
    """Send a webhook an event `webhook.ping`, whatever its patterns. Raises WebhookInactive."""
    row = _locked(webhook, actor)
    if not row.active:
        raise WebhookInactive
    entry = _record(actor, "ping", row)
    hand_over(entry, [row], [row.scope])
    return Delivery.objects.select_related("entry", "webhook").get(webhook=row, entry=entry)


def disable(*, webhook: Webhook, reason: str, now: datetime) -> None:
    """Switch off a webhook without a working receiver, within the caller's transaction."""
    if Webhook.objects.filter(pk=webhook.pk, active=True).update(active=False, inactive_reason=reason):
        _fail_pending(webhook, now)
        _record(SYSTEM, "disable", webhook, after={"active": False, "reason": reason})


def _locked(webhook: Webhook, actor: Actor) -> Webhook:
    require(actor, Permission.MANAGE_WEBHOOKS, webhook.scope)
    return Webhook.objects.select_for_update(no_key=True).get(pk=webhook.pk, deleted_at=None)


def _record(actor: Actor, action: str, webhook: Webhook, **facts: Any) -> AuditEntry:
    return record(actor=actor, action=f"webhook.{action}", target=webhook, scope=webhook.scope, **facts)


def _facts(webhook: Webhook) -> dict[str, Any]:
    return {
        "host": webhook.host,
        "events": webhook.events,
        "description": webhook.description,
        "active": webhook.active,
    }


def _new_secret() -> str:
    return secret_text(secrets.token_bytes(KEY_SIZE))


def check(*, url: str | None = None, events: Sequence[str] | None = None) -> None:
    """Raise ValidationError unless the url and the patterns are valid."""
    problems = {}
    if url is not None:
        try:
            check_url(url, reach())
        except UrlRefused as error:
            problems["url"] = str(error)
    if events is not None and (not events or not all(is_pattern(event) for event in events)):
        problems["events"] = "expected patterns such as release.start, release.* or *, one at the least"
    if problems:
        raise ValidationError(problems)


def check_scope(scope: str) -> None:
    """Raise ValidationError unless the scope exists and may have one more webhook."""
    # Every app and scenario has an audit entry of its creation.
    if scope != SITE and not AuditEntry.objects.filter(scope=scope).exists():
        raise ValidationError({"scope": f"expected the scope of an app or a scenario, found {scope}"})
    if Webhook.objects.filter(scope=scope, deleted_at=None).count() >= MOST_PER_SCOPE:
        raise ValidationError({"scope": f"expected at most {MOST_PER_SCOPE} webhooks of {scope}"})


def _fail_pending(webhook: Webhook, now: datetime) -> None:
    pending = Delivery.objects.filter(webhook=webhook, state=DeliveryState.PENDING)
    pending.update(state=DeliveryState.FAILED, finished_at=now, error="the webhook was switched off")
