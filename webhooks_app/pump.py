"""Send due deliveries, many requests at a time from one worker process.

Slow receivers delay neither each other nor other jobs.
"""

import asyncio
import random
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import structlog
from asgiref.sync import sync_to_async

from jobs_app.runner import Clock
from kit.encryption import decrypt
from walle.webhooks.signatures import signed_headers
from webhooks_app.models import Delivery, Webhook
from webhooks_app.payload import body_of, message_id
from webhooks_app.sending import WebhookResponse, WebhookSender
from webhooks_app.services.deliveries import claim, settle

log = structlog.get_logger(__name__)

MOST_AT_ONCE: Final = 100
# Seconds between two checks for new deliveries while requests are in progress.
POLL_S: Final = 0.2
# Seconds after which other jobs have their turn, when the requests in progress have ended.
TURN_S: Final = 20.0


@dataclass(frozen=True)
class ClaimedDelivery:
    """A claimed delivery, and what is to be sent."""

    delivery: Delivery
    headers: dict[str, str]
    body: bytes


async def send_due(sender: WebhookSender, clock: Clock, *, turn_s: float = TURN_S) -> int:
    """Send due deliveries until there are none, or the time is over; return the number of requests."""
    loop, sent = asyncio.get_running_loop(), 0
    end = loop.time() + turn_s
    flights: dict[asyncio.Task[WebhookResponse], ClaimedDelivery] = {}
    while True:
        if loop.time() < end:
            for order in await sync_to_async(_claim_due)(clock(), MOST_AT_ONCE - len(flights)):
                request = sender.send(order.delivery.webhook.url, order.headers, order.body)
                flights[asyncio.create_task(request)] = order
        if not flights:
            return sent
        landed, _ = await asyncio.wait(flights, timeout=POLL_S, return_when=asyncio.FIRST_COMPLETED)
        for flight in landed:
            await sync_to_async(_land)(flights.pop(flight).delivery, flight.result(), clock())
        sent += len(landed)


def _claim_due(now: datetime, limit: int) -> list[ClaimedDelivery]:
    orders = []
    for delivery in claim(now=now, limit=limit):
        try:
            orders.append(_prepare(delivery, now))
        except Exception as error:
            # For example, a secret that cannot be decrypted: the others must not wait for it.
            log.exception("webhook cannot be sent", webhook=delivery.webhook_id, delivery=delivery.pk)
            _land(delivery, WebhookResponse(duration_ms=0, error=f"{type(error).__name__}: {error}"[:300]), now)
    return orders


def _prepare(delivery: Delivery, now: datetime) -> ClaimedDelivery:
    body = body_of(delivery.entry, delivery.scopes)
    signed = signed_headers(
        secrets=_secrets(delivery.webhook, now), message=message_id(delivery.entry), at=now, body=body
    )
    return ClaimedDelivery(
        delivery, {"content-type": "application/json", "user-agent": "Walle-Webhooks/1", **signed}, body
    )


def _secrets(webhook: Webhook, now: datetime) -> list[str]:
    """Return the secret, and during a rotation the previous one."""
    encrypted = [webhook.sealed_secret]
    if webhook.sealed_previous and webhook.previous_until and now < webhook.previous_until:
        encrypted.append(webhook.sealed_previous)
    return [decrypt(bytes(each)).decode() for each in encrypted]


def _land(delivery: Delivery, answer: WebhookResponse, now: datetime) -> None:
    settle(delivery=delivery, answer=answer, now=now, chance=random.random())  # noqa: S311 (spreads retries)
    log.info(
        "webhook sent",
        webhook=delivery.webhook_id,
        delivery=delivery.pk,
        webhook_event=delivery.event,
        attempt=delivery.attempts,
        status=answer.status,
        error=answer.error,
        duration_ms=answer.duration_ms,
        request_id=delivery.entry.request_id,
    )
