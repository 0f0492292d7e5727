"""Devices on trial: their draws, as gateways log them, and what came of these, as reports tell.

What an exposure says is a function of the draws and reports that were stored, in whatever order and however often they
came. Rows are locked in the order of release and device, so that batches do not deadlock.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from django.db import connection, transaction

from devices_app.selectors.tables import published_entries
from walle.gateway.offers import OFFER_LEASE_S
from walle.gateway.ports import CheckInRecord, Drawn, ReceivedReport
from walle.release.cohort import Cohort, device_point

_STAGE_DRAWS = """
CREATE TEMPORARY TABLE IF NOT EXISTS walle_draw (
    app text, device text, release bigint, stage bigint, task text, arm text, bucket integer, number bigint,
    drawn double precision, offered double precision
) ON COMMIT DELETE ROWS;
DELETE FROM walle_draw
"""
# The first draw decides over arm and bucket; an offer that comes later, because of the pace, is filled in.
_STORE_DRAWS = """
INSERT INTO devices_app_exposure AS exposure
    (app_id, release, stage, task, device, arm, bucket, drawn_at, offered_at, number, outcome, error_class, metrics)
SELECT app.id, stage.release, stage.stage, stage.task, stage.device, stage.arm, stage.bucket,
    to_timestamp(stage.drawn), to_timestamp(stage.offered), stage.number, '', '', '{}'
FROM walle_draw stage JOIN devices_app_app app ON app.slug = stage.app
ORDER BY stage.release, stage.device
ON CONFLICT (release, device) DO UPDATE SET offered_at = EXCLUDED.offered_at, number = EXCLUDED.number
WHERE exposure.app_id = EXCLUDED.app_id AND exposure.offered_at IS NULL AND EXCLUDED.offered_at IS NOT NULL
"""


@dataclass(slots=True)
class _Draw:
    """All that a batch says of one device in one release."""

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

    def offer(self, other: Self) -> None:
        if self.offered is None:
            self.offered, self.number = other.offered, other.number

    def row(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)


def store_draws(records: Iterable[CheckInRecord]) -> None:
    """Logs the draws of check-ins, once per device and release. Inside a transaction."""
    draws: dict[tuple[str, int, str], _Draw] = {}
    for draw in _draws(records):
        known = draws.setdefault((draw.app, draw.release, draw.device), draw)
        known.offer(draw)
    if draws:
        _store(draws.values())


def _draws(records: Iterable[CheckInRecord]) -> Iterator[_Draw]:
    for record in records:
        for drawn in record.drawn:
            offered = record.at if drawn.number is not None else None
            yield _Draw(record.claims.app, record.device, *drawn, drawn=record.at, offered=offered)


def _store(draws: Iterable[_Draw]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_STAGE_DRAWS)
        with cursor.copy("COPY walle_draw FROM STDIN") as copy:
            for draw in draws:
                copy.write_row(draw.row())
        cursor.execute(_STORE_DRAWS)


# Reports that were not known before, as devices_app.services.intake leaves them; `release` is null unless the report
# proves that its version was offered under this release, at `offered`. Then what of it concerns which exposure.
STAGE_TOLD = """
CREATE TEMPORARY TABLE IF NOT EXISTS walle_told (
    report_id uuid, app_id bigint, device text, task text, kind text, outcome text, error_class text,
    duration_ms double precision, metrics jsonb, release bigint, stage bigint, number bigint,
    offered timestamptz, reported_at timestamptz, received_at timestamptz
) ON COMMIT DELETE ROWS;
CREATE TEMPORARY TABLE IF NOT EXISTS walle_concern (exposure bigint, LIKE walle_told) ON COMMIT DELETE ROWS;
DELETE FROM walle_told;
DELETE FROM walle_concern
"""
_LOGGED = """
SELECT release, device FROM devices_app_exposure
JOIN unnest(%s::bigint[], %s::text[]) proved (release, device) USING (release, device)
"""
_CONCERN = """
INSERT INTO walle_concern
SELECT exposure.id, told.* FROM walle_told told
JOIN devices_app_exposure exposure
    ON exposure.app_id = told.app_id AND exposure.device = told.device AND exposure.task = told.task
