"""The topics of features: what arrives, who reads it, and the newest, each as far as somebody sees it."""

import pytest
from django.utils import timezone

from accounts_app.actors import Actor
from devices_app.models import FeatureConsumer
from devices_app.services.features import store_features
from live_app.topics import topic_named
from tests.devices_app.conftest import make_shop
from tests.features.received import feature
from tests.support.people import make_member, make_staff

pytestmark = pytest.mark.django_db


def told(actor: Actor, name: str = "features") -> dict[str, object]:
    topic = topic_named(name)
    return topic.gauge(topic.audience(actor))


def test_a_gauge_has_what_arrives_who_reads_it_and_the_newest():
    make_shop()
    FeatureConsumer.objects.create(name="reader", app="shop")
    now = timezone.now().timestamp()
    at = {"received_at": now, "tracked_at": now - 0.1}
    store_features([feature(number, **at) for number in range(1, 31)])
    found = told(make_staff())
    assert 30 / 120 <= found["rate"]["features"] <= 30 / 60
    assert found["rate"]["p99_ms"] == pytest.approx(100, rel=0.1)
    assert [row["values"]["n"] for row in found["newest"]] == list(range(30, 10, -1))
    assert [each["name"] for each in found["consumers"]] == ["reader"]


def test_everybody_is_told_of_what_they_see():
    make_shop()
    FeatureConsumer.objects.create(name="everything")
    store_features([feature(1, received_at=timezone.now().timestamp())])
    of_app, of_scenario = make_member("viewer", "app:shop", "ann"), make_member("viewer", "scenario:camera", "sam")
    stranger = make_member("viewer", "app:elsewhere", "eve")
    seen = [len(told(each)["newest"]) for each in (of_app, of_scenario, stranger)]
    assert seen == [1, 1, 0]
    assert told(stranger)["rate"]["features"] == 0
    assert told(of_app)["consumers"] == []
    assert told(stranger, "features/shop") == told(stranger, "features/nothing")
    assert len(told(of_scenario, "features/shop")["newest"]) == 1
    assert told(of_app, "features/other")["newest"] == []
