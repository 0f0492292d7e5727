"""Read features: in the order in which consumers read them, the newest ones, and how far a consumer is behind.

The order is that of (xid, id), and consumers see only rows of transactions older than every one that still runs:
nothing can appear before them any more (live_app.feed says the same of the audit log).

Where WALLE_FEATURES_REDIS takes the features, they are read from there.
"""

from typing import Any, Final

from django.conf import settings
from django.db import connection

from devices_app.models import FeatureConsumer
from devices_app.selectors.feature_types import FeatureCursor, FeatureFilter, FeatureLag, StoredFeature
from devices_app.versions import rolled_back_manifests
from kit.sql import Statement

__all__ = [
    "FeatureCursor",
    "FeatureFilter",
    "FeatureLag",
    "StoredFeature",
    "features_after",
    "horizon",
    "lag_of",
    "lag_statement",
    "lags",
    "recent",
    "table_horizon",
]

COUNTED: Final = 10_000
"""Up to so many unread features are counted one by one; more are estimated from the counts of minutes."""

_COLUMNS: Final = """feature.xid::text::bigint, feature.id, app.slug, feature.device, feature.spool, feature.sequence,
    feature.task, feature.version, feature.manifest, feature.at, feature.tracked_at, feature.received_at,
    feature.answer_by, feature.raw_bytes, feature.wire_bytes, feature."values"::text"""
_FEATURES: Final = "devices_app_feature feature JOIN devices_app_app app ON app.id = feature.app_id"
_HORIZON: Final = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint"
# Of each consumer: how many features it has not read, and for how many seconds the oldest of them has waited.
_LAGS: Final = """
SELECT consumer.name,
    CASE WHEN unread.features <= %s THEN unread.features ELSE (
        SELECT greatest(coalesce(sum(counted.features), 0), unread.features) FROM devices_app_featurecount counted
        WHERE counted.minute >= date_trunc('minute', oldest.received_at)
            AND (consumer.app = '' OR counted.app_id = app.id) AND (consumer.task = '' OR counted.task = consumer.task)
    ) END,
    coalesce(greatest(extract(epoch FROM now() - oldest.received_at), 0), 0)::float8
FROM devices_app_featureconsumer consumer
LEFT JOIN devices_app_app app ON app.slug = consumer.app
LEFT JOIN LATERAL (
    SELECT received_at FROM devices_app_feature feature
    WHERE (feature.xid, feature.id) > (consumer.xid, consumer.feature)
        AND (consumer.app = '' OR feature.app_id = app.id) AND (consumer.task = '' OR feature.task = consumer.task)
    ORDER BY feature.xid, feature.id LIMIT 1
) oldest ON true
CROSS JOIN LATERAL (
    SELECT count(*) AS features FROM (
        SELECT FROM devices_app_feature feature
        WHERE (feature.xid, feature.id) > (consumer.xid, consumer.feature)
            AND (consumer.app = '' OR feature.app_id = app.id) AND (consumer.task = '' OR feature.task = consumer.task)
        ORDER BY feature.xid, feature.id LIMIT %s
    ) first
) unread
"""
_KEPT_LAGS: Final = "SELECT name, lag, lag_s FROM devices_app_featureconsumer"


def horizon() -> FeatureCursor:
    """Return a cursor after everything that is settled now: all that is stored from now on comes after it."""
    if settings.WALLE_FEATURES_REDIS:
        from devices_app.selectors import redis_features

        return redis_features.newest()
    return table_horizon()


def table_horizon() -> FeatureCursor:
    """Return what `horizon` does of the features in PostgreSQL."""
    with connection.cursor() as cursor:
        cursor.execute(_HORIZON)
        return FeatureCursor(cursor.fetchone()[0], 0)


def features_after(
    position: FeatureCursor, limit: int, *, upto: FeatureCursor | None = None, **filters: Any
) -> list[StoredFeature]:
    """Return the settled features after a position, in order. `filters` are the fields of FeatureFilter.

    `upto` is a horizon that was read before; without one, the present one counts.
    """
    if settings.WALLE_FEATURES_REDIS:
        from devices_app.selectors import redis_features

        return redis_features.stream_features(limit, FeatureFilter(**filters), after=position)
    settled = ("feature.xid < %s::text::xid8", str((upto or horizon()).xid))
    return _read([_after(position, ">"), settled, *FeatureFilter(**filters).conditions()], "ASC", limit)


def recent(limit: int, *, before: FeatureCursor | None = None, **filters: Any) -> list[StoredFeature]:
    """Return the newest features, the newest first; those before a cursor, to go on. `filters` as in FeatureFilter."""
    if settings.WALLE_FEATURES_REDIS:
        from devices_app.selectors import redis_features

        return redis_features.stream_features(limit, FeatureFilter(**filters), before=before)
    older = [] if before is None else [_after(before, "<")]
    return _read([*older, *FeatureFilter(**filters).conditions()], "DESC", limit)


def lags() -> dict[str, FeatureLag]:
    """Return the lag of each consumer, by its name; where Redis takes the features, as it was kept last."""
    with connection.cursor() as cursor:
        cursor.execute(*lag_statement())
        return {name: FeatureLag(int(features), seconds) for name, features, seconds in cursor.fetchall()}


def lag_of(consumer: FeatureConsumer) -> FeatureLag:
    """Return how far a consumer is behind; over COUNTED features, the number is estimated from whole minutes."""
    if settings.WALLE_FEATURES_REDIS:
        from devices_app.selectors import redis_features

        return redis_features.stream_lag(consumer.name)
    with connection.cursor() as cursor:
        cursor.execute(f"{_LAGS} WHERE consumer.id = %s", [COUNTED, COUNTED + 1, consumer.pk])
        found = cursor.fetchone()
    return FeatureLag(int(found[1]), found[2]) if found else FeatureLag.none()


def lag_statement() -> Statement:
    """Return the SQL of all lags: rows of name, features, seconds."""
    if settings.WALLE_FEATURES_REDIS:
        return _KEPT_LAGS, ()
    return _LAGS, (COUNTED, COUNTED + 1)


def _after(place: FeatureCursor, comparison: str) -> tuple[str, Any]:
    return f"(feature.xid, feature.id) {comparison} (%s::text::xid8, %s)", (str(place.xid), place.id)


def _read(conditions: list[tuple[str, Any]], direction: str, limit: int) -> list[StoredFeature]:
    where = " AND ".join(condition for condition, _ in conditions) or "true"
    arguments = [each for _, value in conditions for each in (value if isinstance(value, tuple) else (value,))]
    order = f"ORDER BY feature.xid {direction}, feature.id {direction} LIMIT %s"
    marked = rolled_back_manifests()
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {_COLUMNS} FROM {_FEATURES} WHERE {where} {order}", [*arguments, limit])  # noqa: S608
        return [_stored(row, row[8] in marked) for row in cursor.fetchall()]


def _stored(row: tuple[Any, ...], rolled_back: bool) -> StoredFeature:
    return StoredFeature._make((*row[:4], bytes(row[4]), *row[5:], rolled_back))