WHERE told.release = exposure.release OR (exposure.arm = 'control' AND told.received_at > exposure.drawn_at)
ORDER BY exposure.release, exposure.device FOR NO KEY UPDATE OF exposure
"""
_OFFERED = """
UPDATE devices_app_exposure exposure SET offered_at = proof.offered, number = proof.number
FROM (SELECT DISTINCT ON (exposure) * FROM walle_concern ORDER BY exposure, offered) proof
WHERE exposure.id = proof.exposure AND exposure.release = proof.release AND exposure.offered_at IS NULL
RETURNING exposure.release
"""
# Runs of what it had before tell about a device that is held back, until it is offered the version after all.
_OTHERWISE = """
DELETE FROM walle_concern concern USING devices_app_exposure exposure
WHERE exposure.id = concern.exposure AND exposure.arm = 'control'
    AND (concern.kind = 'install' OR concern.release = exposure.release OR concern.received_at >= exposure.offered_at)
RETURNING NULL
"""
_INSTALLED = """
UPDATE devices_app_exposure exposure SET installed_at = first.received_at
FROM (
    SELECT exposure, min(received_at) AS received_at FROM walle_concern
    WHERE kind = 'install' AND outcome = 'success' GROUP BY exposure
) first
WHERE exposure.id = first.exposure AND (exposure.installed_at IS NULL OR first.received_at < exposure.installed_at)
RETURNING exposure.release
"""
# The first of those that decide, by the device's own clock: it orders what one device says, however that arrives.
_SETTLED = """
UPDATE devices_app_exposure exposure SET
    outcome = CASE exposure.error_class WHEN 'fell-back' THEN exposure.outcome ELSE first.outcome END,
    error_class = CASE exposure.error_class WHEN 'fell-back' THEN exposure.error_class ELSE first.error_class END,
    reported_at = first.reported_at, settled_at = first.received_at,
    duration_ms = CASE first.kind WHEN 'run' THEN first.duration_ms END,
    metrics = CASE first.kind WHEN 'run' THEN first.metrics ELSE '{}' END
FROM (
    SELECT DISTINCT ON (exposure) * FROM walle_concern
    WHERE kind = 'run' OR (kind = 'install' AND outcome = 'failure')
    ORDER BY exposure, reported_at, received_at, report_id
) first
WHERE exposure.id = first.exposure AND (
    exposure.reported_at IS NULL
    OR (first.reported_at, first.received_at) < (exposure.reported_at, exposure.settled_at)
)
RETURNING exposure.release
"""
_FELL_BACK = """
UPDATE devices_app_exposure exposure SET outcome = 'failure', error_class = 'fell-back',
    settled_at = CASE WHEN exposure.reported_at IS NULL THEN least(exposure.settled_at, first.received_at)
        ELSE exposure.settled_at END
FROM (
    SELECT exposure, min(received_at) AS received_at FROM walle_concern
    WHERE kind = 'remove' AND outcome = 'failure' AND error_class = 'fell-back' GROUP BY exposure
) first
WHERE exposure.id = first.exposure
RETURNING exposure.release
"""
_STEPS: Final = (_OFFERED, _OTHERWISE, _INSTALLED, _SETTLED, _FELL_BACK)


def settle() -> list[int]:
    """Brings exposures up to date with the reports in `walle_told`; the releases concerned. Inside a transaction."""
    touched: set[int | None] = set()
    with connection.cursor() as cursor:
        cursor.execute(_CONCERN)
        for step in _STEPS if cursor.rowcount else ():
            cursor.execute(step)
            touched.update(release for (release,) in cursor.fetchall())
    return sorted(touched - {None})


@transaction.atomic
def store_proved_draws(received: Iterable[ReceivedReport]) -> None:
    """Makes up for draws whose log was lost: offer tokens in force prove them.

    In a transaction of its own, before the reports are stored: one that first logged draws and then locked what is
    there already would lock in two rounds, and could wait for another that does the same.
    """
    proved = {(item.offer.release, item.device): item for item in received if item.offer and item.in_force}
    if proved:
        with connection.cursor() as cursor:
            cursor.execute(_LOGGED, [list(column) for column in zip(*proved, strict=True)])
            logged = set(cursor.fetchall())
        draws = _proved([item for draw, item in proved.items() if draw not in logged])
        if draws:
            _store(draws)


def _proved(received: Sequence[ReceivedReport]) -> list[_Draw]:
    """The draws that reports prove, of releases that are still under observation."""
    observed = {
        (entry.release, entry.task): entry
        for releases in (published_entries().values() if received else ())
        for entries in releases.values()
        for entry in entries
        if entry.observed
    }
    draws = []
    for item in received:
        offer, task = item.offer, item.report.task
        if offer and (entry := observed.get((offer.release, task))):
            bucket = Cohort(entry.salt).bucket(device_point(item.device))
            at = float(offer.expires - OFFER_LEASE_S)
            drawn = Drawn(offer.release, offer.stage, task, "treatment", bucket, offer.number)
            draws.append(_Draw(item.app, item.device, *drawn, drawn=at, offered=at))
    return draws
