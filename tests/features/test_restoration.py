"""After a restoration each consumer goes on where it was, whatever the new cluster calls its transactions."""

import sys
from datetime import date

from django.db import connection, transaction

from devices_app.models import App, Feature
from devices_app.selectors.features import FeatureCursor, features_after, recent
from devices_app.services.consumers import consume, ensure_consumer
from devices_app.services.feature_partitions import make_partitions
from devices_app.services.feature_restoration import forget_feature_transactions
from devices_app.services.features import store_features
from tests.features.received import NOON, feature
from tests.features.test_consumers import Seen, elsewhere
from tests.support.backups import empty_installation, manage, present_installation
from tests.support.processes import run
from walleweb.config import BASE_DIR

# What the consumer reads in the restored database, of what was and what comes; and how many rows there are.
GOING_ON = """
import django; django.setup()
from devices_app.models import Feature
from devices_app.services.consumers import consume
from devices_app.services.features import store_features
from tests.features.received import NOON, feature
store_features([feature(4), feature(5, received_at=NOON + 9 * 86_400)])
consume("reader", lambda batch: print(*(each.sequence for each in batch)))
print(Feature.objects.count())
"""


def test_consumers_go_on_where_they_were(shop: App) -> None:
    seen = {name: Seen() for name in ("none", "some", "all")}
    make_partitions([date(2027, 1, 15)])
    ensure_consumer("none")
    with transaction.atomic():
        store_features([feature(1)])
        # Of a younger transaction, though with a lower id than the next.
        elsewhere(lambda: store_features([feature(1, device="other")._replace(sequence=101)]))
        store_features([feature(2)])
    store_features([feature(3), feature(4)])
    consume("some", seen["some"], limit=2)
    consume("all", seen["all"])
    with connection.cursor() as cursor:
        # As a cluster would have it that has run for years.
        for table in ("feature", "featureconsumer"):
            cursor.execute(
                f"UPDATE devices_app_{table} SET xid = (xid::text::bigint + 1000000000000)::text::xid8 WHERE xid > '0'"
            )
    with transaction.atomic():
        forget_feature_transactions()
    store_features([feature(5)])
    for name in ("none", "some", "all"):
        while consume(name, seen[name], limit=2):
            pass
        assert seen[name] == [1, 2, 101, 3, 4, 5], name
    assert [each.sequence for each in recent(3)] == [5, 4, 3]
    assert Feature.objects.count() == 6


def test_nobody_reads_and_nothing_is_there(shop: App) -> None:
    with transaction.atomic():
        forget_feature_transactions()
    store_features([feature(1)])
    with transaction.atomic():
        forget_feature_transactions()
    assert [each.sequence for each in features_after(FeatureCursor(), 10)] == [1]


def test_a_backup_holds_all_days_and_places(shop: App, tmp_path) -> None:
    store_features([feature(n, received_at=NOON + n * 86_400) for n in (1, 2, 3, 4)])
    ensure_consumer("reader")
    consume("reader", Seen(), limit=2)
    backups = tmp_path / "backups"
    for name in ("data", "restored"):
        (tmp_path / name).mkdir()
    manage(present_installation(tmp_path / "data"), "backup", str(backups))
    with empty_installation(tmp_path / "restored") as target:
        manage(target, "restore", str(backups))
        done = run([sys.executable, "-c", GOING_ON], cwd=BASE_DIR, env=target.environment)
        assert done.stdout.split() == ["3", "4", "5", "5"], done.stderr
