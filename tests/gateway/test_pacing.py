"""Quotas in a gateway: what was leased, as long as it is good, and no more."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.gateway.serving import eventually
from tests.gateway.simulator import Clock, Cloud
from tests.release.tables import entry
from walle.gateway import pacing
from walle.gateway.application import Gateway
from walle.gateway.pacing import OfferPacer, paced
from walle.gateway.ports import PortUnavailable, Quota
from walle.release.pace import grant


@dataclass
class Database:
    """One row per release, and a clock of its own that runs as fast as the gateways' do."""

    clock: Clock
    paces: dict[int, int]
    ahead: float = 0.0
    slow: float = 0.0
    """How much time passes before a request arrives, and again before its answer does."""
    second: int = 0
    leased: dict[int, int] = field(default_factory=dict)
    requested: list[dict[int, int]] = field(default_factory=list)
    generous: int = 0
    """So much more than wanted is granted."""

    def now(self) -> float:
        return self.clock.monotonic + self.ahead

    async def lease(self, wanted: Mapping[int, int], app: str | None = None) -> Mapping[int, Quota]:
        self.requested.append(dict(wanted))
        self.clock.monotonic += self.slow
        if int(self.now()) > self.second:
            self.second, self.leased = int(self.now()), {}
        quotas = {}
        for release, count in wanted.items():
            if release in self.paces:
                granted = grant(self.paces[release], self.leased.get(release, 0), count) + self.generous
                self.leased[release] = self.leased.get(release, 0) + granted
                quotas[release] = Quota(granted, self.second + 1 - self.now())
        self.clock.monotonic += self.slow
        return quotas

    async def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def database() -> Database:
    return Database(Clock(monotonic=100.25), {1: 10, 2: 3})


@pytest.fixture
def pacer(database: Database) -> OfferPacer:
    return OfferPacer(database, lambda: database.clock.monotonic)


def taken(pacer: OfferPacer, release: int, times: int) -> int:
    return sum([pacer.take(release) for _ in range(times)])


async def test_without_a_quota_nothing_is_offered_and_nobody_waits(pacer: OfferPacer, database: Database) -> None:
    assert taken(pacer, 1, 5) == 0
    await pacer.lease([1])
    assert database.requested == [{1: 5}]
    assert taken(pacer, 1, 9) == 5


async def test_what_is_used_up_is_asked_for_again_until_there_is_no_more(pacer: OfferPacer, database: Database) -> None:
    got = 0
    for _ in range(9):
        await pacer.lease([1, 2])
        got += taken(pacer, 1, 100)
    assert got == 10
    assert database.requested == [{1: 1, 2: 1}, {1: 100}]
    assert taken(pacer, 2, 100) == 1


async def test_the_next_second_begins_with_what_the_last_one_showed(pacer: OfferPacer, database: Database) -> None:
    await pacer.lease([1])
    assert taken(pacer, 1, 4) == 1
    database.clock.monotonic = 101.1
    assert taken(pacer, 1, 1) == 0  # unused or not, it has expired
    await pacer.lease([1])
    assert database.requested == [{1: 1}, {1: 5}]
    assert taken(pacer, 1, 100) == 5
    database.clock.monotonic = 102.1
    await pacer.lease([1])
    await pacer.lease([1])
    assert database.requested[2:] == [{1: 100}]


async def test_unused_quota_expires(pacer: OfferPacer, database: Database) -> None:
    await pacer.lease([1])
    database.clock.monotonic = 100.999
    assert taken(pacer, 1, 1) == 1
    await pacer.lease([1])
    database.clock.monotonic = 101.0
    assert taken(pacer, 1, 1) == 0


async def test_a_slow_answer_makes_no_quota_longer(pacer: OfferPacer, database: Database) -> None:
    database.slow = 0.2
    taken(pacer, 1, 2)
    await pacer.lease([1])  # from 100.25; at 100.45 there were 0.55 s left
    database.clock.monotonic = 100.79
    assert taken(pacer, 1, 1) == 1
    database.clock.monotonic = 100.81
    assert taken(pacer, 1, 1) == 0


async def test_a_quota_that_is_over_on_arrival_is_of_no_use(pacer: OfferPacer, database: Database) -> None:
    database.slow = 0.6
    await pacer.lease([1])
    assert taken(pacer, 1, 1) == 0


