"""Reading the audit log in an order that never has gaps.

Ids are drawn before transactions commit, so a lower one may appear after a higher one was read. Here entries come in
the order of (transaction, id), and only those of transactions older than every one that still runs: nothing can appear
before them any more. So an entry waits until all older transactions that write have ended.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db import connection
from django.db.models import Q

from accounts_app.models import AuditEntry
from live_app.protocol import Cursor, Position
from live_app.topics import Event, Topic, events_of

LIMIT: Final = 500
"""Entries of one reading."""
MOST_MISSED: Final = 5_000
"""Entries, of whatever, that are looked through for somebody who comes back; with more, it is better to begin anew."""
RESTORED: Final = "backup.restore"

_NEWEST: Final = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text"
_NEXT: Final = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text"
# `xid > '0'` says what follows from the first condition, so that the index is used, which has no others.
_AFTER: Final = """
SELECT *, xid < pg_snapshot_xmin(pg_current_snapshot()) AS settled FROM accounts_app_auditentry
WHERE (xid, id) > (%s::text::xid8, %s) AND xid > '0' ORDER BY xid, id LIMIT %s
"""
_BETWEEN: Final = "(xid, id) > (%s::text::xid8, %s) AND (xid, id) <= (%s::text::xid8, %s) AND xid > '0'"
_NOT_ALL: Final = f"SELECT 1 FROM accounts_app_auditentry WHERE {_BETWEEN} ORDER BY xid, id OFFSET %s LIMIT 1"  # noqa: S608


@dataclass(frozen=True)
class Reading:
    """Entries in order, what they tell, and the position of the last. `unsettled`: others wait for transactions."""

    entries: Sequence[AuditEntry]
    events: Sequence[Event]
    position: Position
    is_full: bool
    unsettled: bool = False


def newest() -> Cursor:
    """Everything that is committed from now on comes after this."""
    return Cursor(era(), Position(_transaction(_NEWEST), 0))


def is_known(cursor: Cursor) -> bool:
    """Whether this database gave the cursor: not another one, from which it was restored or which it stands in for."""
    return cursor.era == era() and cursor.position.xid <= _transaction(_NEXT)


def _transaction(asked: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(asked)
        return int(cursor.fetchone()[0])


def era() -> int:
    """When this database was last restored from a backup, in microseconds; 0 if never. Cursors end with their era."""
    restored = AuditEntry.objects.filter(action=RESTORED).order_by("-id").values_list("at", flat=True).first()
    return 0 if restored is None else int(restored.timestamp() * 1_000_000)


def read_after(position: Position, *, limit: int = LIMIT) -> Reading:
    """The settled entries after a position."""
    found = list(AuditEntry.objects.raw(_AFTER, [str(position.xid), position.id, limit]))
    settled = [entry for entry in found if entry.settled]
    last = position_of(settled[-1]) if settled else position
    return Reading(settled, events_of(settled), last, len(settled) == limit, len(settled) < len(found))


def are_far_apart(after: Position, upto: Position) -> bool:
    """Whether more entries lie between than are looked through; however many there are, no more are counted."""
    with connection.cursor() as cursor:
        cursor.execute(_NOT_ALL, [*_between(after, upto), MOST_MISSED])
        return cursor.fetchone() is not None


def missed(topic: Topic, after: Position, upto: Position, *, limit: int = LIMIT) -> Reading:
    """The settled entries of a topic after a position and up to another, at which somebody has read before."""
    wanted = AuditEntry.objects.filter(topic.entries() or Q(pk=None))
    # xid8 has no operators of Django's; there is no other way to compare rows.
    rows = wanted.extra(where=[_BETWEEN], params=_between(after, upto)).order_by("xid", "id")  # noqa: S610
    found = list(rows[:limit])
    last = position_of(found[-1]) if found else upto
    return Reading(found, events_of(found), last, len(found) == limit)


def _between(after: Position, upto: Position) -> list[str | int]:
    return [str(after.xid), after.id, str(upto.xid), upto.id]


def position_of(entry: AuditEntry) -> Position:
    return Position(entry.xid, entry.pk)
