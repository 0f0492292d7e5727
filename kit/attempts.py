"""Count attempts in PostgreSQL, so that a limit holds over all web processes and their restarts."""

import math
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from django.db import connection

from kit.models import AttemptCount


class TooManyAttempts(Exception):
    """Too many attempts: passwords and tokens are refused for another `wait_s` seconds."""

    def __init__(self, wait_s: int) -> None:
        self.wait_s = wait_s
        super().__init__(f"Too many attempts: wait {wait_s} seconds, then try again.")


WINDOW: Final = timedelta(minutes=1)
_FORGOTTEN_AT_ONCE: Final = 100
# One statement: concurrent attempts wait for each other here. A count at its limit is not written any more.
_COUNT: Final = """
    INSERT INTO kit_attemptcount AS known (key, count, ends_at) VALUES (%(key)s, 1, %(ends_at)s)
    ON CONFLICT (key) DO UPDATE SET
        count = CASE WHEN known.ends_at <= %(now)s THEN 1 ELSE known.count + 1 END,
        ends_at = CASE WHEN known.ends_at <= %(now)s THEN excluded.ends_at ELSE known.ends_at END
    WHERE known.ends_at <= %(now)s OR known.count < %(limit)s
    RETURNING count
"""
_FORGET: Final = """
    DELETE FROM kit_attemptcount WHERE key IN (
        SELECT key FROM kit_attemptcount WHERE ends_at <= %(now)s LIMIT %(most)s FOR UPDATE SKIP LOCKED
    )
"""


def count_attempt(*, what: str, who: str, limit: int, now: datetime) -> None:
    """Count an attempt; raise TooManyAttempts after `limit` of them within a minute of the first."""
    key = sha256(f"{what}\0{who}".encode(errors="surrogatepass")).hexdigest()
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, {"key": key, "now": now, "ends_at": now + WINDOW, "limit": limit})
        counted = cursor.fetchone()
        if counted == (1,):
            cursor.execute(_FORGET, {"now": now, "most": _FORGOTTEN_AT_ONCE})
    if counted is None:
        raise TooManyAttempts(_seconds_left(key, now))


def _seconds_left(key: str, now: datetime) -> int:
    ends_at = AttemptCount.objects.filter(key=key).values_list("ends_at", flat=True).first() or now
    return max(1, math.ceil((ends_at - now).total_seconds()))
