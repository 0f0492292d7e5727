"""Devices that put new versions off: what they are told, what is logged, and the pace that they leave to others."""

from __future__ import annotations

import httpx
import pytest

from tests.gateway.simulator import Cloud
from tests.gateway.test_trials import logged, release
from tests.release.tables import digest, entry
from walle.gateway.application import Gateway
from walle.protocol.deferrals import DEFERRAL
from walle.protocol.headers import OFFERS, Offer, read_offers, short_digest, write_profile
from walle.release.table import Entry

TASK = "camera/digits"
CALL = "in-call;for=600"


@pytest.fixture
async def paced(cloud: Cloud, gateway: Gateway) -> Entry:
    """A release that may be put off for an hour, of which one offer is made in a second."""
    released = entry(release=7, stage=3, share=1_000_000, observed=True, pace=1, defer_s=3600)
    await release(cloud, gateway, released)
    gateway.check_ins._take = lambda wanted: cloud.leased.setdefault(wanted, 0) < 1 and _lease(cloud, wanted)
    return released


def _lease(cloud: Cloud, wanted: int) -> bool:
    cloud.leased[wanted] += 1
    return True


async def told(client: httpx.AsyncClient, cloud: Cloud, device: str, said: str = "", profile: str = "") -> list[Offer]:
    headers = cloud.headers(device) | ({DEFERRAL: said} if said else {})
    response = await client.get("/checkin", headers=headers | ({"walle-profile": profile} if profile else {}))
    assert response.status_code == 204, response.text
    return read_offers(response.headers.get(OFFERS, "").encode())


async def test_it_is_told_for_how_long_it_may_and_leaves_the_pace_to_others(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway, paced: Entry
) -> None:
    for _ in range(3):
        assert [offer.defer_s for offer in await told(client, cloud, "device-1", CALL)] == [3600]
    assert cloud.leased.get(7, 0) == 0
    assert [offer.task for offer in await told(client, cloud, "device-2")] == [TASK]
    assert cloud.leased[7] == 1
    assert await told(client, cloud, "device-1") == [], "its moment has come, and it waits for the pace as all do"
    exposures = await logged(cloud, gateway)
    assert [exposure.number for exposure in exposures["device-1"]] == [None]
    assert [exposure.number for exposure in exposures["device-2"]] == [cloud.number]
    assert {record.device: record.deferral and record.deferral.reason for record in cloud.check_ins[:3]} == {
        "device-1": "in-call"
    }
    assert gateway.counts.put_off == {("shop", "in-call"): 3}
    assert gateway.counts.offers == {("shop", TASK): 1}


async def test_what_is_due_takes_part_in_the_pace(client: httpx.AsyncClient, cloud: Cloud, paced: Entry) -> None:
    cloud.leased[7] = 1  # by another device
    due = f'{CALL};due="{TASK}"'
    assert await told(client, cloud, "device-1", due) == []
    cloud.leased.clear()
    assert [offer.task for offer in await told(client, cloud, "device-1", due)] == [TASK]
    assert cloud.leased[7] == 1


async def test_what_replaces_a_withdrawn_version_and_what_may_not_wait_has_no_defer(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    bad = digest(f"{TASK} 2.0.0")
    cloud.withdrawn[:] = [(TASK, bad)]
    await release(cloud, gateway, entry(release=7, defer_s=3600), entry("camera/faces", release=8))
    having = write_profile({TASK: short_digest(bad)})
    found = {offer.task: offer.defer_s for offer in await told(client, cloud, "device-1", CALL, having)}
    assert found == {TASK: None, "camera/faces": None}
    assert gateway.counts.put_off == {("shop", "in-call"): 0}


async def test_a_device_that_puts_it_off_is_not_asked_sooner(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway, paced: Entry
) -> None:
    gateway.check_ins._jitter = lambda: 0.5
    answer = await client.get("/checkin", headers=cloud.headers() | {DEFERRAL: CALL})
    assert answer.headers["walle-retry-after"] == "60"


async def test_a_malformed_one_is_refused(client: httpx.AsyncClient, cloud: Cloud, paced: Entry) -> None:
    wrong = [{DEFERRAL: "in-call"}, {DEFERRAL: "in-call;for=600;due=7"}]
    lines = [*cloud.headers().items(), (DEFERRAL, CALL), (DEFERRAL, CALL)]
    for headers in [*(cloud.headers() | each for each in wrong), lines]:
        answer = await client.get("/checkin", headers=headers)  # type: ignore[arg-type]
        assert (answer.status_code, answer.headers["walle-error"]) == (400, "header-malformed")
