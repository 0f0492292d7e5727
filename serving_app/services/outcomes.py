"""Store what serving processes tell: what callers got, how it went, and which versions are installed where."""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from django.db import connection, transaction

from devices_app.selectors.joins import app_slugs
from devices_app.services.intake import store_reports
from kit.sql import subquery
from serving_app.models import ServingHost
from serving_app.services.evidence import check_ins_of, report_of
from serving_app.services.hosts import store_host, store_installations
from serving_app.signals import callers_chosen
from walle.whitebox.serving.ports import ServingOutcomes, VersionFigures

_MINUTE_S: Final = 60
_SUMS: Final = ("requests", "records", "failed", "refused")

_SUM: Final = """(
    SELECT array_agg(coalesce(old, 0) + coalesce(more, 0) ORDER BY place)
    FROM unnest(known.{name}, EXCLUDED.{name}) WITH ORDINALITY AS counts (old, more, place)
)"""
# All hosts add to the same rows, which stay locked until their transaction ends: they lock them in one order.
_ADD: Final = f"""
INSERT INTO serving_app_predictioncount AS known
    (at, app_id, task, version, manifest, requests, records, failed, refused, latency, scores)
SELECT told.at, app.id, told.task, told.version, told.manifest, told.requests, told.records, told.failed, told.refused,
    told.latency, told.scores
FROM jsonb_to_recordset(%s::jsonb) told (
    at timestamptz, app text, task text, version text, manifest text, requests bigint, records bigint,
    failed bigint, refused bigint, latency bigint[], scores bigint[]
) JOIN {{apps}} app ON app.slug = told.app
ORDER BY told.at, app.id, told.manifest COLLATE "C"
ON CONFLICT (at, app_id, manifest) DO UPDATE SET
    requests = known.requests + EXCLUDED.requests, records = known.records + EXCLUDED.records,
    failed = known.failed + EXCLUDED.failed,
    refused = known.refused + EXCLUDED.refused,
    latency = coalesce({_SUM.format(name="latency")}, '{{{{}}}}'),
    scores = coalesce({_SUM.format(name="scores")}, '{{{{}}}}')
"""  # noqa: S608 - names of columns


def store_outcomes(told: ServingOutcomes) -> None:
    """Store what a serving process told; what was stored before changes nothing, but for figures, which are added.

    Exposures come first, so that outcomes find them; figures last, so that they are not added twice if a part before
    them fails.
    """
    with transaction.atomic():
        callers_chosen.send(ServingHost, records=check_ins_of(told.exposures))
    if told.outcomes:
        store_reports([report_of(each) for each in told.outcomes])
    if told.host:
        store_host(told.host)
    with transaction.atomic():
        store_installations(told.installations)
        _add_figures(told.figures)


def _add_figures(figures: Sequence[VersionFigures]) -> None:
    if figures:
        rows = list(_merged(figures).values())
        with connection.cursor() as cursor:
            cursor.execute(_ADD.format(apps=subquery(app_slugs())), [json.dumps(rows)])


def _merged(figures: Iterable[VersionFigures]) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Return one row for each minute, app and version: an upsert may meet each only once."""
    rows: dict[tuple[str, str, str], dict[str, Any]] = {}
    for each in figures:
        at = datetime.fromtimestamp(each.until // _MINUTE_S * _MINUTE_S, UTC).isoformat()
        row = rows.get((at, each.app, each.manifest))
        if row is None:
            rows[at, each.app, each.manifest] = each._asdict() | {"at": at}
            continue
        row |= {name: row[name] + getattr(each, name) for name in _SUMS}
        row |= {name: _added(row[name], getattr(each, name)) for name in ("latency", "scores")}
    return rows


def _added(one: Sequence[int], other: Sequence[int]) -> list[int]:
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    return [count + (shorter[place] if place < len(shorter) else 0) for place, count in enumerate(longer)]
