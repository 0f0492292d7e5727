"""Devices that are connected are told at once of versions that were taken back, and of nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from tests.gateway.serving import eventually
from tests.gateway.simulator import Clock, Cloud
from tests.release.tables import entry
from walle.gateway.application import Gateway
from walle.gateway.checkin import RawCheckIn
from walle.gateway.table_cache import LEASE_S
from walle.gateway.tunnel import withdrawals
from walle.gateway.tunnel.connections import Connections, TunnelConnection
from walle.gateway.tunnel.counts import TunnelCounts
from walle.gateway.tunnel.limits import TunnelLimits
from walle.gateway.tunnel.pace import Pace
from walle.gateway.tunnel.withdrawals import RETRY_MOST_S, RETRY_S, Withdrawals
from walle.protocol.documents import Assignment
from walle.protocol.headers import Offer, read_offers, short_digest
from walle.protocol.tunnel_frames import Offers, read_cloud_frame
from walle.release.table import Entry, Mode

TASK = "camera/digits"
GOOD = entry(version="1.0.0", release=1)
BAD = entry(version="2.0.0", release=2, observed=True)


def profile(*installed: Entry) -> dict[str, bytes]:
    return {each.task: short_digest(each.manifest) for each in installed}


class Phone:
    """A connected device, of which only the server's end is real: `frames` are those that it was sent."""

    def __init__(self, cloud: Cloud, name: str, installed: dict[str, bytes], app: str = "shop") -> None:
        self.frames: list[Offers] = []
        headers = self._headers(cloud, name, installed)
        self.connection = TunnelConnection(
            app, name, headers, installed, Pace(TunnelLimits(), 0.0), send=self._take, unread=1 << 20
        )
        self._cloud, self._name = cloud, name

    @staticmethod
    def _headers(cloud: Cloud, name: str, installed: dict[str, bytes]) -> RawCheckIn:
        headers = {key.lower(): value.encode() for key, value in cloud.headers(name, profile=installed).items()}
        return RawCheckIn(headers["walle-device"], headers["walle-app"], headers.get("walle-profile", b""))

    async def _take(self, message: dict[str, Any]) -> None:
        frame = read_cloud_frame(message["bytes"])
        assert isinstance(frame, Offers)
        self.frames.append(frame)

    @property
    def offers(self) -> list[Offer]:
        return [offer for frame in self.frames for offer in read_offers(frame.value)]

    @property
    def told(self) -> list[str | None]:
        """The manifests that it was assigned; None for a removal."""
        return [Assignment.from_payload(offer.assignment).manifest for offer in self.offers]

    def install(self, connections: Connections, *installed: Entry) -> None:
        found = profile(*installed)
        connections.change_profile(self.connection, self._headers(self._cloud, self._name, found), found)


@pytest.fixture
def connections() -> Connections:
    return Connections()


@pytest.fixture
def counts() -> TunnelCounts:
    return TunnelCounts()


@pytest.fixture
async def pushing(
    gateway: Gateway, cloud: Cloud, connections: Connections, counts: TunnelCounts
) -> AsyncIterator[Withdrawals]:
    """A gateway whose app has a good version, complete, and a newer one on its way to everybody."""
    cloud.entries[:] = [BAD, GOOD]
    cloud.publish()
    await gateway.tables.refresh()
    clock = gateway.counts.clock
    found = Withdrawals(gateway.tables, gateway.check_ins, connections, counts, clock=clock)
    task = asyncio.create_task(found.run())
    yield found
    task.cancel()


@pytest.fixture
def connect(cloud: Cloud, connections: Connections, pushing: Withdrawals) -> Callable[..., Phone]:
    def connect(name: str, *installed: Entry, **changes: Any) -> Phone:
        phone = Phone(cloud, name, profile(*installed), **changes)
        connections.add(phone.connection)
        pushing.connected(phone.connection)
        return phone

    return connect


async def publish(cloud: Cloud, gateway: Gateway, *entries: Entry, **changes: Any) -> None:
    cloud.entries[:] = entries
    for name, value in changes.items():
        setattr(cloud, name, value)
    cloud.publish()
    await gateway.tables.refresh()


async def roll_back(cloud: Cloud, gateway: Gateway) -> None:
    await publish(cloud, gateway, GOOD, withdrawn=[(TASK, BAD.manifest)])


