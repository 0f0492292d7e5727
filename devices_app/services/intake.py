"""Store what gateways received, in batches of thousands of rows, with set-based SQL."""

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from operator import attrgetter
from typing import Any, Final
from uuid import UUID

from django.db import connection, transaction

from devices_app.models import REGISTRY_LAG, App, Device, Report
from devices_app.services.activity_counts import ActivityIncrement, add_activity
from devices_app.signals import check_ins_stored, reports_received, reports_stored
from walle.gateway.ports import CheckInRecord, DeviceClaims, Enrolments, ReceivedReport

_PORTION: Final = 200
PAST_AN_HOUR: Final = 12
"""How many changes of what one device says are kept of an hour: further ones only prolong the last of these."""

# A row of the registry records the identity of its claims, so that a check-in with unchanged claims costs one small
# update. Only new claims are sent, once however many devices make them.
_STAGE = """
CREATE TEMPORARY TABLE IF NOT EXISTS walle_claims (app text, identity text, facts jsonb, profile jsonb)
ON COMMIT DELETE ROWS;
CREATE TEMPORARY TABLE IF NOT EXISTS walle_check_in (
    app text, device text, identity text, trusted jsonb, vouched boolean, seconds double precision,
    deferral text, deferral_s integer,
    at timestamptz GENERATED ALWAYS AS (to_timestamp(seconds)) STORED
) ON COMMIT DELETE ROWS;
DELETE FROM walle_claims;
DELETE FROM walle_check_in
"""
_COPY: Final = """
COPY walle_check_in (app, device, identity, trusted, vouched, seconds, deferral, deferral_s) FROM STDIN
"""
# Unchanged check-ins within REGISTRY_LAG of the last one are left out: every request of an app may carry a check-in.
_NOTHING_NEW = """
DELETE FROM walle_check_in stage USING devices_app_app app, devices_app_device device
WHERE app.slug = stage.app AND device.app_id = app.id AND device.device = stage.device
    AND device.claims = stage.identity AND device.trusted = stage.trusted AND device.deferral = stage.deferral
    AND (device.vouched_at IS NOT NULL OR NOT stage.vouched)
    AND device.last_seen > stage.at - make_interval(secs => %s)
"""
# Every row of this batch is locked here, in the order of its key: two gateways flushing the same devices cannot
# deadlock, and the comparison reads the newest claims.
_SEEN_AGAIN = """
WITH known AS MATERIALIZED (
    SELECT device.id, stage.at, stage.deferral_s,
        device.claims = stage.identity AND device.trusted = stage.trusted AND device.deferral = stage.deferral
        AND (device.vouched_at IS NOT NULL OR NOT stage.vouched) AS same
    FROM walle_check_in stage
    JOIN devices_app_app app ON app.slug = stage.app
    JOIN devices_app_device device
        ON device.app_id = app.id AND device.device = stage.device AND device.last_seen < stage.at
    ORDER BY device.app_id, device.device FOR NO KEY UPDATE OF device
)
UPDATE devices_app_device device SET last_seen = known.at,
    deferral_until = known.at + known.deferral_s * interval '1 second'
FROM known WHERE device.id = known.id AND known.same
"""
_NEWS = """
SELECT DISTINCT stage.app, stage.identity FROM walle_check_in stage
JOIN devices_app_app app ON app.slug = stage.app
LEFT JOIN devices_app_device known ON known.app_id = app.id AND known.device = stage.device
WHERE known.id IS NULL OR (
    known.last_seen < stage.at AND (
        known.claims <> stage.identity OR known.trusted <> stage.trusted OR known.deferral <> stage.deferral
        OR known.vouched_at IS NULL AND stage.vouched
    )
)
"""
# Counts the new rows of each app: in a row that existed already, xmax is this transaction, which locked it.
_NEW_CLAIMS = """
WITH claimed AS (
    SELECT app.id AS app_id, stage.device, stage.identity, stage.trusted, stage.at, claims.facts, claims.profile,
        stage.deferral, stage.at + stage.deferral_s * interval '1 second' AS deferral_until,
        known.facts AS old_facts, known.trusted AS old_trusted, known.profile AS old_profile,
        known.deferral AS old_deferral, known.changed_at AS old_since,
        known.claims <> stage.identity OR known.trusted <> stage.trusted OR known.deferral <> stage.deferral AS differs,
        CASE WHEN stage.vouched THEN stage.at END AS vouched_at
    FROM walle_check_in stage
    JOIN devices_app_app app ON app.slug = stage.app
    JOIN walle_claims claims ON claims.app = stage.app AND claims.identity = stage.identity
    LEFT JOIN devices_app_device known ON known.app_id = app.id AND known.device = stage.device
    WHERE known.id IS NULL OR (
        known.last_seen < stage.at AND (
            known.claims <> stage.identity OR known.trusted <> stage.trusted OR known.deferral <> stage.deferral
            OR known.vouched_at IS NULL AND stage.vouched
        )
    )
), stored AS (
    INSERT INTO devices_app_device AS device
        (app_id, device, claims, facts, trusted, profile, vouched_at, deferral, deferral_until, first_seen, last_seen,
        changed_at)
    SELECT app_id, device, identity, facts, trusted, profile, vouched_at, deferral, deferral_until, at, at, at
    FROM claimed ORDER BY app_id, device
    ON CONFLICT (app_id, device) DO UPDATE SET
        claims = EXCLUDED.claims, facts = EXCLUDED.facts, trusted = EXCLUDED.trusted,
        profile = EXCLUDED.profile, last_seen = EXCLUDED.last_seen,
        deferral = EXCLUDED.deferral, deferral_until = EXCLUDED.deferral_until,
        changed_at = CASE WHEN device.claims <> EXCLUDED.claims OR device.trusted <> EXCLUDED.trusted
            OR device.deferral <> EXCLUDED.deferral THEN EXCLUDED.changed_at ELSE device.changed_at END,
        vouched_at = coalesce(device.vouched_at, EXCLUDED.vouched_at)
    WHERE device.last_seen < EXCLUDED.last_seen
    RETURNING id, app_id, device, xmax = 0 AS is_new
), before AS (
    SELECT stored.id, claimed.* FROM stored JOIN claimed USING (app_id, device) WHERE claimed.differs
), kept AS (
    INSERT INTO devices_app_pastclaims (device_id, facts, trusted, profile, deferral, since, until)
    SELECT id, old_facts, old_trusted, old_profile, old_deferral, least(old_since, at), at FROM before
    WHERE (
        SELECT count(*) FROM devices_app_pastclaims past
        WHERE past.device_id = before.id AND past.until > before.at - interval '1 hour'
    ) < %(most)s
    RETURNING device_id
), blurred AS (
    UPDATE devices_app_pastclaims past SET until = before.at, blurred_from = coalesce(past.blurred_from, past.until)
    FROM before
    WHERE past.device_id = before.id AND past.until = before.old_since
        AND NOT EXISTS (SELECT FROM kept WHERE kept.device_id = before.id)
), changed AS (
    SELECT stored.id, claimed.profile, claimed.at FROM stored JOIN claimed USING (app_id, device)
    WHERE claimed.old_profile IS DISTINCT FROM claimed.profile
), gone AS (
    DELETE FROM devices_app_installedtask installed USING changed
    WHERE installed.device_id = changed.id AND NOT changed.profile ? installed.task
), added AS (
    INSERT INTO devices_app_installedtask AS installed (device_id, task, manifest, since)
    SELECT changed.id, entry.key, entry.value, changed.at
    FROM changed, jsonb_each_text(changed.profile) entry ORDER BY 1, 2
    ON CONFLICT (device_id, task) DO UPDATE SET manifest = EXCLUDED.manifest, since = EXCLUDED.since
    WHERE installed.manifest <> EXCLUDED.manifest
)
SELECT app.slug, count(*) FROM stored JOIN devices_app_app app ON app.id = stored.app_id WHERE is_new GROUP BY 1
"""


