"""Judged releases: which exposures a gateway logs, how its offers keep to a pace, and when a window is closed."""

from __future__ import annotations

import httpx
import pytest

from tests.gateway.serving import eventually
from tests.gateway.simulator import Clock, Cloud
from tests.gateway.test_checkin import check_in
from tests.release.tables import entry
from tests.vectors.keys import NOW
from walle.gateway import buffer
from walle.gateway.application import Gateway
from walle.gateway.pacing import _Window
from walle.gateway.ports import CheckInRecord, ExposureRecord, PortUnavailable
from walle.protocol.headers import short_digest
from walle.release.cohort import Cohort, device_point
from walle.release.table import Entry, Mode

DEVICES = [f"device-{number}" for number in range(60)]


async def release(cloud: Cloud, gateway: Gateway, *entries: Entry) -> None:
    cloud.entries[:] = entries
    cloud.publish()
    await eventually(lambda: gateway.tables.state is cloud.state)


async def logged(cloud: Cloud, gateway: Gateway) -> dict[str, list[ExposureRecord]]:
    """The exposures that were handed over so far, by device."""
    await buffer.flush(gateway.buffer, cloud)
    found: dict[str, list[ExposureRecord]] = {}
    for record in cloud.check_ins:
        found.setdefault(record.device, []).extend(record.exposures)
    return {device: exposures for device, exposures in found.items() if exposures}


def bucket(released: Entry, device: str) -> int:
    return Cohort(released.salt).bucket(device_point(device))


