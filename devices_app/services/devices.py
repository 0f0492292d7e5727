"""Revoke and reinstate single devices."""

from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts_app.actors import Actor
from accounts_app.permissions import Permission, require
from accounts_app.services.audit import record
from devices_app.models import Device
from devices_app.scopes import app_scope
from devices_app.services.revisions import announce_change


@transaction.atomic
def revoke(*, device: Device, actor: Actor, now: datetime, reason: str) -> Device:
    """Revoke a device: its credential is no longer valid and it cannot enrol again under its id.

    Raises ValidationError without a reason.
    """
    require(actor, Permission.MANAGE_KEYS, app_scope(device.app.slug))
    if not reason.strip():
        raise ValidationError({"reason": "expected why you revoke it: it gets no version any more, and no rollback"})
    return _set_revoked(device, actor, now, "device.revoke", {"reason": reason})


@transaction.atomic
def reinstate(*, device: Device, actor: Actor) -> Device:
    """Reinstate a revoked device."""
    return _set_revoked(device, actor, None, "device.reinstate")


def _set_revoked(
    device: Device, actor: Actor, revoked_at: datetime | None, action: str, after: dict[str, str] | None = None
) -> Device:
    scope = app_scope(device.app.slug)
    require(actor, Permission.MANAGE_KEYS, scope)
    stale = Device.objects.filter(pk=device.pk, revoked_at__isnull=revoked_at is not None)
    if stale.update(revoked_at=revoked_at):
        record(actor=actor, action=action, target=device, scope=scope, after=after)
        announce_change()
    device.refresh_from_db()
    return device
