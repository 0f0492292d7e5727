"""The pace of releases in the real database: leased second by second of its clock, never more than there is."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts_app.actors import SYSTEM
from devices_app.gateway import PostgresQuotaSource
from devices_app.models import App
from devices_app.services.apps import create_app
from devices_app.services.tables import publish
from releases_app.models import PaceWindow
from releases_app.services import pacing
from releases_app.services.pacing import lease
from tests.devices_app.conftest import NOW
from tests.devices_app.test_intake import in_threads
from tests.release.tables import entry
from walle.release.pace import grant


def pace(app: App, **paces: int | None) -> None:
    """Publishes releases with these paces, named r1, r2, ..."""
    entries = [entry(f"camera/{name}", release=int(name[1:]), pace=each) for name, each in paces.items()]
    publish(app=app, entries=entries, removals=[], now=NOW)


@contextmanager
def at(second: float) -> Iterator[None]:
    """The database's clock stands still, for leases."""
    before = pacing._LEASE
    pacing._LEASE = before.replace("clock_timestamp()", f"to_timestamp({second})")
    try:
        yield
    finally:
        pacing._LEASE = before


def counts(wanted: dict[int, int]) -> dict[int, int]:
    return {release: quota.count for release, quota in lease(wanted).items()}


def test_what_is_left_of_a_second(shop: App) -> None:
    pace(shop, r1=10, r2=3, r3=None)
    with at(1000.25):
        assert counts({1: 4, 2: 5, 3: 1, 99: 1}) == {1: 4, 2: 3}
        assert {quota.valid_s for quota in lease({1: 4}).values()} == {0.75}
        assert counts({1: 4, 2: 1}) == {1: 2, 2: 0}
    with at(1000.999):
        assert counts({1: 1}) == {1: 0}
    with at(1001.0):
        (quota,) = lease({1: 20}).values()
        assert (quota.count, quota.valid_s) == (10, 1.0)
    assert lease({}) == {}


def test_a_pace_that_changes_counts_at_once(shop: App) -> None:
    pace(shop, r1=10)
    with at(1000.1):
        assert counts({1: 6}) == {1: 6}
        pace(shop, r1=4)
        assert counts({1: 1}) == {1: 0}
        pace(shop, r1=8)
        assert counts({1: 9}) == {1: 2}
        pace(shop, r1=None)
        assert counts({1: 1}) == {}


def test_the_lowest_pace_of_a_release_counts(shop: App) -> None:
    both = [entry(release=1, pace=9), entry("camera/other", release=1, pace=5), entry("camera/third", release=1)]
    publish(app=shop, entries=both, removals=[], now=NOW)
    with at(1000.1):
        assert counts({1: 9}) == {1: 5}


def test_releases_of_all_apps(shop: App) -> None:
    bank = create_app(slug="bank", name="Bank", actor=SYSTEM, now=NOW)
    pace(shop, r1=1)
    pace(bank, r2=2)
    with at(1000.1):
        assert counts({1: 9, 2: 9}) == {1: 1, 2: 2}


def test_an_app_leases_nothing_of_another(shop: App) -> None:
    bank = create_app(slug="bank", name="Bank", actor=SYSTEM, now=NOW)
    pace(shop, r1=1)
    pace(bank, r2=2)
    with at(1000.1):
        assert lease({2: 9}, "shop") == {}
        assert list(lease({1: 9, 2: 9}, "shop")) == [1]
        assert lease({1: 9, 2: 9}, "none") == {}
        assert counts({2: 9}) == {2: 2}


def test_a_clock_that_was_set_back(shop: App) -> None:
    """By a little: nothing until it has caught up. By much: that second will not come again soon."""
    pace(shop, r1=10)
    with at(1000.9):
        assert counts({1: 6}) == {1: 6}
    with at(999.9):
        assert counts({1: 6}) == {1: 0}
    with at(1000.95):
        assert counts({1: 6}) == {1: 4}
    with at(900.1):
        assert counts({1: 6}) == {1: 6}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.integers(0, 1), st.integers(1, 9), st.integers(1, 9)), max_size=12))
def test_the_database_grants_what_the_rule_says(shop: App, steps: list[tuple[int, int, int]]) -> None:
    PaceWindow.objects.all().delete()
    pace(shop, r1=7, r2=12)
    second, leased = 1000, Counter[int]()
    for passed, first, other in steps:
        if passed:
            second, leased = second + passed, Counter()
        with at(second + 0.5):
            granted = counts({1: first, 2: other})
        assert granted == {1: grant(7, leased[1], first), 2: grant(12, leased[2], other)}
        leased.update(granted)


def test_many_gateways_at_once(committed_shop: App) -> None:
    """By the real clock: the sum of all leases of each second is at most the pace, and whoever waited gets the rest."""
    pace(committed_shop, r1=50, r2=20)
    granted: list[tuple[float, dict[int, int]]] = []
    lock = threading.Lock()

    def gateway() -> None:
        for _ in range(60):
            quotas = lease({2: 3, 1: 7})
            with connection.cursor() as cursor:
                cursor.execute("SELECT extract(epoch FROM clock_timestamp())::float8")
                (now,) = cursor.fetchone()
            rest = min(quota.valid_s for quota in quotas.values())
            with lock:
                granted.append((now + rest, {release: quota.count for release, quota in quotas.items()}))

    assert in_threads([gateway] * 4) == []
    row = PaceWindow.objects.get(release=1)
    assert row.leased <= 50
    sums: dict[int, Counter[int]] = {}
    for end, counts_ in granted:
        # The clock was read a little after the lease: the end of its second lies a little before `end`.
        sums.setdefault(int(end), Counter()).update(counts_)
    assert all(total[1] <= 50 and total[2] <= 20 for total in sums.values())
    assert any(total[1] == 50 for total in sums.values())


@pytest.fixture
def alone(committed_shop: App) -> None:
    """A release with a pace; no connection of the test's own is left open."""
    pace(committed_shop, r1=5)
    connection.close()


async def test_the_port(alone: None) -> None:
    source = PostgresQuotaSource(lease)
    try:
        assert list(await source.lease({1: 1})) == [1]
        assert list(await source.lease({1: 1}, "shop")) == [1]
        assert await source.lease({1: 1}, "bank") == {}
    finally:
        await source.close()
