"""Record that gateways can store reports, and since when they could not."""

from datetime import datetime
from typing import Final

from django.db import connection

from devices_app.models import Interruption
from devices_app.selectors.interruptions import SHORTEST

# By PostgreSQL's clock, because gateways may be on several machines. The row is locked first, so that of several
# gateways which come back at once one records the interruption.
_RECORD: Final = """
WITH before AS MATERIALIZED (
    SELECT seen_at, clock_timestamp() AS now FROM devices_app_gatewaypresence WHERE id = 1 FOR UPDATE
), interruption AS (
    INSERT INTO devices_app_interruption (began_at, ended_at)
    SELECT seen_at, now FROM before WHERE now - seen_at > make_interval(secs => %s)
)
UPDATE devices_app_gatewaypresence presence SET seen_at = greatest(before.seen_at, before.now) FROM before WHERE id = 1
"""
_FIRST: Final = """
INSERT INTO devices_app_gatewaypresence (id, seen_at) VALUES (1, clock_timestamp()) ON CONFLICT (id) DO NOTHING
"""


def record_presence() -> None:
    """Record that reports can be stored now; after SHORTEST without it, also the interruption that this ends."""
    with connection.cursor() as cursor:
        cursor.execute(_RECORD, [SHORTEST.total_seconds()])
        if cursor.rowcount == 0:
            cursor.execute(_FIRST)


def delete_interruptions(*, before: datetime) -> int:
    """Delete interruptions that ended before a time; return their number."""
    return Interruption.objects.filter(ended_at__lt=before).delete()[0]
