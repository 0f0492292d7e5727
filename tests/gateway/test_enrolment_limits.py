"""Limits of enrolment over HTTP: what somebody with an app key can use up, and what nobody can."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.gateway.serving import eventually, serving
from tests.gateway.simulator import APP_KEY, Clock, Cloud, make_application, make_gateway
from tests.support.waiting import ANSWER_S
from walle.gateway.application import Gateway
from walle.gateway.enrolment_limits import LEAST_WAIT_S, EnrolmentLimits, address_block
from walle.gateway.ports import Enrolments

LIMITS = EnrolmentLimits(new_per_hour=1000, block_percent=10, again_per_hour=20)
BURST_OF_BLOCK, BURST_OF_APP, BURST_OF_DEVICE = 10, 100, 2
HOME = "198.51.100.7"


class From:
    """The application as it is reached from an address of the test's choice."""

    def __init__(self, application: Any) -> None:
        self._application = application
        self.address: str | None = HOME

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        client = (self.address, 40_000) if self.address else None
        await self._application({**scope, "client": client}, receive, send)


class Crowd:
    """Devices that enrol, from wherever."""

    def __init__(self, client: httpx.AsyncClient, where: From) -> None:
        self._client, self._where = client, where

    async def enrol(self, address: str | None = HOME, **body: Any) -> httpx.Response:
        self._where.address = address
        return await self._client.post("/enrol", content=json.dumps({"app": "shop", "key": APP_KEY, **body}))

    async def let_in(self, number: int, address: str | None = HOME, **body: Any) -> int:
        """How many of so many are let in; every other one is refused as it should be."""
        answers = [await self.enrol(address, **body) for _ in range(number)]
        for answer in answers:
            assert answer.status_code == 200 or refused(answer), answer.text
        return sum(answer.status_code == 200 for answer in answers)


def refused(answer: httpx.Response) -> bool:
    assert (answer.status_code, answer.json()["code"]) == (429, "enrolment-limited")
    assert answer.headers["walle-error"] == "enrolment-limited"
    assert answer.headers["cache-control"] == "no-store"
    assert int(answer.headers["retry-after"]) >= LEAST_WAIT_S
    return True


@pytest.fixture
async def gateway(cloud: Cloud, clock: Clock) -> Gateway:
    return make_gateway(cloud, clock)


@pytest.fixture
async def crowd(gateway: Gateway, cloud: Cloud, tmp_path: Path) -> AsyncIterator[Crowd]:
    where = From(make_application(gateway, cloud, tmp_path, LIMITS))
    async with (
        serving(where) as address,
        httpx.AsyncClient(base_url=f"{address}/walle/v1", timeout=ANSWER_S, verify=False) as client,
    ):
        yield Crowd(client, where)


def networks(number: int) -> list[str]:
    return [f"10.{block // 250}.{block % 250}.1" for block in range(number)]


async def test_a_flood_from_one_network_ends_soon_and_leaves_the_rest_to_others(crowd: Crowd, clock: Clock) -> None:
    assert await crowd.let_in(BURST_OF_BLOCK + 20) == BURST_OF_BLOCK
    assert await crowd.let_in(3, "198.51.100.200") == 0
    assert await crowd.let_in(3, "198.51.101.7") == 3
    clock.advance(72.1)  # at a hundred an hour
    assert await crowd.let_in(5) == 2


async def test_a_flood_from_everywhere_ends_at_the_app_s_number(crowd: Crowd, clock: Clock) -> None:
    assert sum([await crowd.let_in(2, address) for address in networks(70)]) == BURST_OF_APP
    clock.advance(36.1)  # at a thousand an hour
    assert sum([await crowd.let_in(1, address) for address in networks(20)]) == 10


async def test_who_is_refused_uses_nothing_up(crowd: Crowd, clock: Clock) -> None:
    """Neither of the app's number, when its network is over, nor of its network's, when the app is."""
    assert await crowd.let_in(300) == BURST_OF_BLOCK
    others = networks(BURST_OF_APP)
    assert sum([await crowd.let_in(1, address) for address in others]) == BURST_OF_APP - BURST_OF_BLOCK
    assert await crowd.let_in(30, "203.0.113.1") == 0
    clock.advance(72.1)
    assert await crowd.let_in(30, "203.0.113.1") == BURST_OF_BLOCK


async def test_whoever_has_no_key_uses_nothing_up(crowd: Crowd, cloud: Cloud) -> None:
    forged = cloud.statement("user-7", {}) | {"payload": "e30="}
    for body in ({"key": "wa_wrong"}, {"statement": forged}, {"app": "library"}):
        for _ in range(BURST_OF_BLOCK + 5):
            assert (await crowd.enrol(**body)).status_code in (400, 403)
    assert await crowd.let_in(BURST_OF_BLOCK) == BURST_OF_BLOCK


