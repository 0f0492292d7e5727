"""Reading the audit log in an order that never has gaps.

Ids are drawn before transactions commit, so a lower one may appear after a higher one was read. Here entries come in
the order of (transaction, id), and only those of transactions older than every one that still runs: nothing can appear
before them any more. So an entry waits until all older transactions that write have ended.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Final

from django.db import connection
from django.db.models import Q

from accounts_app.models import AuditEntry
from accounts_app.selectors import entries_after, entries_between
from live_app.protocol import Cursor, Position
from live_app.topics import LiveEvent, Topic, events_of

LIMIT: Final = 500
"""Entries of one reading."""
MOST_MISSED: Final = 5_000
"""Entries, of whatever, that are looked through for somebody who comes back; with more, it is better to begin anew."""
RESTORED: Final = "backup.restore"

_NEWEST: Final = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text"
_NEXT: Final = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text"


@dataclass(frozen=True)
class FeedReading:
    """Entries in order, what they tell, and the position of the last. `unsettled`: others wait for transactions."""

    entries: Sequence[AuditEntry]
    events: Sequence[LiveEvent]
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


def read_after(position: Position, *, limit: int = LIMIT) -> FeedReading:
    """The settled entries after a position."""
    found = list(entries_after(astuple(position))[:limit])
    settled = [entry for entry in found if entry.settled]
    last = position_of(settled[-1]) if settled else position
    return FeedReading(settled, events_of(settled), last, len(settled) == limit, len(settled) < len(found))


def are_far_apart(after: Position, upto: Position) -> bool:
    """Whether more entries lie between than are looked through; however many there are, no more are counted."""
    return bool(entries_between(astuple(after), astuple(upto)).values_list("pk")[MOST_MISSED : MOST_MISSED + 1])


def missed(topic: Topic, after: Position, upto: Position, *, limit: int = LIMIT) -> FeedReading:
    """The settled entries of a topic after a position and up to another, at which somebody has read before."""
    found = list(entries_between(astuple(after), astuple(upto)).filter(topic.entries() or Q(pk=None))[:limit])
    last = position_of(found[-1]) if found else upto
    return FeedReading(found, events_of(found), last, len(found) == limit)


def position_of(entry: AuditEntry) -> Position:
    return Position(entry.xid, entry.pk)
