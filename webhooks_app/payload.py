"""The body of a webhook's request: an entry of the audit log, in the form of the Standard Webhooks specification.

Entries never change, so that every attempt at an event sends the same.
"""

import json
from collections.abc import Sequence
from datetime import UTC
from typing import Any, Final
from urllib.parse import urlencode

from django.conf import settings
from django.urls import NoReverseMatch, reverse

from accounts_app.audit_types import known_model
from accounts_app.models import AuditEntry

MAX_BODY: Final = 64 * 1024


def message_id(entry: AuditEntry) -> str:
    """Return the id of the event: the same for every attempt and every webhook, and unique.

    It contains the time because a server that was restored from a backup assigns the numbers again that it lost.
    """
    return f"evt_{entry.pk}_{int(entry.at.timestamp() * 1_000_000):x}"


def body_of(entry: AuditEntry, scopes: Sequence[str]) -> bytes:
    """Return the body of the event; its facts are left out if they would make it longer than MAX_BODY."""
    body = _encoded(entry, scopes, {"before": entry.before, "after": entry.after, "truncated": False})
    if len(body) > MAX_BODY:
        body = _encoded(entry, scopes, {"before": None, "after": None, "truncated": True})
    return body


def _encoded(entry: AuditEntry, scopes: Sequence[str], facts: dict[str, Any]) -> bytes:
    data = {
        "sequence": entry.pk,
        "scopes": list(scopes),
        "actor": entry.actor_name,
        "object": {"type": entry.object_type, "id": entry.object_id, "name": entry.object_name},
        **facts,
        "request_id": entry.request_id,
        "links": _links(entry),
    }
    at = entry.at.astimezone(UTC).isoformat().replace("+00:00", "Z")
    message = {"type": entry.action, "timestamp": at, "data": data}
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


def _links(entry: AuditEntry) -> dict[str, str]:
    """Return where people and programs find more: the object's page, and its audit entries."""
    query = urlencode({"object_type": entry.object_type, "object_id": entry.object_id})
    links = {"audit": f"{settings.WALLE_PUBLIC_URL}/api/v1/audit?{query}"}
    if page := _admin_page(entry):
        links["admin"] = settings.WALLE_PUBLIC_URL + page
    return links


def _admin_page(entry: AuditEntry) -> str | None:
    model = known_model(entry.object_type)
    if model is None:
        return None
    try:
        return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_change", args=[entry.object_id])
    except NoReverseMatch:
        return None
