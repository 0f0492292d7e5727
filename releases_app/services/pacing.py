"""Lease the pace of releases to gateways, second by second of the database's clock."""

from collections.abc import Mapping

from django.db import connection

from devices_app.models import App
from devices_app.selectors.tables import published_entries
from releases_app.models import PaceWindow
from walle.gateway.ports import Quota

# The clock is read once all rows are locked: after a wait for a lock, the lease is from the second in which it was
# acquired. Where the clock was set back by a few seconds, nothing is leased until it has caught up.
_LEASE = """
WITH asked AS (
    SELECT * FROM unnest(%(releases)s::bigint[], %(counts)s::bigint[], %(paces)s::bigint[]) asked (release, count, pace)
), locked AS MATERIALIZED (
    SELECT asked.*, paced.second, paced.leased
    FROM releases_app_pacewindow paced JOIN asked USING (release) ORDER BY release FOR UPDATE OF paced
), moment AS MATERIALIZED (
    SELECT extract(epoch FROM clock_timestamp()) AS now FROM (SELECT count(*) FROM locked) every_lock
), present AS (
    SELECT release, count, pace, floor(now)::bigint AS second, floor(now) + 1 - now AS rest,
        CASE WHEN second = floor(now) THEN leased WHEN second - now BETWEEN 0 AND 5 THEN NULL ELSE 0 END AS leased
    FROM locked, moment
), granted AS (
    SELECT release, second, leased, rest,
        CASE WHEN leased IS NULL THEN 0 ELSE greatest(0, least(count, pace - leased)) END AS count
    FROM present
)
UPDATE releases_app_pacewindow paced
SET second = CASE WHEN granted.leased IS NULL THEN paced.second ELSE granted.second END,
    leased = CASE WHEN granted.leased IS NULL THEN paced.leased ELSE granted.leased + granted.count END
FROM granted WHERE paced.release = granted.release
RETURNING paced.release, granted.count, granted.rest::float8
"""


def lease(requested: Mapping[int, int], app: str | None = None) -> dict[int, Quota]:
    """Lease to one gateway, until the second is over, what it requests of each release as far as the pace allows.

    The pace is that of the newest table; a release without one there is left out, and so are releases to other apps
    than `app` if it is set: a gateway with the key of one app uses up nothing of another's.
    """
    paces = _paces(app)
    counts = {release: count for release, count in requested.items() if release in paces}
    quotas = _lease(counts, paces)
    if unknown := {release: counts[release] for release in counts.keys() - quotas.keys()}:
        rows = [PaceWindow(release=release, second=0, leased=0) for release in sorted(unknown)]
        PaceWindow.objects.bulk_create(rows, ignore_conflicts=True)
        quotas |= _lease(unknown, paces)
    return quotas


def _lease(requested: Mapping[int, int], paces: Mapping[int, int]) -> dict[int, Quota]:
    if not requested:
        return {}
    counts = {
        "releases": list(requested),
        "counts": list(requested.values()),
        "paces": [paces[release] for release in requested],
    }
    with connection.cursor() as cursor:
        cursor.execute(_LEASE, counts)
        return {release: Quota(count, valid_s) for release, count, valid_s in cursor.fetchall()}


def _paces(app: str | None) -> dict[int, int]:
    paces: dict[int, int] = {}
    published = published_entries()
    apps = published if app is None else App.objects.filter(slug=app, pk__in=published).values_list("pk", flat=True)
    for releases in (published[key] for key in apps):
        for release, entries in releases.items():
            if found := [entry.pace for entry in entries if entry.pace is not None]:
                paces[release] = min(found)
    return paces
