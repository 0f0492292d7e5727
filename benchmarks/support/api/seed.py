"""A large Walle in rows: a million devices and features, ten million reports, written by PostgreSQL itself.

Apps: `mall` with nine devices in ten, `shop` with the rest, and `kiosk` with a few hundred. The facts of devices are
those of benchmarks.support.population, two of them different on every device. The first release has the most exposures.
Small tables are written by Django with the same content that the services would write.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import numpy as np
import psycopg

from benchmarks.support.api import catalogue
from benchmarks.support.population import Population

KIOSK_DEVICES: Final = 300
FEATURE_DAYS: Final = 4


@dataclass(frozen=True)
class Size:
    """How much of what there is; `exposures` are those of the first release, the others have `few_exposures` each.

    Features are counted by minute, for the last `counted_minutes`; so are the predictions of hosts, for `host_minutes`.
    """

    devices: int = 1_000_000
    releases: int = 500
    reports: int = 10_000_000
    exposures: int = 600_000
    few_exposures: int = 2_000
    audit: int = 500_000
    jobs: int = 200_000
    members: int = 300
    list_devices: int = 100_000
    files: int = 20
    variants: int = 20_000
    features: int = 1_000_000
    counted_minutes: int = FEATURE_DAYS * 1440
    pipelines: int = 250
    hosts: int = 4
    host_minutes: int = 24 * 60
    workflows: int = 200
    placements: int = 1000


TINY: Final = {
    "few_exposures": 10,
    "members": 30,
    "list_devices": 100,
    "files": 3,
    "variants": 20,
    "counted_minutes": 60,
    "pipelines": 12,
    "hosts": 2,
    "host_minutes": 30,
    "workflows": 5,
    "placements": 20,
}
"""In a tiny run, how much there is of what is no dimension of a benchmark."""


def seed(size: Size, superuser: str) -> None:
    """Write everything into an empty, migrated database; `superuser` is the address of a role that can defer checks."""
    from devices_app.services.feature_partitions import make_partitions

    now = datetime.now(UTC).replace(microsecond=0)
    catalogue.write(size, now)
    with psycopg.connect(superuser, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("SET maintenance_work_mem = '1GB'")
        connection.execute("SET synchronous_commit = off")
        _kinds(connection)
        make_partitions(now.date() - timedelta(days=number) for number in range(FEATURE_DAYS + 1))
        for table, statement in _BIG.items():
            with connection.transaction(), without_indexes(connection, table):
                connection.execute(_filled(statement, size, now))
                connection.execute(_NEXT_ID.format(table=table))
        connection.execute(_filled(_FEATURE_COUNTS, size, now))
        connection.execute("VACUUM ANALYZE")


def _kinds(connection: psycopg.Connection[Any]) -> None:
    people = Population(np.random.default_rng(2022))
    connection.execute("CREATE TEMPORARY TABLE kind (place integer PRIMARY KEY, facts jsonb)")
    with connection.cursor().copy("COPY kind FROM STDIN") as copy:
        for number, facts in enumerate(people.kinds):
            copy.write_row((number, json.dumps(facts)))


def _filled(statement: str, size: Size, now: datetime) -> str:
    """Fill in a statement; the values are only numbers and a time of this module."""
    return statement.format(
        **asdict(size), now=f"'{now.isoformat()}'::timestamptz", kiosk=KIOSK_DEVICES, feature_days=FEATURE_DAYS
    )


@contextmanager
def without_indexes(connection: psycopg.Connection[Any], table: str) -> Iterator[None]:
    """Drop indexes and the constraints that use them for the length of the block; they are built again afterwards."""
    unique = connection.execute(
        "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint "
        "WHERE conrelid = %s::regclass AND contype IN ('u', 'p') ORDER BY contype",
        [table],
    ).fetchall()
    plain = connection.execute(
        "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = %s::regclass "
        "AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)",
        [table],
    ).fetchall()
    for name, _ in unique:
        connection.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}" CASCADE')
    for name, _ in plain:
        connection.execute(f"DROP INDEX {name}")
    yield
    for name, definition in unique:
        connection.execute(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {definition}')
    for _, definition in plain:
        connection.execute(definition)


# App 1 is mall, 2 shop, 3 kiosk (catalogue.py). Kinds are chosen as in population.py: the first ones more often.
_DEVICES = """
INSERT INTO devices_app_device
    (id, app_id, device, claims, facts, trusted, profile, first_seen, last_seen, revoked_at)
SELECT n, CASE WHEN n % ({devices} / {kiosk}) = 0 THEN 3 WHEN n % 10 = 3 THEN 2 ELSE 1 END,
    'device-' || lpad((n - 1)::text, 9, '0'), lpad(to_hex(n), 16, '0'),
    kind.facts
        || jsonb_build_object('battery', (random() * 1000)::int / 10.0, 'free_storage', (random() * 256000)::int),
    CASE WHEN n % 10 < 3
        THEN jsonb_build_object('age_band', (ARRAY['13-17', '18-24', '25-34', '35-49', '50-64', '65+'])[1 + n % 6])
        ELSE '{{}}' END,
    jsonb_build_object('bench-' || n % 10 || '/task-' || n % 5, substr(md5((n % 50)::text), 1, 24),
        'bench-' || (n + 1) % 10 || '/task-' || (n + 2) % 5, substr(md5((n % 50 + 1)::text), 1, 24)),
    {now} - interval '400 days' * (1 - n / {devices}::float),
    {now} - CASE WHEN n % 7 = 0 THEN interval '300 days' * random() ELSE interval '1 hour' * random() END,
    CASE WHEN n % 5000 = 0 THEN {now} END
