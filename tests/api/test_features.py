"""/api/v1/features: what devices sent, as it arrives, as files, and how fast it comes."""

import io
import json
from datetime import UTC, datetime
from urllib.parse import urlencode

import pyarrow.parquet
import pytest
from django.db import transaction
from django.utils import timezone

from accounts_app.actors import SYSTEM
from devices_app.api import exporting
from devices_app.models import FeatureConsumer
from devices_app.selectors import feature_consumers, feature_rates, feature_views
from devices_app.selectors.features import FeatureCursor, table_horizon
from devices_app.services.apps import create_app
from devices_app.services.features import store_features
from releases_app.models import Quarantine
from tests.api.conftest import NOW, member_of
from tests.api.contract import problem
from tests.devices_app.test_gateway import outside
from tests.features.received import NOON, feature
from tests.support.releases import draft_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def mall(keys):
    return create_app(slug="mall", name="Mall", actor=SYSTEM, now=NOW)


def sequences(page):
    return [row["values"]["n"] for row in page["results"]]


def export(api, **query):
    return api.unchecked("GET", f"features/export?{urlencode(query)}")


def lines(response):
    return [json.loads(line) for line in b"".join(response).splitlines()]


def test_the_newest_come_first_page_by_page(shop, viewer):
    store_features([feature(n) for n in range(1, 6)])
    page = viewer.get("features", limit=3).json()
    assert sequences(page) == [5, 4, 3]
    assert sequences(viewer.get("features", limit=3, cursor=page["next"]).json()) == [2, 1]
    [first] = viewer.results("features", limit=1)
    assert (first["app"], first["device"], first["task"], first["version"]) == ("shop", "phone", "camera/look", "1.2.0")
    assert (first["delay_ms"], first["raw_bytes"], first["wire_bytes"]) == (500.0, 8, 28)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"device": "phone"}, [2, 1]),
        ({"app": "shop", "device": "tablet"}, [1]),
        ({"task": "camera/other"}, [4]),
        ({"task": "camera/look", "version": "1.3.0"}, [3]),
        ({"since": datetime.fromtimestamp(NOON + 1, UTC).isoformat()}, [9]),
        ({"before": datetime.fromtimestamp(NOON + 1, UTC).isoformat()}, [4, 3, 1, 2, 1]),
        ({"app": "missing"}, []),
    ],
)
def test_filters(shop, viewer, query, found):
    store_features([feature(1), feature(2), feature(1, device="tablet"), feature(3, device="b", version="1.3.0")])
    store_features([feature(4, device="b", task="camera/other"), feature(9, device="c", received_at=NOON + 2)])
    assert sequences(viewer.get("features", **query).json()) == found


def test_long_values_are_read_one_by_one(shop, viewer, monkeypatch):
    monkeypatch.setattr(feature_views, "SHOWN_BYTES", 20)
    store_features([feature(1, values={"text": "x" * 20})])
    [row] = viewer.results("features")
    assert row["values"] is None
    assert viewer.get(f"features/{row['id']}").json()["values"] == {"text": "x" * 20}


def test_who_holds_a_role_in_the_app_or_in_the_scenario_sees_a_feature(shop, mall):
    before = timezone.now().timestamp() - 90
    of_mall = [feature(2, app="mall"), feature(3, app="mall", task="voice/words")]
    store_features([each._replace(received_at=before) for each in (feature(1), *of_mall)])
    people = {"ann": "app:shop", "sam": "scenario:camera", "eve": "app:elsewhere"}
    of_app, of_scenario, other = (member_of("viewer", scope, name=name) for name, scope in people.items())
    ids = {row["values"]["n"]: row["id"] for row in of_scenario.results("features") + of_app.results("features")}
    assert [sequences(each.get("features").json()) for each in (of_app, of_scenario, other)] == [[1], [2, 1], []]
    assert sequences(of_scenario.get("features", app="mall").json()) == [2]
    assert sequences(of_scenario.get("features", task="voice/words").json()) == []
    assert of_scenario.get(f"features/{ids[2]}").status_code == 200
    problem(of_app.get(f"features/{ids[2]}"), 404, "not-found")
    counted = [[(task["task"], task["features"]) for task in rates_of(each)["tasks"]] for each in (of_app, of_scenario)]
    assert counted == [[("camera/look", 1)], [("camera/look", 2)]]


