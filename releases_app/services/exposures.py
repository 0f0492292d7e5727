"""Store exposures, as gateways log them, and their outcomes, from reports.

walle.release.outcome decides what reports mean. Rows are locked in one statement, in the order of release and device,
so that batches do not deadlock.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from django.db import connection, transaction
from django.db.models import F

from devices_app.models import App
from devices_app.selectors.joins import app_slugs, known_devices
from devices_app.selectors.tables import published_entries
from kit.sql import subquery
from releases_app.models import Release
from walle.gateway.offers import OFFER_LEASE_S
from walle.gateway.ports import CheckInRecord, ExposureRecord, ReceivedReport
from walle.release.cohort import Cohort, device_point
from walle.release.outcome import ExposureState, ReportFact, apply_reports

_STAGE_NEW = """
CREATE TEMPORARY TABLE IF NOT EXISTS walle_draw (
    app text, device text, release bigint, stage bigint, task text, arm text, bucket integer, number bigint,
    drawn double precision, offered double precision, vouched boolean
) ON COMMIT DELETE ROWS;
DELETE FROM walle_draw
"""
# The first exposure decides arm and bucket; an offer that comes later, because of the pace, is filled in. So is the
# device's provenance, where a report proved the exposure before the device's first check-in was stored. A caller of a
# pipeline that somebody vouches for is in no registry: it was first seen when it was selected.
_STORE_NEW = """
INSERT INTO releases_app_exposure AS exposure (
    app_id, release, stage, task, device, arm, bucket, vouched, first_seen, drawn_at, offered_at, number,
    outcome, error_class, metrics
)
SELECT app.id, stage.release, stage.stage, stage.task, stage.device, stage.arm, stage.bucket,
    device.vouched_at IS NOT NULL OR stage.vouched,
    coalesce(device.first_seen, CASE WHEN stage.vouched THEN to_timestamp(stage.drawn) END),
    to_timestamp(stage.drawn), to_timestamp(stage.offered), stage.number, '', '', '{{}}'
FROM walle_draw stage JOIN {apps} app ON app.slug = stage.app
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
"""
# Not of stages before the first one: a gateway may be late. Rows that stand already are not locked.
_STORE_REPEATS = """
INSERT INTO releases_app_exposure (
    app_id, release, stage, task, device, arm, bucket, vouched, first_seen, drawn_at, outcome, error_class, metrics
)
SELECT held.app_id, held.release, stage.stage, held.task, held.device, 'repeat', held.bucket, held.vouched,
    held.first_seen, to_timestamp(stage.drawn), '', '', '{{}}'
FROM walle_draw stage JOIN {apps} app ON app.slug = stage.app
JOIN releases_app_exposure held
    ON held.app_id = app.id AND held.release = stage.release AND held.device = stage.device AND held.arm = 'control'
WHERE stage.arm = 'control' AND stage.stage > held.stage AND held.offered_at IS NULL AND NOT held.crossed
ORDER BY held.release, held.device
ON CONFLICT DO NOTHING
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


def store_exposures(records: Iterable[CheckInRecord]) -> None:
    """Log the exposures of check-ins, once per device and release; of control, once per stage. Inside a transaction."""
    exposures: dict[tuple[str, int, str], _NewExposure] = {}
    for exposure in _new_exposures(records):
        known = exposures.setdefault((exposure.app, exposure.release, exposure.device), exposure)
        known.offer(exposure)
    if exposures:
        _store(exposures.values())


def _new_exposures(records: Iterable[CheckInRecord]) -> Iterator[_NewExposure]:
    for record in records:
        for exposure in record.exposures:
            offered = record.at if exposure.number is not None else None
            about = record.claims.app, record.device, *exposure
            yield _NewExposure(*about, drawn=record.at, offered=offered, vouched=record.vouched)


def _store(exposures: Iterable[_NewExposure]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_STAGE_NEW)
        with cursor.copy("COPY walle_draw FROM STDIN") as copy:
            for exposure in exposures:
                copy.write_row(exposure.row())
        cursor.execute(_STORE_NEW.format(apps=subquery(app_slugs()), devices=subquery(known_devices())))
        cursor.execute(_STORE_REPEATS.format(apps=subquery(app_slugs())))


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


