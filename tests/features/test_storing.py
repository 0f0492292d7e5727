"""Features are stored durably, each exactly once, whatever devices send and whenever gateways die."""

from datetime import UTC, date, datetime

import pytest

from devices_app.feature_sink import PostgresFeatureSink
from devices_app.models import App, Feature, FeatureCount, FeaturePosition
from devices_app.services.feature_partitions import make_partitions
from devices_app.services.features import store_features, stored_position
from tests.features.received import NOON, SPOOL, feature
from walle.gateway.ports import FeatureRefused


def stored(**filters: object) -> list[int]:
    return list(Feature.objects.filter(**filters).order_by("xid", "id").values_list("sequence", flat=True))


async def test_a_sink_stores_and_knows_how_far(shop: App) -> None:
    sink = PostgresFeatureSink()
    try:
        assert await sink.position("shop", "phone", SPOOL) == 0
        await sink.store([feature(1), feature(2), feature(1, device="other")])
        assert await sink.position("shop", "phone", SPOOL) == 2
        assert await sink.position("shop", "other", SPOOL) == 1
        assert await sink.position("shop", "phone", b"another0") == 0
    finally:
        await sink.close()


def test_a_row_holds_everything(shop: App) -> None:
    store_features([feature(7, values={"a": [1, "ü\t\\ \n"]}, answer_by=NOON + 5)])
    row = Feature.objects.get()
    assert (row.app, row.device, bytes(row.spool), row.sequence) == (shop, "phone", SPOOL, 7)
    assert (row.task, row.version, row.manifest) == ("camera/look", "1.2.0", "0123456789abcdef01234567")
    moments = [row.tracked_at, row.at, row.received_at, row.answer_by]
    assert [moment.timestamp() - NOON for moment in moments] == pytest.approx([-0.5, -0.4, 0, 5])
    assert row.values == {"a": [1, "ü\t\\ \n"]}
    assert row.wire_bytes == row.raw_bytes + 20


def test_what_comes_again_changes_nothing(shop: App) -> None:
    store_features([feature(1), feature(2)])
    store_features([feature(2), feature(3), feature(3), feature(4)])
    store_features([feature(1), feature(4)])
    assert stored() == [1, 2, 3, 4]
    assert stored_position("shop", "phone", SPOOL) == 4
    assert sum(FeatureCount.objects.values_list("features", flat=True)) == 4