@pytest.mark.django_db(transaction=True)
def test_what_arrives_is_told_once_and_in_order(shop, viewer, monkeypatch):
    store_features([feature(1)])
    begun = viewer.get("features/arrivals").json()
    assert begun["results"] == []
    store_features([feature(2), feature(3), feature(1, device="other")])
    page = viewer.get("features/arrivals", cursor=begun["next"], limit=2).json()
    assert sequences(page) == [2, 3]
    rest = viewer.get("features/arrivals", cursor=page["next"], device="phone").json()
    assert rest["results"] == []
    assert viewer.get("features/arrivals", cursor=rest["next"]).json() == {"results": [], "next": rest["next"]}
    monkeypatch.setattr(feature_views, "SCANNED", 2)
    looked = viewer.get("features/arrivals", cursor=begun["next"], device="other").json()
    assert sequences(looked) == []
    assert sequences(viewer.get("features/arrivals", cursor=looked["next"], device="other").json()) == [1]


@pytest.mark.django_db(transaction=True)
def test_who_follows_or_exports_gets_what_they_see(shop, mall):
    of_app, of_scenario = (
        member_of("viewer", "app:shop", name="ann"),
        member_of("viewer", "scenario:camera", name="sam"),
    )
    begun = of_app.get("features/arrivals").json()["next"]
    store_features([feature(1), feature(2, app="mall"), feature(3, app="mall", task="voice/words")])
    for api, seen in ((of_app, [1]), (of_scenario, [1, 2])):
        assert sequences(api.get("features/arrivals", cursor=begun).json()) == seen
        assert [row["values"]["n"] for row in lines(export(api))] == seen


@pytest.mark.django_db(transaction=True)
def test_what_an_older_transaction_stores_later_is_not_passed_over(shop, viewer):
    store_features([feature(1)])
    begun = viewer.get("features/arrivals").json()["next"]
    with transaction.atomic():
        store_features([feature(2)])
        outside(lambda: store_features([feature(3, device="other")]))
        page = viewer.get("features/arrivals", cursor=begun).json()
        exported = export(viewer, cursor=begun)
        assert (sequences(page), lines(exported)) == ([], [])
    assert sequences(viewer.get("features/arrivals", cursor=page["next"]).json()) == [2, 3]
    later = export(viewer, cursor=exported["Walle-Until"])
    assert [row["values"]["n"] for row in lines(later)] == [2, 3]


def test_a_cursor_is_one_that_was_given(viewer):
    for cursor in ("x", "WzEsLTFd", "WzEsMl0gIA=="):
        if cursor != "WzEsMl0gIA==":
            assert "cursor" in problem(viewer.get("features/arrivals", cursor=cursor), 400, "invalid")


@pytest.mark.django_db(transaction=True)
def test_an_export_has_everything_and_says_where_the_next_begins(shop, viewer, monkeypatch):
    monkeypatch.setattr(feature_views, "SCANNED", 2)
    monkeypatch.setattr(feature_views, "SHOWN_BYTES", 4)
    store_features([feature(n) for n in range(1, 6)])
    response = export(viewer)
    found = lines(response)
    assert [row["values"]["n"] for row in found] == [1, 2, 3, 4, 5]
    assert response["Content-Type"] == "application/x-ndjson"
    store_features([feature(6), feature(1, device="other")])
    later = export(viewer, cursor=response["Walle-Until"], device="phone")
    assert [row["values"]["n"] for row in lines(later)] == [6]
    torn = export(viewer, cursor=found[2]["cursor"])
    assert [row["values"]["n"] for row in lines(torn)] == [4, 5, 6, 1]
    since = datetime.fromtimestamp(NOON + 1, UTC).isoformat()
    assert lines(export(viewer, since=since)) == []


@pytest.mark.django_db(transaction=True)
def test_a_parquet_file_has_the_same(shop, viewer, monkeypatch):
    monkeypatch.setattr(exporting, "ROW_GROUP", 2)
    store_features([feature(n, values={"n": n, "text": "ü"}) for n in range(1, 6)])
    monkeypatch.setattr(feature_views, "CHUNK_BYTES", 30)
    table = pyarrow.parquet.read_table(io.BytesIO(b"".join(export(viewer, format="parquet"))))
    rows = table.to_pylist()
    plain = lines(export(viewer))
    assert list(rows[0]) == list(plain[0])
    assert [json.loads(row["values"]) for row in rows] == [row["values"] for row in plain]
    assert rows[0]["received_at"] == datetime.fromtimestamp(NOON, UTC)
    assert [row["id"] for row in rows] == [row["id"] for row in plain]


