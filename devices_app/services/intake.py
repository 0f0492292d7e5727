"""Storing what gateways learned, in batches. Set-based SQL: these run thousands of rows at a time."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django.db import connection, transaction

from devices_app.models import Report
from devices_app.services.exposures import STAGE_TOLD, settle, store_draws, store_proved_draws
from devices_app.signals import reports_stored
from walle.gateway.offers import OFFER_LEASE_S
from walle.gateway.ports import CheckInRecord, ReceivedReport

# Claims are sent once however many devices make them; a row of the registry remembers which it holds, so that a
# device that says what it said before costs one small update.
_STAGE = """
CREATE TEMPORARY TABLE IF NOT EXISTS walle_claims (app text, identity text, facts jsonb, profile jsonb)
ON COMMIT DELETE ROWS;
CREATE TEMPORARY TABLE IF NOT EXISTS walle_check_in (
    app text, device text, identity text, trusted jsonb, seconds double precision,
    at timestamptz GENERATED ALWAYS AS (to_timestamp(seconds)) STORED
) ON COMMIT DELETE ROWS
"""
# A device that says what it said within the last minute is left out: its app's every request may carry a check-in.
_NOTHING_NEW = """
DELETE FROM walle_check_in stage USING devices_app_app app, devices_app_device device
WHERE app.slug = stage.app AND device.app_id = app.id AND device.device = stage.device
    AND device.claims = stage.identity AND device.trusted = stage.trusted
    AND device.last_seen > stage.at - interval '1 minute'
"""
# Every row that this batch will touch is locked here, in the order of its key: two gateways flushing the same devices
# cannot deadlock, and what is compared with what was said before is the newest there is.
_SEEN_AGAIN = """
WITH known AS MATERIALIZED (
    SELECT device.id, stage.at, device.claims = stage.identity AND device.trusted = stage.trusted AS same
    FROM walle_check_in stage
    JOIN devices_app_app app ON app.slug = stage.app
    JOIN devices_app_device device
        ON device.app_id = app.id AND device.device = stage.device AND device.last_seen < stage.at
    ORDER BY device.app_id, device.device FOR NO KEY UPDATE OF device
)
UPDATE devices_app_device device SET last_seen = known.at FROM known WHERE device.id = known.id AND known.same
"""
_SAID_ANEW = """
WITH said AS (
    SELECT app.id AS app_id, stage.device, stage.identity, stage.trusted, stage.at, claims.facts, claims.profile,
        known.profile AS old_profile
    FROM walle_check_in stage
    JOIN devices_app_app app ON app.slug = stage.app
    JOIN walle_claims claims ON claims.app = stage.app AND claims.identity = stage.identity
    LEFT JOIN devices_app_device known ON known.app_id = app.id AND known.device = stage.device
    WHERE known.id IS NULL OR (
        known.last_seen < stage.at AND (known.claims <> stage.identity OR known.trusted <> stage.trusted)
    )
), stored AS (
    INSERT INTO devices_app_device AS device
        (app_id, device, claims, facts, trusted, profile, first_seen, last_seen)
    SELECT app_id, device, identity, facts, trusted, profile, at, at FROM said ORDER BY app_id, device
    ON CONFLICT (app_id, device) DO UPDATE SET
        claims = EXCLUDED.claims, facts = EXCLUDED.facts, trusted = EXCLUDED.trusted,
        profile = EXCLUDED.profile, last_seen = EXCLUDED.last_seen
    WHERE device.last_seen < EXCLUDED.last_seen
    RETURNING id, app_id, device
), changed AS (
    SELECT stored.id, said.profile, said.at FROM stored JOIN said USING (app_id, device)
    WHERE said.old_profile IS DISTINCT FROM said.profile
), gone AS (
    DELETE FROM devices_app_installedtask installed USING changed
    WHERE installed.device_id = changed.id AND NOT changed.profile ? installed.task
)
INSERT INTO devices_app_installedtask AS installed (device_id, task, manifest, since)
SELECT changed.id, entry.key, entry.value, changed.at
FROM changed, jsonb_each_text(changed.profile) entry ORDER BY 1, 2
ON CONFLICT (device_id, task) DO UPDATE SET manifest = EXCLUDED.manifest, since = EXCLUDED.since
WHERE installed.manifest <> EXCLUDED.manifest
"""


@transaction.atomic
def store_check_ins(records: Sequence[CheckInRecord]) -> None:
    """Brings the registry up to date, and logs draws.

    Of a device's several check-ins the last counts, and none older than known; of its draws all.
    """
    drawn = [record for record in records if record.drawn]
    records = list({(record.claims.app, record.device): record for record in records}.values())
    claims = {(record.claims.app, record.claims.identity): record.claims for record in records}
    with connection.cursor() as cursor:
        cursor.execute(_STAGE)
        with cursor.copy("COPY walle_claims FROM STDIN") as copy:
            for said in claims.values():
                profile = {task: digest.hex() for task, digest in said.profile.items()}
                copy.write_row((said.app, said.identity, json.dumps(said.facts), json.dumps(profile)))
        with cursor.copy("COPY walle_check_in (app, device, identity, trusted, seconds) FROM STDIN") as copy:
            copy.write("".join(map(_line, records)))
        cursor.execute(_NOTHING_NEW)
        cursor.execute(_SEEN_AGAIN)
        cursor.execute(_SAID_ANEW)
    store_draws(drawn)


def _line(record: CheckInRecord) -> str:
    """A row in COPY's text format; only the trusted facts can hold anything that it would have to escape."""
    trusted = json.dumps(record.trusted).replace("\\", "\\\\") if record.trusted else "{}"
    claims = record.claims
    return f"{claims.app}\t{record.device}\t{claims.identity}\t{trusted}\t{record.at}\n"