async def settled(pushing: Withdrawals) -> None:
    """Everything that is due was sent."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_a_rollback_is_told_to_those_that_have_the_version(
    cloud: Cloud, gateway: Gateway, connect: Callable[..., Phone], pushing: Withdrawals, counts: TunnelCounts
) -> None:
    bad, good, new = connect("bad", BAD), connect("good", GOOD), connect("new")
    await roll_back(cloud, gateway)
    await eventually(lambda: bad.frames)
    await settled(pushing)
    assert bad.told == [GOOD.manifest]
    assert (good.frames, new.frames) == ([], [])
    assert (counts.offers, pushing.waiting) == (1, 1)


async def test_an_offer_by_tunnel_is_that_of_a_check_in(
    cloud: Cloud, gateway: Gateway, connect: Callable[..., Phone]
) -> None:
    observed = entry(version="1.0.0", release=1, observed=True)
    phone = connect("bad", BAD)
    await publish(cloud, gateway, observed, withdrawn=[(TASK, BAD.manifest)])
    await eventually(lambda: phone.frames)
    (offer,) = phone.offers
    answer = dict(gateway.check_ins.answer(phone.connection.headers).headers)
    assert read_offers(answer[b"walle-offers"]) == [offer]
    records = gateway.buffer.drain()
    assert [record.device for record in records] == ["bad", "bad"]
    assert [exposure.release for exposure in records[0].exposures] == [1]


async def test_a_version_without_another_in_its_place_and_a_retired_task_are_removed(
    cloud: Cloud, gateway: Gateway, connect: Callable[..., Phone]
) -> None:
    first, second = connect("first", BAD), connect("second", entry("camera/other", "0.9.0"))
    await publish(cloud, gateway, withdrawn=[(TASK, BAD.manifest)])
    await eventually(lambda: first.frames)
    assert first.told == [None]
    assert second.frames == []
    await publish(cloud, gateway, removals=["camera/other"])
    await eventually(lambda: second.frames)
    assert second.told == [None]


@pytest.mark.parametrize("after", [[entry(version="3.0.0", release=3), BAD, GOOD], [BAD], [GOOD]])
async def test_a_new_version_is_left_to_check_ins(
    cloud: Cloud, gateway: Gateway, connect: Callable[..., Phone], pushing: Withdrawals, after: list[Entry]
) -> None:
    phones = [connect("good", GOOD), connect("new")]
    await publish(cloud, gateway, *after)
    await settled(pushing)
    assert [phone.frames for phone in phones] == [[], []]


async def test_a_device_that_connects_with_a_withdrawn_version_is_told_at_once(
    cloud: Cloud, gateway: Gateway, connect: Callable[..., Phone]
) -> None:
    await roll_back(cloud, gateway)
    phone = connect("late", BAD)
    await eventually(lambda: phone.frames)
    assert phone.told == [GOOD.manifest]


async def test_a_version_quarantined_through_another_app_is_told_to_those_who_connect_later_too(
    cloud: Cloud, gateway: Gateway, connect: Callable[..., Phone]
) -> None:
    await publish(cloud, gateway, entry(version="2.0.0", release=2, mode=Mode.KEEP), GOOD)
    early = connect("early", BAD)
    await publish(cloud, gateway, GOOD)
    late = connect("late", BAD)
    await eventually(lambda: early.frames and late.frames)
    assert (early.told, late.told) == ([GOOD.manifest], [GOOD.manifest])


async def test_other_apps_are_not_concerned(
    cloud: Cloud, gateway: Gateway, connect: Callable[..., Phone], pushing: Withdrawals
) -> None:
    phone = connect("bank-phone", BAD, app="bank")
    await roll_back(cloud, gateway)
    await settled(pushing)
    assert (phone.frames, pushing.waiting) == ([], 0)


async def test_what_is_acknowledged_is_sent_again_later_than_the_rest(
    cloud: Cloud,
    gateway: Gateway,
    clock: Clock,
    connect: Callable[..., Phone],
    pushing: Withdrawals,
    counts: TunnelCounts,
) -> None:
    first, second = connect("first", BAD), connect("second", BAD)
    await roll_back(cloud, gateway)
    await eventually(lambda: first.frames and second.frames)
    pushing.acknowledged(first.connection, second.frames[0].number)
    assert counts.offers_received == 0
    pushing.acknowledged(first.connection, first.frames[0].number)
    assert (counts.offers_received, pushing.waiting) == (1, 2)
    clock.monotonic += RETRY_S
    await gateway.tables.refresh()
    connect("third", BAD)
    await eventually(lambda: len(second.frames) == 2)
    assert len(first.frames) == 1
    clock.monotonic += RETRY_MOST_S
    await gateway.tables.refresh()
    connect("fourth", BAD)
    await eventually(lambda: len(first.frames) == 2)
    numbers = [frame.number for frame in [*first.frames, *second.frames]]
    assert len(set(numbers)) == len(numbers)


async def test_who_has_given_it_up_is_gone_or_has_checked_in_is_told_no_more(
    cloud: Cloud,
    gateway: Gateway,
    clock: Clock,
    connections: Connections,
    connect: Callable[..., Phone],
    pushing: Withdrawals,
) -> None:
    phones = [connect(name, BAD) for name in ("changed", "gone", "silent")]
    await roll_back(cloud, gateway)
    await eventually(lambda: all(phone.frames for phone in phones))
    changed, gone, _ = phones
    changed.install(connections, GOOD)
    connections.remove(gone.connection)
    clock.monotonic += withdrawals.INTERVALS * cloud.interval + 1
    await gateway.tables.refresh()
    connect("another", BAD)
    await eventually(lambda: pushing.waiting == 1)
    assert [len(phone.frames) for phone in phones] == [1, 1, 1]


async def test_without_a_lease_nothing_is_sent_until_there_is_one(
    cloud: Cloud, gateway: Gateway, clock: Clock, connect: Callable[..., Phone], pushing: Withdrawals
) -> None:
    await roll_back(cloud, gateway)
    clock.monotonic += LEASE_S
    phone = connect("late", BAD)
    await settled(pushing)
    assert (phone.frames, pushing.waiting) == ([], 1)
    clock.monotonic += RETRY_S
    await gateway.tables.refresh()
    connect("another", BAD)
    await eventually(lambda: phone.frames)


async def test_many_devices_are_told_a_few_milliseconds_at_a_time(
    cloud: Cloud, gateway: Gateway, clock: Clock, connect: Callable[..., Phone], counts: TunnelCounts
) -> None:
    phones = [connect(f"phone-{number}", BAD) for number in range(50)]
    answer = gateway.check_ins.answer

    def slow(raw: RawCheckIn) -> Any:
        clock.monotonic += withdrawals.AT_ONCE_S / 5
        return answer(raw)

    gateway.check_ins.answer = slow  # type: ignore[method-assign]
    await roll_back(cloud, gateway)
    steps = []
    while not all(phone.frames for phone in phones):
        before = counts.offers
        await asyncio.sleep(0)
        steps.append(counts.offers - before)
    assert max(steps) <= 6  # a fifth of the time each, and what rounding adds