async def test_whoever_has_the_key_locks_no_known_or_vouched_device_out(crowd: Crowd, cloud: Cloud) -> None:
    for address in networks(70):
        await crowd.let_in(2, address)
    assert await crowd.let_in(1) == 0
    for number in range(40):
        shown = {"device": f"device-{number}", "credential": cloud.credential(f"device-{number}")}
        assert (await crowd.enrol(**shown)).json()["device"] == f"device-{number}"
        vouched = await crowd.enrol(statement=cloud.statement(f"user-{number}", {"vip": True}))
        assert vouched.json()["device"] == f"user-{number}"


async def test_one_device_enrols_only_so_often(crowd: Crowd, cloud: Cloud, clock: Clock) -> None:
    known = {"device": "device-1", "credential": cloud.credential()}
    assert await crowd.let_in(5, **known) == BURST_OF_DEVICE
    assert await crowd.let_in(2, device="device-2", credential=cloud.credential("device-2")) == 2
    assert await crowd.let_in(5, statement=cloud.statement("user-7", {})) == BURST_OF_DEVICE
    clock.advance(181)  # at twenty an hour
    assert await crowd.let_in(5, **known) == 1


async def test_an_app_may_have_a_number_of_its_own(crowd: Crowd, cloud: Cloud, gateway: Gateway) -> None:
    assert await crowd.let_in(BURST_OF_BLOCK + 1) == BURST_OF_BLOCK
    cloud.enrolment_limit = 100_000
    cloud.refresh()
    await eventually(lambda: gateway.tables.state is cloud.state)
    assert await crowd.let_in(100) == 100


async def test_an_app_may_take_nobody_for_its_key_alone(crowd: Crowd, cloud: Cloud, gateway: Gateway) -> None:
    cloud.enrolment_limit = 0
    cloud.refresh()
    await eventually(lambda: gateway.tables.state is cloud.state)
    assert await crowd.let_in(3) == 0
    assert await crowd.let_in(1, device="device-1", credential=cloud.credential()) == 1
    assert await crowd.let_in(1, statement=cloud.statement("user-7", {})) == 1


async def test_a_revoked_device_is_told_so_however_often_it_comes(crowd: Crowd, cloud: Cloud, gateway: Gateway) -> None:
    cloud.revoked |= {"device-1"}
    cloud.refresh()
    await eventually(lambda: gateway.tables.state is cloud.state)
    for _ in range(5):
        answer = await crowd.enrol(device="device-1", credential=cloud.credential())
        assert (answer.status_code, answer.json()["code"]) == (403, "device-revoked")


async def test_those_refused_at_once_are_not_told_to_come_back_at_once(
    cloud: Cloud, clock: Clock, tmp_path: Path
) -> None:
    gateway, draws = make_gateway(cloud, clock), itertools.cycle([0.0, 0.25, 0.5, 0.999])
    gateway.jitter = lambda: next(draws)
    where = From(make_application(gateway, cloud, tmp_path, LIMITS))
    async with (
        serving(where) as address,
        httpx.AsyncClient(base_url=f"{address}/walle/v1", timeout=ANSWER_S, verify=False) as client,
    ):
        crowd = Crowd(client, where)
        await crowd.let_in(BURST_OF_BLOCK)
        after = {int((await crowd.enrol()).headers["retry-after"]) for _ in range(4)}
    assert after == {60, 120, 180, 300}


async def test_an_app_s_addresses_that_nobody_knows_are_one_network(crowd: Crowd) -> None:
    assert await crowd.let_in(BURST_OF_BLOCK, None) == BURST_OF_BLOCK
    assert await crowd.let_in(1, "not an address") == 0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("198.51.100.7", "198.51.100.255", True),
        ("198.51.100.7", "198.51.101.7", False),
        ("198.51.100.7", "::ffff:198.51.100.9", True),
        ("2001:db8:1:2::1", "2001:db8:1:ffff::9", True),
        ("2001:db8:1::1", "2001:db8:2::1", False),
        ("fe80::1%eth0", "fe80::2", True),
        ("", "unix:", True),
        ("", "198.51.100.7", False),
    ],
)
def test_blocks_of_addresses(one: str, other: str, same: bool) -> None:
    assert (address_block(one) == address_block(other)) == same


async def test_what_was_counted_reaches_the_registry_once(
    crowd: Crowd, cloud: Cloud, gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    await crowd.let_in(BURST_OF_BLOCK + 4)
    await crowd.let_in(1, device="device-1", credential=cloud.credential())
    await crowd.enrol(statement=cloud.statement("user-7", {}))
    await eventually(lambda: cloud.enrolments == {"shop": Enrolments(BURST_OF_BLOCK, 1, 4)})
    assert gateway.counts.enrolments == {
        ("shop", "key"): BURST_OF_BLOCK,
        ("shop", "again"): 1,
        ("shop", "statement"): 1,
    }
    assert gateway.counts.enrolments_refused == {("shop", "block"): 4}
    cloud.down = True
    await crowd.let_in(2, "198.51.101.7")
    await eventually(lambda: "told again later" in caplog.text)
    cloud.down = False
    await eventually(lambda: cloud.enrolments["shop"] == Enrolments(BURST_OF_BLOCK + 2, 1, 4))
