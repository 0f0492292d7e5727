"""What a gateway counts of what passes through it."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from tests.gateway.serving import eventually, serving
from tests.gateway.simulator import APP_KEY, GATEWAY_KEY, Clock, Cloud
from tests.release.tables import entry
from tests.support.waiting import ANSWER_S
from tests.vectors.reports import FULL
from walle.artifacts import LocalStore
from walle.gateway.application import Gateway, GatewayApplication
from walle.gateway.counts import OTHER, Histogram
from walle.protocol.headers import short_digest

TASK = "camera/digits"


async def check_in(client: httpx.AsyncClient, headers: dict[str, str]) -> int:
    return (await client.post("/checkin", headers=headers)).status_code


async def report(client: httpx.AsyncClient, cloud: Cloud, *values: object) -> httpx.Response:
    return await client.post("/reports", content=json.dumps({"reports": values}), headers=cloud.headers())


def report_of(**changes: object) -> dict[str, object]:
    return FULL | {"id": str(uuid4()), "offer_token": None, "task": TASK} | changes


async def test_check_ins_by_what_came_of_them(client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway) -> None:
    counts, has = gateway.counts, {TASK: short_digest(entry().manifest)}
    for _ in range(3):
        await check_in(client, cloud.headers(profile=has))
    await check_in(client, cloud.headers("device-2"))
    assert await check_in(client, {"walle-app": "shop"}) == 400
    unknown = {name: value.replace("shop", "none") for name, value in cloud.headers().items()}
    assert await check_in(client, unknown) == 400
    assert (gateway.buffer.added, counts.offered) == (4, 1)
    assert counts.offers == {("shop", TASK): 1}
    assert sum(number for (endpoint, _), number in counts.refusals.items() if endpoint == "checkin") == 2
    assert counts.refusals["checkin", "app-unknown"] == 1


async def test_check_ins_are_counted_as_flushed_or_as_lost(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway, clock: Clock
) -> None:
    counts = gateway.counts
    await check_in(client, cloud.headers())
    await eventually(lambda: counts.flushed == {"shop": 1})
    assert sum(counts.flush_s.counts) == 1
    cloud.down = True
    await check_in(client, cloud.headers())
    await eventually(lambda: counts.lost == {"unavailable": 1})
    cloud.down, cloud.failure = False, RuntimeError("a bug")
    await check_in(client, cloud.headers())
    await eventually(lambda: counts.lost == {"unavailable": 1, "refused": 1})
    assert gateway.buffer.added == 3
    clock.advance(7)
    await eventually(lambda: counts.clock() - counts.flushed_at == 0)


async def test_draws_are_counted_once_each(client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway) -> None:
    cloud.entries[:] = [entry(observed=True)]
    cloud.publish()
    await eventually(lambda: gateway.tables.state is cloud.state)
    for _ in range(3):
        await check_in(client, cloud.headers())
    assert gateway.counts.exposures == {("shop", "treatment"): 1}


async def test_reports_by_what_became_of_them_and_by_what_they_say(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    counts = gateway.counts
    await report(client, cloud, report_of(kind="run", outcome="success"), report_of(kind="boot"))
    await report(
        client, cloud, *[report_of(task=f"none/such-{number}", kind="run", outcome="failure") for number in range(9)]
    )
    cloud.down = True
    assert (await report(client, cloud, report_of())).status_code == 503
    assert counts.reports == {("shop", "acknowledged"): 10, ("shop", "rejected"): 1, ("shop", "unavailable"): 1}
    assert counts.outcomes == {("shop", TASK, "run", "success"): 1, ("shop", OTHER, "run", "failure"): 9}
    assert counts.refusals["reports", "unavailable"] == 1
    assert counts.requests == {("reports", 200): 2, ("reports", 503): 1}


async def test_enrolments_by_the_way_they_were_proved(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    await client.post("/enrol", json={"app": "shop", "key": APP_KEY})
    await client.post("/enrol", json={"app": "shop", "statement": cloud.statement("device-7", {})})
    await client.post("/enrol", json={"app": "shop", "key": "wrong"})
    assert gateway.counts.enrolments == {("shop", "key"): 1, ("shop", "statement"): 1}
    assert gateway.counts.refusals == {("enrol", "app-key-refused"): 1}


@pytest.mark.parametrize("size", [10, 1_000_000])
async def test_bytes_of_artifacts(client: httpx.AsyncClient, gateway: Gateway, tmp_path: Path, size: int) -> None:
    digest = LocalStore(tmp_path / "artifacts").put(bytes(size)).digest
    for headers in ({}, {"range": "bytes=0-4"}):
        assert (await client.get(f"/artifacts/{digest}", headers=headers)).status_code in (200, 206)
    assert gateway.counts.sent_bytes["artifacts"] == size + 5
    assert gateway.counts.requests == {("artifacts", 200): 1, ("artifacts", 206): 1}
    assert sum(gateway.counts.request_s["artifacts"].counts) == 2


async def test_bytes_of_files_that_the_server_sends_by_itself(
    application: GatewayApplication, gateway: Gateway, tmp_path: Path
) -> None:
    digest = LocalStore(tmp_path / "artifacts").put(bytes(3_000_000)).digest
    async with (
        serving(application, http="walle.gateway.uvicorn_protocol:CheckInProtocol") as address,
        httpx.AsyncClient(base_url=address, timeout=ANSWER_S) as client,
    ):
        for headers in ({}, {"range": "bytes=1000000-"}):
            await client.get(f"/walle/v1/artifacts/{digest}", headers=headers)
    assert gateway.counts.sent_bytes["artifacts"] == 5_000_000


async def test_names_that_others_choose_do_not_become_ours(client: httpx.AsyncClient, gateway: Gateway) -> None:
    for number in range(20):
        await client.get(f"/made-up-{number}/x")
    assert gateway.counts.requests == {(OTHER, 404): 20}
    assert gateway.counts.refusals == {(OTHER, "not-found"): 20}


async def test_what_other_gateways_leave_is_counted_apart(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    item = {"device": "device-1", "report": report_of(kind="run", outcome="success")}
    key = {"authorization": f"Bearer {GATEWAY_KEY}"}
    answer = await client.post("/relay/shop/reports", json={"reports": [item]}, headers=key)
    assert answer.status_code == 200
    assert gateway.counts.relayed == {("shop", "reports"): 1}
    assert gateway.counts.outcomes == {("shop", TASK, "run", "success"): 1}
    assert not gateway.counts.reports


async def test_a_failure_of_ours_is_answered_counted_and_logged_with_app_and_device(
    client: httpx.AsyncClient,
    cloud: Cloud,
    gateway: Gateway,
    application: GatewayApplication,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("a bug")

    monkeypatch.setattr(gateway.check_ins, "_answer", broken)
    cloud.failure = RuntimeError("a bug")
    with caplog.at_level(logging.ERROR):
        assert await check_in(client, cloud.headers()) == 500
        assert (await report(client, cloud, report_of())).json()["code"] == "internal-error"
    assert gateway.counts.refusals["checkin", "internal-error"] == 1
    assert gateway.counts.refusals["reports", "internal-error"] == 1
    found = [(record.app, record.device) for record in caplog.records if record.levelno == logging.ERROR]  # type: ignore[attr-defined]
    assert found == [("shop", "device-1")] * 2
    assert cloud.credential() not in caplog.text


async def test_some_check_ins_are_measured(client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway) -> None:
    for _ in range(3):
        gateway.check_ins.measure_next()
        await check_in(client, cloud.headers())
        await check_in(client, cloud.headers())
    await eventually(lambda: sum(gateway.counts.loop_delay_s.counts) > 1)
    assert 3 <= sum(gateway.counts.answer_s.counts) <= 6


def test_a_value_counts_below_the_next_bound() -> None:
    histogram = Histogram((1.0, 2.0))
    for value in (0.5, 1.0, 1.5, 3.0):
        histogram.observe(value)
    assert (histogram.counts, histogram.sum) == ([2, 1, 1], 6.0)
