"""Record what the registry learned about devices after their selection, such as that somebody vouches for them."""

from datetime import datetime, timedelta
from typing import Final

from django.db import connection, transaction

from devices_app.models import App
from devices_app.selectors.joins import known_devices
from kit.sql import subquery
from releases_app.models import Release, TalliedRelease

LATE: Final = timedelta(minutes=10)
"""How long after somebody vouched for a device its gateway may write that; later is found out once a night."""
NOTED: Final = timedelta(minutes=1)
"""How often it is noted until when this was done."""

# Rows are locked in the order in which exposures and reports lock them. Each half of the union has its own index.
_PROVENANCE = """
WITH concerned AS (
    SELECT exposure.id FROM {devices} device
    JOIN releases_app_exposure exposure ON exposure.release = %(release)s AND exposure.device = device.device
    WHERE device.app_id = %(app)s AND device.vouched_at > device.first_seen AND device.vouched_at >= %(since)s
        AND exposure.app_id = device.app_id AND NOT exposure.vouched
    UNION
    SELECT id FROM releases_app_exposure WHERE release = %(release)s AND app_id = %(app)s AND first_seen IS NULL
), locked AS MATERIALIZED (
    SELECT exposure.id, device.first_seen, device.vouched_at IS NOT NULL AS vouched
    FROM releases_app_exposure exposure JOIN concerned USING (id)
    JOIN {devices} device ON device.app_id = exposure.app_id AND device.device = exposure.device
    ORDER BY exposure.release, exposure.device, exposure.id FOR NO KEY UPDATE OF exposure
)
UPDATE releases_app_exposure exposure
SET first_seen = coalesce(exposure.first_seen, locked.first_seen), vouched = locked.vouched
FROM locked WHERE exposure.id = locked.id
"""


@transaction.atomic
def update_provenance(*, app: App, release: int, since: datetime) -> int:
    """Record what the registry learned about devices after their exposure to a release; return their number.

    They were vouched for only later, or the report that proved their exposure was stored before their first check-in.
    `since` is when the release began. Not inside a transaction that locks exposures for something else.
    """
    with connection.cursor() as cursor:
        statement = _PROVENANCE.format(devices=subquery(known_devices()))
        cursor.execute(statement, {"app": app.pk, "release": release, "since": since})
        updated: int = cursor.rowcount
        return updated


def record_provenance(release: Release, *, now: datetime, whole: bool = False) -> int:
    """Record what became known of the devices of a release since this was done last; return their number.

    `whole`: since the release began, which takes longer the more devices somebody vouched for meanwhile.
    """
    tallied = TalliedRelease.objects.filter(release=release.pk)
    began, done = release.began_at, tallied.values_list("provenance_at", flat=True).first()
    if began is None:
        return 0
    since = began if whole or done is None else max(began, done - LATE)
    updated = update_provenance(app=release.app, release=release.pk, since=since)
    if done is None or now - done > NOTED:
        tallied.update(provenance_at=now)
    return updated
