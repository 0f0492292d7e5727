"""Write facts: what an app declares about its devices and users, and what the cloud holds about users."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max

from accounts_app.actors import Actor
from accounts_app.permissions import Permission, require
from accounts_app.services.audit import record
from devices_app.exceptions import InUse
from devices_app.models import App, AppFact, PastUserFacts, UserFacts
from devices_app.scopes import app_scope
from devices_app.selectors.device_ids import refused_ids
from devices_app.selectors.tables import published_entries
from devices_app.services.revisions import announce_change, lock_publication
from walle.protocol.documents import check_facts
from walle.protocol.errors import DocumentMalformed
from walle.protocol.names import NEW_DEVICE_ID
from walle.release.rules import FACT_TYPES, facts_in

MAX_AT_ONCE: Final = 10_000
_ORDER: Final = timedelta(microseconds=1)


@transaction.atomic
def declare_fact(
    *,
    app: App,
    name: str,
    type: str,
    source: str,
    actor: Actor,
    values: list[str] | None = None,
    description: str = "",
) -> AppFact:
    """Declare a fact that rules may use, or change its declaration.

    Raises ValidationError, or InUse if its type would change while a release in the app's table uses it.
    """
    scope = app_scope(app.slug)
    require(actor, Permission.MANAGE_KEYS, scope)
    row = AppFact.objects.filter(app=app, name=name, source=source).first() or AppFact(
        app=app, name=name, source=source
    )
    before = _audit_facts(row) if row.pk else None
    if before and row.type != type:
        _check_unused(row)
    row.type, row.values, row.description = type, values or [], description
    row.full_clean()
    row.save()
    if before != _audit_facts(row):
        record(actor=actor, action="fact.declare", target=row, scope=scope, before=before, after=_audit_facts(row))
    return row


@transaction.atomic
def withdraw_fact(*, fact: AppFact, actor: Actor) -> None:
    """Withdraw a declaration. Raises InUse while a release in the app's table uses the fact."""
    scope = app_scope(fact.app.slug)
    require(actor, Permission.MANAGE_KEYS, scope)
    _check_unused(fact)
    record(actor=actor, action="fact.withdraw", target=fact, scope=scope, before=_audit_facts(fact))
    fact.delete()


def _audit_facts(fact: AppFact) -> dict[str, Any]:
    return {"name": fact.full_name, "type": fact.type, "values": fact.values, "description": fact.description}


def _check_unused(fact: AppFact) -> None:
    for release, entries in published_entries().get(fact.app_id, {}).items():
        if any(fact.full_name in facts_in(entry.rule) for entry in entries):
            raise InUse(f"Release {release} asks for this fact.")


@transaction.atomic
def set_user_facts(*, app: App, facts: Mapping[str, Mapping[str, Any] | None], actor: Actor, now: datetime) -> int:
    """Hold facts about the users of devices, replacing all facts of each device; None or {} deletes them.

    They count in rules (`user.<name>`) and for exclusive files, and take precedence over those in the device's
    credential. Returns how many devices changed. Raises ValidationError.
    """
    scope = app_scope(app.slug)
    require(actor, Permission.ISSUE_CREDENTIALS, scope)
    _check_users(app, facts)
    # Serialized, so that times order the changes: from them gateways know what to read again.
    lock_publication()
    known = {row.device: row for row in UserFacts.objects.filter(app=app, device__in=facts)}
    before = {device: row.facts for device, row in known.items()}
    changed = {device: dict(held or {}) for device, held in facts.items() if before.get(device, {}) != (held or {})}
    if changed:
        _hold(app, changed, known, now)
        names = sorted({name for held in changed.values() for name in held})
        record(
            actor=actor,
            action="user_facts.set",
            target=app,
            scope=scope,
            after={"devices": len(changed), "some": sorted(changed)[:20], "facts": names},
        )
        announce_change()
    return len(changed)


def _hold(app: App, changed: Mapping[str, Mapping[str, Any]], known: Mapping[str, UserFacts], now: datetime) -> None:
    newest = UserFacts.objects.filter(app=app).aggregate(newest=Max("updated_at"))["newest"]
    at = max(now, newest + _ORDER) if newest else now
    past = [
        PastUserFacts(app=app, device=device, facts=row.facts, since=row.updated_at, until=at)
        if (row := known.get(device))
        else PastUserFacts(app=app, device=device, facts={}, since=None, until=at)
        for device in changed
    ]
    PastUserFacts.objects.bulk_create(past, batch_size=1000)
    UserFacts.objects.filter(app=app, device__in=[device for device, held in changed.items() if not held]).delete()
    rows = [UserFacts(app=app, device=device, facts=held, updated_at=at) for device, held in changed.items() if held]
    UserFacts.objects.bulk_create(
        rows,
        batch_size=1000,
        update_conflicts=True,
        unique_fields=["app", "device"],
        update_fields=["facts", "updated_at"],
    )


def _check_users(app: App, facts: Mapping[str, Mapping[str, Any] | None]) -> None:
    if len(facts) > MAX_AT_ONCE:
        raise ValidationError({"facts": f"Expected at most {MAX_AT_ONCE} devices at once, found {len(facts)}."})
    declared = {fact.name: fact for fact in AppFact.objects.filter(app=app, source=AppFact.Source.USER)}
    if refused := refused_ids(app, facts):
        raise ValidationError({"facts": f"Expected device ids: {NEW_DEVICE_ID}, found {refused[0]!r:.80}."})
    for device, held in facts.items():
        for name, value in (held or {}).items():
            _check_fact(declared.get(name), f"facts.{device}.{name}", value)
        try:
            check_facts(held or {})
        except DocumentMalformed as error:
            raise ValidationError({f"facts.{device}": str(error)}) from error


def _check_fact(declared: AppFact | None, path: str, value: object) -> None:
    if declared is None:
        raise ValidationError({path: "Expected a declared fact about users: declare it first."})
    fact_type = FACT_TYPES[declared.type]
    if not fact_type.fits(value):
        raise ValidationError({path: f"Expected {fact_type.expected}, found {value!r:.80}."})
    if declared.values and value not in declared.values:
        raise ValidationError({path: f"Expected one of {', '.join(declared.values)}, found {value!r:.80}."})
