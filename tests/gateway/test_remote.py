"""A gateway inside a business service, fed over HTTP by the control plane's own, verified by the chain of trust."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.gateway.serving import eventually, serving
from tests.gateway.simulator import BANK_GATEWAY_KEY, GATEWAY_KEY, Clock, Cloud
from tests.release.tables import entry
from tests.support.waiting import ANSWER_S
from tests.vectors import keys
from tests.vectors.reports import FULL
from walle.gateway import remote
from walle.gateway.application import Gateway
from walle.gateway.middleware import CheckInMiddleware
from walle.gateway.ports import CheckInRecord, DeviceClaims, ExposureRecord, PortUnavailable, Quota, ReceivedReport
from walle.gateway.remote import HttpQuotaSource, HttpReportSink, HttpTableSource
from walle.gateway.table_cache import LEASE_S
from walle.protocol.headers import read_offers
from walle.protocol.keyed import OfferStamp
from walle.protocol.reports import Report
from walle.release.cohort import Cohort, device_point

ROOT = keys.root(1, 1, "root-1")


def source_of(address: str, clock: Clock, key: str = GATEWAY_KEY, root: bytes = ROOT) -> HttpTableSource:
    return HttpTableSource(address, "shop", key, root, lambda: clock.now)


@pytest.fixture
async def source(address: str, clock: Clock) -> AsyncIterator[HttpTableSource]:
    source = source_of(address, clock)
    yield source
    await source.close()


@pytest.fixture
async def sink(address: str) -> AsyncIterator[HttpReportSink]:
    sink = HttpReportSink(address, "shop", GATEWAY_KEY)
    yield sink
    await sink.close()


@pytest.fixture
async def quotas(address: str) -> AsyncIterator[HttpQuotaSource]:
    quotas = HttpQuotaSource(address, "shop", GATEWAY_KEY)
    yield quotas
    await quotas.close()


async def business(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"business"})


async def test_check_ins_on_a_business_service(address: str, cloud: Cloud, clock: Clock) -> None:
    """The whole way: offers from the remote table, the check-in back in the registry."""
    sink, quotas = HttpReportSink(address, "shop", GATEWAY_KEY), HttpQuotaSource(address, "shop", GATEWAY_KEY)
    gateway = Gateway(source_of(address, clock), sink, quotas, clock=lambda: clock.now)
    async with (
        serving(CheckInMiddleware(business, gateway)) as shop,
        httpx.AsyncClient(timeout=ANSWER_S, verify=False) as client,
    ):
        headers = cloud.headers(facts={"score": 0.5}, trusted={"age_band": "18-29"}, profile={"a/b": bytes(12)})
        response = await client.get(shop, headers=headers)
        (offer,) = read_offers(response.headers["walle-offers"].encode())
        assert offer.task == "camera/digits"
        assert cloud.keyring.read_offer_token(str(offer.token), "device-1").number == 17
        cloud.entries[0] = entry("camera/other")
        cloud.publish()
        await eventually(lambda: gateway.tables.state and gateway.tables.state.revision == cloud.revision)
        response = await client.get(shop, headers=headers)
        assert "camera/other" in response.headers["walle-offers"]
    record = cloud.check_ins[0]
    assert (record.claims.app, record.device, record.trusted) == ("shop", "device-1", {"age_band": "18-29"})
    assert record.claims.facts == {"app_version": "1.0.0", "score": 0.5}
    assert record.claims.profile == {"a/b": bytes(12)}


async def test_a_business_service_offers_a_kind_to_devices_that_say_they_know_it(
    address: str, cloud: Cloud, clock: Clock, gateway: Gateway
) -> None:
    cloud.entries[0] = entry(kind="pipeline")
    cloud.publish()
    await eventually(lambda: gateway.tables.state is cloud.state)
    sink, quotas = HttpReportSink(address, "shop", GATEWAY_KEY), HttpQuotaSource(address, "shop", GATEWAY_KEY)
    there = Gateway(source_of(address, clock), sink, quotas, clock=lambda: clock.now)
    async with (
        serving(CheckInMiddleware(business, there)) as shop,
        httpx.AsyncClient(timeout=ANSWER_S, verify=False) as client,
    ):
        assert "walle-offers" not in (await client.get(shop, headers=cloud.headers())).headers
        knowing = cloud.headers("device-2", facts={"kind-pipeline": True})
        (offer,) = read_offers((await client.get(shop, headers=knowing)).headers["walle-offers"].encode())
        assert offer.task == "camera/digits"
    facts = {record.device: record.claims.facts for record in cloud.check_ins}
    assert facts == {"device-1": {"app_version": "1.0.0"}, "device-2": {"app_version": "1.0.0", "kind-pipeline": True}}


async def test_the_state_is_that_of_one_app_without_what_enrols(source: HttpTableSource, cloud: Cloud) -> None:
    state = await source.read(None)
    assert state
    assert list(state.apps) == ["shop"]
    assert state.apps["shop"].table.table == cloud.state.apps["shop"].table.table
    assert not state.apps["shop"].enrol_keys | state.apps["shop"].gateway_keys
    assert not state.apps["shop"].backend_keys
    assert await source.read(state.revision) is None


async def test_revocations_and_retired_keys_travel(source: HttpTableSource, cloud: Cloud, gateway: Gateway) -> None:
    cloud.revoked.add("device-7")
    for _ in range(2):
        cloud.rotate_device_key()
    await eventually(lambda: gateway.tables.state is cloud.state)
    state = await source.read(None)
    assert state
    assert state.apps["shop"].revoked == {"device-7"}
    assert [(key.key_id, key.accepted) for key in state.apps["shop"].keyring.keys] == [
        ("k3", True),
        ("k2", True),
        ("k1", False),
    ]


async def test_lists_and_held_facts_travel(source: HttpTableSource, cloud: Cloud, gateway: Gateway) -> None:
    cloud.lists["testers"] = {"device-1", "device-2"}
    cloud.user_facts["device-7"] = {"vip": True, "score": 0.5}
    cloud.entries[0] = entry(rule={"list": "testers"})
    cloud.publish()
    await eventually(lambda: gateway.tables.state is cloud.state)
    state = await source.read(None)
    assert state
    shop = state.apps["shop"]
    assert shop.held == {"device-7": {"vip": True, "score": 0.5}}
    assert shop.lists == {"testers": frozenset({"device-1", "device-2"})}
    assert shop.table.lists_of("device-1") == frozenset({"testers"})


async def test_the_chain_of_roots_is_followed(source: HttpTableSource, cloud: Cloud, gateway: Gateway) -> None:
    for version in (2, 3, 4):
        cloud.roots[version] = keys.root(version, 1, "root-1")
    cloud.publish()
    await eventually(lambda: gateway.tables.state is cloud.state)
    assert await source.read(None)
    assert source._roots.version == 4


@pytest.mark.parametrize(
    "root",
    [keys.root(1, 2, "root-2"), keys.root(1, 1, "root-1", expires=keys.PAST)],
    ids=["another chain", "expired"],
)
async def test_a_table_that_the_chain_does_not_vouch_for_is_refused(
    address: str, clock: Clock, gateway: Gateway, root: bytes
) -> None:
    source = source_of(address, clock, root=root)
    with pytest.raises(PortUnavailable, match="refused"):
        await source.read(None)
    await source.close()


@pytest.mark.parametrize(
    "change",
    [
        {"table": "e30="},
        {"table": 7},
        {"keys": []},
        {"keys": {"a": 1}},
        {"roots": {"x": ""}},
        {"roots": []},
        {"revoked": 7},
        {"lists": None},
        {"lists": {"testers": 7}},
        {"held": []},
        {"held": {"device-1": 7}},
        {"revision": None, "roots": None},
    ],
    ids=str,
)
async def test_an_odd_answer_is_no_state(source: HttpTableSource, change: dict[str, Any]) -> None:
    document = (await source._relay.request("GET", "state")).json() | change

    async def answered(*_: object, **__: object) -> httpx.Response:
        return httpx.Response(200, content=json.dumps(document))

    source._relay.request = answered  # type: ignore[method-assign, assignment]
    with pytest.raises(PortUnavailable, match="refused"):
        await source.read(None)


async def test_the_table_of_another_app_is_refused(source: HttpTableSource) -> None:
    source._app = "bank"
    with pytest.raises(PortUnavailable, match="expected the table of bank"):
        await source.read(None)


@pytest.mark.usefixtures("read_often")
async def test_what_is_no_longer_leased_cannot_be_leased_on(
    source: HttpTableSource, cloud: Cloud, clock: Clock, gateway: Gateway
) -> None:
    """Gateways behind one that is cut off went on offering for ever, renewed by its stale answers."""
    state = await source.read(None)
    assert state
    cloud.down = True
    clock.monotonic += LEASE_S
    for revision in (None, state.revision):
        with pytest.raises(PortUnavailable, match="503"):
            await source.read(revision)
    cloud.down = False
    await eventually(gateway.tables.may_offer)
    assert await source.read(state.revision) is None


@pytest.mark.parametrize("key", ["wrong", "\u00e9", BANK_GATEWAY_KEY])
async def test_without_the_key_nothing_is_told(client: httpx.AsyncClient, key: str) -> None:
    for path in ("state", "check-ins", "reports", "quotas"):
        for value in (key.encode(), b"Bearer " + key.encode(), b"Basic " + GATEWAY_KEY.encode()):
            response = await client.request(
                "GET" if path == "state" else "POST", f"/relay/shop/{path}", headers={b"authorization": value}
            )
            assert (response.status_code, response.json()["code"]) == (401, "gateway-key-refused")


async def test_a_remote_that_is_away(clock: Clock) -> None:
    source = source_of("http://127.0.0.1:9", clock)
    with pytest.raises(PortUnavailable):
        await source.read(None)
    await source.close()


def received(number: int, **changes: Any) -> ReceivedReport:
    report = Report.from_dict(FULL | {"id": str(uuid4()), "offer_token": None} | changes)
    return ReceivedReport("shop", f"device-{number}", report, None, 0.0)


async def test_reports_are_stored_with_evidence_checked_anew(sink: HttpReportSink, cloud: Cloud) -> None:
    stamp = OfferStamp(1, 2, 17, keys.NOW + 60)
    token = cloud.keyring.issue_offer_token("device-1", stamp)
    await sink.record_reports([received(1, offer_token=token), received(2, offer_token=token)])
    assert {device: stored.offer for (device, _), stored in cloud.reports.items()} == {
        "device-1": stamp,
        "device-2": None,
    }
    assert {stored.received for stored in cloud.reports.values()} == {keys.NOW}


async def test_batches_stay_within_what_the_control_plane_takes(
    sink: HttpReportSink, cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand large reports in one request were too many bytes, and would have been refused for ever."""
    large = {"message": "x" * 2000, "output": {"x": "y" * 4000}}
    await sink.record_reports([received(number, **large) for number in range(400)])
    assert len(cloud.reports) == 400
    assert len(cloud.groups) == 3
    monkeypatch.setattr(remote, "BATCH_BYTES", 1)
    await sink.record_reports([received(0), received(1)])
    assert cloud.groups[3:] == [1, 1]
    await sink.record_reports([])


