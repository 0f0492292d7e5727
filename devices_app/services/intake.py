"""Storing what gateways learned, in batches. Set-based SQL: these run thousands of rows at a time."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime

from django.db import connection, transaction

from devices_app.models import App, Report
from walle.gateway.ports import CheckInRecord, ReceivedReport

_STAGE = """
CREATE TEMPORARY TABLE IF NOT EXISTS walle_check_in (
    app text, device text, facts jsonb, trusted jsonb, profile jsonb, at timestamptz
) ON COMMIT DELETE ROWS
"""
# Rows are touched in the order of their key, so that two gateways flushing the same devices cannot deadlock.
_UPSERT = """
WITH said AS (
    SELECT app.id AS app_id, stage.*, known.profile AS old_profile
    FROM walle_check_in stage
    JOIN devices_app_app app ON app.slug = stage.app
    LEFT JOIN devices_app_device known ON known.app_id = app.id AND known.device = stage.device
), stored AS (
    INSERT INTO devices_app_device AS device (app_id, device, facts, trusted, profile, first_seen, last_seen)
    SELECT app_id, device, facts, trusted, profile, at, at FROM said ORDER BY app_id, device
    ON CONFLICT (app_id, device) DO UPDATE SET
        facts = EXCLUDED.facts, trusted = EXCLUDED.trusted, profile = EXCLUDED.profile, last_seen = EXCLUDED.last_seen
    WHERE device.last_seen <= EXCLUDED.last_seen
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
    """Brings the registry up to date with one check-in per device; older news than known is ignored."""
    with connection.cursor() as cursor:
        cursor.execute(_STAGE)
        with cursor.copy("COPY walle_check_in FROM STDIN") as copy:
            for record in records:
                copy.write_row(_row(record))
        cursor.execute(_UPSERT)


def _row(record: CheckInRecord) -> tuple[str, str, str, str, str, datetime]:
    profile = {task: digest.hex() for task, digest in record.profile.items()}
    return (
        record.app,
        record.device,
        json.dumps(record.facts),
        json.dumps(record.trusted),
        json.dumps(profile),
        datetime.fromtimestamp(record.at, UTC),
    )


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
