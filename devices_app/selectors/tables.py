"""Read what was signed and published: tables and roots."""

import json
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zlib import decompress

from django.db.models import Min, QuerySet

from devices_app.models import App, PastTable, PublishedTable, Root
from walle.protocol.signing import open_envelope
from walle.release.table import Entry, Table

_ENTRIES: dict[int, tuple[tuple[int, datetime], Mapping[int, list[Entry]]]] = {}
"""The number and time of the table that was last read of each app, and its entries by release."""

_READ: dict[int, tuple[int, datetime, Table]] = {}
"""The number and time of the table that was last read of each app, and the table."""


def read_table(published: PublishedTable) -> Table:
    """Return the document of a published table, as this server wrote it."""
    return Table.from_payload(open_envelope("table", bytes(published.envelope)).payload)


def published_entries() -> Mapping[int, Mapping[int, list[Entry]]]:
    """Return the entries of every app's newest table, by app (primary key) and release. Tables are read only once."""
    newest = {app: when for app, *when in PublishedTable.objects.values_list("app_id", "number", "published_at")}
    stale = [app for app, when in newest.items() if app not in _ENTRIES or _ENTRIES[app][0] != tuple(when)]
    for published in PublishedTable.objects.filter(app__in=stale) if stale else ():
        found: dict[int, list[Entry]] = defaultdict(list)
        for entry in read_table(published).entries:
            found[entry.release].append(entry)
        _ENTRIES[published.app_id] = (published.number, published.published_at), dict(found)
    return {app: _ENTRIES[app][1] for app in newest if app in _ENTRIES}


def newest_table(app: App) -> tuple[Table, datetime] | None:
    """Return the app's newest table and its time of publication, read only once; None without one."""
    when = PublishedTable.objects.filter(app=app).values_list("number", "published_at").first()
    if when is None:
        return None
    if app.pk not in _READ or _READ[app.pk][:2] != when:
        published = PublishedTable.objects.get(app=app)
        _READ[app.pk] = (published.number, published.published_at, read_table(published))
    return _READ[app.pk][2], _READ[app.pk][1]


def table_in_force(app: App, moment: datetime) -> tuple[Table, datetime] | None:
    """Return what was released to an app at a moment, without assignments, and since when; None if it is not kept."""
    kept = PastTable.objects.filter(app=app, published_at__lte=moment).order_by("-published_at", "-id").first()
    return (Table.from_payload(decompress(bytes(kept.content))), kept.published_at) if kept else None


def oldest_table(app: App) -> datetime | None:
    """Return from when on it is kept what was released to an app."""
    oldest: datetime | None = PastTable.objects.filter(app=app).aggregate(oldest=Min("published_at"))["oldest"]
    return oldest


def for_people(table: Table) -> dict[str, Any]:
    """Return a table without what only gateways need: signed assignments and salts."""
    document = table.to_dict()
    del document["assignments"]
    for entry in document["entries"]:
        del entry["salt"]
    return document


def read_root(root: Root) -> dict[str, Any]:
    """Return TUF root metadata as data; all of it is public."""
    metadata: dict[str, Any] = json.loads(bytes(root.metadata))
    return metadata


def published_before(moment: datetime) -> QuerySet[App]:
    """Return the apps whose table is older than that."""
    return App.objects.filter(table__published_at__lt=moment)
