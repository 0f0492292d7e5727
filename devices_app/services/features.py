"""Store the features that gateways received: durably, each exactly once, in one transaction per group.

What all gateways of a fleet would wait for in turn while the disk writes is kept out of that transaction: counts are
added to a row of this connection's own, and NOTIFY, which PostgreSQL lets only one transaction do at a time, comes
after it.

Small groups take two round trips: prepared statements go through a pipeline, the commit with what it commits. Large
ones are copied, which costs PostgreSQL less for each feature, and says which of them it refuses.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

import psycopg
from django.db import connection, transaction
from psycopg import errors

from devices_app.models import FeaturePosition
from devices_app.services.feature_counts import FeatureArrival, add_counts
from devices_app.services.feature_partitions import make_partitions
from devices_app.services.feature_rows import REFUSALS, PlacedFeature, WriteRows, copy_rows, insert_rows
from walle.gateway.feature_checks import check_features, storable_time
from walle.gateway.ports import ReceivedFeature

CHANNEL: Final = "walle_features"
"""PostgreSQL's channel on which is announced that features were stored."""

_FEW: Final = 100
"""A group of so many features at most goes through a pipeline: from there on, COPY is cheaper."""
_PREPARED_AFTER: Final = 2
"""So many times a connection plans a statement of the pipeline before it keeps the plan."""

# Locks the positions in the order of their key, so that two gateways with the same devices cannot deadlock. A position
# that another transaction is writing is waited for, and `before` is what that one left.
_ADVANCE: Final = """
WITH advanced AS (
    INSERT INTO devices_app_featureposition AS held (app_id, device, spool, sequence, updated_at)
    SELECT app.id, new.device, decode(new.spool, 'hex'), new.sequence, now()
    FROM json_to_recordset(%s::json) AS new (slug text, device text, spool text, sequence bigint)
    JOIN devices_app_app app USING (slug)
    ORDER BY app.id, new.device COLLATE "C", new.spool
    ON CONFLICT (app_id, device, spool) DO UPDATE SET
        before = held.sequence, sequence = greatest(held.sequence, EXCLUDED.sequence), updated_at = EXCLUDED.updated_at
    RETURNING app_id, device, spool, before
)
SELECT app.id, app.slug, device, spool, before FROM advanced JOIN devices_app_app app ON app.id = app_id
"""
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


def store_features(features: Sequence[ReceivedFeature]) -> bool:
    """Store features, each once: those at or below the position of their spool change nothing.

    Return whether any was new: then announce them. Features of apps that do not exist are left out. Raises
    FeatureRefused for one that PostgreSQL cannot hold; then nothing is stored.
    """
    check_features(features)
    if not features:
        return False
    if len(features) <= _FEW and connection.get_autocommit():
        with suppress(errors.CheckViolation, UnicodeDecodeError, *REFUSALS):
            return _store_few(features)
    try:
        return _store_many(features)
    except errors.CheckViolation:
        make_partitions({storable_time(each.received_at).date() for each in features})
        return _store_many(features)


def announce_features() -> None:
    """Tell all consumers that features were stored."""
    with connection.cursor() as cursor:
        cursor.execute(_ANNOUNCE)


def _store_few(features: Sequence[ReceivedFeature]) -> bool:
    connection.ensure_connection()
    driver: psycopg.Connection[Any] = connection.connection
    driver.prepare_threshold = _PREPARED_AFTER
    cursor = psycopg.Cursor(driver)
    try:
        with driver.pipeline():
            cursor.execute("BEGIN")
            stored = _store(cursor, features, insert_rows)
            cursor.execute("COMMIT")
    except BaseException:
        driver.rollback()
        raise
    return stored


@transaction.atomic
def _store_many(features: Sequence[ReceivedFeature]) -> bool:
    with connection.cursor() as cursor:
        return _store(cursor, features, copy_rows)


def _store(cursor: Any, features: Sequence[ReceivedFeature], write: WriteRows) -> bool:
    """Store the features that are new in the transaction of a cursor; return whether there were any."""
    cursor.execute(_ADVANCE, [json.dumps(_ends(features))])
    rows = cursor.fetchall()
    apps = {slug: app for app, slug, *_ in rows}
    reached = {SpoolKey(slug, device, bytes(spool)): before for _, slug, device, spool, before in rows}
    new = [PlacedFeature(place, apps[each.app], each) for place, each in _new(features, reached)]
    if new:
        write(cursor, new)
        add_counts(cursor, map(_counted, new))
    return bool(new)


def _ends(features: Sequence[ReceivedFeature]) -> list[Mapping[str, str | int]]:
    """Return the last sequence of each spool."""
    spools: dict[SpoolKey, int] = {}
    for each in features:
        key = SpoolKey(each.app, each.device, each.spool)
        spools[key] = max(spools.get(key, 0), each.sequence)
    return [
        {"slug": app, "device": device, "spool": spool.hex(), "sequence": sequence}
        for (app, device, spool), sequence in spools.items()
    ]


def _new(features: Sequence[ReceivedFeature], reached: dict[SpoolKey, int]) -> Iterator[tuple[int, ReceivedFeature]]:
    """Yield the features above the position of their spool with their places, each sequence once; advances positions.

    A spool without a position is of an app that does not exist.
    """
    for place, each in enumerate(features):
        key = SpoolKey(each.app, each.device, each.spool)
        if key in reached and each.sequence > reached[key]:
            reached[key] = each.sequence
            yield place, each


def _counted(placed: PlacedFeature) -> FeatureArrival:
    feature = placed.feature
    received = storable_time(feature.received_at).timestamp()
    return FeatureArrival(
        minute=int(received) // 60 * 60,
        app=placed.app,
        task=feature.task,
        raw_bytes=feature.raw_bytes,
        wire_bytes=feature.wire_bytes,
        since_event_s=received - feature.tracked_at,
        since_run_s=received - feature.at,
    )