async def test_what_cannot_be_stored_is_sent_again_by_the_device(sink: HttpReportSink, cloud: Cloud) -> None:
    cloud.down = True
    with pytest.raises(PortUnavailable, match="503"):
        await sink.record_reports([received(1)])
    with pytest.raises(PortUnavailable, match="503"):
        await sink.record_check_ins([CheckInRecord(DeviceClaims("0" * 16, "shop", {}, {}), "device-1", {}, 1.0)])


GOOD: dict[str, Any] = {"device": "device-1", "facts": {}, "trusted": {}, "profile": {}, "at": 1.0}
ODD: list[dict[str, Any]] = [
    {"device": "a b"},
    {"device": 7},
    {"facts": None},
    {"facts": {"a": float("nan")}},
    {"facts": {"a": "\0"}},
    {"facts": {"a": "\ud800"}},
    {"trusted": {"\0": 1}},
    {"trusted": 7},
    {"facts": {"a": [["b"]]}},
    {"trusted": {"a": {}}},
    {"profile": {"camera/digits": "00"}},
    {"profile": {"camera/digits": 7}},
    {"profile": {"digits": "00" * 12}},
    {"profile": []},
    {"at": "never"},
    {"at": float("inf")},
    {"at": float("nan")},
    {"at": -1},
    {"at": None},
    {"vouched": 1},
    {"vouched": "false"},
]


