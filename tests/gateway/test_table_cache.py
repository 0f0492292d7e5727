"""How fresh a gateway's state is, and what it does when it cannot know."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest

from tests.gateway.serving import eventually, serving
from tests.gateway.simulator import APP_KEY, Clock, Cloud, make_application, make_gateway
from tests.release.tables import entry
from tests.support.waiting import ANSWER_S
from walle.gateway import table_cache
from walle.gateway.application import Gateway
from walle.gateway.table_cache import LEASE_S, TableCache
from walle.protocol.headers import read_offers


async def offered(client: httpx.AsyncClient, cloud: Cloud, number: int = 0) -> list[str]:
    response = await client.get("/checkin", headers=cloud.headers(number=number))
    assert response.status_code == 204
    return [offer.task for offer in read_offers(response.headers.get("walle-offers", "").encode())]


@pytest.fixture
def only_announcements(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes the reading once a second away, so that what is read was announced or suspected."""
    monkeypatch.setattr(table_cache, "READ_EVERY_S", 3600.0)


@pytest.mark.usefixtures("only_announcements")
async def test_an_announced_table_is_used_at_once(client: httpx.AsyncClient, cloud: Cloud) -> None:
    for number in range(5):
        cloud.entries[0] = entry(f"camera/task{number}")
        began = asyncio.get_running_loop().time()
        cloud.publish()
        while await offered(client, cloud) != [f"camera/task{number}"]:
            assert asyncio.get_running_loop().time() - began < 1.0


async def test_a_table_whose_announcement_is_lost_is_used_within_a_second(
    client: httpx.AsyncClient, cloud: Cloud
) -> None:
    await offered(client, cloud)
    cloud.entries[0] = entry("camera/other")
    began = asyncio.get_running_loop().time()
    cloud.publish(announce=False)
    while await offered(client, cloud) != ["camera/other"]:
        await asyncio.sleep(0.01)
        assert asyncio.get_running_loop().time() - began < 1.0 + 1.0  # a second, and one for a busy machine


@pytest.mark.usefixtures("read_often")
async def test_without_a_reading_within_the_lease_nothing_is_offered(
    client: httpx.AsyncClient, cloud: Cloud, clock: Clock, gateway: Gateway
) -> None:
    assert await offered(client, cloud) == ["camera/digits"]
    cloud.down = True
    clock.monotonic += LEASE_S - 0.001
    assert await offered(client, cloud) == ["camera/digits"]
    clock.monotonic += 0.001
    assert await offered(client, cloud) == []
    cloud.down = False
    await eventually(gateway.tables.may_offer)
    assert await offered(client, cloud) == ["camera/digits"]


async def test_while_cut_off_everything_but_offers_goes_on(
    client: httpx.AsyncClient, cloud: Cloud, clock: Clock
) -> None:
    cloud.down = True
    clock.monotonic += 10 * LEASE_S
    response = await client.get("/checkin", headers=cloud.headers())
    assert response.headers["walle-retry-after"] == "60"
    assert (await client.post("/enrol", json={"app": "shop", "key": APP_KEY})).status_code == 200
    assert (await client.get("/roots/1.json")).status_code == 200


async def test_a_lease_is_counted_from_before_the_reading(cloud: Cloud, clock: Clock) -> None:
    """What was read may have been true only when the reading began."""
    present = cloud.read

    async def slow(revision: int | None) -> object:
        clock.monotonic += 3.0
        return await present(revision)

    cloud.read = slow  # type: ignore[method-assign, assignment]
    keeper = TableCache(cloud, lambda: clock.monotonic)
    assert not keeper.may_offer()
    await keeper.refresh()
    clock.monotonic += LEASE_S - 3.001
    assert keeper.may_offer()
    clock.monotonic += 0.001
    assert not keeper.may_offer()


async def test_a_reading_slower_than_the_lease_gives_none(cloud: Cloud, clock: Clock) -> None:
    present = cloud.read

    async def slow(revision: int | None) -> object:
        clock.monotonic += LEASE_S
        return await present(revision)

    cloud.read = slow  # type: ignore[method-assign, assignment]
    keeper = TableCache(cloud, lambda: clock.monotonic)
    await keeper.refresh()
    assert not keeper.may_offer()


