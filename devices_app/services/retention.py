"""Delete old rows, a few at a time: nobody waits long for a lock, and vacuum keeps up.

Each function continues where it was stopped. `check` is called between two portions and may raise to stop.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.db import connection, transaction

from devices_app.models import ActivityCount, App, FeatureCount
from kit.portions import delete_in_portions

PORTION: Final = 5_000
BRIEF: Final = timedelta(days=1)
MOST_SPOOLS: Final = 16
"""So many spools of a device are known; it has one, and another only after it lost the one before."""
_IDS: Final = 5_000

# From the oldest on. `since` is where the last portion ended: entries of deleted rows stay in the index for a while.
_REPORTS = """
WITH old AS (
    SELECT id, received_at FROM devices_app_report WHERE received_at >= %(since)s AND received_at < %(before)s
    ORDER BY received_at LIMIT %(portion)s
), gone AS (
    DELETE FROM devices_app_report WHERE id IN (SELECT id FROM old) RETURNING received_at
)
SELECT count(*), max(received_at) FROM gone
"""
# There is no index on last_seen, which would make every check-in slower. So all ids are scanned.
_UNSEEN = """
SELECT id FROM devices_app_device
WHERE id BETWEEN %(first)s AND %(last)s AND revoked_at IS NULL AND (
    last_seen < %(before)s OR (last_seen < %(brief_before)s AND last_seen < first_seen + %(brief)s)
) FOR UPDATE SKIP LOCKED
"""
# Positions have no number, and none is updated that is to be deleted: their devices are gone.
_POSITIONS = """
DELETE FROM devices_app_featureposition WHERE (app_id, device, spool) IN (
    SELECT app_id, device, spool FROM devices_app_featureposition WHERE updated_at < %(before)s LIMIT %(portion)s
    FOR UPDATE SKIP LOCKED
)
"""

# The newest table before that time was in force then.
_PAST_TABLES = """
DELETE FROM devices_app_pasttable WHERE id IN (
    SELECT past.id FROM devices_app_pasttable past WHERE past.published_at < %(before)s AND EXISTS (
        SELECT FROM devices_app_pasttable newer WHERE newer.app_id = past.app_id
            AND newer.published_at <= %(before)s
            AND (newer.published_at, newer.id) > (past.published_at, past.id)
    ) LIMIT %(portion)s
)
"""
_PAST_CLAIMS = """
DELETE FROM devices_app_pastclaims WHERE id IN (
    SELECT id FROM devices_app_pastclaims WHERE until <= %(before)s ORDER BY until LIMIT %(portion)s
    FOR UPDATE SKIP LOCKED
)
"""
_PAST_USER_FACTS = """
DELETE FROM devices_app_pastuserfacts WHERE id IN (
    SELECT id FROM devices_app_pastuserfacts WHERE until <= %(before)s ORDER BY until LIMIT %(portion)s
)
"""
# Few devices have so many, so that only theirs are ranked.
_SURPLUS = """
WITH many AS (
    SELECT app_id, device FROM devices_app_featureposition GROUP BY app_id, device HAVING count(*) > %(most)s
), ranked AS (
    SELECT app_id, device, spool,
        row_number() OVER (PARTITION BY app_id, device ORDER BY updated_at DESC, spool) AS place
    FROM devices_app_featureposition JOIN many USING (app_id, device)
)
DELETE FROM devices_app_featureposition WHERE (app_id, device, spool) IN (
    SELECT app_id, device, spool FROM devices_app_featureposition held
    JOIN ranked USING (app_id, device, spool) WHERE place > %(most)s FOR UPDATE OF held SKIP LOCKED
)
"""


def delete_reports(*, before: datetime, check: Callable[[], None]) -> int:
    """Delete reports that were received before a time; return their number."""
    deleted: int = 0
    since = datetime(1970, 1, 1, tzinfo=UTC)
    while True:
        check()
        with connection.cursor() as cursor:
            cursor.execute(_REPORTS, {"since": since, "before": before, "portion": PORTION})
            count, newest = cursor.fetchone()
        deleted += count
        if count < PORTION:
            return deleted
        since = newest


def delete_unseen_devices(*, before: datetime | None, brief_before: datetime | None, check: Callable[[], None]) -> int:
    """Delete devices not seen since a time, except revoked ones, which must stay known; return their number.

    `brief_before` is that time for devices that were seen for less than BRIEF altogether; None deletes these whenever
    they were last seen. Stored exposures and reports name devices by their ids, and stay. A device that returns is
    registered anew under its id. It stays in lists and keeps the facts held about its user.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(min(id), 0), coalesce(max(id), -1) FROM devices_app_device")
        lowest, highest = cursor.fetchone()
    deleted = 0
    for first in range(lowest, highest + 1, _IDS):
        check()
        with transaction.atomic(), connection.cursor() as cursor:
            parameters: dict[str, Any] = {"first": first, "last": first + _IDS - 1, "before": before}
            cursor.execute(_UNSEEN, parameters | {"brief_before": brief_before, "brief": BRIEF})
            unseen = [key for (key,) in cursor.fetchall()]
            cursor.execute("DELETE FROM devices_app_installedtask WHERE device_id = ANY(%s)", [unseen])
            cursor.execute("DELETE FROM devices_app_pastclaims WHERE device_id = ANY(%s)", [unseen])
            cursor.execute("DELETE FROM devices_app_device WHERE id = ANY(%s)", [unseen])
            deleted += cursor.rowcount
    return deleted


def delete_history(*, before: datetime, check: Callable[[], None]) -> int:
    """Delete tables, claims and facts about users that were no longer in force at a time; return their number."""
    kept = (_PAST_TABLES, _PAST_CLAIMS, _PAST_USER_FACTS)
    return sum(delete_in_portions(each, {"before": before}, portion=PORTION, check=check) for each in kept)


def delete_activity_counts(*, before: datetime) -> int:
    """Delete activity counts from before a time; return their number.

    The query names the apps, so that it follows the index.
    """
    apps = list(App.objects.values_list("pk", flat=True))
    deleted, _ = ActivityCount.objects.filter(app__in=apps, at__lt=before).delete()
    return deleted


def delete_feature_counts(*, before: datetime) -> int:
    """Delete the counts of features of the days that lie before a time, as their partitions go; return their number."""
    day = before.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    deleted, _ = FeatureCount.objects.filter(minute__lt=day).delete()
    return deleted


def delete_feature_positions(*, before: datetime, check: Callable[[], None]) -> int:
    """Delete the positions of spools of which nothing was stored since a time; return their number."""
    return delete_in_portions(_POSITIONS, {"before": before}, portion=PORTION, check=check)


def delete_surplus_positions() -> int:
    """Delete the positions of devices beyond their MOST_SPOOLS newest; return their number.

    One device could otherwise make them without end, as it names its spools itself.
    """
    with connection.cursor() as cursor:
        cursor.execute(_SURPLUS, {"most": MOST_SPOOLS})
        deleted: int = cursor.rowcount
    return deleted
