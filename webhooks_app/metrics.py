"""Metrics of webhooks and e-mail: deliveries and messages in progress, and those that ended."""

from datetime import datetime
from typing import Final

from kit.metrics import DatabaseMetrics, Family, Finished, Queried
from kit.sql import Statement, fixed

_UNDER_WAY: Final = """
    SELECT state, count(*) FROM webhooks_app_delivery WHERE state IN ('pending', 'sending') GROUP BY 1
"""
_LAG: Final = """
    SELECT coalesce(greatest(extract(epoch FROM now() - min(due_at)), 0), 0) FROM webhooks_app_delivery
    WHERE state IN ('pending', 'sending')
"""
_ENDED: Final = """
    SELECT 0, now(), 0.0, '' UNION ALL (
        SELECT id, finished_at, extract(epoch FROM finished_at - created_at)::float8, state FROM webhooks_app_delivery
        WHERE NOT state IN ('pending', 'sending')
            AND finished_at >= coalesce(%s::timestamptz, now() - interval '30 seconds')
    )
"""
_MAILS: Final = """
    SELECT state, count(*) FROM webhooks_app_mail WHERE state IN ('pending', 'sending') GROUP BY 1
"""
_MAIL_LAG: Final = """
    SELECT coalesce(greatest(extract(epoch FROM now() - min(due_at)), 0), 0) FROM webhooks_app_mail
    WHERE state IN ('pending', 'sending')
"""
_MAILS_ENDED: Final = """
    SELECT 0, now(), 0.0, '' UNION ALL (
        SELECT id, finished_at, extract(epoch FROM finished_at - created_at)::float8, state FROM webhooks_app_mail
        WHERE NOT state IN ('pending', 'sending')
            AND finished_at >= coalesce(%s::timestamptz, now() - interval '30 seconds')
    )
"""


def _mails_ended(since: datetime | None) -> Statement:
    return _MAILS_ENDED, (since,)


def _ended(since: datetime | None) -> Statement:
    return _ENDED, (since,)


METRICS: Final = DatabaseMetrics(
    sources=(
        Queried(
            (Family("gauge", "walle_webhook_deliveries", "Deliveries of webhooks under way.", ("state",)),),
            fixed(_UNDER_WAY),
        ),
        Queried(
            (Family("gauge", "walle_webhook_lag_seconds", "For how long the oldest due delivery has waited."),),
            fixed(_LAG),
        ),
        Finished(
            Family("counter", "walle_webhook_deliveries_finished_total",
                   "Deliveries that ended since this process began.", ("state",)),
            _ended,
            lambda: [("delivered",), ("failed",)],
        ),
        Queried(
            (Family("gauge", "walle_mails", "Messages to people under way.", ("state",)),),
            fixed(_MAILS),
        ),
        Queried(
            (Family("gauge", "walle_mail_lag_seconds", "For how long the oldest due message has waited."),),
            fixed(_MAIL_LAG),
        ),
        Finished(
            Family("counter", "walle_mails_finished_total",
                   "Messages to people that ended since this process began.", ("state",)),
            _mails_ended,
            lambda: [("sent",), ("failed",), ("dropped",)],
        ),
    )
)  # fmt: skip
