"""Store the features that gateways received: durably, each exactly once, in one transaction per group.

What all gateways of a fleet would wait for in turn while the disk writes is kept out of that transaction: counts are
added to a row of this connection's own, and NOTIFY, which PostgreSQL lets only one transaction do at a time, comes
after it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import psycopg
from django.db import connection, transaction
from psycopg import errors

from devices_app.models import FeaturePosition
from devices_app.services.feature_counts import FeatureArrival, add_counts
from devices_app.services.feature_partitions import make_partitions
from walle.gateway.feature_checks import check_features, storable_time
from walle.gateway.ports import FeatureRefused, ReceivedFeature

CHANNEL: Final = "walle_features"
"""PostgreSQL's channel on which is announced that features were stored."""

_PLACE: Final = re.compile(r"^COPY devices_app_feature\D*(\d+)", re.MULTILINE)

# Locks the positions in the order of their key, so that two gateways with the same devices cannot deadlock. A position
# that another transaction is writing is waited for, and `before` is what that one left.
_ADVANCE: Final = """
WITH advanced AS (
    INSERT INTO devices_app_featureposition AS held (app_id, device, spool, sequence, updated_at)
    SELECT app.id, new.device, new.spool, new.sequence, now()
    FROM unnest(%s::text[], %s::text[], %s::bytea[], %s::bigint[]) AS new (slug, device, spool, sequence)
    JOIN devices_app_app app USING (slug)
    ORDER BY app.id, new.device COLLATE "C", new.spool
    ON CONFLICT (app_id, device, spool) DO UPDATE SET
        before = held.sequence, sequence = greatest(held.sequence, EXCLUDED.sequence), updated_at = EXCLUDED.updated_at
    RETURNING app_id, device, spool, before
)
SELECT app.id, app.slug, device, spool, before FROM advanced JOIN devices_app_app app ON app.id = app_id
"""
_COLUMNS: Final = (
    *("app_id", "device", "spool", "sequence", "task", "version", "manifest", "at", "tracked_at", "received_at"),
    *("answer_by", "raw_bytes", "wire_bytes", '"values"'),
)
_COPY: Final = f"COPY devices_app_feature ({', '.join(_COLUMNS)}) FROM STDIN"
# A hint that is lost in a crash costs a second: nobody waits for the disk.
_ANNOUNCE: Final = f"SELECT set_config('synchronous_commit', 'off', true); NOTIFY {CHANNEL}"


class SpoolKey(NamedTuple):
    """A spool of a device of an app (its slug): where sequences count."""

    app: str
    device: str
    spool: bytes


def stored_position(app: str, device: str, spool: bytes) -> int:
    """Return the highest sequence stored of a spool; 0 if none is."""
    found = FeaturePosition.objects.filter(app__slug=app, device=device, spool=spool)
    return found.values_list("sequence", flat=True).first() or 0


def store_features(features: Sequence[ReceivedFeature]) -> None:
    """Store features, each once: those at or below the position of their spool change nothing.

    Features of apps that do not exist are left out. Raises FeatureRefused for one that PostgreSQL cannot hold; then
    nothing is stored.
    """
    check_features(features)
    if not features:
        return
    try:
        stored = _store(features)
    except errors.CheckViolation:
        make_partitions({storable_time(each.received_at).date() for each in features})
        stored = _store(features)
    if stored:
        with connection.cursor() as cursor:
            cursor.execute(_ANNOUNCE)


@transaction.atomic
def _store(features: Sequence[ReceivedFeature]) -> bool:
    """Store the features that are new in one transaction; return whether there were any."""
    spools: dict[SpoolKey, int] = {}
    for each in features:
        key = SpoolKey(each.app, each.device, each.spool)
        spools[key] = max(spools.get(key, 0), each.sequence)
    with connection.cursor() as cursor:
        cursor.execute(_ADVANCE, [*map(list, zip(*spools, strict=True)), list(spools.values())])
        rows = cursor.fetchall()
        apps = {slug: app for app, slug, *_ in rows}
        reached = {SpoolKey(slug, device, bytes(spool)): before for _, slug, device, spool, before in rows}
        new = list(_new(features, reached))
        if new:
            _copy(cursor, [(place, features[place]) for place in new], apps)
            add_counts(_counted(features[place], apps) for place in new)
    return bool(new)


def _new(features: Sequence[ReceivedFeature], reached: dict[SpoolKey, int]) -> Iterator[int]:
    """Yield the places of the features above the position of their spool, each sequence once; advances positions.

    A spool without a position is of an app that does not exist.
    """
    for place, each in enumerate(features):
        key = SpoolKey(each.app, each.device, each.spool)
        if key in reached and each.sequence > reached[key]:
            reached[key] = each.sequence
            yield place


def _copy(cursor: Any, placed: Iterable[tuple[int, ReceivedFeature]], apps: Mapping[str, int]) -> None:
    places, lines = [], []
    for place, each in placed:
        places.append(place)
        lines.append(_line(each, apps[each.app]))
    try:
        with cursor.copy(_COPY) as copy:
            copy.write(b"".join(lines))
    except (psycopg.DataError, errors.StatementTooComplex) as error:
        found = _PLACE.search(error.diag.context or "")
        if found is None:
            raise
        raise FeatureRefused(places[int(found[1]) - 1], str(error.diag.message_primary)) from error


def _line(feature: ReceivedFeature, app: int) -> bytes:
    """Return a feature as a line of COPY's text format."""
    texts = (feature.device, f"\\x{feature.spool.hex()}", str(feature.sequence), feature.task, feature.version)
    times = (_time(feature.at), _time(feature.tracked_at), _time(feature.received_at))
    head = (str(app), *texts, feature.manifest, *times)
    cells = [_cell(text.encode()) for text in head]
    cells.append(b"\\N" if feature.answer_by is None else _time(feature.answer_by).encode())
    cells += (b"%d" % feature.raw_bytes, b"%d" % feature.wire_bytes, _cell(feature.values))
    return b"\t".join(cells) + b"\n"


def _cell(value: bytes) -> bytes:
    escaped = value.replace(b"\\", b"\\\\").replace(b"\t", b"\\t")
    return escaped.replace(b"\n", b"\\n").replace(b"\r", b"\\r")


def _time(seconds: float) -> str:
    return storable_time(seconds).isoformat()


def _counted(feature: ReceivedFeature, apps: Mapping[str, int]) -> FeatureArrival:
    received = storable_time(feature.received_at).timestamp()
    return FeatureArrival(
        minute=int(received) // 60 * 60,
        app=apps[feature.app],
        task=feature.task,
        raw_bytes=feature.raw_bytes,
        wire_bytes=feature.wire_bytes,
        since_event_s=received - feature.tracked_at,
        since_run_s=received - feature.at,
    )
