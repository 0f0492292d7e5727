"""Reading what was signed and published: tables and roots."""

import json
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from devices_app.models import App, PublishedTable, Root
from walle.protocol.signing import open_envelope
from walle.release.table import Table


def read_table(published: PublishedTable) -> Table:
    """The document of a published table, as this server wrote it."""
    return Table.from_payload(open_envelope("table", bytes(published.envelope)).payload)


def for_people(table: Table) -> dict[str, Any]:
    """A table without what only gateways need: signed assignments and salts."""
    document = table.to_dict()
    del document["assignments"]
    for entry in document["entries"]:
        del entry["salt"]
    return document


def read_root(root: Root) -> dict[str, Any]:
    """TUF root metadata as data; all of it is public."""
    metadata: dict[str, Any] = json.loads(bytes(root.metadata))
    return metadata


def published_before(moment: datetime) -> QuerySet[App]:
    """Apps whose table is older than that."""
    return App.objects.filter(table__published_at__lt=moment)
