"""Write id lists: the devices of beta groups, and single devices, by their ids."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Final

from django.core.exceptions import ValidationError
from django.db import connection, transaction

from accounts_app.actors import Actor
from accounts_app.permissions import Permission, require
from accounts_app.services.audit import record
from devices_app.exceptions import InUse
from devices_app.models import App, IdList, IdListMember
from devices_app.scopes import app_scope
from devices_app.selectors.device_ids import refused_ids
from devices_app.selectors.tables import published_entries
from devices_app.services.revisions import announce_change
from walle.protocol.names import DEVICE_ID_PATTERN, NEW_DEVICE_ID
from walle.release.rules import lists_in

MAX_IDS: Final = 100_000
_ADD = """
INSERT INTO devices_app_idlistmember (id_list_id, device) SELECT %s, device FROM unnest(%s::text[]) given (device)
ON CONFLICT (id_list_id, device) DO NOTHING
"""
_REMOVE = "DELETE FROM devices_app_idlistmember WHERE id_list_id = %s AND device = ANY (%s::text[])"
_KEEP = """
DELETE FROM devices_app_idlistmember member WHERE id_list_id = %s
AND NOT EXISTS (SELECT FROM unnest(%s::text[]) given (device) WHERE given.device = member.device)
"""
_ORDER: Final = timedelta(microseconds=1)


@transaction.atomic
def put_list(
    *, app: App, name: str, devices: Iterable[str], actor: Actor, now: datetime, description: str | None = None
) -> IdList:
    """Replace the devices of a list, which is created if it does not exist. Raises ValidationError."""
    require(actor, Permission.RELEASE, app_scope(app.slug))
    ids = new_ids(app, devices)
    id_list = _locked(app, name) or _made(app, name, actor, now)
    if description is not None and id_list.description != description:
        id_list.description = description
        id_list.full_clean()
        id_list.save(update_fields=["description"])
    return _changed(id_list, "list.put", actor, now, lambda: (_run(_KEEP, id_list, ids), _run(_ADD, id_list, ids)))


@transaction.atomic
def add_to_list(*, id_list: IdList, devices: Iterable[str], actor: Actor, now: datetime) -> IdList:
    """Add devices to a list; those already in it change nothing. Raises ValidationError."""
    require(actor, Permission.RELEASE, app_scope(id_list.app.slug))
    ids = new_ids(id_list.app, devices)
    found = IdList.objects.select_for_update().get(pk=id_list.pk)
    return _changed(found, "list.add", actor, now, lambda: (0, _run(_ADD, found, ids)))


@transaction.atomic
def remove_from_list(*, id_list: IdList, devices: Iterable[str], actor: Actor, now: datetime) -> IdList:
    """Remove devices from a list; those not in it change nothing. Raises ValidationError."""
    require(actor, Permission.RELEASE, app_scope(id_list.app.slug))
    ids = checked_ids(devices)
    found = IdList.objects.select_for_update().get(pk=id_list.pk)
    return _changed(found, "list.remove", actor, now, lambda: (_run(_REMOVE, found, ids), 0))


@transaction.atomic
def delete_list(*, id_list: IdList, actor: Actor) -> None:
    """Delete a list. Raises InUse while a release in the app's table uses it."""
    scope = app_scope(id_list.app.slug)
    require(actor, Permission.RELEASE, scope)
    for release, entries in published_entries().get(id_list.app_id, {}).items():
        if any(id_list.name in lists_in(entry.rule) for entry in entries):
            raise InUse(f"Release {release} asks for this list: empty it instead.")
    record(actor=actor, action="list.delete", target=id_list, scope=scope, before={"name": id_list.name})
    id_list.delete()
    announce_change()


def _locked(app: App, name: str) -> IdList | None:
    return IdList.objects.select_for_update().filter(app=app, name=name).first()


def _made(app: App, name: str, actor: Actor, now: datetime) -> IdList:
    id_list = IdList(app=app, name=name, updated_at=now, updated_by=actor.name)
    id_list.full_clean()
    id_list.save()
    record(actor=actor, action="list.create", target=id_list, scope=app_scope(app.slug), after={"name": name})
    announce_change()
    return id_list


def _changed(
    id_list: IdList, action: str, actor: Actor, now: datetime, change: Callable[[], tuple[int, int]]
) -> IdList:
    """Make a change; if it changed anything, announce it to gateways and write it to the audit log."""
    removed, added = change()
    size = IdListMember.objects.filter(id_list=id_list).count()
    if size > MAX_IDS:
        raise ValidationError({"devices": f"Expected at most {MAX_IDS} devices in a list, found {size}."})
    if removed or added:
        # Later than the previous change, whatever the clock says: from it gateways know what to read again.
        id_list.updated_at, id_list.updated_by = max(now, id_list.updated_at + _ORDER), actor.name
        id_list.size = size
        id_list.save(update_fields=["updated_at", "updated_by", "size"])
        after = {"name": id_list.name, "added": added, "removed": removed, "size": size}
        record(actor=actor, action=action, target=id_list, scope=app_scope(id_list.app.slug), after=after)
        announce_change()
    return id_list


def _run(statement: str, id_list: IdList, ids: list[str]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, [id_list.pk, ids])
        return int(cursor.rowcount)


def new_ids(app: App, devices: Iterable[str]) -> list[str]:
    """Return ids that are to be in a list of the app, without duplicates; raises ValidationError that names one.

    One that begins with "-" has to be that of a device which the app has: no new device has such an id.
    """
    ids = checked_ids(devices)
    if refused := refused_ids(app, ids):
        place = ids.index(str(refused[0]))
        raise ValidationError({"devices": f"Expected {NEW_DEVICE_ID} at place {place}, found {refused[0]!r:.80}."})
    return ids


def checked_ids(devices: Iterable[str]) -> list[str]:
    """Return the ids without duplicates; raises ValidationError that names the invalid one."""
    ids = list(dict.fromkeys(devices))
    if len(ids) > MAX_IDS:
        raise ValidationError({"devices": f"Expected at most {MAX_IDS} devices in a list, found {len(ids)}."})
    for position, device in enumerate(ids):
        if not (isinstance(device, str) and DEVICE_ID_PATTERN.fullmatch(device)):
            expected = "1 to 64 of A-Z, a-z, 0-9, _ and -"
            raise ValidationError({"devices": f"Expected {expected} at place {position}, found {device!r:.80}."})
    return ids