@pytest.mark.usefixtures("only_announcements")
async def test_a_device_that_knows_a_higher_number_is_offered_nothing_and_makes_it_read(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    assert await offered(client, cloud, number=17) == ["camera/digits"]
    cloud.entries[0] = entry("camera/newer")
    cloud.publish(announce=False)
    assert gateway.tables.state is not cloud.state
    assert await offered(client, cloud, number=18) == []
    await eventually(lambda: gateway.tables.state is cloud.state, 1.0)
    assert await offered(client, cloud, number=18) == ["camera/newer"]


@pytest.mark.usefixtures("only_announcements")
async def test_a_fleet_that_knows_a_higher_number_does_not_make_it_read_without_pause(
    client: httpx.AsyncClient, cloud: Cloud, clock: Clock
) -> None:
    """As after a backup was restored, until the next table is published."""
    before = cloud.reads
    for _ in range(50):
        assert await offered(client, cloud, number=99) == []
    await eventually(lambda: cloud.reads == before + 1)
    clock.monotonic += table_cache.READ_AT_ONCE_EVERY_S
    assert await offered(client, cloud, number=99) == []
    await eventually(lambda: cloud.reads == before + 2)


async def test_an_unchanged_revision_renews_the_lease_without_a_new_state(cloud: Cloud, clock: Clock) -> None:
    keeper = TableCache(cloud, lambda: clock.monotonic)
    await keeper.refresh()
    state = keeper.state
    clock.monotonic += 100
    assert not keeper.may_offer()
    await keeper.refresh()
    assert keeper.state is state
    assert keeper.may_offer()


@pytest.mark.usefixtures("read_often")
async def test_an_error_that_nobody_thought_of_does_not_end_the_reading(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    cloud.failure = RuntimeError("a bug")
    before = cloud.reads
    await eventually(lambda: cloud.reads > before + 3)
    cloud.failure = None
    cloud.publish()
    await eventually(lambda: gateway.tables.state is cloud.state)
    assert await offered(client, cloud) == ["camera/digits"]


@pytest.fixture
async def starting(read_often: None, cloud: Cloud, clock: Clock, tmp_path) -> AsyncIterator[httpx.AsyncClient]:
    """A gateway that starts while the control plane is away."""
    cloud.down = True
    application = make_application(make_gateway(cloud, clock), cloud, tmp_path)
    async with (
        serving(application) as address,
        httpx.AsyncClient(base_url=f"{address}/walle/v1", timeout=ANSWER_S, verify=False) as client,
    ):
        yield client


async def test_a_gateway_may_start_before_its_control_plane(starting: httpx.AsyncClient, cloud: Cloud) -> None:
    for path, method in (("/checkin", "GET"), ("/roots/1.json", "GET"), ("/enrol", "POST"), ("/reports", "POST")):
        response = await starting.request(method, path, headers=cloud.headers(), json={"app": "shop", "key": APP_KEY})
        assert (response.status_code, response.json()["code"]) == (503, "unavailable")
        assert response.headers["walle-error"] == "unavailable"
    cloud.down = False
    async with asyncio.timeout(5):
        while (await starting.get("/checkin", headers=cloud.headers())).status_code != 204:
            await asyncio.sleep(0.02)
    assert await offered(starting, cloud) == ["camera/digits"]


async def test_stopping_writes_what_is_buffered_and_closes_the_ports(cloud: Cloud, clock: Clock, tmp_path) -> None:
    application = make_application(make_gateway(cloud, clock), cloud, tmp_path)
    async with (
        serving(application) as address,
        httpx.AsyncClient(base_url=f"{address}/walle/v1", timeout=ANSWER_S, verify=False) as client,
    ):
        await offered(client, cloud)
    assert [record.device for record in cloud.check_ins] == ["device-1"]
    assert cloud.closed == 3