@pytest.mark.parametrize(("said", "kept"), [(0.0, -60.0), (-30.0, -30.0), (-3600.0, -60.0), (3600.0, 0.0), (9e10, 0.0)])
async def test_a_check_in_was_when_this_clock_says(
    client: httpx.AsyncClient, cloud: Cloud, clock: Clock, said: float, kept: float
) -> None:
    """One of 1970 would be of a device known before every release, one of the future would hide all that follow."""
    at = clock.now + said if said else 0.0
    headers = {"authorization": f"Bearer {GATEWAY_KEY}"}
    response = await client.post("/relay/shop/check-ins", json={"check_ins": [GOOD | {"at": at}]}, headers=headers)
    assert response.status_code == 200
    assert [record.at for record in cloud.check_ins] == [clock.now + kept]


@pytest.mark.parametrize("change", ODD, ids=repr)
async def test_check_ins_that_could_not_be_stored_are_refused(
    client: httpx.AsyncClient, cloud: Cloud, change: dict[str, Any]
) -> None:
    headers = {"authorization": f"Bearer {GATEWAY_KEY}"}
    for items in ([GOOD | change], [GOOD, GOOD | change]):
        body = json.dumps({"check_ins": items})
        response = await client.post("/relay/shop/check-ins", content=body, headers=headers)
        assert (response.status_code, response.json()["code"]) == (400, "body-malformed")
    assert not cloud.check_ins
    assert (await client.post("/relay/shop/check-ins", json={"check_ins": [GOOD]}, headers=headers)).status_code == 200
    assert len(cloud.check_ins) == 1


