"""Change deliveries: claimed by a worker, settled by an answer, replayed, failed, deleted.

Code that locks both a webhook and its deliveries locks the webhook first.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from django.db import connection, transaction
from django.db.models import QuerySet

from accounts_app.actors import Actor
from accounts_app.permissions import Permission, require
from accounts_app.services.audit import record
from walle.webhooks.retries import AttemptOutcome, conclude, is_hopeless
from webhooks_app.exceptions import WebhookInactive
from webhooks_app.models import OPEN, Attempt, Delivery, DeliveryState, Webhook
from webhooks_app.sending import WebhookResponse
from webhooks_app.services.outbox import wake
from webhooks_app.services.webhooks import disable

# Longer than an attempt may take: a worker that holds a delivery for so long has died.
LEASE: Final = timedelta(seconds=30)
# Concurrent requests to one webhook; to a failing one, just enough to notice when it works again.
AT_ONCE: Final = 4
AT_ONCE_FAILING: Final = 1
BATCH: Final = 2000

# A few of each webhook's oldest, so that a slow one, or one with a long backlog, does not delay the others.
_CLAIM: Final = """
WITH busy AS MATERIALIZED (
  SELECT webhook_id, count(*) AS requests FROM webhooks_app_delivery
  WHERE state = 'sending' AND due_at > %(now)s GROUP BY webhook_id
)
UPDATE webhooks_app_delivery SET state = 'sending', attempts = attempts + 1, due_at = %(until)s WHERE id IN (
  SELECT due.id FROM webhooks_app_webhook AS webhook LEFT JOIN busy ON busy.webhook_id = webhook.id
  CROSS JOIN LATERAL (
    SELECT id, due_at FROM webhooks_app_delivery
    WHERE webhook_id = webhook.id AND state IN ('pending', 'sending') AND due_at <= %(now)s
    ORDER BY due_at LIMIT greatest(0,
      CASE WHEN webhook.failing_since IS NULL THEN %(at_once)s ELSE %(at_once_failing)s END - coalesce(busy.requests, 0)
    ) FOR UPDATE SKIP LOCKED
  ) AS due WHERE webhook.active AND webhook.deleted_at IS NULL ORDER BY due.due_at LIMIT %(limit)s
) RETURNING id
"""


def claim(*, now: datetime, limit: int) -> list[Delivery]:
    """Claim at most so many due deliveries; they become due again unless they are settled in time."""
    times = {"now": now, "until": now + LEASE}
    limits = {"limit": limit, "at_once": AT_ONCE, "at_once_failing": AT_ONCE_FAILING}
    with connection.cursor() as cursor:
        cursor.execute(_CLAIM, {**times, **limits})
        claimed = [pk for (pk,) in cursor.fetchall()]
    return list(Delivery.objects.filter(pk__in=claimed).select_related("webhook", "entry").order_by("id"))


@transaction.atomic
def settle(*, delivery: Delivery, answer: WebhookResponse, now: datetime, chance: float) -> None:
    """Store the result of an attempt, with its consequences for the delivery and its webhook."""
    webhook = Webhook.objects.select_for_update(no_key=True).get(pk=delivery.webhook_id)
    row = Delivery.objects.select_for_update(no_key=True).filter(pk=delivery.pk).first()
    if row is None:
        return
    Attempt.objects.create(delivery=row, at=now, **vars(answer))
    if (row.state, row.attempts) == (DeliveryState.SENDING, delivery.attempts):
        _move_on(row, answer, now, chance)
    _note_health(webhook, answer, now)


def _move_on(row: Delivery, answer: WebhookResponse, now: datetime, chance: float) -> None:
    found = conclude(attempt=row.attempts, status=answer.status, chance=chance)
    row.status, row.error = answer.status, answer.error
    if found.pause is not None:
        row.state, row.due_at = DeliveryState.PENDING, now + found.pause
    else:
        row.state = DeliveryState.DELIVERED if found.outcome == AttemptOutcome.DELIVERED else DeliveryState.FAILED
        row.finished_at = now
    row.save(update_fields=["state", "due_at", "status", "error", "finished_at"])


def _note_health(webhook: Webhook, answer: WebhookResponse, now: datetime) -> None:
    outcome = conclude(attempt=1, status=answer.status, chance=0).outcome
    failing_since = None if outcome == AttemptOutcome.DELIVERED else webhook.failing_since or now
    if failing_since != webhook.failing_since:
        webhook.failing_since = failing_since
        webhook.save(update_fields=["failing_since"])
    if outcome == AttemptOutcome.GONE:
        disable(webhook=webhook, reason="its receiver answered 410 Gone", now=now)
    elif failing_since and is_hopeless(failing_since=failing_since, now=now):
        disable(webhook=webhook, reason=f"nothing was taken since {failing_since:%Y-%m-%d %H:%M} UTC", now=now)


@transaction.atomic
def replay(*, delivery: Delivery, actor: Actor, now: datetime) -> Delivery:
    """Send an event once more, whatever its state; earlier attempts stay.

    Its id stays, so that a receiver that has it already does nothing. Raises WebhookInactive.
    """
    webhook = Webhook.objects.select_for_update(no_key=True).get(pk=delivery.webhook_id)
    require(actor, Permission.MANAGE_WEBHOOKS, webhook.scope)
    if not webhook.active:
        raise WebhookInactive
    row = Delivery.objects.select_for_update(no_key=True).select_related(None).get(pk=delivery.pk)
    row.state, row.attempts, row.due_at, row.finished_at = DeliveryState.PENDING, 0, now, None
    row.save(update_fields=["state", "attempts", "due_at", "finished_at"])
    facts = {"delivery": row.pk, "event": row.event}
    record(actor=actor, action="webhook.replay", target=webhook, scope=webhook.scope, after=facts)
    wake()
    return row


def fail_inactive(*, now: datetime) -> int:
    """Fail the deliveries that were created while their webhook was being switched off; return their number."""
    left = Delivery.objects.filter(state__in=OPEN).exclude(webhook__active=True, webhook__deleted_at=None)
    return left.update(state=DeliveryState.FAILED, finished_at=now, error="the webhook was switched off")


def forget(*, finished_before: datetime, deleted_before: datetime, check: Callable[[], None]) -> dict[str, int]:
    """Delete deliveries that finished before a time, and webhooks that were deleted before one, with their deliveries.

    It works in batches, each its own transaction; `check` is called between them, and may raise.
    """
    old = Delivery.objects.filter(finished_at__lt=finished_before).order_by("finished_at")
    gone = Webhook.objects.filter(deleted_at__lt=deleted_before)
    deliveries = _delete(old, check) + _delete(Delivery.objects.filter(webhook__in=gone), check)
    return {"deliveries": deliveries, "webhooks": gone.delete()[0]}


def _delete(rows: QuerySet[Delivery], check: Callable[[], None]) -> int:
    deleted = 0
    while batch := list(rows.values_list("pk", flat=True)[:BATCH]):
        check()
        _, counts = Delivery.objects.filter(pk__in=batch).delete()
        deleted += counts["webhooks_app.Delivery"]
    return deleted
