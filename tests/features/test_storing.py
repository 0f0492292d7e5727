"""Features are stored durably, each exactly once, whatever devices send and whenever gateways die."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from devices_app.feature_sink import PostgresFeatureSink
from devices_app.models import App, Feature, FeatureCount
from devices_app.selectors.feature_counts import minute_counts, quantiles
from devices_app.selectors.features import recent
from devices_app.services.features import CHANNEL, announce_features, store_features, stored_position
from tests.features.received import NOON, SPOOL, feature
from tests.support.cases import cases
from tests.support.emptying import other_writers
from tests.support.processes import Children, child_environment
from tests.support.waiting import ANSWER_S, wait_for
from walle.gateway.ports import FeatureRefused
from walleweb.databases import plain_url

STORING = """
import sys
import django; django.setup()
from devices_app.services.features import store_features
from tests.features.received import feature
begin = int(sys.argv[1])
while True:
    store_features([feature(begin + number) for number in range(10)])
    begin += 10
"""


def moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


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
    store_features([feature(1)])
    store_features([feature(3)])
    assert stored() == [1, 2, 3, 4]
    assert stored_position("shop", "phone", SPOOL) == 4
    assert sum(FeatureCount.objects.values_list("features", flat=True)) == 4


def test_what_one_device_sends_is_refused_by_its_place_and_harms_no_other(shop: App) -> None:
    """The intake leaves it out and stores the rest."""
    for broken in (
        {"device": "\0"},
        {"version": "\ud800"},
        {"manifest": "x" * 1000},
        {"sequence": 2**63},
        {"sequence": 0},
        {"raw_bytes": 2**31},
        {"values": b'{"a": \x00}'},
        {"values": b'{"a": "\xff"}'},
        {"values": b'{"a": NaN}'},
        {"values": b'{"a"'},
        {"values": b"[" * 100_000},
    ):
        with pytest.raises(FeatureRefused) as refused:
            store_features([feature(1), feature(9, device="hostile")._replace(**broken), feature(2)])
        assert refused.value.index == 1, broken
        assert stored() == [], broken
    store_features([feature(1), feature(2)])
    assert stored() == [1, 2]


@cases("written", [rb'{"a": "\u0000 \ud800"}', rb'{"a": 1e999999}', b'{"a":\t1,\r\n "a": 2}'])
def test_odd_json_is_kept_as_it_was_written(shop: App, written: bytes) -> None:
    store_features([feature(1)._replace(values=written)])
    [found] = recent(1)
    assert found.written == written.decode()
    assert found.values.keys() == {"a"}


@cases("seconds", [-(2.0**62), 2.0**62])
def test_a_device_may_have_a_wrong_clock(shop: App, seconds: float) -> None:
    store_features([feature(1, at=seconds, tracked_at=seconds, answer_by=seconds)])
    [found] = recent(1)
    assert found.at.year == (1970 if seconds < 0 else 9999)


def test_features_of_an_app_that_is_gone_are_left_out(shop: App) -> None:
    store_features([feature(1, app="gone"), feature(2)])
    store_features([feature(2, app="gone")])
    store_features([])
    assert stored() == [2]


def test_the_counts_of_a_minute_add_up(shop: App) -> None:
    store_features([feature(1, tracked_at=NOON - 0.1), feature(2, tracked_at=NOON - 10)])
    store_features([feature(2), feature(3, tracked_at=NOON - 3000, at=NOON + 5), feature(4, received_at=NOON + 60)])
    first, second = minute_counts(
        since=datetime.fromtimestamp(NOON, UTC), until=datetime.fromtimestamp(NOON + 120, UTC)
    )
    assert (first.minute.timestamp(), first.features, second.features) == (NOON, 3, 1)
    assert first.wire_bytes == first.raw_bytes + 60
    delays = quantiles(first.since_event)
    assert (delays.p50, delays.p99) == (pytest.approx(10, rel=0.1), pytest.approx(3000, rel=0.1))
    assert quantiles(first.since_run).p90 == pytest.approx(0.4, rel=0.1)
    assert minute_counts(since=first.minute, until=second.minute, apps=[]) == []
    assert minute_counts(since=first.minute, until=second.minute, apps=[shop.pk], task="camera/other") == []


def test_two_gateways_with_the_same_devices_store_each_feature_once(shop: App) -> None:
    """Each takes the devices in another order, and both have the same features."""

    def store(backwards: bool) -> None:
        try:
            for begin in range(1, 200, 4):
                group = [feature(begin + n, device=f"d{d}") for d in range(5) for n in range(4)]
                store_features(sorted(group, key=lambda each: each.device, reverse=backwards))
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(store, [False, True]))
    for number in range(5):
        assert stored(device=f"d{number}") == list(range(1, 201))


def test_a_gateway_that_is_killed_leaves_no_half_group(shop: App, children: Children) -> None:
    """It stores groups for ever; whoever comes after it sends again from what is stored, as devices do."""
    for _ in range(3):
        begin = stored_position("shop", "phone", SPOOL)
        child = children.python("-c", STORING, str(begin + 1), env=child_environment(), name="gateway")
        wait_for(lambda begin=begin: stored_position("shop", "phone", SPOOL) > begin + 50, 60, child.output)
        child.kill()
    wait_for(lambda: not other_writers())
    found = stored()
    assert found == list(range(1, stored_position("shop", "phone", SPOOL) + 1))
    assert sum(FeatureCount.objects.values_list("features", flat=True)) == len(found)
    assert len(found) % 10 == 0


def test_nobody_waits_for_the_commit_of_another_gateway(shop: App) -> None:
    """One is at its commit, with everything written: another one's devices are stored meanwhile."""
    store_features([feature(1)])
    with ThreadPoolExecutor(1) as thread, transaction.atomic():
        store_features([feature(2)])

        def elsewhere() -> None:
            try:
                with connection.cursor() as cursor:
                    cursor.execute("SET lock_timeout = '10s'")
                store_features([feature(1, device="other")])
            finally:
                connection.close()

        thread.submit(elsewhere).result()
    assert stored(device="other") == [1]