async def test_who_is_offered_and_who_is_held_back_is_logged(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    on_trial = entry(release=7, stage=3, share=300_000, control=200_000, observed=True)
    await release(cloud, gateway, on_trial)
    for device in DEVICES:
        position = bucket(on_trial, device)
        assert bool(await check_in(client, cloud.headers(device))) == (position < 300_000)
    expected = {}
    for device in DEVICES:
        position = bucket(on_trial, device)
        if position < 300_000:
            expected[device] = [ExposureRecord(7, 3, "camera/digits", "treatment", position, cloud.number)]
        elif position >= 800_000:
            expected[device] = [ExposureRecord(7, 3, "camera/digits", "control", position, None)]
    assert {exposures[0].arm for exposures in expected.values()} == {"treatment", "control"}
    assert await logged(cloud, gateway) == expected


@pytest.mark.parametrize(
    "changes",
    [{"observed": False}, {"observed": True, "mode": Mode.HOLD}, {"observed": True, "mode": Mode.KEEP}],
    ids=["not observed", "paused", "ended"],
)
async def test_what_is_not_on_trial_is_not_logged(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway, changes: dict[str, object]
) -> None:
    await release(cloud, gateway, entry(share=500_000, control=500_000, **changes))
    for device in DEVICES[:20]:
        await check_in(client, cloud.headers(device))
    assert await logged(cloud, gateway) == {}


async def test_whoever_has_the_version_is_not_selected_again(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    on_trial = entry(share=500_000, control=500_000, observed=True)
    await release(cloud, gateway, on_trial)
    for device in DEVICES[:20]:
        await check_in(client, cloud.headers(device, profile={"camera/digits": short_digest(on_trial.manifest)}))
    assert await logged(cloud, gateway) == {}


async def test_an_exposure_is_logged_once_and_again_when_it_was_lost(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(buffer, "FLUSH_EVERY_S", 60)
    await release(cloud, gateway, entry(share=1, control=999_999, observed=True))
    for _ in range(3):
        await check_in(client, cloud.headers())
    assert len((await logged(cloud, gateway))["device-1"]) == 1
    assert len(cloud.check_ins) == 3
    for failure in (PortUnavailable("away"), RuntimeError("broken")):
        cloud.check_ins.clear()
        cloud.failure = failure
        await check_in(client, cloud.headers("device-2"))
        assert await logged(cloud, gateway) == {}
        cloud.failure = None
        await check_in(client, cloud.headers("device-2"))
        assert len((await logged(cloud, gateway))["device-2"]) == 1


async def test_who_is_held_back_is_logged_once_in_each_stage(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(buffer, "FLUSH_EVERY_S", 60)
    for stage in (1, 2):
        await release(cloud, gateway, entry(share=1, control=999_999, observed=True, stage=stage))
        for _ in range(3):
            await check_in(client, cloud.headers())
    assert [(each.arm, each.stage) for each in (await logged(cloud, gateway))["device-1"]] == [
        ("control", 1),
        ("control", 2),
    ]


async def test_exposures_that_the_full_buffer_dropped_are_logged_again(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(buffer, "FLUSH_EVERY_S", 60)
    await release(cloud, gateway, entry(share=1, control=999_999, observed=True))
    monkeypatch.setattr(buffer, "CAPACITY", 0)
    await check_in(client, cloud.headers())
    monkeypatch.setattr(buffer, "CAPACITY", 10)
    await check_in(client, cloud.headers())
    assert len((await logged(cloud, gateway))["device-1"]) == 1


async def test_one_device_in_several_releases(client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway) -> None:
    """Held back from the newest release of a task, it is selected for the one before; and once for each release."""
    newest = entry(version="2.0.0", release=2, share=1, control=999_999, observed=True)
    again = entry(version="2.0.0", release=2, share=1, control=999_999, observed=True, stage=9)
    before = entry(version="1.0.0", release=1, observed=True)
    await release(cloud, gateway, newest, again, before)
    (offer,) = await check_in(client, cloud.headers())
    assert offer.task == "camera/digits"
    exposures = (await logged(cloud, gateway))["device-1"]
    assert sorted((exposure.release, exposure.arm, exposure.number) for exposure in exposures) == [
        (1, "treatment", cloud.number),
        (2, "control", None),
    ]


async def test_a_gateway_that_may_not_offer_selects_nobody(
    client: httpx.AsyncClient, cloud: Cloud, clock: Clock, gateway: Gateway
) -> None:
    await release(cloud, gateway, entry(observed=True))
    assert await check_in(client, cloud.headers(number=cloud.number + 1)) == []
    cloud.down = True
    clock.monotonic += 60
    assert await check_in(client, cloud.headers()) == []
    cloud.down = False
    assert await logged(cloud, gateway) == {}


async def test_outside_its_window_a_release_neither_offers_nor_selects(
    client: httpx.AsyncClient, cloud: Cloud, clock: Clock, gateway: Gateway
) -> None:
    """A selection at night would find its control devices, and nobody to compare them with."""
    window = {"observed": True, "open_until": NOW + 10}
    on_trial = entry("camera/digits", release=1, **window)
    held_back = entry("camera/other", release=2, share=1, control=999_999, **window)
    await release(cloud, gateway, on_trial, held_back, entry("camera/open", release=3))
    clock.now = NOW + 11
    assert [offer.task for offer in await check_in(client, cloud.headers())] == ["camera/open"]
    assert await logged(cloud, gateway) == {}
    clock.now = NOW + 10
    assert {offer.task for offer in await check_in(client, cloud.headers())} == {"camera/open", "camera/digits"}
    assert len((await logged(cloud, gateway))["device-1"]) == 2


async def test_offers_keep_to_the_pace_and_check_ins_do_not_wait(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    await release(cloud, gateway, entry(release=7, pace=5, observed=True))
    await gateway.pacer.lease([7])
    await eventually(lambda: 7 in cloud.leased)
    offered: set[str] = set()
    for device in DEVICES:
        response = await client.get("/checkin", headers=cloud.headers(device))
        is_offered = "walle-offers" in response.headers
        # Of those that get nothing now, sooner would make a herd.
        assert response.headers["walle-retry-after"] == ("15" if is_offered else "60")
        if is_offered:
            offered.add(device)
        if len(offered) < 5:
            await eventually(lambda: cloud.leased[7] > len(offered))
    assert len(offered) == 5
    exposures = await logged(cloud, gateway)
    assert exposures.keys() == set(DEVICES)
    assert {device for device, (exposure, *_) in exposures.items() if exposure.number is not None} == offered
    cloud.leased.clear()


async def test_a_device_that_asks_again_and_again_uses_up_nobody_elses_pace(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    await release(cloud, gateway, entry(release=7, pace=5, observed=True))
    gateway.pacer._windows[7] = _Window(left=2, until=float("inf"), exhausted=True)
    for _ in range(20):
        assert len(await check_in(client, cloud.headers("never-installs"))) == 1
    assert len(await check_in(client, cloud.headers("patient"))) == 1
    assert await check_in(client, cloud.headers("third")) == []


async def test_what_the_pace_put_off_is_logged_again_when_it_is_offered(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    cloud.leased[7] = 5
    await release(cloud, gateway, entry(release=7, pace=5, observed=True))
    assert await check_in(client, cloud.headers()) == []
    assert await check_in(client, cloud.headers()) == []
    gateway.pacer._windows[7].left = 1
    gateway.pacer._windows[7].until = float("inf")
    assert len(await check_in(client, cloud.headers())) == 1
    exposures = (await logged(cloud, gateway))["device-1"]
    assert [exposure.number for exposure in exposures] == [None, cloud.number]


async def test_what_the_pace_puts_off_does_not_crowd_out_the_rest(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    cloud.leased.update(dict.fromkeys(range(6), 5))
    paced = [entry(f"camera/paced{number}", release=number, pace=5) for number in range(6)]
    await release(cloud, gateway, *paced, entry("camera/free", release=9))
    for tenth in range(10):
        gateway.check_ins._jitter = lambda tenth=tenth: tenth / 10
        response = await client.get("/checkin", headers=cloud.headers())
        assert "camera/free" in response.headers["walle-offers"]
        assert int(response.headers["walle-retry-after"]) > 50


def test_a_record_of_a_check_in_has_no_exposures_and_nobody_vouches_or_defers_unless_it_says_so() -> None:
    assert CheckInRecord._field_defaults == {"exposures": (), "vouched": False, "deferral": None}
