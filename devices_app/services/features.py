"""Store the features that gateways received: durably, each exactly once, in one transaction per group.

What all gateways of a fleet would wait for in turn while the disk writes is kept out of that transaction: counts are
added to a row of this connection's own, and NOTIFY, which PostgreSQL lets only one transaction do at a time, comes
after it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import psycopg
from django.db import connection, transaction
from psycopg import errors

from devices_app.models import App, FeaturePosition
from devices_app.selectors.feature_counts import SHORTEST_DELAY_S
from devices_app.services.feature_partitions import make_partitions
from walle.gateway.feature_checks import check_features
from walle.gateway.ports import FeatureRefused, ReceivedFeature
from walle.release.histogram import bucket_of

CHANNEL: Final = "walle_features"
"""PostgreSQL's channel on which is announced that features were stored."""

_LATEST: Final = datetime(9999, 12, 31, tzinfo=UTC).timestamp()
_PLACE: Final = re.compile(r"^COPY devices_app_feature\D*(\d+)", re.MULTILINE)

# Locks the positions in the order of their key, so that two gateways with the same devices cannot deadlock. A position
# that another transaction is writing is waited for, and `before` is what that one left.
_ADVANCE: Final = """
INSERT INTO devices_app_featureposition AS held (app_id, device, spool, sequence, updated_at)
SELECT app_id, device, spool, sequence, now()
FROM unnest(%s::bigint[], %s::text[], %s::bytea[], %s::bigint[]) AS new (app_id, device, spool, sequence)
ORDER BY app_id, device COLLATE "C", spool
ON CONFLICT (app_id, device, spool) DO UPDATE SET
    before = held.sequence, sequence = greatest(held.sequence, EXCLUDED.sequence), updated_at = EXCLUDED.updated_at
RETURNING app_id, device, spool, before
"""
_COLUMNS: Final = (
    *("app_id", "device", "spool", "sequence", "task", "version", "manifest", "at", "tracked_at", "received_at"),
    *("answer_by", "raw_bytes", "wire_bytes", '"values"'),
)
_COPY: Final = f"COPY devices_app_feature ({', '.join(_COLUMNS)}) FROM STDIN"
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
# A hint that is lost in a crash costs a second: nobody waits for the disk.
_ANNOUNCE: Final = f"SELECT set_config('synchronous_commit', 'off', true); NOTIFY {CHANNEL}"


class SpoolKey(NamedTuple):
    """A spool of a device: where sequences count."""

    app: int
    device: str
    spool: bytes


def stored_position(app: str, device: str, spool: bytes) -> int:
    """Return the highest sequence stored of a spool; 0 if none is."""
    found = FeaturePosition.objects.filter(app__slug=app, device=device, spool=spool)
    return found.values_list("sequence", flat=True).first() or 0


def store_features(features: Sequence[ReceivedFeature]) -> None:
    """Store features, each once: those at or below the position of their spool change nothing.

    Features of apps that do not exist are left out. Raises FeatureRefused for one that PostgreSQL cannot hold; then
    nothing is stored.
    """
    check_features(features)
    try:
        stored = _store(features)
    except errors.CheckViolation:
        make_partitions({datetime.fromtimestamp(_second(each.received_at), UTC).date() for each in features})
        stored = _store(features)
    if stored:
        with connection.cursor() as cursor:
            cursor.execute(_ANNOUNCE)


@transaction.atomic
def _store(features: Sequence[ReceivedFeature]) -> bool:
    """Store the features that are new in one transaction; return whether there were any."""
    apps = dict(App.objects.filter(slug__in={each.app for each in features}).values_list("slug", "pk"))
    spools: dict[SpoolKey, int] = {}
    for each in features:
        if each.app in apps:
            key = SpoolKey(apps[each.app], each.device, each.spool)
            spools[key] = max(spools.get(key, 0), each.sequence)
    if not spools:
        return False
    with connection.cursor() as cursor:
        cursor.execute(_ADVANCE, [*map(list, zip(*spools, strict=True)), list(spools.values())])
        reached = {SpoolKey(app, device, bytes(spool)): before for app, device, spool, before in cursor.fetchall()}
        new = list(_new(features, apps, reached))
        if new:
            _copy(cursor, [(place, features[place]) for place in new], apps)
            cursor.execute(_COUNT, list(_counts([features[place] for place in new], apps)))
    return bool(new)


