"""Count devices by what they are and what they have: now for small fleets, from stored counts for large ones.

A count reads every device of an app: some 2 us each, so that a million take two seconds. Therefore fleets of `MANY`
devices or more show the last stored count (devices_app.services.census), and its time.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.db import connection

from devices_app.models import App, FleetCount
from devices_app.selectors.fleet import ONLINE_WITHIN

MANY: Final = 10_000
MOST_KINDS: Final = 50
MOST_INSTALLED: Final = 2_000

_KINDS: Final = """
WITH kinds AS (
    SELECT app_id, facts ->> 'app_version' AS app_version, facts ->> 'os' AS os, facts ->> 'os_version' AS os_version,
        count(*) AS known, count(*) FILTER (WHERE last_seen >= %(online)s) AS online,
        count(*) FILTER (WHERE profile <> '{}') AS with_tasks
    FROM devices_app_device WHERE revoked_at IS NULL AND app_id = ANY(%(apps)s) GROUP BY 1, 2, 3, 4
), sums AS (
    SELECT app_id, GROUPING(app_version, os) AS missing, app_version, os, os_version,
        sum(known)::bigint AS known, sum(online)::bigint AS online, sum(with_tasks)::bigint AS with_tasks
    FROM kinds GROUP BY GROUPING SETS ((app_id), (app_id, app_version), (app_id, os, os_version))
), placed AS (
    SELECT *, row_number() OVER (
        PARTITION BY app_id, missing ORDER BY known DESC, app_version, os, os_version
    ) AS place FROM sums
)
SELECT app_id, missing, app_version, os, os_version, known, online, with_tasks
FROM placed WHERE place <= %(most)s ORDER BY app_id, missing, place
"""
_INSTALLED: Final = """
SELECT app_id, task, manifest, devices FROM (
    SELECT *, row_number() OVER (PARTITION BY app_id ORDER BY devices DESC, task, manifest) AS place FROM (
        SELECT app_id, entry.key AS task, entry.value AS manifest, count(*) AS devices
        FROM devices_app_device device, jsonb_each_text(profile) entry
        WHERE revoked_at IS NULL AND app_id = ANY(%(apps)s) GROUP BY 1, 2, 3
    ) counted
) placed WHERE place <= %(most)s ORDER BY app_id, place
"""
_COUNTS: Final = ("known", "online", "with_tasks")
_OF_APP, _OF_VERSION = 3, 1
"""The values of PostgreSQL's GROUPING in rows about all of an app, and about a version; other rows are about a system.
"""

Row = dict[str, Any]


@dataclass(frozen=True)
class AppCensus:
    """The devices of one app. In lists, "" stands for a value that is missing or no text."""

    known: int = 0
    online: int = 0
    with_tasks: int = 0
    app_versions: list[Row] = field(default_factory=list)
    systems: list[Row] = field(default_factory=list)


@dataclass(frozen=True)
class Census(AppCensus):
    """The devices of some apps; app versions name their `app`. `counted_at` is None if they were counted now."""

    counted_at: datetime | None = None


def census(apps: Collection[App], *, now: datetime) -> Census:
    """Return the counts of the devices of these apps."""
    slugs = {app.pk: app.slug for app in apps}
    stored = {row.app_id: row for row in FleetCount.objects.filter(app__in=slugs).defer("installed")}
    if sum(row.known for row in stored.values()) < MANY:
        return _together(count_devices(slugs, now=now), slugs, None)
    counted_at = min(row.counted_at for row in stored.values())
    found = {
        pk: AppCensus(row.known, row.online, row.with_tasks, row.app_versions, row.systems)
        for pk, row in stored.items()
    }
    return _together(found, slugs, counted_at)


def count_devices(apps: Iterable[int], *, now: datetime) -> dict[int, AppCensus]:
    """Count the devices of apps (primary keys), with their most frequent versions and systems."""
    columns: dict[int, Row] = {app: {"app_versions": [], "systems": []} for app in apps}
    parameters: dict[str, Any] = {"apps": list(columns), "online": now - ONLINE_WITHIN, "most": MOST_KINDS}
    with connection.cursor() as cursor:
        cursor.execute(_KINDS, parameters)
        for app, missing, app_version, os, os_version, *counts in cursor.fetchall():
            counted = dict(zip(_COUNTS, counts, strict=True))
            if missing == _OF_APP:
                columns[app] |= counted
            elif missing == _OF_VERSION:
                columns[app]["app_versions"].append({"app_version": app_version or "", **counted})
            else:
                columns[app]["systems"].append({"os": os or "", "os_version": os_version or "", **counted})
    return {app: AppCensus(**found) for app, found in columns.items()}


def count_installed(apps: Iterable[int]) -> dict[int, list[Row]]:
    """Count the devices of apps by installed task, the most frequent first."""
    found: dict[int, list[Row]] = {app: [] for app in apps}
    with connection.cursor() as cursor:
        cursor.execute(_INSTALLED, {"apps": list(found), "most": MOST_INSTALLED})
        for app, task, manifest, devices in cursor.fetchall():
            found[app].append({"task": task, "manifest": manifest, "devices": devices})
    return found


def _together(found: Mapping[int, AppCensus], slugs: Mapping[int, str], counted_at: datetime | None) -> Census:
    sums = {name: sum(getattr(each, name) for each in found.values()) for name in _COUNTS}
    versions = [{"app": slugs[app], **row} for app, each in found.items() for row in each.app_versions]
    systems = _summed(row for each in found.values() for row in each.systems)
    return Census(**sums, app_versions=_most(versions), systems=_most(systems), counted_at=counted_at)


def _summed(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield one row for each system, added up over the apps."""
    sums: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * len(_COUNTS))
    for row in rows:
        counts = sums[row["os"], row["os_version"]]
        counts[:] = [before + row[name] for before, name in zip(counts, _COUNTS, strict=True)]
    for (os, os_version), counts in sums.items():
        yield {"os": os, "os_version": os_version, **dict(zip(_COUNTS, counts, strict=True))}


def _most(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: -row["known"])[:MOST_KINDS]
