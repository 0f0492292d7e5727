"""Put the order of features right in a database that was restored from a backup.

Numbers of transactions mean nothing in another cluster: rows with higher ones than it has reached would never be
settled. So the order is kept in ids alone, which are drawn anew for what somebody has not read yet.
"""

from contextlib import suppress
from typing import Final

import redis
from django.conf import settings
from django.db import connection

from devices_app.models import FeatureConsumer
from devices_app.selectors.redis_features import server
from walle.gateway.redis_features import STREAM

# The first number drawn lies above all ids, and below all that are drawn for features.
_RENUMBER: Final = """
CREATE TEMPORARY TABLE walle_renumbered ON COMMIT DROP AS
    SELECT NULL::xid8 AS xid, NULL::bigint AS id, nextval('devices_app_feature_id_seq') AS number;
INSERT INTO walle_renumbered
    SELECT xid, id, nextval('devices_app_feature_id_seq') FROM (
        SELECT feature.xid, feature.id FROM devices_app_feature feature
        WHERE EXISTS (
            SELECT FROM devices_app_featureconsumer consumer
            WHERE (feature.xid, feature.id) > (consumer.xid, consumer.feature)
        )
        ORDER BY feature.xid, feature.id
    ) unread;
UPDATE devices_app_feature feature SET id = number FROM walle_renumbered new
    WHERE feature.xid = new.xid AND feature.id = new.id;
UPDATE devices_app_featureconsumer consumer SET xid = '0', feature = (
    SELECT max(number) FROM walle_renumbered new
    WHERE new.xid IS NULL OR (new.xid, new.id) <= (consumer.xid, consumer.feature)
)
"""
# A new column of 0 instead of an update, which would write every row again.
_FORGET: Final = """
ALTER TABLE devices_app_feature DROP COLUMN xid;
ALTER TABLE devices_app_feature ADD COLUMN xid xid8 NOT NULL DEFAULT '0';
ALTER TABLE devices_app_feature ALTER COLUMN xid SET DEFAULT pg_current_xact_id();
CREATE INDEX feature_by_transaction ON devices_app_feature (xid, id);
CREATE INDEX feature_of_device ON devices_app_feature (app_id, device, xid, id);
CREATE INDEX feature_of_version ON devices_app_feature (task, version, xid, id)
"""


def forget_feature_transactions() -> None:
    """Keep the order of features and the place of each consumer without numbers of transactions.

    Where Redis has the features, what it delivered after the backup was made is delivered again: the cursors that were
    restored say what was read.
    """
    with connection.cursor() as cursor:
        if not settings.WALLE_FEATURES_REDIS:
            cursor.execute(_RENUMBER)
        cursor.execute(_FORGET)
    if settings.WALLE_FEATURES_REDIS:
        for name in FeatureConsumer.objects.values_list("name", flat=True):
            with suppress(redis.RedisError):
                server().xgroup_destroy(STREAM, name)
