"""Counts of the fleet by version, by system and by what is installed: of few devices now, of many as they were kept."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts_app.actors import SYSTEM
from devices_app.models import App, Device, FleetCount
from devices_app.selectors import census as counting
from devices_app.selectors.census import census, count_devices, count_installed
from devices_app.services import census as keeping
from devices_app.services.apps import create_app
from devices_app.services.census import keep_counts
from tests.devices_app.conftest import NOW
from tests.support.fleet import MANIFEST, SEEN, make_device

SOON = SEEN + timedelta(minutes=1)


@pytest.fixture
def bank(shop: App) -> App:
    return create_app(slug="bank", name="Bank", actor=SYSTEM, now=NOW)


@pytest.fixture
def fleet(shop: App, bank: App) -> list[App]:
    """Of shop three devices of which one was not seen lately, beside a revoked one; of bank one."""
    make_device(shop, "a", "camera/digits", os_version="14")
    make_device(shop, "b", "camera/digits", "camera/cats", os_version="14", app_version="2.0.0")
    make_device(shop, "c", os_version="13")
    make_device(shop, "gone", "camera/digits")
    make_device(bank, "a", "camera/digits", os_version="14")
    Device.objects.filter(device="c").update(last_seen=SEEN - timedelta(minutes=2))
    Device.objects.filter(device="gone").update(revoked_at=SEEN)
    return [bank, shop]


def counts(known: int, online: int, with_tasks: int) -> dict[str, int]:
    return {"known": known, "online": online, "with_tasks": with_tasks}


def named(row: dict[str, Any]) -> tuple[str, str]:
    return row["app"], row["app_version"]


def test_devices_are_counted_by_version_and_system(fleet: list[App]) -> None:
    found = census(fleet, now=SOON)
    assert (found.known, found.online, found.with_tasks, found.counted_at) == (4, 3, 3, None)
    assert sorted(found.app_versions, key=named) == [
        {"app": "bank", "app_version": "1.0.0", **counts(1, 1, 1)},
        {"app": "shop", "app_version": "1.0.0", **counts(2, 1, 1)},
        {"app": "shop", "app_version": "2.0.0", **counts(1, 1, 1)},
    ]
    assert found.systems == [
        {"os": "android", "os_version": "14", **counts(3, 3, 3)},
        {"os": "android", "os_version": "13", **counts(1, 0, 0)},
    ]


def test_of_one_app_only(fleet: list[App], bank: App) -> None:
    found = census([bank], now=SOON)
    assert (found.known, [row["app"] for row in found.app_versions]) == (1, ["bank"])
    assert census([], now=SOON) == counting.Census()


def test_devices_that_do_not_say_what_they_are(shop: App) -> None:
    make_device(shop, "odd", app_version=None, os=7)
    found = count_devices([shop.pk], now=SOON)[shop.pk]
    assert found.app_versions == [{"app_version": "", **counts(1, 1, 0)}]
    assert found.systems == [{"os": "7", "os_version": "", **counts(1, 1, 0)}]


def test_only_the_most_frequent_are_told(shop: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MOST_KINDS", 2)
    for number in range(6):
        make_device(shop, str(number), app_version=f"{number // 2}.0.0" if number < 5 else "9.0.0")
    found = census([shop], now=SOON)
    assert (found.known, [row["app_version"] for row in found.app_versions]) == (6, ["0.0.0", "1.0.0"])


def test_what_is_installed(fleet: list[App], shop: App, bank: App) -> None:
    short = MANIFEST[:24]
    assert count_installed([shop.pk, bank.pk]) == {
        shop.pk: [
            {"task": "camera/digits", "manifest": short, "devices": 2},
            {"task": "camera/cats", "manifest": short, "devices": 1},
        ],
        bank.pk: [{"task": "camera/digits", "manifest": short, "devices": 1}],
    }


def test_many_are_told_as_they_were_counted_last(fleet: list[App], shop: App, monkeypatch: pytest.MonkeyPatch) -> None:
    assert keep_counts(now=SOON) == ["bank", "shop"]
    before = census(fleet, now=SOON)
    make_device(shop, "new")
    assert census(fleet, now=SOON).known == 5
    monkeypatch.setattr(counting, "MANY", 4)
    kept = census(fleet, now=SOON)
    assert (kept.known, kept.counted_at) == (4, SOON)
    assert kept.systems == before.systems
    assert sorted(kept.app_versions, key=named) == sorted(before.app_versions, key=named)


def test_counting_anew_takes_a_part_of_the_time_only(fleet: list[App]) -> None:
    keep_counts(now=SOON)
    FleetCount.objects.update(took_s=2.0)
    minute = SOON + timedelta(seconds=2 * keeping.REST_FACTOR)
    assert keep_counts(now=minute - timedelta(seconds=1)) == []
    assert keep_counts(now=minute) == ["bank", "shop"]
    assert set(FleetCount.objects.values_list("counted_at", flat=True)) == {minute}


def test_a_new_app_is_counted_at_once(fleet: list[App]) -> None:
    keep_counts(now=SOON)
    FleetCount.objects.update(took_s=1000.0)
    create_app(slug="kiosk", name="Kiosk", actor=SYSTEM, now=NOW)
    assert keep_counts(now=SOON) == ["bank", "kiosk", "shop"]
    assert FleetCount.objects.get(app__slug="kiosk").known == 0


def test_without_apps_there_is_nothing_to_count(db: None) -> None:
    assert keep_counts(now=SOON) == []


def test_looking_takes_two_queries_at_most(fleet: list[App], monkeypatch: pytest.MonkeyPatch) -> None:
    with CaptureQueriesContext(connection) as few:
        census(fleet, now=SOON)
    keep_counts(now=SOON)
    monkeypatch.setattr(counting, "MANY", 1)
    with CaptureQueriesContext(connection) as many:
        census(fleet, now=SOON)
    assert (len(few), len(many)) == (2, 1)
