"""The pulse of apps: what check-ins and reports add to it, and what is told of it."""

import threading
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import psycopg
import pytest
from django.db import connection
from django.db.models import Sum

from accounts_app.actors import SYSTEM
from devices_app.models import ActivityCount, App
from devices_app.selectors.activity_counts import MOST_POINTS, last_check_ins, rates, registered_since, series
from devices_app.services.activity_counts import ActivityIncrement
from devices_app.services.apps import create_app
from devices_app.services.intake import store_check_ins, store_reports
from tests.devices_app.conftest import NOW
from tests.devices_app.records import AT, check_in, received
from tests.support.cases import cases
from walle.gateway.ports import ExposureRecord


def counted(app: str = "shop") -> dict[str, int | None]:
    sums = ActivityCount.objects.filter(app__slug=app).aggregate(
        **{name: Sum(name) for name in ActivityIncrement._fields}
    )
    return {name: count for name, count in sums.items() if count}


def count_activity(app: App, seconds_ago: float, **counts: int) -> None:
    ActivityCount.objects.create(app=app, at=NOW - timedelta(seconds=seconds_ago), **counts)


def test_every_check_in_counts_also_one_that_says_nothing_new(shop: App) -> None:
    store_check_ins([check_in(), check_in(at=AT + 1), check_in("device-2")])
    store_check_ins([check_in(at=AT + 2)])
    assert counted() == {"check_ins": 4, "registered": 2}


def test_a_device_is_registered_once_and_its_later_claims_are_no_registration(committed_shop: App) -> None:
    store_check_ins([check_in(), check_in(at=AT + 1), check_in("device-2")])
    store_check_ins([check_in(facts={"n": 1}, at=AT + 60), check_in("device-2", at=AT + 120), check_in("device-3")])
    assert counted()["registered"] == 3


def test_an_app_s_registrations_are_counted_since_a_time(shop: App) -> None:
    bank = create_app(slug="bank", name="Bank", actor=SYSTEM, now=NOW)
    for app, seconds_ago in ((shop, 60), (shop, 10), (shop, 5), (bank, 5)):
        count_activity(app, seconds_ago, registered=7)
    assert registered_since(shop.pk, NOW - timedelta(seconds=10)) == 14
    assert registered_since(shop.pk, NOW - timedelta(seconds=8)) == 14
    assert registered_since(shop.pk, NOW - timedelta(seconds=5)) == 7
    assert registered_since(shop.pk, NOW) == 0


def test_rows_are_of_five_seconds_of_the_database_s_clock(shop: App) -> None:
    before = datetime.now(UTC)
    store_check_ins([check_in()])
    at = ActivityCount.objects.get().at
    assert at.timestamp() % 5 == 0
    assert before - timedelta(seconds=6) < at <= datetime.now(UTC)


def test_apps_are_counted_apart_and_one_that_is_gone_is_not(shop: App) -> None:
    create_app(slug="bank", name="Bank", actor=SYSTEM, now=NOW)
    store_check_ins([check_in(), check_in(app="bank"), check_in("b", app="bank"), check_in(app="gone")])
    assert (counted("shop"), counted("bank")) == (
        {"check_ins": 1, "registered": 1},
        {"check_ins": 2, "registered": 2},
    )
    assert ActivityCount.objects.count() == 2


def test_offers_are_exposures_with_an_offer(shop: App) -> None:
    offered, paced = ExposureRecord(7, 1, "a/b", "treatment", 5, 3), ExposureRecord(7, 1, "a/b", "treatment", 6, None)
    control = ExposureRecord(7, 1, "a/b", "control", 999_999, None)
    records = zip("abc", (offered, paced, control), strict=True)
    store_check_ins([check_in(name)._replace(exposures=(record,)) for name, record in records])
    assert counted() == {"check_ins": 3, "offers": 1, "registered": 3}


def test_reports_count_once_by_what_they_say(shop: App) -> None:
    sent = [
        received(id=str(uuid4()), kind="install", outcome="success"),
        received(id=str(uuid4()), kind="install", outcome="failure"),
        received(id=str(uuid4()), kind="run", outcome="success"),
        received(id=str(uuid4()), kind="run", outcome="failure"),
        received(id=str(uuid4()), kind="remove", outcome="success"),
    ]
    store_reports(sent)
    store_reports(sent)
    assert counted() == {"installs": 1, "failures": 2}