def _new(features: Sequence[ReceivedFeature], apps: Mapping[str, int], reached: dict[SpoolKey, int]) -> Iterator[int]:
    """Yield the places of the features above the position of their spool, each sequence once; advances positions."""
    for place, each in enumerate(features):
        if each.app in apps:
            key = SpoolKey(apps[each.app], each.device, each.spool)
            if each.sequence > reached[key]:
                reached[key] = each.sequence
                yield place


def _copy(cursor: Any, placed: Iterable[tuple[int, ReceivedFeature]], apps: Mapping[str, int]) -> None:
    places, lines = [], []
    for place, each in placed:
        places.append(place)
        lines.append(_line(each, apps[each.app]))
    try:
        with cursor.copy(_COPY) as copy:
            copy.write(b"".join(lines))
    except (psycopg.DataError, errors.StatementTooComplex) as error:
        found = _PLACE.search(error.diag.context or "")
        if found is None:
            raise
        raise FeatureRefused(places[int(found[1]) - 1], str(error.diag.message_primary)) from error


def _line(feature: ReceivedFeature, app: int) -> bytes:
    """Return a feature as a line of COPY's text format."""
    texts = (feature.device, f"\\x{feature.spool.hex()}", str(feature.sequence), feature.task, feature.version)
    times = (_time(feature.at), _time(feature.tracked_at), _time(feature.received_at))
    head = (str(app), *texts, feature.manifest, *times)
    cells = [_cell(text.encode()) for text in head]
    cells.append(b"\\N" if feature.answer_by is None else _time(feature.answer_by).encode())
    cells += (b"%d" % feature.raw_bytes, b"%d" % feature.wire_bytes, _cell(feature.values))
    return b"\t".join(cells) + b"\n"


def _cell(value: bytes) -> bytes:
    escaped = value.replace(b"\\", b"\\\\").replace(b"\t", b"\\t")
    return escaped.replace(b"\n", b"\\n").replace(b"\r", b"\\r")


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(_second(seconds), UTC).isoformat()


def _second(seconds: float) -> float:
    """Return a time that a device says in Unix seconds, or the nearest that a row can hold."""
    return min(max(seconds, 0.0), _LATEST)


def _counts(features: Iterable[ReceivedFeature], apps: Mapping[str, int]) -> Iterator[list[Any]]:
    """Yield the columns of what is added to the counts of each minute, app and task."""
    groups: dict[tuple[int, int, str], list[ReceivedFeature]] = {}
    for each in features:
        minute = int(_second(each.received_at)) // 60 * 60
        groups.setdefault((minute, apps[each.app], each.task), []).append(each)
    yield from map(list, zip(*groups, strict=True))
    for column in (len, _raw_bytes, _wire_bytes, _since_event, _since_run):
        yield [column(group) for group in groups.values()]


def _raw_bytes(group: Iterable[ReceivedFeature]) -> int:
    return sum(each.raw_bytes for each in group)


def _wire_bytes(group: Iterable[ReceivedFeature]) -> int:
    return sum(each.wire_bytes for each in group)


def _since_event(group: Iterable[ReceivedFeature]) -> str:
    return _histogram(each.received_at - each.tracked_at for each in group)


def _since_run(group: Iterable[ReceivedFeature]) -> str:
    return _histogram(each.received_at - each.at for each in group)


def _histogram(delays: Iterable[float]) -> str:
    """Return the histogram of delays in seconds as PostgreSQL writes an array; a negative delay counts as none."""
    counts: list[int] = []
    for delay in delays:
        bucket = bucket_of(max(delay, 0.0), SHORTEST_DELAY_S)
        counts += [0] * (bucket + 1 - len(counts))
        counts[bucket] += 1
    return f"{{{','.join(map(str, counts))}}}"
