"""Storing what gateways learned, in batches. Set-based SQL: these run thousands of rows at a time."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime

from django.db import connection, transaction

from devices_app.models import App, Report
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
    """Brings the registry up to date; of a device's several check-ins the last counts, and none older than known."""
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


def _line(record: CheckInRecord) -> str:
    """A row in COPY's text format; only the trusted facts can hold anything that it would have to escape."""
    trusted = json.dumps(record.trusted).replace("\\", "\\\\") if record.trusted else "{}"
    claims = record.claims
    return f"{claims.app}\t{record.device}\t{claims.identity}\t{trusted}\t{record.at}\n"


@transaction.atomic
def store_reports(received: Sequence[ReceivedReport]) -> None:
    """Stores reports once by their id; those of apps that no longer exist are dropped."""
    apps = dict(App.objects.values_list("slug", "id"))
    rows = [_report(item, apps[item.app]) for item in received if item.app in apps]
    Report.objects.bulk_create(rows, ignore_conflicts=True, batch_size=1000)


def _report(received: ReceivedReport, app_id: int) -> Report:
    report, offer = received.report, received.offer
    in_force = offer is not None and received.received <= offer.expires
    return Report(
        app_id=app_id,
        device=received.device,
        report_id=report.id,
        task=report.task,
        version=report.version,
        manifest=report.manifest,
        kind=report.kind,
        outcome=report.outcome,
        error_class=report.error_class or "",
        message=report.message or "",
        duration_ms=report.duration_ms,
        peak_memory_kb=report.peak_memory_kb,
        metrics=dict(report.metrics),
        output=report.output,
        release=offer.release if offer and in_force else None,
        stage=offer.stage if offer and in_force else None,
        number=offer.number if offer and in_force else None,
        evidence=in_force,
        reported_at=datetime.fromtimestamp(report.at, UTC),
        received_at=datetime.fromtimestamp(received.received, UTC),
    )
