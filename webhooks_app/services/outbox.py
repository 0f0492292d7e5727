"""The audit log as outbox: deliveries of an entry are stored in the entry's own transaction.

So no event is lost that happened, and none is sent that was rolled back. A worker is woken once the transaction is
committed; should that fail, the periodic job finds the rows.
"""

from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import Any, Final

from django.db import transaction

from accounts_app.models import AuditEntry
from accounts_app.permissions import SITE
from jobs_app.services import enqueue
from walle.webhooks.events import is_heard
from webhooks_app.models import Delivery, Webhook

DELIVER: Final = "webhooks.deliver"


def note(*, entry: AuditEntry, scopes: Iterable[str], **_signal: Any) -> None:
    """Create deliveries of an entry for the webhooks of these scopes whose patterns match, and those of the site."""
    concerned = [scope for scope in dict.fromkeys(scopes) if scope]
    listening = Webhook.objects.filter(active=True, deleted_at=None, scope__in=[*concerned, SITE]).only("events")
    hand_over(entry, [webhook for webhook in listening if is_heard(entry.action, webhook.events)], concerned)


def hand_over(entry: AuditEntry, webhooks: Iterable[Webhook], scopes: list[str]) -> None:
    """Create deliveries of an entry for these webhooks, one each."""
    about = {"entry": entry, "event": entry.action, "scopes": scopes, "due_at": entry.at, "created_at": entry.at}
    made = Delivery.objects.bulk_create(
        [Delivery(webhook=webhook, **about) for webhook in webhooks], ignore_conflicts=True
    )
    if made:
        wake()


def wake(kind: str = DELIVER, *, at: datetime | None = None) -> None:
    """Wake a worker to send what is due, now or at a time, once the transaction is committed."""
    # Inside the transaction, all writers would wait for each other's commit, at the row of one job.
    transaction.on_commit(partial(enqueue, kind=kind, dedupe_key=kind, run_at=at), robust=True)