FROM (SELECT n, (random() ^ 2 * 4999)::int AS place FROM generate_series(1, {devices}) n) drawn
JOIN kind ON kind.place = drawn.place
"""
_INSTALLED = """
INSERT INTO devices_app_installedtask (id, device_id, task, manifest, since)
SELECT row_number() OVER (), device.id, entry.key, entry.value, device.first_seen
FROM devices_app_device device, jsonb_each_text(device.profile) entry
"""
_REPORTS = """
INSERT INTO devices_app_report (
    id, app_id, device, report_id, task, version, manifest, kind, outcome, error_class, message, duration_ms,
    peak_memory_kb, metrics, output, release, stage, number, evidence, reported_at, received_at
)
SELECT n, CASE WHEN d % ({devices} / {kiosk}) = 0 THEN 3 WHEN d % 10 = 3 THEN 2 ELSE 1 END,
    'device-' || lpad((d - 1)::text, 9, '0'), gen_random_uuid(), 'bench-' || d % 10 || '/task-' || d % 5,
    (1 + v / 5) || '.' || v % 5 || '.0', repeat(md5((d % 50)::text), 2),
    CASE WHEN n % 8 = 0 THEN 'install' WHEN n % 1000 = 1 THEN 'remove' ELSE 'run' END,
    CASE WHEN n % 97 = 0 THEN 'failure' ELSE 'success' END,
    CASE WHEN n % 9700 = 0 THEN 'MemoryError' WHEN n % 97 = 0 THEN 'ValueError' ELSE '' END,
    CASE WHEN n % 97 = 0 THEN 'expected a number, found something else' ELSE '' END,
    5 + 40 * random(), 40000 + (random() * 9000)::int, jsonb_build_object('confidence', random()), NULL,
    CASE WHEN n % 3 = 0 THEN 1 + (n / 3) % {releases} END, CASE WHEN n % 3 = 0 THEN 1 + (n / 3) % {releases} END,
    CASE WHEN n % 3 = 0 THEN 1700000000 + n END, n % 3 = 0,
    {now} - interval '30 days' * (1 - n / {reports}::float) - interval '3 s',
    {now} - interval '30 days' * (1 - n / {reports}::float)
FROM (
    SELECT n, 1 + (random() * ({devices} - 1))::int AS d, (random() * 9)::int AS v FROM generate_series(1, {reports}) n
) drawn
"""
# The first release has most of them; its stages are 1 to 6, later releases have stages of their own.
_EXPOSURES = """
INSERT INTO releases_app_exposure (
    id, app_id, release, stage, task, device, arm, bucket, drawn_at, offered_at, number, installed_at, reported_at,
    outcome, error_class, settled_at, duration_ms, metrics, silent, vouched
)
SELECT row_number() OVER (), 1, release, stage.id, 'bench-' || release % 10 || '/task-' || release % 5,
    'device-' || lpad((d - 1)::text, 9, '0'), CASE WHEN d % 20 = 0 THEN 'control' ELSE 'treatment' END,
    d % 1000000, at, CASE WHEN d % 20 > 0 THEN at END, CASE WHEN d % 20 > 0 THEN 1700000000 END,
    CASE WHEN d % 20 > 0 AND d % 33 > 0 THEN at + interval '2 min' END,
    CASE WHEN d % 33 > 0 THEN at + interval '5 min' END,
    CASE WHEN d % 33 = 0 THEN '' WHEN d % 90 = 7 THEN 'failure' ELSE 'success' END,
    CASE WHEN d % 33 > 0 AND d % 90 = 7 THEN 'ValueError' ELSE '' END,
    CASE WHEN d % 33 > 0 THEN at + interval '5 min' END,
    CASE WHEN d % 33 > 0 THEN 5 + 40 * random() END, '{{"confidence": 0.8}}', d % 33 = 0, d % 10 > 0
