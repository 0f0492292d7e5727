"""Find silent devices, which do not check in after their selection: a bricked device reports nothing (release lesson
8).
"""

from datetime import datetime
from typing import Final

from django.db import connection

from devices_app.models import REGISTRY_LAG
from devices_app.selectors.joins import known_devices
from kit.sql import subquery
from releases_app.models import Release
from releases_app.selectors.awaiting import silence_edge

PORTION: Final = 20_000
"""The number of devices that one reconciliation settles at most, those first whose timeout is over for the longest."""

# Not silent: reported anything, or checked in after it was offered the version or, in control, after its selection.
# Both are moments at which it was online. Settled once, so that later reports change nothing. Rows are locked in the
# order in which gateways lock them (releases_app.services.outcomes): else both could wait. The expression is that of
# the index exposure_not_settled.
_SINCE: Final = "CASE WHEN arm = 'control' THEN drawn_at ELSE offered_at END"
_SETTLE = f"""
WITH oldest AS MATERIALIZED (
    SELECT id, {_SINCE} AS since FROM releases_app_exposure
    WHERE release = %(release)s AND silent IS NULL AND {_SINCE} <= %(before)s
    ORDER BY {_SINCE} LIMIT %(portion)s
), due AS MATERIALIZED (
    SELECT exposure.id, oldest.since FROM releases_app_exposure exposure JOIN oldest USING (id)
    ORDER BY exposure.release, exposure.device FOR NO KEY UPDATE OF exposure
)
UPDATE releases_app_exposure exposure
SET silent = exposure.outcome = '' AND exposure.installed_at IS NULL AND NOT EXISTS (
    SELECT FROM {{devices}} device
    WHERE device.app_id = exposure.app_id AND device.device = exposure.device AND device.last_seen > due.since
)
FROM due WHERE exposure.id = due.id AND exposure.silent IS NULL
"""  # noqa: S608 - a constant


def settle_silence(release: Release, *, now: datetime) -> int:
    """Record for devices whose timeout is over whether they were silent; return their number, PORTION at most."""
    before = silence_edge(release, now) - REGISTRY_LAG
    with connection.cursor() as cursor:
        cursor.execute(
            _SETTLE.format(devices=subquery(known_devices())),
            {"release": release.pk, "before": before, "portion": PORTION},
        )
        settled: int = cursor.rowcount
        return settled
