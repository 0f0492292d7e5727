"""Consumers of features: each reads all of them in order, with a cursor of its own.

What a consumer writes into the database happens exactly once for each feature, since its cursor moves in the same
transaction. What it does elsewhere may happen again: where that matters, (app, device, spool, sequence) names a feature
for ever.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from devices_app.models import FeatureConsumer
from devices_app.selectors.feature_types import FeatureCursor, FeatureFilter, StoredFeature
from devices_app.selectors.features import features_after, horizon, lag_of
from kit.database_threads import DATABASE_FAILURES

BATCH: Final = 500

# "FEAT" in ASCII, beside the consumer's id.
_READING: Final = 0x46454154
_MOST_ERROR: Final = 500

Handle = Callable[[Sequence[StoredFeature]], None]
"""Does what a consumer is for with a batch of features; raises if it could not."""


def ensure_consumer(name: str, *, app: str = "", task: str = "", newest: bool = False) -> FeatureConsumer:
    """Return the consumer of this name; a new one reads the features of one app or task only, where these are given.

    It begins with the oldest feature that is kept, or after all there are, if `newest`.
    """
    present = FeatureConsumer.objects.filter(name=name).first()
    if present is not None:
        return present
    begin = horizon() if newest else FeatureCursor()
    made, _ = FeatureConsumer.objects.get_or_create(
        name=name, defaults={"app": app, "task": task, "xid": begin.xid, "feature": begin.id}
    )
    return made


def forget_consumer(name: str) -> None:
    """Delete a consumer that will not read any more, so that nobody waits for it."""
    FeatureConsumer.objects.filter(name=name).delete()


def keep_lags() -> None:
    """Keep how far all consumers are behind, for those who have only the database to ask."""
    for consumer in FeatureConsumer.objects.all():
        consumer.lag, consumer.lag_s = lag_of(consumer)
        consumer.save(update_fields=["lag", "lag_s"])


def consume(name: str, handle: Handle, *, limit: int = BATCH) -> int:
    """Let a consumer handle its next features, `limit` at most; return how many it passed: 0 when it has read all.

    Returns 0 as well while another process is at it. If `handle` raises, the cursor stays, the error is kept with the
    consumer, and is raised again here: the same features come with the next call.

    The transaction gets a number only with the first thing that `handle` writes. A handler that takes long should write
    at its end: until then it holds up nobody who waits for older transactions, as all readers of features do.
    """
    consumer = ensure_consumer(name)
    try:
        count = _consume(consumer.pk, handle, limit)
    except Exception as error:
        with suppress(*DATABASE_FAILURES):
            FeatureConsumer.objects.filter(pk=consumer.pk).update(
                error=_shown(error), failures=F("failures") + 1, failed_at=Now()
            )
        raise
    if count and settings.WALLE_FEATURES_REDIS:
        from devices_app.selectors import redis_features

        consumer.refresh_from_db()
        redis_features.acknowledge(name, FeatureCursor(consumer.xid, consumer.feature))
    return count


@transaction.atomic
def _consume(key: int, handle: Handle, limit: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [_READING, key])
        if not cursor.fetchone()[0]:
            return 0
    consumer = FeatureConsumer.objects.get(pk=key)
    begin = FeatureCursor(consumer.xid, consumer.feature)
    batch, reached, passed = _next(consumer, begin, limit)
    if batch:
        handle(batch)
    if batch or reached != begin:
        FeatureConsumer.objects.filter(pk=key).update(
            **{"xid": reached.xid, "feature": reached.id, "read": F("read") + len(batch)},
            **{"updated_at": Now(), "error": "", "failures": 0},
        )
    return passed


def _next(
    consumer: FeatureConsumer, begin: FeatureCursor, limit: int
) -> tuple[Sequence[StoredFeature], FeatureCursor, int]:
    """Return the next features of a consumer, how far it is with them, and how many it passes, others' included.

    PostgreSQL finds its own, where in a stream it has to look at all.
    """
    wanted = FeatureFilter(app=consumer.app, task=consumer.task)
    if settings.WALLE_FEATURES_REDIS:
        from devices_app.selectors import redis_features

        passed = redis_features.unread(consumer.name, begin, limit)
        batch = [each for each in passed if wanted.matches(each)]
        return batch, passed[-1].cursor if passed else begin, len(passed)
    settled = horizon()
    batch = features_after(begin, limit, upto=settled, **wanted._asdict())
    if len(batch) == limit:
        return batch, batch[-1].cursor, limit
    # A consumer that reads everything stays where it is while there is nothing: its row is not written all the time.
    moves = batch or consumer.app or consumer.task
    return batch, max(settled, begin) if moves else begin, len(batch)


def _shown(error: Exception) -> str:
    """Return an error as a row can hold it: also a message with NUL, or with half a character."""
    text = f"{type(error).__name__}: {error}"[:_MOST_ERROR]
    return text.replace("\0", "\\0").encode(errors="backslashreplace").decode()[:_MOST_ERROR]
