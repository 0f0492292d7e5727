"""Add to the counts of features per minute, app and task, in the transaction that stores or follows them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

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
SELECT date_trunc('minute', to_timestamp(minute)), app_id, task, pg_backend_pid(), features, raw, wire,
    since_event::bigint[], since_run::bigint[]
FROM unnest(%s::bigint[], %s::bigint[], %s::text[], %s::bigint[], %s::bigint[], %s::bigint[], %s::text[], %s::text[])
    AS new (minute, app_id, task, features, raw, wire, since_event, since_run)
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


def add_counts(arrivals: Iterable[FeatureArrival]) -> None:
    """Add features to the counts of their minutes."""
    groups: defaultdict[tuple[int, int, str], list[FeatureArrival]] = defaultdict(list)
    for each in arrivals:
        groups[each.minute, each.app, each.task].append(each)
    if groups:
        rows = [(*key, *_sums(group)) for key, group in groups.items()]
        with connection.cursor() as cursor:
            cursor.execute(_COUNT, [list(column) for column in zip(*rows, strict=True)])


def count_followed(batch: Sequence[StoredFeature]) -> None:
    """Count features that another store took, as the handler of a consumer; apps that are gone are left out."""
    apps = dict(App.objects.filter(slug__in={each.app for each in batch}).values_list("slug", "pk"))
    add_counts(
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


def _sums(group: Sequence[FeatureArrival]) -> tuple[int, int, int, str, str]:
    """Return the columns that one group adds: features, bytes, and the histograms of delays."""
    return (
        len(group),
        sum(each.raw_bytes for each in group),
        sum(each.wire_bytes for each in group),
        _histogram(each.since_event_s for each in group),
        _histogram(each.since_run_s for each in group),
    )


def _histogram(delays: Iterable[float]) -> str:
    """Return the histogram of delays in seconds as PostgreSQL writes an array; a negative delay counts as none."""
    counts: list[int] = []
    for delay in delays:
        bucket = bucket_of(max(delay, 0.0), SHORTEST_DELAY_S)
        counts += [0] * (bucket + 1 - len(counts))
        counts[bucket] += 1
    return f"{{{','.join(map(str, counts))}}}"
