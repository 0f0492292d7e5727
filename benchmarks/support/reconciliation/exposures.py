"""Fill a release with exposures, by PostgreSQL itself, and have devices report through the product's intake."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from benchmarks.support.api.seed import without_indexes
from benchmarks.support.reconciliation.releases import APP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from releases_app.models import Release

OPEN: Final = 20_000
"""How many devices of a release, the last ones, have the version and have not reported."""
TABLE: Final = "releases_app_exposure"
_DEVICES: Final = """
INSERT INTO devices_app_device (app_id, device, claims, facts, trusted, profile, first_seen, last_seen)
SELECT %(app)s, 'device-' || lpad(n::text, 8, '0'), lpad(to_hex(n), 16, '0'), '{"app_version": "1.0.0"}', '{}', '{}',
    %(now)s - interval '90 days', %(now)s
FROM generate_series(0, %(devices)s - 1) n
"""
# The bucket decides about stage and arm as the strategy does: one in twenty is held back. One in eight is new, one in a
# hundred fails; all but the last ones were selected on the first day.
_EXPOSURES: Final = """
INSERT INTO releases_app_exposure (
    app_id, release, stage, task, device, arm, bucket, vouched, first_seen, drawn_at, offered_at, number, installed_at,
    reported_at, outcome, error_class, settled_at, duration_ms, cold_ms, cold_at, metrics, silent
)
SELECT %(app)s, %(release)s, CASE WHEN held OR bucket < 100000 THEN %(first)s ELSE %(second)s END, %(task)s,
    'device-' || lpad(n::text, 8, '0'), CASE WHEN held THEN 'control' ELSE 'treatment' END,
    bucket, false, CASE WHEN n %% 8 > 0 THEN %(began)s - interval '90 days' ELSE at END, at,
    CASE WHEN NOT held THEN at END, CASE WHEN NOT held THEN 17 END,
    CASE WHEN NOT held THEN at END, CASE WHEN reported THEN at END,
    CASE WHEN NOT reported THEN '' WHEN n %% 100 = 3 THEN 'failure' ELSE 'success' END, '',
    CASE WHEN reported THEN at END, CASE WHEN reported THEN n %% 97 END, CASE WHEN reported THEN n %% 97 END,
    CASE WHEN reported THEN at END,
    CASE WHEN reported THEN jsonb_build_object('confidence', (n %% 100) / 100.0) ELSE '{}' END,
    CASE WHEN reported THEN false END
FROM (
    SELECT n, (n * 7919::bigint) %% 1000000 AS bucket, (n * 7919::bigint) %% 1000000 >= 950000 AS held,
        n < %(exposures)s - %(open)s AS reported,
        CASE WHEN n < %(exposures)s - %(open)s THEN %(began)s + interval '1 day' * random() ELSE %(now)s END AS at
    FROM generate_series(0, %(exposures)s - 1) n
) selected
"""


@dataclass(frozen=True)
class Filled:
    """A running release with so many exposures."""

    release: Release
    exposures: int

    @property
    def open(self) -> int:
        return min(OPEN, self.exposures // 2)

    def waiting(self) -> list[int]:
        """Return the numbers of the devices that have the version and have not reported."""
        first = self.exposures - self.open
        return [number for number in range(first, self.exposures) if number * 7919 % 1_000_000 < 950_000]


@contextmanager
def filling(superuser: str) -> Iterator[Any]:
    """Yield a connection for filling: without triggers, indexes or waiting for the disk."""
    import psycopg

    with psycopg.connect(superuser, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("SET maintenance_work_mem = '1GB'")
        connection.execute("SET synchronous_commit = off")
        with connection.transaction(), without_indexes(connection, TABLE):
            yield connection
        connection.execute(f"VACUUM (ANALYZE) {TABLE}")
        connection.execute("VACUUM (ANALYZE) devices_app_device")


def fill_devices(connection: Any, app: int, devices: int, now: datetime) -> None:
    connection.execute(_DEVICES, {"app": app, "devices": devices, "now": now})


def fill(connection: Any, filled: Filled, began: datetime, now: datetime) -> None:
    first, second = (stage.pk for stage in filled.release.stages.all())
    values = {"app": filled.release.app_id, "release": filled.release.pk, "first": first, "second": second}
    values |= {"task": filled.release.version.task.name, "exposures": filled.exposures, "open": filled.open}
    connection.execute(_EXPOSURES, values | {"began": began, "now": now})


def report(filled: Filled, devices: Sequence[int], now: datetime) -> None:
    """Have devices report their first run, as gateways store it."""
    from devices_app.services.intake import store_reports
    from walle.gateway.offers import OFFER_LEASE_S
    from walle.gateway.ports import ReceivedReport
    from walle.protocol.keyed import OfferStamp
    from walle.protocol.reports import Report

    release, at = filled.release, now.timestamp()
    stamp = OfferStamp(release.pk, release.stages.all()[1].pk, 17, int(at) + OFFER_LEASE_S)
    said: dict[str, Any] = {
        "task": release.version.task.name,
        "version": release.version.version,
        "manifest": release.version.manifest_digest,
        "kind": "run",
        "outcome": "success",
        "at": at,
        "duration_ms": 40.0,
        "metrics": {"confidence": 0.5},
    }
    reports = (Report(id=str(uuid4()), **said) for _ in devices)
    named = zip(devices, reports, strict=True)
    store_reports([ReceivedReport(APP, f"device-{number:08d}", each, stamp, at) for number, each in named])
