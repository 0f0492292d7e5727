"""Store exposures, as gateways log them or as reports prove them.

Rows are locked in the order of release and device, so that batches do not deadlock.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from django.db import connection, transaction

from devices_app.models import App
from devices_app.selectors.joins import app_slugs, known_devices
from devices_app.selectors.tables import published_entries
from kit.sql import subquery
from walle.gateway.offers import OFFER_LEASE_S
from walle.gateway.ports import CheckInRecord, ExposureRecord, ReceivedReport
from walle.release.cohort import Cohort, device_point

_STAGE_NEW = """
CREATE TEMPORARY TABLE IF NOT EXISTS walle_new_exposure (
    app text, device text, release bigint, stage bigint, task text, arm text, bucket integer, number bigint,
    drawn double precision, offered double precision, vouched boolean
) ON COMMIT DELETE ROWS;
DELETE FROM walle_new_exposure
"""
# The first exposure decides arm and bucket; an offer that comes later, because of the pace, is filled in. So is the
# device's provenance, where a report proved the exposure before the device's first check-in was stored. A caller of a
# pipeline that somebody vouches for is in no registry: it was first seen when it was selected. In a row that was there
# already, xmax is this transaction, which locked it.
_STORE_NEW = """
WITH stored AS (INSERT INTO releases_app_exposure AS exposure (
    app_id, release, stage, task, device, arm, bucket, vouched, first_seen, drawn_at, offered_at, number,
    outcome, error_class, metrics
)
SELECT app.id, stage.release, stage.stage, stage.task, stage.device, stage.arm, stage.bucket,
    device.vouched_at IS NOT NULL OR stage.vouched,
    coalesce(device.first_seen, CASE WHEN stage.vouched THEN to_timestamp(stage.drawn) END),
    to_timestamp(stage.drawn), to_timestamp(stage.offered), stage.number, '', '', '{{}}'
FROM walle_new_exposure stage JOIN {apps} app ON app.slug = stage.app
LEFT JOIN {devices} device ON device.app_id = app.id AND device.device = stage.device
ORDER BY stage.release, stage.device
ON CONFLICT (release, device) WHERE arm <> 'repeat' DO UPDATE SET
    offered_at = coalesce(exposure.offered_at, EXCLUDED.offered_at),
    number = coalesce(exposure.number, EXCLUDED.number),
    first_seen = coalesce(exposure.first_seen, EXCLUDED.first_seen),
    vouched = exposure.vouched OR exposure.first_seen IS NULL AND EXCLUDED.vouched
WHERE exposure.app_id = EXCLUDED.app_id AND (
    exposure.offered_at IS NULL AND EXCLUDED.offered_at IS NOT NULL
    OR exposure.first_seen IS NULL AND EXCLUDED.first_seen IS NOT NULL
)
RETURNING id, arm, xmax = 0 AS is_new
) SELECT id FROM stored WHERE is_new AND arm = 'control'
"""
# Not of stages before the first one: a gateway may be late. Rows that stand already are not locked.
_STORE_REPEATS = """
INSERT INTO releases_app_exposure (
    app_id, release, stage, task, device, arm, bucket, vouched, first_seen, drawn_at, outcome, error_class, metrics
)
SELECT held.app_id, held.release, stage.stage, held.task, held.device, 'repeat', held.bucket, held.vouched,
    held.first_seen, to_timestamp(stage.drawn), '', '', '{{}}'
FROM walle_new_exposure stage JOIN {apps} app ON app.slug = stage.app
JOIN releases_app_exposure held
    ON held.app_id = app.id AND held.release = stage.release AND held.device = stage.device AND held.arm = 'control'
