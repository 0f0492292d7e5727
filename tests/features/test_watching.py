"""Consumers that are behind are seen in metrics and in what needs attention, by those whose features they are."""

import json
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from django.db import connection

from accounts_app.actors import Actor
from devices_app.attention import contributed
from devices_app.metrics import METRICS
from devices_app.models import App, FeatureConsumer
from devices_app.services.consumers import consume, ensure_consumer
from devices_app.services.features import store_features
from tests.features.received import feature
from tests.support.people import make_member, make_staff
from walleweb.databases import plain_url


def concerns(actor: Actor, now: datetime) -> list:
    return [each for each in contributed(actor, [], now) if each.kind == "features-unread"]


def test_a_consumer_that_stands_still_is_a_concern_of_those_who_see_it(shop: App) -> None:
    def fail(batch) -> None:
        raise ValueError("no model")

    now = datetime.now(UTC)
    staff, member = make_staff(), make_member("viewer", "app:shop")
    ensure_consumer("all")
    ensure_consumer("of-shop", app="shop")
    store_features([feature(1, received_at=(now - timedelta(minutes=20)).timestamp())])
    with pytest.raises(ValueError, match="no model"):
        consume("of-shop", fail)
    assert {each.title for each in concerns(staff, now)} == {"all", "of-shop"}
    [concern] = concerns(member, now)
    assert concern.title == "of-shop"
    assert "1 feature not read yet, the oldest for 20 min: it failed 1 time, at last with ValueError" in concern.reason
    for name in ("all", "of-shop"):
        consume(name, lambda batch: None)
    assert concerns(staff, now) == []


def test_metrics_tell_rates_and_lags(shop: App) -> None:
    now = datetime.now(UTC).timestamp()
    store_features([feature(1, device="other", received_at=now - 3600)])
    # Whichever of these minutes is the last whole one when it is read.
    for number in range(3):
        store_features([feature(2 * number + place, received_at=now + 60 * (1 - number)) for place in (1, 2)])
    ensure_consumer("reader")
    FeatureConsumer.objects.update(failures=3)
    values = {}
    with psycopg.connect(plain_url(connection.settings_dict)) as database:
        for source in METRICS.sources:
            for name, value, *labels in source.values(database.execute(*source.query()).fetchall()):
                values[name, *labels] = float(value)
    assert values["walle_features_per_minute", "shop"] == 2
    raw = len(json.dumps({"n": 1}))
    assert values["walle_features_bytes_per_minute", "shop", "raw"] == 2 * raw
    assert values["walle_features_bytes_per_minute", "shop", "wire"] == 2 * (raw + 20)
    assert values["walle_features_unread", "reader"] == 7
    assert 3600 <= values["walle_features_unread_seconds", "reader"] < 3800
    assert values["walle_features_failed_attempts", "reader"] == 3
