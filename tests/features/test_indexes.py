"""What people look at again and again is found through indexes, however many features are kept."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from devices_app.models import App, Feature
from devices_app.selectors import feature_views
from devices_app.selectors.feature_views import ChosenFeatures
from devices_app.services.features import store_features
from tests.features.received import feature

STORED = 5_000


def read_at_once(sql: str) -> int:
    """The most rows of the table of features that one step of a query reads, where indexes cost nothing."""
    with connection.cursor() as cursor:
        cursor.execute("SET enable_seqscan = off")
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}")
        plan = cursor.fetchone()[0][0]["Plan"]
        cursor.execute("RESET enable_seqscan")
    return max(_rows(plan))


def _rows(plan: dict) -> list[int]:
    own = [plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)] if "Relation Name" in plan else [0]
    return own + [rows for part in plan.get("Plans", []) for rows in _rows(part)]


@pytest.mark.parametrize("scopes", [None, {"app:shop"}], ids=["staff", "a role"])
def test_the_newest_features_are_found_without_reading_all(shop: App, scopes: set[str] | None) -> None:
    for begin in range(1, 3 * STORED, STORED):
        store_features([feature(begin + number) for number in range(STORED)])
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE devices_app_feature")
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert len(feature_views.newest(scopes, limit=20)) == 20
        feature_views.search(ChosenFeatures(scopes)).page(20, below=Feature.objects.latest("id").pk)
        feature_views.feature_within(scopes, Feature.objects.earliest("id").pk)
    assert all(read_at_once(query["sql"]) <= STORED for query in queries.captured_queries)
