"""Check-ins over HTTP: what a device is answered, and by which code it is refused."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.gateway.serving import eventually
from tests.gateway.simulator import Clock, Cloud
from tests.release.tables import digest, entry
from tests.vectors import keys
from tests.vectors.keys import NOW
from walle.device.updates.verify import check_assignment
from walle.gateway.application import Gateway
from walle.gateway.offers import OFFER_LEASE_S
from walle.protocol.headers import MAX_LINES, Offer, read_offers, short_digest, write_profile
from walle.protocol.keyed import DeviceKey
from walle.protocol.signing import TrustedRoots
from walle.release.rules import uniform
from walle.release.table import Bases


def offers_of(response: httpx.Response) -> list[Offer]:
    assert response.status_code == 204, response.text
    return read_offers(response.headers.get("walle-offers", "").encode())


async def check_in(client: httpx.AsyncClient, headers: dict[str, str]) -> list[Offer]:
    return offers_of(await client.get("/checkin", headers=headers))


async def refusal(client: httpx.AsyncClient, headers: dict[str, str]) -> tuple[int, str]:
    """Status and code, which header and body agree on."""
    response = await client.get("/checkin", headers=headers)
    problem = response.json()
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["walle-error"] == problem["code"]
    assert problem["status"] == response.status_code
    assert "walle-offers" not in response.headers
    return response.status_code, problem["code"]


async def test_an_offer_holds_all_that_a_device_needs(client: httpx.AsyncClient, cloud: Cloud) -> None:
    response = await client.get("/checkin", headers=cloud.headers())
    (offer,) = offers_of(response)
    released = cloud.entries[0]
    assert (offer.task, offer.action, offer.kind) == ("camera/digits", "install", "shared")
    assert offer.url == f"/walle/v1/artifacts/{released.envelope_digest}"
    assert offer.digest is not None
    assert (offer.digest.hex(), offer.size) == (released.envelope_digest, released.envelope_size)
    assert offer.exclusive is None
    trusted = TrustedRoots(cloud.roots[1])
    assignment = check_assignment(offer, trusted, app="shop", highest=17, now=NOW)
    assert (assignment.manifest, assignment.number) == (released.manifest, 17)
    stamp = cloud.keyring.read_offer_token(str(offer.token), "device-1")
    assert (stamp.release, stamp.stage, stamp.number) == (released.release, released.stage, 17)
    assert stamp.expires == NOW + OFFER_LEASE_S
    assert response.headers["walle-retry-after"] == "60"
    assert response.headers["cache-control"] == "no-store"
    assert response.content == b""


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_both_methods_check_in(client: httpx.AsyncClient, cloud: Cloud, method: str) -> None:
    assert len(offers_of(await client.request(method, "/checkin", headers=cloud.headers()))) == 1


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS"])
async def test_other_methods_do_not(client: httpx.AsyncClient, cloud: Cloud, method: str) -> None:
    response = await client.request(method, "/checkin", headers=cloud.headers())
    assert (response.status_code, response.headers["walle-error"]) == (405, "method-not-allowed")


async def test_a_device_that_has_it_is_offered_nothing(client: httpx.AsyncClient, cloud: Cloud) -> None:
    has = {"camera/digits": short_digest(cloud.entries[0].manifest)}
    assert await check_in(client, cloud.headers(profile=has)) == []


async def test_a_device_that_has_another_version_is_offered_an_update(client: httpx.AsyncClient, cloud: Cloud) -> None:
    (offer,) = await check_in(client, cloud.headers(profile={"camera/digits": bytes(12)}))
    assert offer.action == "update"


async def test_a_device_that_is_not_eligible_is_offered_nothing(client: httpx.AsyncClient, cloud: Cloud) -> None:
    headers = cloud.headers()
    assert await check_in(client, headers | {"Walle-App": '"shop";v="9.0.0"'}) == []


async def test_a_kind_is_offered_to_devices_that_say_they_know_it(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    cloud.entries[0] = entry(kind="pipeline")
    cloud.publish()
    await eventually(lambda: gateway.tables.state is cloud.state)
    assert await check_in(client, cloud.headers()) == []
    assert await check_in(client, cloud.headers(facts={"kind-model": True, "kind-pipeline": "yes"})) == []
    (offer,) = await check_in(client, cloud.headers(facts={"kind-pipeline": True}))
    assert offer.task == "camera/digits"


async def test_a_device_outside_every_cohort_is_offered_nothing(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    cloud.entries[0] = entry(share=500_000)
    cloud.publish()
    await eventually(lambda: gateway.tables.state is cloud.state)
    counts = [len(await check_in(client, cloud.headers(f"device-{number}"))) for number in range(40)]
    assert set(counts) == {0, 1}


async def test_a_removal(client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway) -> None:
    cloud.removals.append("old/task")
    cloud.publish()
    await eventually(lambda: gateway.tables.state is cloud.state)
    has = {"camera/digits": short_digest(cloud.entries[0].manifest), "old/task": bytes(12)}
    (offer,) = await check_in(client, cloud.headers(profile=has))
    assert (offer.task, offer.action, offer.url, offer.digest) == ("old/task", "remove", None, None)
    assignment = check_assignment(offer, TrustedRoots(cloud.roots[1]), app="shop", highest=18, now=NOW)
    assert assignment.action == "remove"
    assert await check_in(client, cloud.headers(profile={"camera/digits": has["camera/digits"]})) == []


async def test_a_region_has_its_own_addresses(client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway) -> None:
    cloud.bases["eu"] = Bases("https://cdn.eu.example", "https://eu.example")
    cloud.publish()
    await eventually(lambda: gateway.tables.state is cloud.state)
    expected = {"eu": "https://cdn.eu.example", "us": "/walle/v1", "": "/walle/v1"}
    for region, base in expected.items():
        facts = {"region": region} if region else {}
        (offer,) = await check_in(client, cloud.headers(facts=facts))
        assert offer.url == f"{base}/artifacts/{cloud.entries[0].envelope_digest}"


YOUNG, OLD = {"age_band": "18-29"}, {"age_band": "50-plus"}


async def release_to(rule: dict[str, Any], cloud: Cloud, gateway: Gateway) -> None:
    """Makes the one task of the fixture one for whoever matches the rule."""
    cloud.entries[0] = entry(rule=rule)
    cloud.publish()
    await eventually(lambda: gateway.tables.state is cloud.state)


async def test_rules_see_claims_and_vouched_facts_under_different_names(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    await release_to({"fact": "user.age_band", "in": ["18-29"]}, cloud, gateway)
    assert len(await check_in(client, cloud.headers(trusted=YOUNG))) == 1
    assert len(await check_in(client, cloud.headers(facts=OLD, trusted=YOUNG))) == 1
    assert await check_in(client, cloud.headers(facts=YOUNG, trusted=OLD)) == []
    assert await check_in(client, cloud.headers(facts=YOUNG)) == []
    await release_to({"fact": "age_band", "in": ["18-29"]}, cloud, gateway)
    assert len(await check_in(client, cloud.headers(facts=YOUNG))) == 1  # targeting, never access
    assert await check_in(client, cloud.headers(trusted=YOUNG)) == []


async def test_facts_that_the_cloud_holds_win_over_those_in_the_credential(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    cloud.user_facts["device-1"] = YOUNG
    await release_to({"fact": "user.age_band", "in": ["18-29"]}, cloud, gateway)
    assert len(await check_in(client, cloud.headers())) == 1
    assert len(await check_in(client, cloud.headers(trusted=OLD))) == 1
    assert await check_in(client, cloud.headers("device-2", trusted=OLD)) == []
    cloud.user_facts["device-1"] = OLD
    cloud.refresh()
    await eventually(lambda: gateway.tables.state is cloud.state)
    assert await check_in(client, cloud.headers(trusted=YOUNG)) == []
    records = await eventually(lambda: len(cloud.check_ins) == 4 and cloud.check_ins)
    assert [record.trusted for record in records] == [{}, OLD, OLD, YOUNG]  # the registry keeps who said what


async def test_devices_with_equal_headers_share_no_plan_where_more_is_known_of_one(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    await release_to({"fact": "user.age_band", "in": ["18-29"]}, cloud, gateway)
    for _ in range(2):
        assert await check_in(client, cloud.headers("device-2")) == []
        assert len(await check_in(client, cloud.headers("device-1", trusted=YOUNG))) == 1


@pytest.mark.parametrize(
    ("trusted", "held", "vouched"), [(None, None, False), ({}, None, True), ({"a": 1}, None, True), (None, OLD, True)]
)
async def test_who_is_vouched_for(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway, trusted: Any, held: Any, vouched: bool
) -> None:
    """By a statement in its credential, also one without facts, or by facts that the cloud holds about its user."""
    if held:
        cloud.user_facts["device-1"] = held
        cloud.publish()
        await eventually(lambda: gateway.tables.state is cloud.state)
    await check_in(client, cloud.headers(trusted=trusted))
    records = await eventually(lambda: cloud.check_ins)
    assert [record.vouched for record in records] == [vouched]


@pytest.mark.parametrize("odd", [None, ["18-29"], {"a": [1]}, {}])
async def test_vouched_facts_that_are_no_scalars_are_not_for_rules(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway, odd: object
) -> None:
    await release_to({"not": {"fact": "user.age_band", "in": ["18-29"]}}, cloud, gateway)
    assert len(await check_in(client, cloud.headers(trusted={"age_band": odd}))) == 1
    assert len(await check_in(client, cloud.headers(trusted={"age_band": odd, "vip": True}))) == 1


async def test_devices_of_an_id_list(client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway) -> None:
    cloud.lists["testers"] = {"device-1", "device-3"}
    await release_to({"any": [{"list": "testers"}, {"devices": ["device-4"]}]}, cloud, gateway)
    offered = [len(await check_in(client, cloud.headers(f"device-{number}"))) for number in range(1, 6)]
    assert offered == [1, 0, 1, 1, 0]
    cloud.lists["testers"].remove("device-1")
    cloud.refresh()
    await eventually(lambda: gateway.tables.state is cloud.state)
    assert await check_in(client, cloud.headers()) == []


async def test_a_device_cannot_claim_what_the_cloud_knows(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    cloud.lists["testers"] = set()
    await release_to({"any": [{"list": "testers"}, {"fact": "user.vip", "equals": True}]}, cloud, gateway)
    for claim in ("user.vip", 'lists="testers"', "lists", "a*b", "*"):
        headers = cloud.headers() | {"Walle-App": f'"shop";v="1.0.0";{claim}'}
        assert await refusal(client, headers) == (400, "header-malformed")


async def test_devices_with_equal_headers_do_not_share_tokens(client: httpx.AsyncClient, cloud: Cloud) -> None:
    tokens = {}
    for device in ("device-1", "device-2"):
        (offer,) = await check_in(client, cloud.headers(device))
        tokens[device] = str(offer.token)
        assert cloud.keyring.read_offer_token(tokens[device], device)
    assert tokens["device-1"] != tokens["device-2"]


async def test_only_so_many_offers_at_once_and_none_is_starved(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    """A device that refuses what it is offered would otherwise be offered the same four for ever."""
    cloud.entries[:] = [entry(f"camera/task{number}", release=number) for number in range(7)]
    cloud.publish()
    await eventually(lambda: gateway.tables.state is cloud.state)
    seen: set[str] = set()
    for tenth in range(10):
        gateway.check_ins._jitter = lambda tenth=tenth: tenth / 10
        response = await client.get("/checkin", headers=cloud.headers())
        offered = [offer.task for offer in offers_of(response)]
        assert len(set(offered)) == len(offered) == 4
        assert response.headers["walle-retry-after"] == "1"
        seen |= set(offered)
    assert seen == {one.task for one in cloud.entries}


@pytest.mark.parametrize("interval", [1, 2, 60, 86_400])
async def test_retry_after_is_spread_around_the_interval_and_never_zero(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway, interval: int
) -> None:
    cloud.interval = interval
    cloud.publish()
    await eventually(lambda: gateway.tables.state is cloud.state)
    waits = []
    for jitter in (0.0, 0.5, 0.999):
        gateway.check_ins._jitter = lambda jitter=jitter: jitter
        waits.append(int((await client.get("/checkin", headers=cloud.headers())).headers["walle-retry-after"]))
    assert waits == sorted(waits)
    assert waits[1] == interval
    assert 1 <= waits[0] >= round(0.9 * interval)
    assert waits[2] <= round(1.1 * interval)


PROFILE = "camera/digits;d=:AAAA:"
MALFORMED: list[dict[str, str | None]] = [
    {"walle-device": None},
    {"walle-app": None},
    {"walle-device": ""},
    {"walle-app": '"shop"'},
    {"walle-app": '"shop'},
    {"walle-profile": PROFILE},
    {"walle-profile": "x" * 9000},
    {"walle-device": '"device-1"'},
]


@pytest.mark.parametrize("change", MALFORMED, ids=lambda change: str(change)[:40])
async def test_malformed_headers(client: httpx.AsyncClient, cloud: Cloud, change: dict[str, str | None]) -> None:
    headers = {name.lower(): value for name, value in cloud.headers().items()} | change
    kept = {name: value for name, value in headers.items() if value is not None}
    assert await refusal(client, kept) == (400, "header-malformed")
    assert len(await check_in(client, cloud.headers())) == 1


async def test_a_repeated_line_is_not_silently_one_of_the_two(client: httpx.AsyncClient, cloud: Cloud) -> None:
    headers = list(cloud.headers().items())
    twice = [*headers, ("Walle-Device", cloud.headers("device-2")["Walle-Device"])]
    response = await client.get("/checkin", headers=twice)
    assert (response.status_code, response.headers["walle-error"]) == (400, "header-malformed")


async def test_a_profile_may_come_in_several_lines(client: httpx.AsyncClient, cloud: Cloud) -> None:
    has = cloud.headers(profile={"camera/digits": short_digest(cloud.entries[0].manifest)})
    lines = [*has.items(), ("Walle-Profile", "a/b;d=:AAAAAAAAAAAAAAAA:")]
    assert offers_of(await client.get("/checkin", headers=lines)) == []


async def test_more_lines_of_a_header_than_are_joined(client: httpx.AsyncClient, cloud: Cloud) -> None:
    has = {f"camera/t{number}": bytes(12) for number in range(MAX_LINES)}
    lines = [("Walle-Profile", write_profile({task: digest})) for task, digest in has.items()]
    headers = [*cloud.headers().items(), *lines]
    assert len(offers_of(await client.get("/checkin", headers=headers))) == 1
    for name in ("Walle-Profile", "Walle-Device", "Walle-App"):
        value = dict(headers)[name]
        many = [line for line in headers if line[0] != name] + [(name, value)] * (MAX_LINES + 1)
        for method, path in (("GET", "/checkin"), ("POST", "/reports")):
            response = await client.request(method, path, headers=many)
            assert (response.status_code, response.headers["walle-error"]) == (431, "headers-too-large")
            assert name in response.json()["detail"]


async def test_an_unknown_app(client: httpx.AsyncClient, cloud: Cloud) -> None:
    headers = cloud.headers() | {"Walle-App": '"library";v="1"'}
    assert await refusal(client, headers) == (400, "app-unknown")


async def test_the_credential_of_another_app(client: httpx.AsyncClient, cloud: Cloud) -> None:
    headers = cloud.headers() | {"Walle-App": '"bank";v="1"'}
    assert await refusal(client, headers) == (401, "credential-invalid")


async def test_the_credential_of_another_device(client: httpx.AsyncClient, cloud: Cloud) -> None:
    stolen = f'"device-2";c="{cloud.credential("device-1")}";n=0'
    assert await refusal(client, cloud.headers() | {"Walle-Device": stolen}) == (401, "credential-invalid")


async def test_an_expired_credential(client: httpx.AsyncClient, cloud: Cloud, clock: Clock) -> None:
    headers = cloud.headers()
    clock.now += 90 * 86_400
    assert len(await check_in(client, headers)) == 1
    clock.now += 1
    assert await refusal(client, headers) == (401, "credential-expired")


async def test_the_key_of_a_credential_is_retired_by_the_second_rotation(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    headers = cloud.headers()
    cloud.rotate_device_key()
    await eventually(lambda: gateway.tables.state is cloud.state)
    assert len(await check_in(client, headers)) == 1
    cloud.rotate_device_key()
    await eventually(lambda: gateway.tables.state is cloud.state)
    assert await refusal(client, headers) == (401, "credential-key-retired")


async def test_a_key_that_was_never_known(client: httpx.AsyncClient, cloud: Cloud) -> None:
    foreign = Cloud(device_keys=(DeviceKey("k9", b"9" * 32),))
    assert await refusal(client, foreign.headers()) == (401, "credential-key-retired")


async def test_a_revoked_device(client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway) -> None:
    cloud.revoked.add("device-1")
    cloud.refresh()
    await eventually(lambda: gateway.tables.state is cloud.state)
    assert await refusal(client, cloud.headers()) == (401, "device-revoked")
    assert len(await check_in(client, cloud.headers("device-2"))) == 1


async def test_check_ins_reach_the_registry_with_all_they_said(client: httpx.AsyncClient, cloud: Cloud) -> None:
    profile = {"camera/digits": bytes(12)}
    await check_in(client, cloud.headers(facts={"region": "eu"}, trusted={"age_band": "18-29"}, profile=profile))
    record = (await eventually(lambda: cloud.check_ins))[0]
    assert (record.claims.app, record.device, record.at) == ("shop", "device-1", NOW)
    assert record.claims.facts == {"app_version": "1.0.0", "region": "eu"}
    assert record.claims.profile == profile
    assert record.trusted == {"age_band": "18-29"}


async def test_refused_check_ins_do_not_reach_it(client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway) -> None:
    await refusal(client, cloud.headers() | {"Walle-Device": '"device-2";c="k1.1..0"'})
    await check_in(client, cloud.headers())
    await eventually(lambda: cloud.check_ins)
    assert [record.device for record in cloud.check_ins] == ["device-1"]
    assert gateway.buffer.drain() == []


async def test_an_entry_for_several_versions_changes_with_the_table(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    """The plan that devices with equal headers share is made anew for each table."""
    headers: dict[str, Any] = cloud.headers()
    for version in ("1.1.0", "1.2.0"):
        cloud.entries[0] = entry(version=version, rule=uniform(["1.0.0", "2.0.0"]))
        cloud.publish()
        await eventually(lambda: gateway.tables.state is cloud.state)
        (offer,) = await check_in(client, headers)
        assignment = check_assignment(offer, TrustedRoots(keys.root(1, 1, "root-1")), app="shop", highest=0, now=NOW)
        assert assignment.manifest == digest(f"camera/digits {version}")
        assert assignment.number == cloud.number
