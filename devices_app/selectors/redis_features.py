"""Read features from Redis Streams (walle.gateway.redis_features), where WALLE_FEATURES_REDIS says that they are there.

The place of a feature is the id of its entry, (milliseconds, number). A consumer has a group of its name, which tells
how far it is; its cursor in the database decides what it has read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Final, cast

import redis
from django.conf import settings

from devices_app.models import App
from devices_app.selectors.feature_types import FeatureCursor, FeatureFilter, FeatureLag, StoredFeature
from devices_app.versions import rolled_back_manifests
from walle.gateway.feature_checks import storable_time
from walle.gateway.redis_features import STREAM, TIMEOUT_S, feature_of

READER: Final = "walle"
"""The one member of each group: one process reads at a time."""
_PORTION: Final = 500
_GROUP_EXISTS: Final = "BUSYGROUP"

Entry = tuple[bytes, Mapping[bytes, bytes]]
"""The id of an entry, and what it holds; nothing if it was trimmed."""


@cache
def _server(address: str) -> Any:
    return redis.Redis.from_url(address, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S)


def server() -> Any:
    """Return this process's connections to Redis."""
    return _server(settings.WALLE_FEATURES_REDIS)


def unread(name: str, after: FeatureCursor, limit: int) -> Sequence[StoredFeature]:
    """Return the next features of a consumer after its cursor, `limit` at most.

    What was delivered before comes again, unless the cursor says that it was read.
    """
    _ensure_group(name)
    while delivered := _delivered(name, "0", limit) or _delivered(name, ">", limit):
        if read := [entry for entry, content in delivered if not content or _cursor(entry) <= after]:
            server().xack(STREAM, name, *read)
        if fresh := [each for each in _stored(delivered) if each.cursor > after]:
            return fresh
    return []


def acknowledge(name: str, upto: FeatureCursor) -> None:
    """Tell a consumer's group what was read; if Redis is away meanwhile, `unread` does so the next time."""
    with suppress(redis.RedisError):
        while read := server().xpending_range(STREAM, name, min="-", max=entry_id(upto), count=_PORTION):
            server().xack(STREAM, name, *(each["message_id"] for each in read))


def entry_id(cursor: FeatureCursor) -> str:
    """Return the id of the entry at a place."""
    return f"{cursor.xid}-{cursor.id}"


def newest() -> FeatureCursor:
    """Return the place of the newest feature ever added."""
    if not server().exists(STREAM):
        return FeatureCursor()
    return _cursor(server().xinfo_stream(STREAM)["last-generated-id"])


def stream_features(
    limit: int, wanted: FeatureFilter, *, after: FeatureCursor | None = None, before: FeatureCursor | None = None
) -> list[StoredFeature]:
    """Return features of the stream: those after a place, in order; without one the newest first, before another.

    All entries between are read, as the stream has no index: a filter that few features match takes long.
    """
    slugs = None if wanted.apps is None else set(App.objects.filter(pk__in=wanted.apps).values_list("slug", flat=True))
    found: list[StoredFeature] = []
    for each in _forwards(after) if after is not None else _backwards(before):
        if wanted.matches(each) and (slugs is None or each.app in slugs):
            found.append(each)
        if len(found) == limit:
            break
    return found


def stream_lag(name: str) -> FeatureLag:
    """Return how far a consumer is behind."""
    groups = server().xinfo_groups(STREAM) if server().exists(STREAM) else []
    group = next((each for each in groups if each["name"].decode() == name), None)
    begin = _cursor(group["last-delivered-id"]) if group else FeatureCursor()
    pending = server().xpending(STREAM, name) if group else {"pending": 0, "min": None}
    following = server().xrange(STREAM, f"({entry_id(begin)}", count=1)
    oldest: Any = pending["min"] or (following[0][0] if following else b"")
    if not oldest:
        return FeatureLag.none()
    ahead = group["lag"] if group and group["lag"] is not None else server().xlen(STREAM)
    seconds, _ = server().time()
    return FeatureLag(pending["pending"] + ahead, max(0.0, seconds - _cursor(oldest).xid / 1000))


def _ensure_group(name: str) -> None:
    try:
        server().xgroup_create(STREAM, name, id="0", mkstream=True)
    except redis.ResponseError as error:
        if _GROUP_EXISTS not in str(error):
            raise


def _delivered(name: str, begin: str, limit: int) -> list[Entry]:
    answer = server().xreadgroup(name, READER, {STREAM: begin}, count=limit)
    return cast(list[Entry], answer[0][1]) if answer else []


def _forwards(place: FeatureCursor) -> Iterator[StoredFeature]:
    while entries := server().xrange(STREAM, f"({entry_id(place)}", count=_PORTION):
        yield from _stored(entries)
        place = _cursor(entries[-1][0])


def _backwards(place: FeatureCursor | None) -> Iterator[StoredFeature]:
    newest_id = "+" if place is None else f"({entry_id(place)}"
    while entries := server().xrevrange(STREAM, newest_id, count=_PORTION):
        yield from _stored(entries)
        newest_id = f"({entries[-1][0].decode()}"


def _stored(entries: Iterable[Entry]) -> list[StoredFeature]:
    marked = rolled_back_manifests()
    return [_feature(_cursor(entry), content, marked) for entry, content in entries if content]


def _feature(place: FeatureCursor, content: Mapping[bytes, bytes], marked: frozenset[str]) -> StoredFeature:
    found = feature_of(content)
    named: dict[str, Any] = {
        **{name: getattr(found, name) for name in StoredFeature._fields if hasattr(found, name)},
        **{name: storable_time(getattr(found, name)) for name in ("at", "tracked_at", "received_at")},
        "answer_by": None if found.answer_by is None else storable_time(found.answer_by),
        "written": found.values.decode(errors="replace"),
        "rolled_back": found.manifest in marked,
    }
    return StoredFeature(**{**named, "xid": place.xid, "id": place.id})


def _cursor(entry: bytes) -> FeatureCursor:
    milliseconds, number = entry.decode().split("-")
    return FeatureCursor(int(milliseconds), int(number))