# Only reports that were not known before have anything to say about exposures, so that nothing counts twice.
_STAGE_REPORTS = """
CREATE TEMPORARY TABLE IF NOT EXISTS walle_report (
    app text, device text, report_id uuid, task text, version text, manifest text, kind text, outcome text,
    error_class text, message text, duration_ms double precision, peak_memory_kb bigint, metrics jsonb, output jsonb,
    release bigint, stage bigint, number bigint, evidence boolean, offered timestamptz,
    reported_at timestamptz, received_at timestamptz
) ON COMMIT DELETE ROWS;
DELETE FROM walle_report
"""
_STORE_REPORTS = """
WITH stored AS (
    INSERT INTO devices_app_report (
        app_id, device, report_id, task, version, manifest, kind, outcome, error_class, message, duration_ms,
        peak_memory_kb, metrics, output, release, stage, number, evidence, reported_at, received_at
    )
    SELECT app.id, device, report_id, task, version, manifest, kind, outcome, error_class, message, duration_ms,
        peak_memory_kb, metrics, output, release, stage, number, evidence, reported_at, received_at
    FROM walle_report stage JOIN devices_app_app app ON app.slug = stage.app
    ORDER BY app.id, device, report_id
    ON CONFLICT (app_id, device, report_id) DO NOTHING
    RETURNING *
)
INSERT INTO walle_told
SELECT stored.report_id, stored.app_id, stored.device, stored.task, stored.kind, stored.outcome, stored.error_class,
    stored.duration_ms, stored.metrics, stored.release, stored.stage, stored.number, said.offered,
    stored.reported_at, stored.received_at
FROM stored JOIN devices_app_app app ON app.id = stored.app_id
JOIN (SELECT app, device, report_id, min(offered) AS offered FROM walle_report GROUP BY 1, 2, 3) said
    ON said.app = app.slug AND said.device = stored.device AND said.report_id = stored.report_id
"""


def store_reports(received: Sequence[ReceivedReport]) -> None:
    """Stores reports once by their id, and what they mean for devices on trial.

    Those of apps that no longer exist are dropped.
    """
    store_proved_draws(received)
    with transaction.atomic():
        _store_reports(received)


def _store_reports(received: Sequence[ReceivedReport]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"{_STAGE_REPORTS};{STAGE_TOLD}")
        with cursor.copy("COPY walle_report FROM STDIN") as copy:
            for item in received:
                copy.write_row(_report(item))
        cursor.execute(_STORE_REPORTS)
        told = cursor.rowcount
    if releases := settle() if told else []:
        reports_stored.send(sender=Report, releases=releases)


def _report(received: ReceivedReport) -> tuple[Any, ...]:
    """A row of `walle_report`; what its offer token says only if that was still in force."""
    report, offer = received.report, received.offer
    proof: tuple[Any, ...] = (None, None, None, False, None)
    if offer is not None and received.in_force:
        proof = (offer.release, offer.stage, offer.number, True, _moment(offer.expires - OFFER_LEASE_S))
    return (
        received.app, received.device, report.id, report.task, report.version, report.manifest, report.kind,
        report.outcome, report.error_class or "", report.message or "", report.duration_ms, report.peak_memory_kb,
        json.dumps(report.metrics), None if report.output is None else json.dumps(report.output),
        *proof, _moment(report.at), _moment(received.received),
    )  # fmt: skip


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
