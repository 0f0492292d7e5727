"""Acknowledge what needs attention, and take that back."""

from dataclasses import replace
from datetime import datetime

from django.db import transaction

from accounts_app.actors import Actor
from accounts_app.permissions import SITE, Permission, require
from accounts_app.services.audit import record
from devices_app.attention import Concern
from devices_app.models import Acknowledgement


@transaction.atomic
def acknowledge(*, concern: Concern, note: str, actor: Actor, now: datetime) -> Concern:
    """Acknowledge a concern, for everybody who sees it; an earlier acknowledgement is replaced."""
    require(actor, Permission.ACKNOWLEDGE, concern.scope or SITE)
    row, _ = Acknowledgement.objects.update_or_create(
        kind=concern.kind,
        target=concern.target,
        title=concern.title,
        defaults={"note": note, "by": actor.name, "at": now},
    )
    record(
        actor=actor,
        action="concern.acknowledge",
        target=row,
        scope=concern.scope,
        after={"target": concern.target, "reason": concern.reason, "note": note},
    )
    return replace(concern, acknowledged=row)


@transaction.atomic
def reopen(*, concern: Concern, actor: Actor) -> Concern:
    """Take the acknowledgement of a concern back; one that has none is left as it is."""
    require(actor, Permission.ACKNOWLEDGE, concern.scope or SITE)
    row = concern.acknowledged
    if row is not None:
        record(
            actor=actor,
            action="concern.reopen",
            target=row,
            scope=concern.scope,
            before={"target": concern.target, "note": row.note, "by": row.by},
        )
        Acknowledgement.objects.filter(pk=row.pk).delete()
    return replace(concern, acknowledged=None)
