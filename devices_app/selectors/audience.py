"""Read id lists and held facts, which may be large, and read again only what changed.

Every change of a list, and every change of a device's facts, has a later time than the one before
(devices_app.services.audience ensures it), so that times and counts show what is new.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Max

from devices_app.models import IdList, IdListMember, UserFacts


class _List(NamedTuple):
    pk: int
    updated_at: datetime
    devices: frozenset[str]


@dataclass(frozen=True)
class Held:
    """The facts that the cloud holds about the users of an app, by device."""

    count: int = 0
    newest: datetime | None = None
    facts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


class AudienceReader:
    """Reads lists and facts, remembering what it read last. All queries of one reading must see the same snapshot."""

    def __init__(self) -> None:
        self._lists: dict[tuple[int, str], _List] = {}
        self._held: dict[int, Held] = {}

    def lists(self, app_id: int, names: Collection[str]) -> dict[str, frozenset[str]]:
        """Return the app's existing id lists among these names; an unchanged list is the same object as before."""
        found = {}
        rows = IdList.objects.filter(app=app_id, name__in=names) if names else ()
        for row in rows:
            known = self._lists.get((app_id, row.name))
            if known is None or (known.pk, known.updated_at) != (row.pk, row.updated_at):
                devices = IdListMember.objects.filter(id_list=row).values_list("device", flat=True)
                known = self._lists[app_id, row.name] = _List(row.pk, row.updated_at, frozenset(devices.iterator()))
            found[row.name] = known.devices
        return found

    def held(self) -> dict[int, Held]:
        """Return the held facts of every app that has any, by primary key."""
        rows = UserFacts.objects.order_by().values("app").annotate(count=Count("*"), newest=Max("updated_at"))
        nothing = Held()
        self._held = {row["app"]: _refreshed(self._held.get(row["app"], nothing), **row) for row in rows}
        return self._held


def _refreshed(known: Held, app: int, count: int, newest: datetime) -> Held:
    if (known.count, known.newest) == (count, newest):
        return known
    rows = UserFacts.objects.filter(app=app).values_list("device", "facts")
    changed = rows.filter(updated_at__gt=known.newest) if known.newest else rows
    facts = {**known.facts, **dict(changed.iterator())}
    if len(facts) != count:  # some were deleted
        facts = dict(rows.iterator())
    return Held(count, newest, facts)
