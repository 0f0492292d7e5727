"""Answer features, and forget answers that were delivered or that nobody waits for any more."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import connection

from devices_app.models.answers import STATUSES
from kit.portions import delete_in_portions
from walle.gateway.ports import PendingAnswer
from walle.protocol.tunnel_frames import MAX_ANSWER, MAX_ANSWER_MS

CHANNEL: Final = "walle_answers"
"""The channel on which new answers are announced, as the lowest and the highest of their ids: `12-57`."""
PORTION: Final = 5_000

# Only a feature that was stored can be answered (what Redis stores is not looked up), and the first answer counts. The
# ids of one statement may lie among those of others; whoever reads the announced ones may find some of these too.
_ANSWER = """
WITH given AS (
    SELECT * FROM unnest(
        %s::text[], %s::text[], %s::bytea[], %s::bigint[], %s::smallint[], %s::bytea[], %s::float8[]
    ) given (app, device, spool, sequence, status, body, expires)
), stored AS (
    INSERT INTO devices_app_featureanswer (app_id, device, spool, sequence, status, body, expires)
    SELECT app.id, given.device, given.spool, given.sequence, given.status, given.body,
        least(to_timestamp(given.expires), clock_timestamp() + %s * interval '1 millisecond')
    FROM given JOIN devices_app_app app ON app.slug = given.app
    WHERE to_timestamp(given.expires) > clock_timestamp() AND given.sequence >= 1 AND (%s OR EXISTS (
        SELECT FROM devices_app_featureposition position
        WHERE position.app_id = app.id AND position.device = given.device AND position.spool = given.spool
            AND given.sequence <= position.sequence
    ))
    ORDER BY app.id, given.device, given.spool, given.sequence
    ON CONFLICT (app_id, device, spool, sequence) DO NOTHING
    RETURNING id
)
SELECT count(*), pg_notify(%s, min(id) || '-' || max(id)) FROM stored HAVING count(*) > 0
"""
_DELIVERED = """
DELETE FROM devices_app_featureanswer answer
USING devices_app_app app,
    unnest(%s::text[], %s::text[], %s::bytea[], %s::bigint[]) gone (app, device, spool, sequence)
WHERE app.slug = gone.app AND answer.app_id = app.id AND answer.device = gone.device AND answer.spool = gone.spool
    AND answer.sequence = gone.sequence
"""
_EXPIRED = """
DELETE FROM devices_app_featureanswer WHERE id IN (
    SELECT id FROM devices_app_featureanswer WHERE expires <= %(before)s ORDER BY expires LIMIT %(portion)s
    FOR UPDATE SKIP LOCKED
)
"""


def answer_features(answers: Sequence[PendingAnswer]) -> int:
    """Store answers to features and announce them to gateways, which deliver them; return how many were new.

    Each is for the feature with that sequence in that spool of that device of the app: it reaches no other device. An
    answer is dropped if its feature was never stored, has an answer, or if it has expired; none is kept for longer than
    a device may wait. In a transaction, they are delivered once that is committed. Raises ValidationError, and stores
    none, if one is malformed.
    """
    for answer in answers:
        _check(answer)
    with connection.cursor() as cursor:
        in_redis = bool(settings.WALLE_FEATURES_REDIS)
        cursor.execute(_ANSWER, [*_columns(answers, PendingAnswer._fields), MAX_ANSWER_MS, in_redis, CHANNEL])
        counted = cursor.fetchone()
    return int(counted[0]) if counted else 0


def delete_delivered(answers: Sequence[PendingAnswer]) -> None:
    """Delete answers that their devices have."""
    with connection.cursor() as cursor:
        cursor.execute(_DELIVERED, _columns(answers, ("app", "device", "spool", "sequence")))


def delete_expired(*, before: datetime, check: Callable[[], None]) -> int:
    """Delete answers that no device waits for since a time; return their number.

    `check` is called between two portions and may raise to stop.
    """
    return delete_in_portions(_EXPIRED, {"before": before}, portion=PORTION, check=check)


def _columns(answers: Sequence[PendingAnswer], names: Sequence[str]) -> list[list[Any]]:
    return [[getattr(answer, name) for answer in answers] for name in names]


def _check(answer: PendingAnswer) -> None:
    if answer.status not in STATUSES:
        raise ValidationError({"status": f"expected one of {STATUSES}, found {answer.status}"})
    if len(answer.body) > MAX_ANSWER:
        raise ValidationError({"body": f"expected at most {MAX_ANSWER} bytes, found {len(answer.body)}"})
