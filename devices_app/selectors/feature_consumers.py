"""Who reads the features, as far as somebody may see it, and how far behind each is."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import connection

from accounts_app.selectors import slugs_among
from devices_app.models import FeatureConsumer
from devices_app.selectors.feature_views import Scopes

MOST: Final = 100
MOST_COUNTED: Final = 100_000
"""A consumer that is further behind is told to be so far behind: counting on would take longer than a second."""

_LAG: Final = """
SELECT count(*), coalesce(extract(epoch FROM now() - min(received_at)), 0) FROM (
    SELECT received_at FROM devices_app_feature
    WHERE (xid, id) > (%(xid)s::text::xid8, %(feature)s) AND xid < pg_snapshot_xmin(pg_current_snapshot())
        AND (%(app)s = '' OR app_id = (SELECT id FROM devices_app_app WHERE slug = %(app)s))
        AND (%(task)s = '' OR task = %(task)s)
    ORDER BY xid, id LIMIT %(most)s
) AS unread
"""


@dataclass(frozen=True)
class ConsumerLag:
    """A consumer, the number of features that it has not read, and for how many seconds the oldest has waited.

    `features` is MOST_COUNTED at most.
    """

    name: str
    app: str
    task: str
    features: int
    seconds: float
    read: int
    updated_at: datetime | None
    failures: int
    error: str
    failed_at: datetime | None


def consumers_within(scopes: Scopes) -> list[ConsumerLag]:
    """Return the visible consumers by name, MOST of them at most.

    One that reads an app or a task is visible to whoever sees that; one that reads everything, to whoever sees all.
    """
    seen = [each for each in FeatureConsumer.objects.order_by("name") if _is_seen(each, scopes)]
    return [_with_lag(each) for each in seen[:MOST]]


def _is_seen(consumer: FeatureConsumer, scopes: Collection[str] | None) -> bool:
    if scopes is None:
        return True
    scenario = consumer.task.partition("/")[0]
    return consumer.app in slugs_among(scopes, "app") or scenario in slugs_among(scopes, "scenario")


def _with_lag(consumer: FeatureConsumer) -> ConsumerLag:
    asked = {"xid": str(consumer.xid), "feature": consumer.feature, "app": consumer.app, "task": consumer.task}
    with connection.cursor() as cursor:
        cursor.execute(_LAG, {**asked, "most": MOST_COUNTED})
        features, seconds = cursor.fetchone()
    return ConsumerLag(
        consumer.name,
        consumer.app,
        consumer.task,
        features,
        round(max(0.0, float(seconds)), 1),
        consumer.read,
        consumer.updated_at,
        consumer.failures,
        consumer.error,
        consumer.failed_at,
    )