async def test_a_sink_announces_what_is_new(shop: App) -> None:
    """After it is committed, and only where there is something new."""
    sink = PostgresFeatureSink()
    address = plain_url(connection.settings_dict)
    async with await psycopg.AsyncConnection.connect(address, autocommit=True) as listening:
        await listening.execute(f"LISTEN {CHANNEL}")
        await sink.store([feature(1), feature(2)])
        async for _ in listening.notifies(timeout=ANSWER_S, stop_after=1):
            assert await sink.position("shop", "phone", SPOOL) == 2
        await sink.store([feature(2)])
        for _ in range(2):  # the second one comes after what the first one found begun
            await sink.position("shop", "phone", SPOOL)
        assert [each async for each in listening.notifies(timeout=0)] == []
    await sink.close()


def test_an_announcement_does_not_make_commits_wait_for_each_other(shop: App) -> None:
    """PostgreSQL holds one lock for all that announce, until their commit: the features' transaction does not."""
    with CaptureQueriesContext(connection) as storing:
        assert store_features([feature(number) for number in range(1, 200)])
    assert storing[-1]["sql"] == "COMMIT"
    assert not [each for each in storing if "NOTIFY" in each["sql"]]
    with CaptureQueriesContext(connection) as announcing:
        announce_features()
    assert "'synchronous_commit', 'off'" in announcing[0]["sql"]


def test_a_small_group_takes_one_pipeline_and_no_planning(shop: App, tmp_path: Path) -> None:
    for number in range(1, 5):
        store_features([feature(number)])
    driver = connection.connection.pgconn
    with (tmp_path / "trace").open("w") as trace:
        driver.trace(trace.fileno())
        store_features([feature(9), feature(1, device="other")])
        driver.untrace()
    sent = [line.split("\t")[3] for line in (tmp_path / "trace").read_text().splitlines() if "\tF\t" in line]
    assert sent.count("Sync") == 1
    assert not {"Query", "Parse"}.intersection(sent)


@cases("count", [3, 300])
def test_small_and_large_groups_store_the_same(shop: App, count: int) -> None:
    """What is new of a group that begins with what is stored, has everything twice, and an app that is gone."""
    values = {"a": [1, "ü\t\\ \n"]}
    group = [feature(number, values=values, answer_by=NOON + number) for number in range(1, count + 1)]
    store_features(group[:1])
    assert store_features([feature(1, app="gone"), *group, *group])
    assert not store_features(group)
    assert stored() == list(range(1, count + 1))
    assert sum(FeatureCount.objects.values_list("features", flat=True)) == count
    last = Feature.objects.order_by("-sequence")[0]
    assert (last.values, last.answer_by) == (values, moment(NOON + count))


def test_a_large_group_with_something_that_cannot_be_stored_is_refused(shop: App) -> None:
    group = [feature(number) for number in range(1, 201)]
    group[150] = group[150]._replace(values=b"{")
    with pytest.raises(FeatureRefused) as refused:
        store_features(group)
    assert refused.value.index == 150
    assert stored_position("shop", "phone", SPOOL) == 0