@transaction.atomic
def store_check_ins(records: Sequence[CheckInRecord]) -> None:
    """Update the registry, and add to the activity counts.

    Of a device's several check-ins the last counts; one older than the registry's is ignored.
    """
    exposed = [record for record in records if record.exposures]
    last = {(record.claims.app, record.device): record for record in records}.values()
    registered: dict[str, int] = {}
    with connection.cursor() as cursor:
        cursor.execute(_STAGE)
        with cursor.copy(_COPY) as copy:
            for portion in _portions(_check_in_rows(last)):
                copy.write(portion)
        cursor.execute(_NOTHING_NEW, [REGISTRY_LAG.total_seconds()])
        cursor.execute(_SEEN_AGAIN)
        cursor.execute(_NEWS)
        if news := cursor.fetchall():
            claims = {(record.claims.app, record.claims.identity): record.claims for record in last}
            with cursor.copy("COPY walle_claims FROM STDIN") as copy:
                for portion in _portions(_claims_rows(map(claims.__getitem__, news))):
                    copy.write(portion)
            cursor.execute(_NEW_CLAIMS, {"most": PAST_AN_HOUR})
            registered = dict(cursor.fetchall())
    check_ins_stored.send(Device, records=records)
    add_activity(_activity_of_check_ins(records, exposed, registered))


def store_enrolments(enrolments: Mapping[str, Enrolments]) -> None:
    """Add what gateways counted of enrolments to the activity counts, by app."""
    add_activity(
        {
            app: ActivityIncrement(
                enrolled_by_key=counted.by_key,
                enrolled_by_statement=counted.by_statement,
                enrolments_refused=counted.refused,
            )
            for app, counted in enrolments.items()
        }
    )


def _activity_of_check_ins(
    records: Sequence[CheckInRecord], exposed: Sequence[CheckInRecord], registered: Mapping[str, int]
) -> dict[str, ActivityIncrement]:
    offers = Counter(
        record.claims.app for record in exposed for exposure in record.exposures if exposure.number is not None
    )
    check_ins = Counter(map(attrgetter("claims.app"), records))
    return {
        app: ActivityIncrement(check_ins=count, offers=offers[app], registered=registered.get(app, 0))
        for app, count in check_ins.items()
    }