def test_runs_that_went_well_write_no_row(shop: App) -> None:
    store_reports([received(kind="run", outcome="success")])
    assert not ActivityCount.objects.exists()


def test_what_is_not_stored_is_not_counted(committed_shop: App) -> None:
    with pytest.raises(psycopg.Error):
        store_check_ins([check_in(), check_in("device-2", facts={"broken": "\0"})])
    assert not ActivityCount.objects.exists()


def test_gateways_that_store_at_once_lose_nothing(committed_shop: App) -> None:
    def store(gateway: int) -> None:
        try:
            for number in range(20):
                store_check_ins([check_in(f"{gateway}-{number}-{device}", at=AT + number) for device in range(5)])
                store_reports([received(AT + number, kind="install", outcome="success")])
        finally:
            connection.close()

    gateways = [threading.Thread(target=store, args=(number,)) for number in range(4)]
    for gateway in gateways:
        gateway.start()
    for gateway in gateways:
        gateway.join()
    assert counted() == {"check_ins": 400, "installs": 80, "registered": 400}


def test_rates_are_those_of_the_last_ten_settled_seconds(shop: App) -> None:
    count_activity(shop, 15, check_ins=1000)
    count_activity(shop, 10, check_ins=30, installs=5)
    count_activity(shop, 5, check_ins=20, failures=10)
    count_activity(shop, 0, check_ins=4)
    assert rates([shop.pk], now=NOW + timedelta(seconds=2)) == rates([shop.pk], now=NOW + timedelta(seconds=6))
    now = rates([shop.pk], now=NOW + timedelta(seconds=2))
    assert (now.at, now.check_ins, now.offers, now.installs, now.failures) == (NOW, 5.0, 0.0, 0.5, 1.0)
    assert rates([shop.pk], now=NOW + timedelta(seconds=7)).check_ins == 2.4


@cases("apps", [[], [0]])
def test_no_apps_have_no_pulse(shop: App, apps: list[int]) -> None:
    count_activity(shop, 5, check_ins=1)
    assert rates(apps, now=NOW).check_ins == 0
    assert not any(series(apps, minutes=1, now=NOW).check_ins)


@cases(("minutes", "step"), [(1, 5), (20, 5), (21, 10), (60, 15), (240, 60), (2880, 900)])
def test_a_series_has_a_rate_for_each_step_until_now(shop: App, minutes: int, step: int) -> None:
    now = NOW + timedelta(seconds=2)
    count_activity(shop, 5, check_ins=step)
    found = series([shop.pk], minutes=minutes, now=now)
    assert (found.step_s, len(found.at)) == (step, minutes * 60 // step)
    assert len(found.at) <= MOST_POINTS
    assert found.at[-1] == AT - step
    assert {later - earlier for earlier, later in zip(found.at, found.at[1:], strict=False)} == {step}
    assert found.check_ins == [0.0] * (len(found.at) - 1) + [1.0]
    assert found.installs == [0.0] * len(found.at)


def test_a_series_adds_up_apps_and_what_falls_into_a_step(shop: App) -> None:
    bank = create_app(slug="bank", name="Bank", actor=SYSTEM, now=NOW)
    for app, seconds_ago in ((shop, 15), (shop, 10), (bank, 5), (bank, 20)):
        count_activity(app, seconds_ago, installs=30)
    found = series([shop.pk, bank.pk], minutes=60, now=NOW + timedelta(seconds=2))
    assert found.installs[-3:] == [0.0, 2.0, 6.0]


def test_when_devices_came_last(shop: App) -> None:
    bank = create_app(slug="bank", name="Bank", actor=SYSTEM, now=NOW)
    count_activity(shop, 60, check_ins=3)
    count_activity(shop, 30, check_ins=1)
    count_activity(shop, 5, failures=1)
    count_activity(bank, 4000, failures=1)
    assert last_check_ins([shop.pk, bank.pk]) == {shop.pk: NOW - timedelta(seconds=30)}
    assert last_check_ins([bank.pk]) == {}