# For a control device with an outcome, only a fall-back, an earlier run, its first cold or warm run, or a run of the
# release's version is news. A repeat was offered the version when its device was.
_CONCERNED = """
SELECT exposure.id, exposure.app_id, exposure.device, exposure.task, exposure.release, exposure.arm = 'treatment',
    extract(epoch FROM exposure.drawn_at)::float8,
    extract(epoch FROM CASE WHEN exposure.arm <> 'repeat' THEN exposure.offered_at ELSE (
        SELECT held.offered_at FROM releases_app_exposure held
        WHERE held.release = exposure.release AND held.device = exposure.device AND held.arm <> 'repeat'
    ) END)::float8, exposure.number,
    extract(epoch FROM exposure.installed_at)::float8, exposure.outcome, exposure.error_class,
    extract(epoch FROM exposure.reported_at)::float8, extract(epoch FROM exposure.settled_at)::float8,
    exposure.duration_ms, exposure.cold_ms, extract(epoch FROM exposure.cold_at)::float8,
    exposure.warm_ms, extract(epoch FROM exposure.warm_at)::float8, exposure.metrics, coalesce(release.about, ''),
    exposure.crossed
FROM releases_app_exposure exposure
JOIN unnest(%s::bigint[], %s::text[], %s::text[], %s::float8[], %s::boolean[], %s::float8[], %s::float8[], %s::jsonb[])
    reported (app_id, device, task, first, fell_back, cold, warm, versions) USING (app_id, device, task)
LEFT JOIN {releases} release ON release.id = exposure.release
WHERE exposure.release = ANY (%s) OR exposure.arm <> 'treatment' AND NOT exposure.crossed AND (
    exposure.reported_at IS NULL OR reported.versions ? release.about OR reported.fell_back
    OR to_timestamp(reported.first) <= exposure.reported_at
    OR to_timestamp(reported.cold) <= coalesce(exposure.cold_at, 'infinity')
    OR to_timestamp(reported.warm) <= coalesce(exposure.warm_at, 'infinity')
)
ORDER BY exposure.release, exposure.device, exposure.id FOR NO KEY UPDATE OF exposure
"""
_CHANGE = """
UPDATE releases_app_exposure exposure SET
    offered_at = to_timestamp(changed.offered_at), number = changed.number,
    installed_at = to_timestamp(changed.installed_at), outcome = changed.outcome, error_class = changed.error_class,
    reported_at = to_timestamp(changed.reported_at), settled_at = to_timestamp(changed.settled_at),
    duration_ms = changed.duration_ms, cold_ms = changed.cold_ms, cold_at = to_timestamp(changed.cold_at),
    warm_ms = changed.warm_ms, warm_at = to_timestamp(changed.warm_at), metrics = changed.metrics,
    crossed = changed.crossed
FROM jsonb_to_recordset(%s::jsonb) changed (
    id bigint, offered_at float8, number bigint, installed_at float8, outcome text, error_class text,
    reported_at float8, settled_at float8, duration_ms float8,
    cold_ms float8, cold_at float8, warm_ms float8, warm_at float8, metrics jsonb, crossed boolean
)
WHERE exposure.id = changed.id
"""

About = tuple[int, str, str]
"""The subject of a report: app (primary key), device, task."""


def _by_subject(news: Iterable[tuple[int, ReceivedReport]]) -> dict[About, list[ReportFact]]:
    facts: dict[About, list[ReportFact]] = defaultdict(list)
    for app, item in news:
        facts[app, item.device, item.report.task].append(report_fact(item))
    return facts


def report_fact(received: ReceivedReport) -> ReportFact:
    """Return what a report says of its device."""
    report = received.report
    fact = ReportFact(
        kind=report.kind,
        outcome=report.outcome,
        error_class=report.error_class or "",
        reported_at=round(report.at, 6),
        received_at=round(received.received, 6),
        duration_ms=report.duration_ms,
        metrics=report.metrics,
        start=report.start or "",
        runs=report.runs["count"] if report.runs else 1,
        failed_runs=report.runs["failed"] if report.runs else int(report.outcome == "failure"),
        draw=int(report.id[:8], 16) / 2**32,
        version=report.version or "",
    )
    if (offer := received.offer) is None or not received.in_force:
        return fact
    return replace(fact, release=offer.release, number=offer.number, offered_at=float(offer.expires - OFFER_LEASE_S))


def _first_run(facts: Iterable[ReportFact], *, warm: bool) -> float | None:
    """Return the time of the first of the runs that have a duration, by the device's clock."""
    runs = (each for each in facts if each.kind == "run" and each.duration_ms is not None)
    return min((each.reported_at for each in runs if (each.start == "warm") is warm), default=None)


def store_outcomes(news: Iterable[tuple[int, ReceivedReport]]) -> list[int]:
    """Update exposures from new reports, each with its app's primary key; return the releases concerned.

    Inside a transaction.
    """
    facts = _by_subject(news)
    if not facts:
        return []
    rows = [
        (
            *about,
            min(each.reported_at for each in several),
            any(each.fell_back for each in several),
            _first_run(several, warm=False),
            _first_run(several, warm=True),
            json.dumps(sorted({each.version for each in several if each.kind == "run"})),
        )
        for about, several in facts.items()
    ]
    releases = sorted({each.release for several in facts.values() for each in several if each.release is not None})
    changed: list[tuple[int, ExposureState]] = []
    with connection.cursor() as cursor:
        about = Release.objects.order_by().values("id", about=F("version__version"))
        cursor.execute(
            _CONCERNED.format(releases=subquery(about)),
            [*(list(column) for column in zip(*rows, strict=True)), releases],
        )
        for key, app, device, task, *columns, metrics, version, crossed in cursor.fetchall():
            known = [*columns, json.loads(metrics), version, crossed]
            before = ExposureState(*known)
            after = apply_reports(before, facts[app, device, task])
            if after != before:
                changed.append((key, after))
        if changed:
            updates = [
                {"id": key, **{name: getattr(after, name) for name in _OUTCOME_COLUMNS}} for key, after in changed
            ]
            cursor.execute(_CHANGE, [json.dumps(updates)])
    return sorted({after.release for _, after in changed})


_OUTCOME_COLUMNS: Final = (
    "offered_at", "number", "installed_at", "outcome", "error_class", "reported_at", "settled_at", "duration_ms",
    "cold_ms", "cold_at", "warm_ms", "warm_at", "metrics", "crossed",
)  # fmt: skip
