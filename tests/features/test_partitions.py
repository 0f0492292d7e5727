"""There is always a partition for a feature, and old ones go as a whole."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import connection, transaction

from devices_app.jobs import drop_old_features, make_feature_partitions
from devices_app.models import App, Feature, FeatureCount, FeaturePosition
from devices_app.services import feature_partitions
from devices_app.services.feature_partitions import drop_partitions, make_ahead, make_partitions
from devices_app.services.features import store_features, stored_position
from jobs_app.models import Job
from jobs_app.runner import JobRun
from tests.features.received import NOON, SPOOL, feature

MIDNIGHT = datetime(2027, 1, 16, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def no_partitions(transactional_db) -> None:
    drop_partitions(before=datetime(9999, 1, 1, tzinfo=UTC), check=lambda: None)


def run_at(moment: datetime) -> JobRun:
    return JobRun(Job(), owner="test", clock=lambda: moment)


def partitions() -> dict[date, int]:
    """How many features each attached partition holds."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'devices_app_feature'::regclass "
            "ORDER BY 1"
        )
        names = [name for (name,) in cursor.fetchall()]
        found = {}
        for name in names:
            cursor.execute(f"SELECT count(*) FROM {name}")
            found[datetime.strptime(name[-8:], "%Y%m%d").replace(tzinfo=UTC).date()] = cursor.fetchone()[0]
    return found


def test_a_group_over_midnight_finds_no_partition_and_makes_both(shop: App) -> None:
    around = [feature(1 + n, received_at=MIDNIGHT.timestamp() + seconds) for n, seconds in enumerate((-1e-3, 0, 1e-3))]
    store_features(around)
    assert partitions() == {date(2027, 1, 15): 1, date(2027, 1, 16): 2}


def test_many_gateways_come_first_after_midnight(shop: App) -> None:
    """All find the partition missing, one makes it, none loses anything."""

    def store(number: int) -> None:
        try:
            store_features([feature(1, device=f"d{number}")])
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(store, range(8)))
    assert partitions() == {date(2027, 1, 15): 8}


def test_the_job_makes_the_coming_days(shop: App) -> None:
    now = MIDNIGHT - timedelta(seconds=1)
    assert make_feature_partitions(run_at(now)) == {"made": 4}
    assert list(partitions()) == [now.date() + n * DAY for n in range(4)]
    assert make_ahead(now=now + DAY) == [date(2027, 1, 19)]


def test_nobody_waits_for_partitions_that_are_made_or_dropped(shop: App) -> None:
    """A backup reads, and a gateway is at its commit: neither is in the way, and neither waits."""
    make_partitions([date(2026, 12, 1)])
    store_features([feature(1)])

    def elsewhere() -> int:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '10s'")
            return len(make_partitions([date(2027, 2, 1)]))
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as thread, transaction.atomic():
        assert Feature.objects.count() == 1
        store_features([feature(2)])
        assert thread.submit(elsewhere).result() == 1


def test_days_are_dropped_whole_when_their_time_is_over(shop: App, settings) -> None:
    settings.WALLE_KEEP_FEATURES_DAYS = 3
    for days in range(6):
        store_features([feature(1 + days, received_at=NOON + days * DAY.total_seconds())])
    dropped = drop_old_features(run_at(datetime(2027, 1, 20, 23, 59, tzinfo=UTC)))
    assert dropped["days"] == 2
    assert list(partitions()) == [date(2027, 1, day) for day in (17, 18, 19, 20)]
    assert FeatureCount.objects.earliest("minute").minute.date() == date(2027, 1, 17)
    store_features([feature(1), feature(7)])
    assert Feature.objects.count() == 5


def test_what_a_killed_job_left_is_finished(shop: App) -> None:
    """One day was detached and not dropped, and comes to life again; another one is dropped later."""
    store_features([feature(1)])
    make_partitions([date(2027, 1, 14)])
    with connection.cursor() as cursor:
        for day in ("20270114", "20270115"):
            cursor.execute(f"ALTER TABLE devices_app_feature DETACH PARTITION devices_app_feature_{day} CONCURRENTLY")
    store_features([feature(2)])
    assert partitions() == {date(2027, 1, 15): 1}
    assert drop_partitions(before=datetime(2027, 1, 15, 12, tzinfo=UTC), check=lambda: None) == 1


def test_positions_of_devices_that_are_forgotten_go(shop: App, settings, monkeypatch) -> None:
    settings.WALLE_KEEP_DEVICES_DAYS = 400
    store_features([feature(1, device=f"d{number}") for number in range(5)])
    later = datetime.now(UTC) + timedelta(days=399)
    FeaturePosition.objects.filter(device="d4").update(updated_at=later)
    assert drop_old_features(run_at(later))["positions"] == 0
    assert drop_old_features(run_at(later + 2 * DAY))["positions"] == 4
    assert FeaturePosition.objects.get().device == "d4"


def test_dropping_stops_when_the_job_belongs_to_another_worker(shop: App) -> None:
    make_partitions([date(2027, 1, 14), date(2027, 1, 15)])

    def lost() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        drop_partitions(before=MIDNIGHT, check=lost)
    assert len(partitions()) == 2
    assert feature_partitions.AHEAD >= DAY


def test_a_device_cannot_make_spools_without_end(shop: App) -> None:
    for number in range(20):
        store_features([feature(1, spool=b"made-%03d" % number, device="hostile"), feature(number + 1)])
    FeaturePosition.objects.filter(spool=b"made-000").update(updated_at=datetime.now(UTC) + DAY)
    drop_old_features(run_at(datetime(2027, 1, 16, tzinfo=UTC)))
    kept = set(FeaturePosition.objects.filter(device="hostile").values_list("spool", flat=True))
    assert {bytes(spool) for spool in kept} == {b"made-%03d" % number for number in (0, *range(5, 20))}
    assert stored_position("shop", "phone", SPOOL) == 20
