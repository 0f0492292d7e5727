"""Roots, artifacts and exclusive files over HTTP."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import httpx
import pytest

from tests.gateway.serving import eventually, raw_request
from tests.gateway.simulator import Clock, Cloud
from tests.release.tables import digest, entry
from tests.vectors import keys
from walle.artifacts import LocalStore
from walle.gateway.application import Gateway
from walle.gateway.offers import EXCLUSIVE_URL_S
from walle.protocol.documents import Variant
from walle.protocol.headers import Offer, read_offers, read_variant
from walle.protocol.keyed import DeviceKey, ExclusiveGrant, Keyring
from walle.protocol.signing import TrustedRoots

MANIFEST = digest("camera/digits 1.0.0")


async def refused(client: httpx.AsyncClient, path: str) -> tuple[int, str]:
    response = await client.get(path)
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["walle-error"] == response.json()["code"]
    return response.status_code, response.json()["code"]


async def test_a_device_walks_the_chain_of_roots(client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway) -> None:
    for version in (2, 3, 4):
        cloud.roots[version] = keys.root(version, version, f"root-{version - 1}", f"root-{version}")
    cloud.refresh()
    await eventually(lambda: gateway.tables.state is cloud.state)
    trusted = TrustedRoots((await client.get("/roots/1.json")).content)
    while (response := await client.get(f"/roots/{trusted.version + 1}.json")).status_code == 200:
        trusted.update(response.content)
        assert response.headers["cache-control"] == "public, max-age=60"
        assert response.headers["content-type"] == "application/json"
    assert trusted.version == 4


@pytest.mark.parametrize(
    "name", ["2.json", "0.json", "-1.json", "x.json", ".json", "", "9" * 30 + ".json", "%D9%A1.json"]
)
async def test_a_root_that_is_not_there(client: httpx.AsyncClient, name: str) -> None:
    """Said in a way that no cache keeps: it may be there in a moment."""
    assert await refused(client, f"/roots/{name}") == (404, "root-unknown")


async def test_artifacts_are_immutable_and_resumable(client: httpx.AsyncClient, tmp_path: Path) -> None:
    stored = LocalStore(tmp_path / "artifacts").put(b"0123456789")
    whole = await client.get(f"/artifacts/{stored.digest}")
    assert (whole.status_code, whole.content) == (200, b"0123456789")
    assert whole.headers["etag"] == f'"{stored.digest}"'
    assert "immutable" in whole.headers["cache-control"]
    resume = {"range": "bytes=4-", "if-range": whole.headers["etag"]}
    rest = await client.get(f"/artifacts/{stored.digest}", headers=resume)
    assert (rest.status_code, rest.content, rest.headers["content-range"]) == (206, b"456789", "bytes 4-9/10")
    other = await client.get(f"/artifacts/{stored.digest}", headers=resume | {"if-range": '"other"'})
    assert (other.status_code, other.content) == (200, b"0123456789")


async def test_artifacts_that_are_not_there(client: httpx.AsyncClient) -> None:
    assert await refused(client, f"/artifacts/{'ab' * 32}") == (404, "artifact-missing")
    assert await refused(client, "/artifacts/AB") == (400, "digest-malformed")
    assert await refused(client, "/artifacts/..%2f..%2fetc%2fpasswd") == (400, "digest-malformed")


@pytest.mark.parametrize("path", ["", "/", "/check", "/checkin/", "/checkin/x", "/enrol/x", "/reports/x", "/unknown"])
async def test_other_paths(address: str, client: httpx.AsyncClient, path: str) -> None:
    response = await client.get(f"{address}/walle/v1{path}")
    assert (response.status_code, response.json()["code"]) == (404, "not-found")
    assert (await client.get(f"{address}/checkin")).status_code == 404


@pytest.fixture
async def offered(client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway, tmp_path: Path) -> Offer:
    """The offer of a task with an exclusive file to a young device."""
    cloud.entries[0] = entry(exclusive=True)
    cloud.add_variant(tmp_path, MANIFEST, "prefs/a.json", "18-29", b'{"young": true}')
    cloud.publish()
    await eventually(lambda: gateway.tables.state is cloud.state)
    response = await client.get("/checkin", headers=cloud.headers(trusted={"age_band": "18-29"}))
    (offer,) = read_offers(response.headers["walle-offers"].encode())
    return offer


async def test_an_exclusive_file_comes_with_its_signed_statement(
    address: str, client: httpx.AsyncClient, cloud: Cloud, offered: Offer
) -> None:
    assert offered.kind == "exclusive"
    response = await client.get(f"{address}{offered.exclusive}/prefs/a.json")
    assert (response.status_code, response.content) == (200, b'{"young": true}')
    assert response.headers["cache-control"] == "private, no-store"
    envelope = read_variant(response.headers["walle-variant"].encode())
    variant = Variant.from_payload(TrustedRoots(cloud.roots[1]).verify("variant", envelope))
    assert (variant.manifest, variant.path, variant.key) == (MANIFEST, "prefs/a.json", "18-29")
    assert variant.digest == sha256(response.content).hexdigest()
    assert variant.size == len(response.content)
    (grant,) = cloud.grants
    assert (grant.device, grant.manifest) == ("device-1", MANIFEST)
    assert grant.facts == {"age_band": "18-29", "device_id": "device-1"}


async def test_a_trusted_fact_does_not_say_which_device_it_is(
    client: httpx.AsyncClient, cloud: Cloud, offered: Offer
) -> None:
    """Whoever vouches for facts, `device_id` in a template is the device that proved to be itself."""
    trusted = {"age_band": "18-29", "device_id": "device-2"}
    response = await client.get("/checkin", headers=cloud.headers(trusted=trusted))
    (offer,) = read_offers(response.headers["walle-offers"].encode())
    token = str(offer.exclusive).rpartition("/")[2]
    grant = cloud.keyring.read_exclusive_token(token, keys.NOW)
    assert (grant.device, grant.facts) == ("device-1", {"age_band": "18-29", "device_id": "device-1"})


async def test_it_can_be_resumed_and_asked_for_by_its_head(
    address: str, client: httpx.AsyncClient, offered: Offer
) -> None:
    url = f"{address}{offered.exclusive}/prefs/a.json"
    whole = await client.get(url)
    rest = await client.get(url, headers={"range": "bytes=2-", "if-range": whole.headers["etag"]})
    assert (rest.status_code, rest.content) == (206, whole.content[2:])
    assert rest.headers["walle-variant"] == whole.headers["walle-variant"]
    head = await client.head(url)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["walle-variant"] == whole.headers["walle-variant"]


async def test_no_variant_for_this_device(address: str, client: httpx.AsyncClient, offered: Offer) -> None:
    assert await refused(client, f"{address}{offered.exclusive}/other.json") == (404, "variant-missing")


@pytest.mark.parametrize(
    "path", ["", "/", "%00", "a%00b", "../prefs/a.json", "%2e%2e/prefs/a.json", "%C3%A9", "x" * 201]
)
async def test_what_no_bundle_can_hold_is_not_looked_for(
    address: str, client: httpx.AsyncClient, cloud: Cloud, offered: Offer, path: str
) -> None:
    """A database cannot even be asked for NUL."""
    status, _, _ = await raw_request(address, f"{offered.exclusive}/{path}".encode(), [])
    assert status == 404
    assert not cloud.grants


async def test_claims_open_nothing(address: str, client: httpx.AsyncClient, cloud: Cloud, offered: Offer) -> None:
    response = await client.get("/checkin", headers=cloud.headers("device-2", facts={"age_band": "18-29"}))
    (offer,) = read_offers(response.headers["walle-offers"].encode())
    assert await refused(client, f"{address}{offer.exclusive}/prefs/a.json") == (404, "variant-missing")


async def test_the_address_lasts_an_hour(address: str, client: httpx.AsyncClient, clock: Clock, offered: Offer) -> None:
    url = f"{address}{offered.exclusive}/prefs/a.json"
    clock.now += EXCLUSIVE_URL_S
    assert (await client.get(url)).status_code == 200
    clock.now += 1
    assert await refused(client, url) == (401, "credential-expired")


async def test_a_revoked_device_pulls_nothing(
    address: str, client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway, offered: Offer
) -> None:
    cloud.revoked.add("device-1")
    cloud.refresh()
    await eventually(lambda: gateway.tables.state is cloud.state)
    assert await refused(client, f"{address}{offered.exclusive}/prefs/a.json") == (401, "device-revoked")


async def test_forged_addresses(address: str, client: httpx.AsyncClient, cloud: Cloud, offered: Offer) -> None:
    base, _, token = str(offered.exclusive).rpartition("/")
    grant = ExclusiveGrant("shop", "device-1", MANIFEST, {"age_band": "18-29"}, 2**40)
    stolen = Keyring("shop", (DeviceKey("k1", b"x" * 32),)).issue_exclusive_token(grant)
    foreign = Keyring("library", cloud.device_keys).issue_exclusive_token(
        ExclusiveGrant("library", "device-1", MANIFEST, {}, 2**40)
    )
    crossed = Keyring("bank", cloud.device_keys).issue_exclusive_token(grant)
    for forged in (token[:-1] + ("0" if token[-1] != "0" else "1"), stolen, crossed):
        assert await refused(client, f"{address}{base}/{forged}/prefs/a.json") == (401, "credential-invalid")
    assert await refused(client, f"{address}{base}/{foreign}/prefs/a.json") == (400, "app-unknown")
    for garbage in ("x", "..", "a.b.c", "%00", "é", "." * 3000):
        assert (await refused(client, f"{address}/walle/v1/exclusive/{garbage}/a"))[0] in (401, 404)


async def test_a_retired_key_opens_nothing(
    address: str, client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway, offered: Offer
) -> None:
    url = f"{address}{offered.exclusive}/prefs/a.json"
    for status in (200, 401):
        cloud.rotate_device_key()
        await eventually(lambda: gateway.tables.state is cloud.state)
        assert (await client.get(url)).status_code == status


async def test_while_the_control_plane_is_away(
    address: str, client: httpx.AsyncClient, cloud: Cloud, offered: Offer
) -> None:
    cloud.down = True
    assert await refused(client, f"{address}{offered.exclusive}/prefs/a.json") == (503, "unavailable")
    assert (await client.get("/roots/1.json")).status_code == 200


async def test_facts_that_the_cloud_holds_choose_exclusive_files_too(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    """And win over those in the credential; as many of both as there may be still fit into one address."""
    vouched = {"age_band": "50-plus", "signed": "x" * 980}
    held = {"age_band": "18-29", "held": "y" * 980}
    cloud.user_facts["device-1"] = held
    cloud.entries[0] = entry(exclusive=True)
    cloud.publish()
    await eventually(lambda: gateway.tables.state is cloud.state)
    response = await client.get("/checkin", headers=cloud.headers(trusted=vouched))
    (offer,) = read_offers(response.headers["walle-offers"].encode())
    address = str(offer.exclusive).removeprefix("/walle/v1")
    await client.get(f"{address}/prefs.json")
    assert cloud.grants[0].facts == {**vouched, **held, "device_id": "device-1"}
