"""Reports over HTTP: acknowledged once they are stored, never before."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.gateway.serving import eventually
from tests.gateway.simulator import Clock, Cloud
from tests.vectors.keys import NOW
from tests.vectors.reports import FULL
from walle.gateway import buffer
from walle.gateway.application import MAX_BODY, Gateway, GatewayApplication
from walle.gateway.buffer import ReportWriter
from walle.gateway.offers import OFFER_LEASE_S
from walle.gateway.ports import PortUnavailable, ReceivedReport
from walle.protocol.headers import read_offers
from walle.protocol.keyed import OfferStamp
from walle.protocol.reports import MAX_REPORTS, Report


def report(**changes: Any) -> dict[str, Any]:
    return FULL | {"id": str(uuid4()), "offer_token": None} | changes


async def send(client: httpx.AsyncClient, cloud: Cloud, *reports: Any, device: str = "device-1") -> httpx.Response:
    return await client.post("/reports", content=json.dumps({"reports": reports}), headers=cloud.headers(device))


async def test_stored_and_acknowledged(client: httpx.AsyncClient, cloud: Cloud) -> None:
    sent = report()
    response = await send(client, cloud, sent)
    assert response.status_code == 200
    assert response.json() == {"accepted": [sent["id"]], "rejected": []}
    stored = cloud.reports["device-1", sent["id"]]
    assert stored.report == Report.from_dict(sent)
    assert (stored.app, stored.received, stored.offer) == ("shop", NOW, None)


async def test_one_malformed_report_does_not_take_the_others_with_it(client: httpx.AsyncClient, cloud: Cloud) -> None:
    good, bad = report(), report(kind="boot")
    response = await send(client, cloud, bad, good, "no object", {"id": 7}, {"id": "x" * 65}, report(message="\ud800"))
    answer = response.json()
    assert answer["accepted"] == [good["id"]]
    assert [one["code"] for one in answer["rejected"]] == ["report-malformed"] * 5
    assert answer["rejected"][0]["id"] == bad["id"]
    assert answer["rejected"][0]["detail"] == "kind: expected install, run or remove"
    assert [one["id"] for one in answer["rejected"][1:4]] == [None, None, None]
    assert len(cloud.reports) == 1


async def test_only_malformed_reports_need_no_storage(client: httpx.AsyncClient, cloud: Cloud) -> None:
    cloud.down = True
    response = await send(client, cloud, report(kind="boot"))
    assert response.status_code == 200
    assert response.json()["accepted"] == []


async def test_not_acknowledged_before_they_are_stored(client: httpx.AsyncClient, cloud: Cloud) -> None:
    cloud.held = asyncio.Event()
    sending = asyncio.create_task(send(client, cloud, report()))
    done, _ = await asyncio.wait({sending}, timeout=0.2)
    assert not done
    assert not cloud.reports
    cloud.held.set()
    assert (await sending).status_code == 200
    assert len(cloud.reports) == 1


@pytest.mark.parametrize("failure", [None, RuntimeError("a bug")], ids=["down", "bug"])
async def test_what_cannot_be_stored_is_not_acknowledged_and_sent_again(
    client: httpx.AsyncClient, cloud: Cloud, failure: Exception | None
) -> None:
    cloud.down, cloud.failure = True, failure
    sent = report()
    refused = await send(client, cloud, sent)
    assert refused.status_code == (503 if failure is None else 500)
    if failure is None:
        assert refused.headers["walle-error"] == refused.json()["code"] == "unavailable"
    cloud.down, cloud.failure = False, None
    assert (await send(client, cloud, sent)).json()["accepted"] == [sent["id"]]
    assert (await send(client, cloud, sent)).json()["accepted"] == [sent["id"]]
    assert list(cloud.reports) == [("device-1", sent["id"])]


async def test_while_one_group_is_written_the_next_one_gathers(client: httpx.AsyncClient, cloud: Cloud) -> None:
    cloud.held = asyncio.Event()
    sends = [asyncio.create_task(send(client, cloud, report(), report(), device=f"device-{n}")) for n in range(20)]
    done, _ = await asyncio.wait(sends, timeout=0.5)
    assert not done
    cloud.held.set()
    responses = await asyncio.gather(*sends)
    assert {response.status_code for response in responses} == {200}
    assert sum(cloud.groups) == len(cloud.reports) == 40
    assert len(cloud.groups) <= 3


class Sink:
    """Counts, and fails when told to."""

    def __init__(self) -> None:
        self.groups: list[int] = []
        self.fail = False
        self.gate = asyncio.Event()

    async def record_reports(self, reports: list[ReceivedReport]) -> None:
        await self.gate.wait()
        if self.fail:
            raise PortUnavailable("no")
        self.groups.append(len(reports))


def received() -> ReceivedReport:
    return ReceivedReport("shop", "device-1", Report.from_dict(report()), None, NOW)


async def test_a_group_that_fails_does_not_fail_the_next() -> None:
    sink = Sink()
    writer = ReportWriter(sink)  # type: ignore[arg-type]
    sink.fail = True
    first = [asyncio.create_task(writer.write([received()])) for _ in range(3)]
    await asyncio.sleep(0)
    sink.gate.set()
    assert all(isinstance(result, PortUnavailable) for result in await asyncio.gather(*first, return_exceptions=True))
    sink.fail = False
    await writer.write([received(), received()])
    assert sink.groups == [2]


async def test_a_device_that_hangs_up_does_not_cancel_the_group_of_others() -> None:
    sink = Sink()
    writer = ReportWriter(sink)  # type: ignore[arg-type]
    gone, stays = (asyncio.create_task(writer.write([received()])) for _ in range(2))
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)
    sink.gate.set()
    await stays
    assert sink.groups == [2]


async def test_the_offer_token_makes_evidence_for_its_own_device_only(
    client: httpx.AsyncClient, cloud: Cloud, clock: Clock
) -> None:
    response = await client.get("/checkin", headers=cloud.headers())
    (offer,) = read_offers(response.headers["walle-offers"].encode())
    mine, theirs, late, none, forged = (
        report(offer_token=token) for token in [offer.token] * 3 + [None, "k1.1.1.1.1.0"]
    )
    assert (await send(client, cloud, mine, none, forged)).status_code == 200
    assert (await send(client, cloud, theirs, device="device-2")).status_code == 200
    clock.now += OFFER_LEASE_S + 1
    assert (await send(client, cloud, late)).status_code == 200
    stamp = OfferStamp(1, 1, 17, NOW + OFFER_LEASE_S)
    found = {name: stored.offer for (_, name), stored in cloud.reports.items()}
    assert found == {
        mine["id"]: stamp,
        none["id"]: None,
        forged["id"]: None,
        theirs["id"]: None,
        late["id"]: stamp,  # whether it is still in force is for the sink to judge
    }
    assert cloud.reports["device-1", late["id"]].received > stamp.expires


async def test_only_from_enrolled_devices(client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway) -> None:
    cases = [
        ({}, 400, "header-malformed"),
        (cloud.headers() | {"Walle-Device": '"device-1";c="k1.1..0"'}, 401, "credential-invalid"),
        (cloud.headers() | {"Walle-App": '"library";v="1"'}, 400, "app-unknown"),
    ]
    for headers, status, code in cases:
        response = await client.post("/reports", json={"reports": [report()]}, headers=headers)
        assert (response.status_code, response.headers["walle-error"]) == (status, code)
    cloud.revoked.add("device-1")
    cloud.refresh()
    await eventually(lambda: gateway.tables.state is cloud.state)
    response = await send(client, cloud, report())
    assert (response.status_code, response.headers["walle-error"]) == (401, "device-revoked")
    assert not cloud.reports


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b'"reports"',
        b'{"reports": {}}',
        b'{"reports": "x"}',
        b"\xff\xfe",
        b"[" * 200_000,
        b'{"reports": [' + b"9" * 10_000 + b"]}",
        json.dumps({"reports": [0] * (MAX_REPORTS + 1)}).encode(),
    ],
    ids=lambda body: str(body)[:20],
)
async def test_other_bodies(client: httpx.AsyncClient, cloud: Cloud, body: bytes) -> None:
    response = await client.post("/reports", content=body, headers=cloud.headers())
    assert (response.status_code, response.json()["code"]) == (400, "body-malformed")


async def test_a_body_beyond_the_limit(client: httpx.AsyncClient, cloud: Cloud) -> None:
    response = await client.post("/reports", content=b" " * (MAX_BODY + 1), headers=cloud.headers())
    assert (response.status_code, response.json()["code"]) == (413, "body-too-large")


async def test_the_largest_batch(client: httpx.AsyncClient, cloud: Cloud) -> None:
    response = await send(client, cloud, *[report() for _ in range(MAX_REPORTS)])
    assert len(response.json()["accepted"]) == MAX_REPORTS


async def test_only_by_post(client: httpx.AsyncClient, cloud: Cloud) -> None:
    response = await client.get("/reports", headers=cloud.headers())
    assert (response.status_code, response.json()["code"]) == (405, "method-not-allowed")


async def test_a_connection_that_breaks_amid_the_body(application: GatewayApplication, cloud: Cloud) -> None:
    """Nothing of it is stored; whoever is still there is told."""
    await application.gateway.tables.refresh()
    incoming = [{"type": "http.request", "body": b'{"reports"', "more_body": True}, {"type": "http.disconnect"}]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return incoming.pop(0)

    async def answer(message: dict[str, Any]) -> None:
        sent.append(message)

    headers = [(name.lower().encode(), value.encode()) for name, value in cloud.headers().items()]
    scope = {"type": "http", "method": "POST", "path": "/walle/v1/reports", "headers": headers}
    await application(scope, receive, answer)
    assert sent[0]["status"] == 400
    assert json.loads(sent[1]["body"])["code"] == "body-incomplete"
    assert not cloud.reports


async def test_a_gateway_says_again_and_again_that_it_can_store_reports(cloud: Cloud, monkeypatch) -> None:
    monkeypatch.setattr(buffer, "PRESENCE_EVERY_S", 0.01)
    signing = asyncio.create_task(buffer.record_presence_for_ever(cloud))
    await eventually(lambda: cloud.presences > 2)
    cloud.down = True
    await asyncio.sleep(0.05)
    before, cloud.down = cloud.presences, False
    await eventually(lambda: cloud.presences > before)
    signing.cancel()