async def test_no_more_is_offered_than_was_asked_for(pacer: OfferPacer, database: Database) -> None:
    """A source that gives more may have given it to others too."""
    database.generous = 5
    assert taken(pacer, 1, 2) == 0
    await pacer.lease([1])
    assert taken(pacer, 1, 9) == 2


async def test_releases_that_are_no_longer_paced_are_forgotten(pacer: OfferPacer, database: Database) -> None:
    await pacer.lease([1, 2])
    await pacer.lease([2])
    assert taken(pacer, 1, 1) == 0
    del database.paces[2]
    database.clock.monotonic += 1
    await pacer.lease([2])
    assert taken(pacer, 2, 1) == 0


async def test_only_entries_with_a_pace_are_paced(cloud: Cloud) -> None:
    assert paced(None) == frozenset()
    cloud.entries[:] = [entry(release=1, pace=3), entry("camera/other", release=2)]
    cloud.publish()
    assert paced(cloud.state) == {1}


async def test_a_gateway_leases_by_itself(cloud: Cloud, gateway: Gateway, client: object, clock: Clock) -> None:
    cloud.entries[:] = [entry(release=7, pace=3)]
    cloud.publish()
    await eventually(lambda: 7 in cloud.leased)  # before any device asked
    offers = 0
    async with asyncio.timeout(5):
        while offers < 3:
            offers += gateway.pacer.take(7)
            await asyncio.sleep(0)
    await eventually(lambda: gateway.pacer._windows[7].exhausted)
    requested = len(cloud.leases)
    assert not gateway.pacer.take(7)
    cloud.leased.clear()
    clock.monotonic += 1.0
    await eventually(lambda: len(cloud.leases) > requested and gateway.pacer.take(7))


@pytest.mark.parametrize("failure", [PortUnavailable("away"), RuntimeError("broken")])
async def test_a_source_that_fails_is_asked_again(
    cloud: Cloud, gateway: Gateway, client: object, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    monkeypatch.setattr(pacing, "WINDOW_S", 0.05)
    cloud.failure = failure
    gateway.tables.state = Cloud(entries=[entry(release=7, pace=3)]).state
    assert not gateway.pacer.take(7)
    await eventually(lambda: not gateway.pacer._demand.is_set())
    assert not gateway.pacer.take(7)
    cloud.entries[:] = [entry(release=7, pace=3)]
    cloud.failure = None
    cloud.publish()
    await eventually(lambda: gateway.pacer.take(7))


class Gateways(RuleBasedStateMachine):
    """Several gateways, some of which die, with a database whose second begins elsewhere than theirs.

    Whatever happens, the offers made within one second of the database's clock are at most the pace.
    """

    PACE = 7

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock(monotonic=50.0)
        self.database = Database(self.clock, {1: self.PACE}, ahead=0.4)
        self.pacers = [self._pacer() for _ in range(3)]
        self.offers: dict[int, int] = {}

    def _pacer(self) -> OfferPacer:
        return OfferPacer(self.database, lambda: self.clock.monotonic)

    @rule(gateway=st.integers(0, 2), devices=st.integers(1, 12))
    def devices_come(self, gateway: int, devices: int) -> None:
        offered = taken(self.pacers[gateway], 1, devices)
        second = int(self.database.now())
        self.offers[second] = self.offers.get(second, 0) + offered

    @rule(gateway=st.integers(0, 2), slow=st.sampled_from([0.0, 0.01, 0.3, 0.9]))
    def a_gateway_asks(self, gateway: int, slow: float) -> None:
        self.database.slow = slow
        asyncio.run(self.pacers[gateway].lease([1]))

    @rule(seconds=st.floats(0.001, 1.5))
    def time_passes(self, seconds: float) -> None:
        self.clock.monotonic += seconds

    @rule(gateway=st.integers(0, 2))
    def a_gateway_is_killed(self, gateway: int) -> None:
        self.pacers[gateway] = self._pacer()

    @precondition(lambda self: self.offers)
    @invariant()
    def the_pace_is_kept(self) -> None:
        assert max(self.offers.values()) <= self.PACE


Gateways.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestGateways = Gateways.TestCase
