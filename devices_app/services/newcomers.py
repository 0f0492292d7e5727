"""Revoke all devices that registered in a time range with an app key alone, as after a leak of that key."""

from collections.abc import Callable
from datetime import datetime
from typing import Final

from django.core.exceptions import ValidationError
from django.db import connection, transaction

from accounts_app.actors import Actor
from accounts_app.permissions import Permission, require
from accounts_app.services.audit import record
from devices_app.models import App
from devices_app.scopes import app_scope
from devices_app.selectors.newcomers import REINSTATED, REVOKED, FirstSeenRange, newcomers
from devices_app.services.revisions import announce_change
from jobs_app.services import enqueue

JOB: Final = "devices.revoke-newcomers"
PORTION: Final = 5_000

# Locked in the order of their keys, as when check-ins are stored.
_SET = """
WITH locked AS MATERIALIZED (
    SELECT id FROM devices_app_device WHERE id = ANY(%(ids)s) ORDER BY app_id, device FOR NO KEY UPDATE
)
UPDATE devices_app_device device SET revoked_at = %(revoked_at)s FROM locked
WHERE device.id = locked.id AND (device.revoked_at IS NULL) = (%(revoked_at)s::timestamptz IS NOT NULL)
"""


@transaction.atomic
def revoke_newcomers(*, app: App, span: FirstSeenRange, actor: Actor, now: datetime, reason: str) -> int:
    """Have a job revoke the devices that registered in a time range and that nobody vouches for; return their number.

    Their credentials are no longer valid, and they cannot enrol again under their ids. Raises ValidationError.
    """
    return _enqueue(app, span, actor, now, revoked_at=now, reason=reason)


@transaction.atomic
def reinstate_newcomers(*, app: App, span: FirstSeenRange, actor: Actor, now: datetime) -> int:
    """Have a job reinstate them, including those revoked singly; return their number. Raises ValidationError."""
    return _enqueue(app, span, actor, now, revoked_at=None)


def _enqueue(
    app: App, span: FirstSeenRange, actor: Actor, now: datetime, *, revoked_at: datetime | None, reason: str = ""
) -> int:
    scope = app_scope(app.slug)
    require(actor, Permission.MANAGE_KEYS, scope)
    if not span.since < span.before <= now:
        raise ValidationError({"first_seen_since": "Expected a time that lies before the end, and that in the past."})
    devices = newcomers(app.pk, span, revoked=revoked_at is None).count()
    if revoked_at is not None and not reason.strip():
        raise ValidationError({"reason": f"expected why you revoke {devices} devices"})
    after = {**span.written(), "devices": devices, **({"reason": reason} if reason else {})}
    record(actor=actor, action=REVOKED if revoked_at else REINSTATED, target=app, scope=scope, after=after)
    arguments = {"app": app.pk, **span.written(), "revoked_at": revoked_at and revoked_at.isoformat()}
    enqueue(kind=JOB, arguments=arguments, now=now)
    return devices


def set_revoked(*, app: int, span: FirstSeenRange, revoked_at: datetime | None, check: Callable[[], None]) -> int:
    """Revoke the newcomers of an app (primary key), or reinstate them, in portions; return their number.

    `check` is called between two portions and may raise to stop; another call does the rest.
    """
    changed: int = 0
    left = newcomers(app, span, revoked=revoked_at is None).order_by("-first_seen", "-id").values_list("id", flat=True)
    while True:
        check()
        with transaction.atomic(), connection.cursor() as cursor:
            ids = list(left[:PORTION])
            cursor.execute(_SET, {"ids": ids, "revoked_at": revoked_at})
            changed += cursor.rowcount
            if cursor.rowcount:
                announce_change()
        if len(ids) < PORTION:
            return changed
