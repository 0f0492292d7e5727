"""Add to the counts of features per minute, app and task, in the transaction that stores or follows them."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from django.db import connection

from devices_app.models import App
from devices_app.selectors.feature_counts import SHORTEST_DELAY_S
from devices_app.selectors.feature_types import StoredFeature
from walle.release.histogram import bucket_of

_ADDED: Final = """
    {0} = (
        SELECT array_agg(coalesce(old, 0) + coalesce(new, 0) ORDER BY place)
        FROM unnest(held.{0}, EXCLUDED.{0}) WITH ORDINALITY AS buckets (old, new, place)
    )"""
_COUNT: Final = f"""
INSERT INTO devices_app_featurecount AS held
    (minute, app_id, task, slot, features, raw_bytes, wire_bytes, since_event, since_run)
SELECT to_timestamp(minute), app_id, task, pg_backend_pid(), features, raw_bytes, wire_bytes, since_event, since_run
FROM json_to_recordset(%s::json) AS new (
    minute bigint, app_id bigint, task text, features bigint, raw_bytes bigint, wire_bytes bigint,
    since_event bigint[], since_run bigint[]
)
ORDER BY minute, app_id, task COLLATE "C"
ON CONFLICT (minute, app_id, task, slot) DO UPDATE SET
    features = held.features + EXCLUDED.features,
    raw_bytes = held.raw_bytes + EXCLUDED.raw_bytes,
    wire_bytes = held.wire_bytes + EXCLUDED.wire_bytes,{_ADDED.format("since_event")},{_ADDED.format("since_run")}
"""  # noqa: S608 - names of columns


class FeatureArrival(NamedTuple):
    """What is counted of one feature: in the minute that began at `minute` (Unix seconds), for an app (primary key)."""

    minute: int
    app: int
    task: str
    raw_bytes: int
    wire_bytes: int
    since_event_s: float
    since_run_s: float


def add_counts(cursor: Any, arrivals: Iterable[FeatureArrival]) -> None:
    """Add features to the counts of their minutes, in the transaction of a cursor."""
    groups: defaultdict[tuple[int, int, str], list[FeatureArrival]] = defaultdict(list)
    for each in arrivals:
        groups[each.minute, each.app, each.task].append(each)
    if groups:
        cursor.execute(_COUNT, [json.dumps([_sums(*key, group) for key, group in groups.items()])])


def count_followed(batch: Sequence[StoredFeature]) -> None:
    """Count features that another store took, as the handler of a consumer; apps that are gone are left out."""
    apps = dict(App.objects.filter(slug__in={each.app for each in batch}).values_list("slug", "pk"))
    arrivals = (
        FeatureArrival(
            minute=int(each.received_at.timestamp()) // 60 * 60,
            app=apps[each.app],
            task=each.task,
            raw_bytes=each.raw_bytes,
            wire_bytes=each.wire_bytes,
            since_event_s=(each.received_at - each.tracked_at).total_seconds(),
            since_run_s=(each.received_at - each.at).total_seconds(),
        )
        for each in batch
        if each.app in apps
    )
    with connection.cursor() as cursor:
        add_counts(cursor, arrivals)


def _sums(minute: int, app: int, task: str, group: Sequence[FeatureArrival]) -> Mapping[str, Any]:
    """Return what one group of features adds, as an object of _COUNT's JSON."""
    return {
        "minute": minute,
        "app_id": app,
        "task": task,
        "features": len(group),
        "raw_bytes": sum(each.raw_bytes for each in group),
        "wire_bytes": sum(each.wire_bytes for each in group),
        "since_event": _histogram(each.since_event_s for each in group),
        "since_run": _histogram(each.since_run_s for each in group),
    }


def _histogram(delays: Iterable[float]) -> list[int]:
    """Return the histogram of delays in seconds; a negative delay counts as none."""
    counts: list[int] = []
    for delay in delays:
        bucket = bucket_of(max(delay, 0.0), SHORTEST_DELAY_S)
        counts += [0] * (bucket + 1 - len(counts))
        counts[bucket] += 1
    return counts