FROM (
    SELECT 1 AS release, n AS d, {now} - interval '20 days' * (1 - n / {exposures}::float) AS at, n % 5 AS place
    FROM generate_series(1, {exposures}) n
    UNION ALL
    SELECT r, 1 + (n * 7919 + r * 104729) % {devices}, {now} - interval '1 day' * ({releases} - r), n % 5
    FROM generate_series(2, {releases}) r, generate_series(1, {few_exposures}) n
) drawn
JOIN LATERAL (
    SELECT id FROM releases_app_stage WHERE release_id = drawn.release AND position = 1 + drawn.place
) stage ON true
"""
# Tables of other apps, which may gain columns: copies of a row that Django wrote, with a few differences.
_AUDIT = """
INSERT INTO accounts_app_auditentry SELECT copy.* FROM
(SELECT first FROM accounts_app_auditentry first ORDER BY id LIMIT 1) one, generate_series(1, {audit}) n,
LATERAL jsonb_populate_record(one.first, jsonb_build_object(
    'id', n + 1000000, 'at', {now} - interval '300 days' * (1 - n / {audit}::float), 'actor_name', 'user-' || n % 50,
    'action', (ARRAY['release.promote', 'release.pause', 'list.put', 'device.revoke', 'user_facts.set'])[1 + n % 5],
    'scope', CASE WHEN n % 5 < 2 THEN 'scenario:bench-' || n % 10 ELSE (ARRAY['app:mall', 'app:shop'])[1 + n % 2] END,
    'object_type', CASE WHEN n % 5 < 2 THEN 'tasks_app.release' ELSE 'devices_app.app' END,
    'object_id', (1 + n % {releases})::text, 'object_name', 'release ' || (1 + n % {releases}) || ' of bench-0/task-0'
)) copy
"""
_JOBS = """
INSERT INTO jobs_app_job SELECT copy.* FROM
(SELECT first FROM jobs_app_job first ORDER BY id LIMIT 1) one, generate_series(1, {jobs}) n,
LATERAL (SELECT {now} - interval '30 days' * (1 - n / {jobs}::float) AS at) done,
LATERAL jsonb_populate_record(one.first, jsonb_build_object(
    'id', n + 1000, 'kind', 'releases.reconcile', 'arguments', jsonb_build_object('release', n % {releases}),
    'dedupe_key', 'releases.reconcile:' || n % {releases},
    'state', CASE WHEN n % 500 = 0 THEN 'failed' ELSE 'succeeded' END,
    'error', CASE WHEN n % 500 = 0 THEN 'OperationalError' ELSE '' END,
    'run_at', done.at, 'created_at', done.at, 'started_at', done.at, 'finished_at', done.at
)) copy
"""
_USER_FACTS = """
INSERT INTO devices_app_userfacts (id, app_id, device, facts, updated_at)
SELECT n, 1, 'device-' || lpad((n * 9 + 1)::text, 9, '0'), '{{"vip": true, "age_band": "25-34"}}', {now}
FROM generate_series(1, {devices} / 10) n
"""
_LIST_DEVICES = """
INSERT INTO devices_app_idlistmember (id_list_id, device)
SELECT list.id, 'device-' || lpad((n * 10)::text, 9, '0')
FROM devices_app_idlist list, generate_series(1, CASE list.name WHEN 'long' THEN {list_devices} ELSE 500 END) n;
UPDATE devices_app_idlist SET size = CASE name WHEN 'long' THEN {list_devices} ELSE 500 END
"""
_FEATURES = """
INSERT INTO devices_app_feature (
    id, app_id, device, spool, sequence, task, version, manifest, at, tracked_at, received_at, raw_bytes, wire_bytes,
    "values"
)
SELECT n, CASE WHEN d % ({devices} / {kiosk}) = 0 THEN 3 WHEN d % 10 = 3 THEN 2 ELSE 1 END,
    'device-' || lpad((d - 1)::text, 9, '0'), int8send(d), n, 'bench-' || d % 10 || '/task-' || d % 5,
    (1 + n % 3) || '.0.0', substr(md5((d % 50)::text), 1, 24), at - interval '40 ms', at - interval '50 ms', at,
    1200, 500, json_build_object('page', 'item-' || n % 1000, 'seconds', round((random() * 60)::numeric, 2))
FROM (
    SELECT n, 1 + (random() * ({devices} - 1))::int AS d,
        {now} - interval '{feature_days} days' * (1 - n / {features}::float) AS at
    FROM generate_series(1, {features}) n
) drawn
"""
_FEATURE_COUNTS = """
INSERT INTO devices_app_featurecount
    (minute, app_id, task, slot, features, raw_bytes, wire_bytes, since_event, since_run)
SELECT date_trunc('minute', {now}) - interval '1 minute' * n, 1 + n % 3, 'bench-' || t % 10 || '/task-' || t % 5, 1,
    60, 72000, 30000, array_fill(1::bigint, ARRAY[60]), array_fill(1::bigint, ARRAY[60])
FROM generate_series(0, {counted_minutes}) n, generate_series(1, 50) t
ON CONFLICT DO NOTHING
"""
_NEXT_ID = "SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))"
_BIG: Final = {
    "devices_app_device": _DEVICES,
    "devices_app_installedtask": _INSTALLED,
    "devices_app_report": _REPORTS,
    "releases_app_exposure": _EXPOSURES,
    "accounts_app_auditentry": _AUDIT,
    "jobs_app_job": _JOBS,
    "devices_app_userfacts": _USER_FACTS,
    "devices_app_idlistmember": _LIST_DEVICES,
    "devices_app_feature": _FEATURES,
}


def main(size: str, superuser: str) -> None:
    """Seed in a process of its own, whose Django uses the database in question."""
    import django

    django.setup()
    seed(Size(**json.loads(size)), superuser)


if __name__ == "__main__":
    main(*sys.argv[1:])