WHERE stage.arm = 'control' AND stage.stage > held.stage AND held.offered_at IS NULL AND NOT held.crossed
ORDER BY held.release, held.device
ON CONFLICT DO NOTHING
RETURNING id
"""


@dataclass(slots=True)
class _NewExposure:
    """What a batch says about one device in one release."""

    app: str
    device: str
    release: int
    stage: int
    task: str
    arm: str
    bucket: int
    number: int | None
    drawn: float
    offered: float | None
    vouched: bool = False

    def offer(self, other: Self) -> None:
        if self.offered is None:
            self.offered, self.number = other.offered, other.number

    def row(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)


def store_exposures(records: Iterable[CheckInRecord]) -> list[int]:
    """Log the exposures of check-ins, once per device and release; of control, once per stage. Inside a transaction.

    Returns the keys of new ones of devices that are held back: their reports prove nothing, so that those which came
    earlier were about no exposure.
    """
    exposures: dict[tuple[str, int, str], _NewExposure] = {}
    for exposure in _new_exposures(records):
        known = exposures.setdefault((exposure.app, exposure.release, exposure.device), exposure)
        known.offer(exposure)
    return _store(exposures.values()) if exposures else []


def _new_exposures(records: Iterable[CheckInRecord]) -> Iterator[_NewExposure]:
    for record in records:
        for exposure in record.exposures:
            offered = record.at if exposure.number is not None else None
            about = record.claims.app, record.device, *exposure
            yield _NewExposure(*about, drawn=record.at, offered=offered, vouched=record.vouched)


def _store(exposures: Iterable[_NewExposure]) -> list[int]:
    """Return the keys of new rows of devices that are held back."""
    with connection.cursor() as cursor:
        cursor.execute(_STAGE_NEW)
        with cursor.copy("COPY walle_new_exposure FROM STDIN") as copy:
            for exposure in exposures:
                copy.write_row(exposure.row())
        cursor.execute(_STORE_NEW.format(apps=subquery(app_slugs()), devices=subquery(known_devices())))
        held_back = cursor.fetchall()
        cursor.execute(_STORE_REPEATS.format(apps=subquery(app_slugs())))
        return [key for (key,) in held_back + cursor.fetchall()]


_LOGGED = """
SELECT DISTINCT release, device FROM releases_app_exposure
JOIN unnest(%s::bigint[], %s::text[]) proved (release, device) USING (release, device)
"""


@transaction.atomic
def store_proved_exposures(received: Iterable[ReceivedReport]) -> None:
    """Store exposures whose log was lost, as proved by valid offer tokens.

    It runs in a transaction of its own, before the reports are stored: one that first logged exposures and then locked
    existing ones would lock in two rounds, and could wait for another that does the same.
    """
    proved = {(item.offer.release, item.device): item for item in received if item.offer and item.in_force}
    if proved:
        with connection.cursor() as cursor:
            cursor.execute(_LOGGED, [list(column) for column in zip(*proved, strict=True)])
            logged = set(cursor.fetchall())
        exposures = _proved([item for exposure, item in proved.items() if exposure not in logged])
        if exposures:
            _store(exposures)


def _proved(received: Sequence[ReceivedReport]) -> list[_NewExposure]:
    """Return the exposures that reports prove, of the app's releases that are still under observation.

    The check is needed because a gateway of one app can make tokens in the app's name that name any release.
    """
    slugs = dict(App.objects.values_list("id", "slug")) if received else {}
    observed = {
        (slugs.get(app), entry.release, entry.task): entry
        for app, releases in (published_entries().items() if received else ())
        for entries in releases.values()
        for entry in entries
        if entry.observed
    }
    exposures = []
    for item in received:
        offer, task = item.offer, item.report.task
        if offer and (entry := observed.get((item.app, offer.release, task))):
            bucket = Cohort(entry.salt).bucket(device_point(item.device))
            at = float(offer.expires - OFFER_LEASE_S)
            exposure = ExposureRecord(offer.release, offer.stage, task, "treatment", bucket, offer.number)
            exposures.append(_NewExposure(item.app, item.device, *exposure, drawn=at, offered=at))
    return exposures
