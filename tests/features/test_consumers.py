"""Consumers read every feature in order and have an effect once, whatever fails, and say how far they are."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, transaction

from accounts_app.models import AuditEntry
from devices_app.models import App, Feature, FeatureConsumer
from devices_app.selectors import features as selector
from devices_app.selectors.features import (
    FeatureCursor,
    FeatureLag,
    StoredFeature,
    features_after,
    horizon,
    lag_of,
    lags,
    recent,
)
from devices_app.services.consumers import consume, ensure_consumer, forget_consumer
from devices_app.services.features import store_features
from tests.features.received import NOON, feature
from tests.support.emptying import other_writers
from tests.support.processes import Children, child_environment
from tests.support.waiting import wait_for

# Each feature read is an entry of the audit log; the consumer is killed whenever.
READING = """
import django; django.setup()
from accounts_app.actors import SYSTEM
from accounts_app.services.audit import record
from devices_app.models import App
from devices_app.services.consumers import consume
def handle(batch):
    for each in batch:
        record(actor=SYSTEM, action="test.read", target=App.objects.get(), after={"sequence": each.sequence})
while True:
    consume("reader", handle, limit=7)
"""


class Seen(list):
    """What a consumer was given, as sequences."""

    def __call__(self, batch: list[StoredFeature]) -> None:
        self += [each.sequence for each in batch]


@pytest.fixture
def seen() -> Seen:
    return Seen()


def elsewhere(work):
    """Run work in a thread with a connection of its own."""

    def run():
        try:
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(run).result()


def store(*sequences: int, **changed: object) -> None:
    store_features([feature(sequence, **changed) for sequence in sequences])


def test_features_come_in_order_and_once(shop: App, seen: Seen) -> None:
    store(1, 2, 3)
    assert consume("reader", seen, limit=2) == 2
    assert consume("reader", seen, limit=2) == 1
    assert consume("reader", seen) == 0
    store(4)
    assert consume("reader", seen) == 1
    assert seen == [1, 2, 3, 4]
    assert FeatureConsumer.objects.get().read == 4


def test_consumers_do_not_share_a_place(shop: App, seen: Seen) -> None:
    store(1)
    consume("one", seen)
    ensure_consumer("late", newest=True)
    store(2)
    consume("two", seen)
    consume("late", seen)
    assert seen == [1, 1, 2, 2]


def test_what_an_older_transaction_stores_later_is_not_passed_over(shop: App, seen: Seen) -> None:
    """The younger one's features wait for it, as those with a lower place may still appear."""
    store(1)
    with transaction.atomic():
        store(2)
        elsewhere(lambda: store(3, device="other"))
        elsewhere(lambda: consume("reader", seen))
        assert seen == [1]
    consume("reader", seen)
    assert seen == [1, 2, 3]


def test_a_consumer_that_raises_gets_the_same_again_and_shows_why(shop: App, seen: Seen) -> None:
    store(1, 2)

    def fail(batch) -> None:
        Feature.objects.filter(sequence=1).delete()
        raise ValueError("no model is loaded\0\ud800" + "x" * 1000)

    for failures in (1, 2):
        with pytest.raises(ValueError, match="no model"):
            consume("reader", fail)
        row = FeatureConsumer.objects.get()
        assert (row.failures, row.read) == (failures, 0)
        assert row.error.startswith("ValueError: no model is loaded\\0\\ud800x")
        assert row.failed_at is not None
    consume("reader", seen)
    row.refresh_from_db()
    assert (seen, row.error, row.failures) == ([1, 2], "", 0)


def test_one_process_reads_at_a_time_and_holds_nobody_up(shop: App, seen: Seen) -> None:
    """Nothing that was written keeps others' features unsettled while a handler takes its time."""
    store(1)

    def slow(batch) -> None:
        seen(batch)
        assert elsewhere(lambda: consume("reader", seen)) == 0
        elsewhere(lambda: store(2))
        assert elsewhere(lambda: consume("other", seen)) == 2

    consume("reader", slow)
    assert seen == [1, 1, 2]


def test_a_consumer_of_one_task_reads_no_other(shop: App, seen: Seen) -> None:
    ensure_consumer("reader", app="shop", task="camera/look")
    store(1)
    store(2, 3, task="camera/other", device="other")
    store(4)
    assert lag_of(FeatureConsumer.objects.get()).features == 2
    while consume("reader", seen, limit=1):
        pass
    assert seen == [1, 4]
    row = FeatureConsumer.objects.get()
    assert FeatureCursor(row.xid, row.feature) > Feature.objects.values_list("xid", "id").latest("id")
    ensure_consumer("nobody", app="gone")
    assert consume("nobody", seen) == 0


def test_a_killed_consumer_has_had_its_effect_once(shop: App, children: Children) -> None:
    for begin in range(1, 2000, 100):
        store(*range(begin, begin + 100))

    def effects() -> list[int]:
        entries = AuditEntry.objects.filter(action="test.read").order_by("id")
        return [each["sequence"] for each in entries.values_list("after", flat=True)]

    for _ in range(3):
        begun = len(effects())
        child = children.python("-c", READING, env=child_environment(), name="consumer")
        wait_for(lambda begun=begun: len(effects()) > begun + 50, 60, child.output)
        child.kill()
    wait_for(lambda: not other_writers())
    found = effects()
    assert found == list(range(1, len(found) + 1))
    assert FeatureConsumer.objects.get().read == len(found) < 2000


def test_lag_is_counted_and_beyond_that_estimated(shop: App, seen: Seen, monkeypatch) -> None:
    monkeypatch.setattr(selector, "COUNTED", 4)
    row = ensure_consumer("reader")
    assert lag_of(row) == FeatureLag(0, 0.0)
    now = datetime.now(UTC).timestamp()
    store(*range(1, 4), received_at=now - 1000)
    assert lag_of(row) == (3, pytest.approx(1000, abs=60))
    store(*range(4, 8), received_at=now)
    assert lag_of(row).features == 7
    consume("reader", seen, limit=3)
    row.refresh_from_db()
    assert lags()["reader"] == (4, pytest.approx(0, abs=60))
    forget_consumer("reader")
    assert lags() == {}


def test_readers_choose_what_they_read(shop: App) -> None:
    store(1, 2)
    store(3, device="other", version="1.3.0")
    store(4, task="camera/other", received_at=NOON + 60)

    def found(**filters: object) -> list[int]:
        return [each.sequence for each in recent(10, **filters)]

    assert found() == [4, 3, 2, 1]
    assert found(device="other") == found(version="1.3.0") == [3]
    assert found(app="shop", task="camera/look") == [3, 2, 1]
    assert found(apps=[]) == found(app="gone") == []
    assert found(apps=[shop.pk], since=datetime.fromtimestamp(NOON + 1, UTC)) == [4]
    assert found(until=datetime.fromtimestamp(NOON, UTC) + timedelta(seconds=1)) == [3, 2, 1]
    newest = recent(2)
    assert [each.sequence for each in recent(10, before=newest[-1].cursor)] == [2, 1]
    assert [each.sequence for each in features_after(newest[-1].cursor, 10)] == [4]
    assert features_after(horizon(), 10) == []
    assert newest[0].values == {"n": 4}
