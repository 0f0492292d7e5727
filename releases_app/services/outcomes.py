"""Derive the outcomes of exposures from reports: of new ones, and of those that came before the exposure was stored.

walle.release.outcome decides what reports mean. Rows are locked in one statement, in the order of release and device,
so that batches do not deadlock.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.models import F

from devices_app.selectors.joins import stored_reports
from kit.sql import subquery
from releases_app.models import Release
from walle.gateway.offers import OFFER_LEASE_S
from walle.gateway.ports import ReceivedReport
from walle.release.outcome import ExposureState, ReportFact, apply_reports

# A repeat was offered the version when its device was.
_STATES: Final = """
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
FROM releases_app_exposure exposure LEFT JOIN {releases} release ON release.id = exposure.release
"""
# For a control device with an outcome, only a fall-back, an earlier run, its first cold or warm run, or a run of the
# release's version is news.
_CONCERNED: Final = f"""{_STATES}
JOIN unnest(%s::bigint[], %s::text[], %s::text[], %s::float8[], %s::boolean[], %s::float8[], %s::float8[], %s::jsonb[])
    reported (app_id, device, task, first, fell_back, cold, warm, versions) USING (app_id, device, task)
WHERE exposure.release = ANY (%s) OR exposure.arm <> 'treatment' AND NOT exposure.crossed AND (
    exposure.reported_at IS NULL OR reported.versions ? release.about OR reported.fell_back
    OR to_timestamp(reported.first) <= exposure.reported_at
    OR to_timestamp(reported.cold) <= coalesce(exposure.cold_at, 'infinity')
    OR to_timestamp(reported.warm) <= coalesce(exposure.warm_at, 'infinity')
)
ORDER BY exposure.release, exposure.device, exposure.id FOR NO KEY UPDATE OF exposure
"""
_NEW: Final = f"{_STATES} WHERE exposure.id = ANY (%s)"
MOST_EARLIER: Final = 100
"""How many reports are looked at of those that came before an exposure was stored: the first ones decide."""
_EARLIER: Final = """
SELECT exposure.id, report.kind, report.outcome, report.error_class, report.version, report.start,
    report.duration_ms, report.metrics, report.runs, report.report_id::text,
    extract(epoch FROM report.reported_at)::float8, extract(epoch FROM report.received_at)::float8
FROM releases_app_exposure exposure CROSS JOIN LATERAL (
    SELECT * FROM {reports} report
    WHERE report.app_id = exposure.app_id AND report.device = exposure.device AND report.task = exposure.task
        AND report.received_at > exposure.drawn_at
    ORDER BY report.received_at LIMIT %s
) report
WHERE exposure.id = ANY (%s)
"""
_EARLIER_COLUMNS: Final = (
    "kind", "outcome", "error_class", "version", "start", "duration_ms", "metrics", "runs", "report", "reported_at",
    "received_at",
)  # fmt: skip
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
        version=report.version or "",
        **_runs(report.id, report.outcome, report.runs),
    )
    if (offer := received.offer) is None or not received.in_force:
        return fact
    return replace(fact, release=offer.release, number=offer.number, offered_at=float(offer.expires - OFFER_LEASE_S))


def _stored_fact(row: dict[str, Any]) -> ReportFact:
    """Return what a row of _EARLIER says of its device, but for its offer."""
    runs = _runs(row.pop("report"), row["outcome"], json.loads(row["runs"] or "null"))
    return ReportFact(**row | runs | {"metrics": json.loads(row["metrics"])})


def _runs(report: str, outcome: str, runs: Mapping[str, int] | None) -> dict[str, Any]:
    return {
        "runs": runs["count"] if runs else 1,
        "failed_runs": runs["failed"] if runs else int(outcome == "failure"),
        "chance": int(report[:8], 16) / 2**32,
    }


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
    with connection.cursor() as cursor:
        cursor.execute(_with_versions(_CONCERNED), [*(list(column) for column in zip(*rows, strict=True)), releases])
        return _update(cursor, lambda _, about: facts[about])


def apply_earlier_reports(exposures: Sequence[int]) -> list[int]:
    """Update new exposures from the reports that came since the device was selected; return the releases concerned.

    Inside the transaction that stored the exposures, which nobody else sees yet.
    """
    facts: dict[int, list[ReportFact]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(_EARLIER.format(reports=subquery(stored_reports())), [MOST_EARLIER, list(exposures)])
        for exposure, *columns in cursor.fetchall():
            facts[exposure].append(_stored_fact(dict(zip(_EARLIER_COLUMNS, columns, strict=True))))
        if not facts:
            return []
        cursor.execute(_with_versions(_NEW), [list(facts)])
        return _update(cursor, lambda exposure, _: facts[exposure])


def _with_versions(sql: str) -> str:
    return sql.format(releases=subquery(Release.objects.order_by().values("id", about=F("version__version"))))


def _update(cursor: CursorWrapper, reports_of: Callable[[int, About], Sequence[ReportFact]]) -> list[int]:
    """Apply reports to the exposures that a cursor has found; return the releases of those that change."""
    changed: list[tuple[int, ExposureState]] = []
    for key, app, device, task, *columns, metrics, version, crossed in cursor.fetchall():
        known = [*columns, json.loads(metrics), version, crossed]
        before = ExposureState(*known)
        after = apply_reports(before, reports_of(key, (app, device, task)))
        if after != before:
            changed.append((key, after))
    if changed:
        updates = [{"id": key, **{name: getattr(after, name) for name in _OUTCOME_COLUMNS}} for key, after in changed]
        cursor.execute(_CHANGE, [json.dumps(updates)])
    return sorted({after.release for _, after in changed})


_OUTCOME_COLUMNS: Final = (
    "offered_at", "number", "installed_at", "outcome", "error_class", "reported_at", "settled_at", "duration_ms",
    "cold_ms", "cold_at", "warm_ms", "warm_at", "metrics", "crossed",
)  # fmt: skip