@pytest.mark.parametrize("vouched", [True, False])
async def test_whether_a_device_is_vouched_for_travels(sink: HttpReportSink, cloud: Cloud, vouched: bool) -> None:
    record = CheckInRecord(DeviceClaims("0" * 16, "shop", {}, {}), "device-1", {}, 1.0, vouched=vouched)
    await sink.record_check_ins([record])
    assert [each.vouched for each in cloud.check_ins] == [vouched]


EXPOSURE = {"release": 7, "stage": 3, "task": "camera/digits", "arm": "treatment", "bucket": 1, "number": 17}


async def test_draws_are_logged_as_the_table_knows_them(sink: HttpReportSink, cloud: Cloud, gateway: Gateway) -> None:
    """A gateway of one app can say nothing about the releases of another."""
    on_trial = entry(release=7, observed=True)
    cloud.entries[:] = [on_trial, entry("camera/other", release=8)]
    cloud.publish()
    await eventually(lambda: gateway.tables.state is cloud.state)
    said = ExposureRecord(7, 3, "camera/digits", "treatment", 1, 17)
    held_back = said._replace(arm="control", number=None)
    record = CheckInRecord(DeviceClaims("0" * 16, "shop", {}, {}), "device-1", {}, 1.0)
    foreign = (said._replace(release=8), said._replace(release=99))
    await sink.record_check_ins(
        [record._replace(exposures=(said, *foreign)), record._replace(exposures=(held_back,)), record]
    )
    bucket = Cohort(on_trial.salt).bucket(device_point("device-1"))
    assert [stored.exposures for stored in cloud.check_ins] == [
        (said._replace(bucket=bucket),),
        (held_back._replace(bucket=bucket),),
        (),
    ]


ODD_EXPOSURES: list[Any] = [
    7,
    [7],
    [{}],
    [EXPOSURE | {"arm": "both"}],
    [EXPOSURE | {"release": "7"}],
    [EXPOSURE | {"stage": None}],
    [EXPOSURE | {"number": -1}],
    [EXPOSURE | {"number": 2**63}],
    [EXPOSURE | {"number": True}],
]


@pytest.mark.parametrize("odd", ODD_EXPOSURES, ids=repr)
async def test_odd_draws_are_refused(client: httpx.AsyncClient, cloud: Cloud, odd: object) -> None:
    body = {"check_ins": [GOOD | {"drawn": odd}]}
    response = await client.post("/relay/shop/check-ins", json=body, headers={"authorization": f"Bearer {GATEWAY_KEY}"})
    assert (response.status_code, response.json()["code"]) == (400, "body-malformed")
    assert not cloud.check_ins


