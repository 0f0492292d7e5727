"""Read the audit log in an order without gaps.

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
"""Maximum number of entries per read."""
MOST_MISSED: Final = 5_000
"""Maximum number of entries that are searched for a returning client; after more, the client starts over."""
RESTORED: Final = "backup.restore"

_NEWEST: Final = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text"
_NEXT: Final = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text"


@dataclass(frozen=True)
class FeedReading:
    """Entries in order, their events, and the position of the last. `unsettled`: others wait for transactions."""

    entries: Sequence[AuditEntry]
    events: Sequence[LiveEvent]
    position: Position
    is_full: bool
    unsettled: bool = False


def newest() -> Cursor:
    """Return a cursor before everything that is committed from now on."""
    return Cursor(era(), Position(_transaction(_NEWEST), 0))


def is_known(cursor: Cursor) -> bool:
    """Return whether this database issued the cursor, not one from before a restoration or a replacement."""
    return cursor.era == era() and cursor.position.xid <= _transaction(_NEXT)


def _transaction(sql: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return int(cursor.fetchone()[0])


def era() -> int:
    """Return when this database was last restored from a backup, in microseconds; 0 if never. Cursors contain it."""
    restored = AuditEntry.objects.filter(action=RESTORED).order_by("-id").values_list("at", flat=True).first()
    return 0 if restored is None else int(restored.timestamp() * 1_000_000)


def read_after(position: Position, *, limit: int = LIMIT) -> FeedReading:
    """Return the settled entries after a position."""
    found = list(entries_after(astuple(position))[:limit])
    settled = [entry for entry in found if entry.settled]
    last = position_of(settled[-1]) if settled else position
    return FeedReading(settled, events_of(settled), last, len(settled) == limit, len(settled) < len(found))


def are_far_apart(after: Position, upto: Position) -> bool:
    """Return whether more than MOST_MISSED entries lie between two positions, without counting further."""
    return bool(entries_between(astuple(after), astuple(upto)).values_list("pk")[MOST_MISSED : MOST_MISSED + 1])


def missed(topic: Topic, after: Position, upto: Position, *, limit: int = LIMIT) -> FeedReading:
    """Return the settled entries of a topic after a position and up to another one that was read before."""
    found = list(entries_between(astuple(after), astuple(upto)).filter(topic.entries() or Q(pk=None))[:limit])
    last = position_of(found[-1]) if found else upto
    return FeedReading(found, events_of(found), last, len(found) == limit)


def position_of(entry: AuditEntry) -> Position:
    return Position(entry.xid, entry.pk)