def _portions(rows: Iterator[str]) -> Iterator[str]:
    """Yield rows in portions.

    Between two portions the thread that answers devices gets the interpreter lock; otherwise devices would wait many
    milliseconds until this thread is done.
    """
    while portion := "".join(islice(rows, _PORTION)):
        yield portion
        time.sleep(0)


def _check_in_rows(records: Iterable[CheckInRecord]) -> Iterator[str]:
    """Yield rows in COPY's text format."""
    written = _Written()
    for claims, device, trusted, at, _, vouched, deferral in records:
        put_off = f"{deferral.counted_as}\t{deferral.seconds}" if deferral else "\t\\N"
        yield f"{claims.app}\t{device}\t{claims.identity}\t{written.json(trusted)}\t{vouched}\t{at}\t{put_off}\n"


def _claims_rows(claims: Iterable[DeviceClaims]) -> Iterator[str]:
    """Yield rows in COPY's text format."""
    written = _Written()
    for claim in claims:
        yield f"{claim.app}\t{claim.identity}\t{_json(claim.facts)}\t{written.json(claim.profile)}\n"


class _Written:
    """A cache of JSON texts: devices share the same objects for what they have in common."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}

    def json(self, value: Mapping[str, Any]) -> str:
        """Return the JSON of an object that lives as long as this cache."""
        return self._texts.get(id(value)) or self._texts.setdefault(id(value), _json(value))


def _json(value: Mapping[str, Any]) -> str:
    """Return JSON for COPY's text format, where it needs escaped backslashes only; bytes become hexadecimal digits."""
    return json.dumps(value, default=bytes.hex).replace("\\", "\\\\")


# Reports stored already add nothing to exposures: `RETURNING` returns the others.
_STORE_REPORTS = """
INSERT INTO devices_app_report (
    app_id, device, report_id, task, version, manifest, kind, outcome, error_class, message, duration_ms,
    peak_memory_kb, start, vm_end, runs, metrics, output, release, stage, number, evidence, reported_at, received_at
)
SELECT app.id, device, report_id, task, version, manifest, kind, outcome, error_class, message, duration_ms,
    peak_memory_kb, start, vm_end, runs, metrics, output, release, stage, number, evidence, reported_at, received_at
FROM jsonb_to_recordset(%s::jsonb) report (
    app text, device text, report_id uuid, task text, version text, manifest text, kind text, outcome text,
    error_class text, message text, duration_ms double precision, peak_memory_kb bigint, start text, vm_end text,
    runs jsonb, metrics jsonb, output jsonb, release bigint, stage bigint, number bigint, evidence boolean,
    reported_at timestamptz, received_at timestamptz
) JOIN devices_app_app app ON app.slug = report.app
ORDER BY app.id, device, report_id
ON CONFLICT (app_id, device, report_id) DO NOTHING
RETURNING app_id, device, report_id
"""


def store_reports(received: Sequence[ReceivedReport]) -> None:
    """Store each report once by its id, and add to the activity counts. Reports of deleted apps are dropped."""
    reports_received.send(Report, received=received)
    with transaction.atomic():
        news = _store_reports(received)
        reports_stored.send(Report, news=news)
        add_activity(_activity_of_reports(item for _, item in news))


def _store_reports(received: Sequence[ReceivedReport]) -> list[tuple[int, ReceivedReport]]:
    """Return the reports that were not known before, each with the primary key of its app."""
    by_id = {(item.device, UUID(item.report.id), item.app): item for item in reversed(received)}
    apps = dict(App.objects.values_list("slug", "id"))
    with connection.cursor() as cursor:
        cursor.execute(_STORE_REPORTS, [json.dumps([_report(item) for item in by_id.values()])])
        new = set(cursor.fetchall())
    return [
        (apps[app], item)
        for (device, report_id, app), item in by_id.items()
        if (apps.get(app), device, report_id) in new
    ]


def _activity_of_reports(news: Iterable[ReceivedReport]) -> dict[str, ActivityIncrement]:
    installs: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    for item in news:
        if item.report.outcome == "failure":
            failures[item.app] += 1
        elif item.report.kind == "install":
            installs[item.app] += 1
    return {
        app: ActivityIncrement(installs=installs[app], failures=failures[app])
        for app in installs.keys() | failures.keys()
    }


def _report(received: ReceivedReport) -> dict[str, Any]:
    """Return the row of a report; fields of its offer token only if that was still in force."""
    report = vars(received.report)
    offer = received.offer if received.in_force else None
    return report | {
        "app": received.app,
        "device": received.device,
        "report_id": report["id"],
        "error_class": report["error_class"] or "",
        "message": report["message"] or "",
        "start": report["start"] or "",
        "vm_end": report["vm_end"] or "",
        "release": offer.release if offer else None,
        "stage": offer.stage if offer else None,
        "number": offer.number if offer else None,
        "evidence": offer is not None,
        "reported_at": _moment(report["at"]).isoformat(),
        "received_at": _moment(received.received).isoformat(),
    }


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