async def test_quotas_come_from_the_control_plane(quotas: HttpQuotaSource, cloud: Cloud, gateway: Gateway) -> None:
    cloud.entries[:] = [entry(release=7, pace=5), entry("camera/other", release=8)]
    cloud.publish()
    await eventually(lambda: gateway.tables.state is cloud.state and cloud.leased.get(7))
    before = cloud.leased[7]
    assert await quotas.lease({7: 3, 8: 1, 99: 1}) == {7: Quota(3, 1.0)}
    assert await quotas.lease({7: 3}) == {7: Quota(5 - before - 3, 1.0)}
    assert await quotas.lease({8: 1}) == {}
    cloud.down = True
    with pytest.raises(PortUnavailable, match="503"):
        await quotas.lease({7: 3})


async def test_one_apps_key_uses_up_nothing_of_anothers_pace(
    address: str, quotas: HttpQuotaSource, cloud: Cloud, gateway: Gateway
) -> None:
    cloud.entries[:] = [entry(release=7, pace=500)]
    cloud.bank_entries[:] = [entry("bank/score", release=9, pace=500)]
    cloud.publish()
    await eventually(lambda: gateway.tables.state is cloud.state)
    assert await quotas.lease({9: 400}) == {}
    assert await quotas.lease({7: 3, 9: 400}) == {7: Quota(3, 1.0)}
    assert cloud.leased.get(9, 0) < 400
    assert cloud.leased_for - {None} == {"shop"}, "the source is to know for which app it leases"
    of_the_bank = HttpQuotaSource(address, "bank", BANK_GATEWAY_KEY)
    assert await of_the_bank.lease({7: 3, 9: 4}) == {9: Quota(4, 1.0)}
    await of_the_bank.close()


@pytest.mark.parametrize(
    "body", ["", "[]", "{}", '{"wanted": {"x": 1}}', '{"wanted": {"7": 0}}', '{"wanted": {"7": 1.5}}']
)
async def test_odd_wishes_are_refused(client: httpx.AsyncClient, body: str) -> None:
    headers = {"authorization": f"Bearer {GATEWAY_KEY}"}
    response = await client.post("/relay/shop/quotas", content=body, headers=headers)
    assert (response.status_code, response.json()["code"]) == (400, "body-malformed")


@pytest.mark.parametrize("answer", [{}, {"quotas": []}, {"quotas": {"7": 1}}, {"quotas": {"x": [1, 1]}}], ids=str)
async def test_an_odd_answer_is_no_quota(quotas: HttpQuotaSource, answer: dict[str, Any]) -> None:
    async def answered(*_: object, **__: object) -> httpx.Response:
        return httpx.Response(200, json=answer)

    quotas._relay.request = answered  # type: ignore[method-assign, assignment]
    with pytest.raises(PortUnavailable, match="refused"):
        await quotas.lease({7: 1})


async def test_a_malformed_report_is_refused_with_all_of_its_batch(client: httpx.AsyncClient, cloud: Cloud) -> None:
    """The gateway that relays it has checked it with the same code: something else is wrong."""
    headers = {"authorization": f"Bearer {GATEWAY_KEY}"}
    for odd in (None, FULL | {"kind": "boot"}, "x"):
        items = [{"device": "device-1", "report": FULL}, {"device": "device-1", "report": odd}]
        response = await client.post("/relay/shop/reports", json={"reports": items}, headers=headers)
        assert (response.status_code, response.json()["code"]) == (400, "report-malformed")
    assert not cloud.reports


async def test_what_the_relay_does_not_know(client: httpx.AsyncClient) -> None:
    headers = {"authorization": f"Bearer {GATEWAY_KEY}"}
    for path, status, code in (
        ("shop/x", 404, "not-found"),
        ("shop", 404, "not-found"),
        ("none/state", 400, "app-unknown"),
    ):
        response = await client.get(f"/relay/{path}", headers=headers)
        assert (response.status_code, response.json()["code"]) == (status, code)
