"""Consumers read from Redis as they do from PostgreSQL: in order, with an effect once."""

import shutil
from datetime import UTC, datetime, timedelta

import pytest

from devices_app.feature_sink import PostgresFeatureSink, feature_sink
from devices_app.jobs import follow_features
from devices_app.models import App, FeatureConsumer
from devices_app.selectors.feature_counts import minute_counts, quantiles
from devices_app.selectors.features import features_after, horizon, lag_of, lags, recent
from devices_app.services.consumers import consume, ensure_consumer
from jobs_app.models import Job
from jobs_app.runner import JobRun
from tests.features.received import NOON, feature
from tests.features.test_consumers import Seen
from tests.features.test_redis import RedisServer, make_redis, server, store  # noqa: F401
from walle.gateway.redis_features import STREAM, RedisFeatureSink

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(shutil.which("redis-server") is None, reason="Redis is not installed"),
]


@pytest.fixture
def filled(shop: App, server: RedisServer, settings) -> RedisServer:  # noqa: F811
    """Five features, the third of another task and device."""
    settings.WALLE_FEATURES_REDIS = server.address
    store(server, feature(1), feature(2), feature(3, task="camera/other", device="other"), feature(4), feature(5))
    return server


def test_settings_choose_the_sink(settings) -> None:
    assert isinstance(feature_sink(), PostgresFeatureSink)
    settings.WALLE_FEATURES_REDIS = "redis://127.0.0.1:1/0"
    assert isinstance(feature_sink(), RedisFeatureSink)


def test_features_come_in_order_and_once(filled: RedisServer) -> None:
    seen, again = Seen(), Seen()
    assert lag_of(ensure_consumer("reader")).features == 5
    assert [consume("reader", seen, limit=2) for _ in range(4)] == [2, 2, 1, 0]
    assert seen == [1, 2, 3, 4, 5]
    assert lag_of(FeatureConsumer.objects.get()) == (0, 0.0)
    ensure_consumer("of-one", task="camera/look", app="shop")
    ensure_consumer("late", newest=True)
    while consume("of-one", again, limit=1):
        pass
    assert again == [1, 2, 4, 5]
    store(filled, feature(6))
    late = Seen()
    consume("late", late)
    assert late == [6]


def test_a_consumer_that_raises_gets_the_same_again(filled: RedisServer) -> None:
    def fail(batch) -> None:
        FeatureConsumer.objects.filter(name="reader").update(app="written-by-the-handler")
        raise ValueError("not now")

    for _ in range(2):
        with pytest.raises(ValueError, match="not now"):
            consume("reader", fail, limit=3)
    row = FeatureConsumer.objects.get()
    assert (row.error, row.failures, row.app) == ("ValueError: not now", 2, "")
    assert lag_of(row).features == 5
    seen = Seen()
    while consume("reader", seen, limit=2):
        pass
    assert seen == [1, 2, 3, 4, 5]


def test_what_was_read_is_not_read_again_if_redis_was_not_told(filled: RedisServer, monkeypatch) -> None:
    """As when the process is killed between its commit and the acknowledgement."""
    seen = Seen()
    with monkeypatch.context() as patched:
        patched.setattr("devices_app.selectors.redis_features.acknowledge", lambda *_: None)
        consume("reader", seen, limit=3)
    while consume("reader", seen, limit=3):
        pass
    with filled.client() as client:
        client.xgroup_destroy(STREAM, "reader")
    store(filled, feature(6))
    assert consume("reader", seen, limit=2) == 1
    assert seen == [1, 2, 3, 4, 5, 6]


def test_what_was_trimmed_before_it_was_read_is_passed_over(filled: RedisServer) -> None:
    def fail(batch) -> None:
        raise ValueError("not now")

    with pytest.raises(ValueError, match="not now"):
        consume("reader", fail, limit=3)
    with filled.client() as client:
        client.xtrim(STREAM, maxlen=1, approximate=False)
    seen = Seen()
    consume("reader", seen)
    assert seen == [5]


def test_readers_choose_what_they_read(filled: RedisServer, shop: App) -> None:
    def found(**filters: object) -> list[int]:
        return [each.sequence for each in recent(10, **filters)]

    assert found() == [5, 4, 3, 2, 1]
    assert found(device="other") == [3]
    assert found(apps=[shop.pk], task="camera/look") == [5, 4, 2, 1]
    assert found(apps=[]) == found(until=datetime.fromtimestamp(NOON, UTC)) == []
    newest = recent(2)
    assert [each.sequence for each in recent(2, before=newest[-1].cursor)] == [3, 2]
    assert [each.sequence for each in features_after(newest[-1].cursor, 10)] == [5]
    assert features_after(horizon(), 10) == []
    assert (newest[0].values, newest[0].received_at.timestamp()) == ({"n": 5}, NOON)


def test_the_job_counts_what_came_and_keeps_how_far_consumers_are(filled: RedisServer) -> None:
    ensure_consumer("reader")
    run = JobRun(Job(), owner="test", clock=lambda: datetime.fromtimestamp(NOON, UTC))
    assert [follow_features(run), follow_features(run)] == [{"counted": 5}, {"counted": 0}]
    since = datetime.fromtimestamp(NOON, UTC)
    [minute] = minute_counts(since=since, until=since + timedelta(minutes=1), task="camera/look")
    assert (minute.features, minute.wire_bytes - minute.raw_bytes) == (4, 80)
    assert quantiles(minute.since_event).p50 == pytest.approx(0.5, rel=0.1)
    assert {name: lag.features for name, lag in lags().items()} == {"counts": 0, "reader": 5}


def test_without_redis_the_job_does_nothing(shop: App) -> None:
    assert follow_features(JobRun(Job(), owner="test", clock=lambda: datetime.now(UTC))) == {"counted": 0}
    assert not FeatureConsumer.objects.exists()