@pytest.mark.django_db(transaction=True)
def test_only_some_values_are_in_memory_at_once(shop, monkeypatch):
    monkeypatch.setattr(feature_views, "CHUNK_BYTES", 30)
    store_features([feature(n, values={"text": "x" * 10}) for n in range(1, 8)])
    chosen, until = feature_views.ChosenFeatures(), table_horizon()
    groups = list(feature_views.stored_between(chosen, FeatureCursor(), until))
    assert [[row.sequence for row in group] for group in groups] == [[1], [2], [3], [4], [5], [6], [7]]
    monkeypatch.setattr(feature_views, "CHUNK_BYTES", 50)
    groups = feature_views.stored_between(chosen, FeatureCursor(), until)
    assert [len(group) for group in groups] == [2, 2, 2, 1]


@pytest.mark.django_db(transaction=True)
def test_somebody_has_a_few_exports_at_a_time(viewer, monkeypatch):
    monkeypatch.setattr(exporting, "OPEN_EXPORTS", exporting.OpenExports())
    under_way = [export(viewer) for _ in range(exporting.MOST_EXPORTS)]
    problem(export(viewer), 429, "throttled")
    assert lines(export(member_of("viewer", "app:shop", name="vic"))) == []
    # Read to the end, or given up.
    assert lines(under_way[0]) == []
    assert lines(export(viewer)) == []
    pieces = exporting.ExportedPieces(iter([b"a", b"b"]), "user:vera")
    assert next(pieces) == b"a"
    problem(export(viewer), 429, "throttled")
    pieces.close()
    assert lines(export(viewer)) == []


def rates_of(api, **query):
    return api.get("features/rates", **query).json()


def test_rates_are_counted_by_step_and_task(shop, viewer):
    begin = int(timezone.now().timestamp()) // 60 * 60 - 120
    at = {"received_at": begin + 5.0, "tracked_at": begin + 4.0}
    store_features([feature(1, **at), feature(2, **at), feature(3, task="camera/other", **at)])
    store_features([feature(4, received_at=begin + 65.0, tracked_at=begin + 64.9)])
    found = rates_of(viewer, minutes=5)
    assert found["step_s"] == 60
    place = found["at"].index(begin)
    steps = {name: found[name][place - 1 : place + 2] for name in feature_rates.COLUMNS}
    assert (steps["features"], steps["raw_bytes"], steps["wire_bytes"]) == ([0, 3, 1], [0, 24, 8], [0, 84, 28])
    assert steps["p99_ms"] == [None, pytest.approx(1000, rel=0.1), pytest.approx(100, rel=0.1)]
    assert steps["p50_ms"][0] is None
    assert [(task["task"], task["features"]) for task in found["tasks"]] == [("camera/look", 3), ("camera/other", 1)]
    assert sum(found["tasks"][0]["steps"]) == 3
    assert [task["task"] for task in rates_of(viewer, task="camera/other")["tasks"]] == ["camera/other"]
    assert rates_of(viewer, app="missing")["tasks"] == []
    assert len(rates_of(viewer, minutes=1440)["at"]) == 240


@pytest.mark.django_db(transaction=True)
def test_consumers_say_how_far_behind_they_are(shop, viewer, staff, monkeypatch):
    FeatureConsumer.objects.create(name="everything")
    FeatureConsumer.objects.create(name="look", task="camera/look", error="the model is gone", failures=2)
    FeatureConsumer.objects.create(name="shop", app="shop")
    now = timezone.now().timestamp()
    store_features([feature(1, received_at=now - 60), feature(2, received_at=now, task="camera/other")])
    seen = {each["name"]: each for each in staff.get("features/consumers").json()["consumers"]}
    assert {name: each["features"] for name, each in seen.items()} == {"everything": 2, "look": 1, "shop": 2}
    assert 60 <= seen["look"]["seconds"] < 120
    assert (seen["look"]["error"], seen["look"]["failures"]) == ("the model is gone", 2)
    assert [each["name"] for each in viewer.get("features/consumers").json()["consumers"]] == ["shop"]
    of_scenario = member_of("viewer", "scenario:camera", name="sam")
    assert [each["name"] for each in of_scenario.get("features/consumers").json()["consumers"]] == ["look"]
    monkeypatch.setattr(feature_consumers, "MOST", 1)
    assert [each["name"] for each in staff.get("features/consumers").json()["consumers"]] == ["everything"]


def test_what_a_version_sent_that_was_rolled_back_is_marked(shop, viewer, digits):
    store_features([feature(1, manifest=digits.manifest_digest[:24]), feature(2)])
    assert [row["rolled_back"] for row in viewer.results("features")] == [False, False]
    release = draft_of(shop, digits, now=NOW)
    Quarantine.objects.create(version=digits, release=release, reason="it failed", by="system", at=NOW)
    assert {row["values"]["n"]: row["rolled_back"] for row in viewer.results("features")} == {1: True, 2: False}
