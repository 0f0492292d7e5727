"""Requests for predictions over HTTP: what is answered, and what is refused with which words."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import httpx
import pytest

from tests.whitebox.serving.simulator import ADDRESS, BANK_TOKEN, Site
from walle.whitebox.serving.application import ServingApplication, ServingLimits
from walle.whitebox.serving.bodies import BodyLimits
from walle.whitebox.serving.json_steps import STEP
from walle.whitebox.serving.problems import PredictionRefused
from walle.whitebox.serving.requests import RequestLimits

GOOD = {"text": "x" * 75}
BAD = {"text": "x" * 25}


async def test_one_record_is_answered_by_the_released_version(site: Site) -> None:
    async with site.serving() as client:
        answer = await client.post(ADDRESS, json={"record": GOOD, "caller": "user-1"})
    assert answer.status_code == 200
    released = site.cloud.entries[0]
    assert answer.json() == {
        "version": "1.0.0",
        "manifest": released.manifest,
        "classes": ["bad", "good"],
        "prediction": {"label": "good", "probabilities": [0.25, 0.75]},
    }
    assert answer.headers["cache-control"] == "no-store"


async def test_a_batch_is_answered_in_order(site: Site) -> None:
    async with site.serving() as client:
        answer = await client.post(ADDRESS, json={"records": [GOOD, BAD, GOOD], "caller": "user-1"})
    assert [each["label"] for each in answer.json()["predictions"]] == ["good", "bad", "good"]
    assert answer.json()["problems"] == []


async def test_one_bad_record_does_not_lose_the_others(site: Site) -> None:
    records = [GOOD, {"text": 5}, BAD, "no object"]
    async with site.serving() as client:
        answer = await client.post(ADDRESS, json={"records": records, "caller": "user-1"})
    assert answer.status_code == 200
    assert [each and each["label"] for each in answer.json()["predictions"]] == ["good", None, "bad", None]
    assert answer.json()["problems"] == [
        {"record": 1, "field": "text", "expected": "a text"},
        {"record": 3, "field": "text", "expected": "a text"},
    ]


@pytest.mark.parametrize("body", [{"record": {"text": 5}}, {"records": [{"text": None}, {}]}])
async def test_a_request_without_one_good_record_says_what_was_expected(site: Site, body: dict[str, Any]) -> None:
    async with site.serving() as client:
        answer = await client.post(ADDRESS, json={**body, "caller": "user-1"})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["walle-error"] == "record-refused"
    assert answer.json()["records"][0] == {"record": 0, "field": "text", "expected": "a text"}
    assert answer.json()["detail"] == "record 0, field 'text': expected a text"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 400, "body-malformed"),
        (b"{", 400, "body-malformed"),
        (b"[" * 100_000, 400, "body-malformed"),
        (b'{"record": {"text": "' + b"\xff" + b'"}, "caller": "u"}', 400, "body-malformed"),
        (b'{"record": {"x": NaN}, "caller": "u"}', 400, "body-malformed"),
        (b'{"record": {"x": -Infinity}, "caller": "u"}', 400, "body-malformed"),
        (b"[]", 422, "body-malformed"),
        (b"{}", 422, "body-malformed"),
        (b'{"record": {}, "records": [], "caller": "u"}', 422, "body-malformed"),
        (b'{"record": {}, "caller": "u", "model": 1}', 422, "body-malformed"),
        (b'{"records": {}, "caller": "u"}', 422, "body-malformed"),
        (b'{"records": [], "caller": "u"}', 422, "batch-empty"),
        (b'{"record": {"text": "x"}}', 422, "caller-missing"),
        (b'{"record": {"text": "x"}, "caller": 7}', 422, "caller-missing"),
        (b'{"record": {"text": "x"}, "caller": "a b"}', 422, "caller-missing"),
        (b'{"record": {"text": "x"}, "caller": "u", "facts": []}', 422, "facts-malformed"),
        (b'{"record": {"text": "x"}, "caller": "u", "facts": {"a": {}}}', 422, "facts-malformed"),
    ],
)
async def test_a_body_of_another_form_is_refused(site: Site, body: bytes, status: int, code: str) -> None:
    async with site.serving() as client:
        answer = await client.post(ADDRESS, content=body)
    assert (answer.status_code, answer.headers["walle-error"]) == (status, code)
    assert "expected" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("limits", "body"),
    [
        ({"request": RequestLimits(records=2)}, {"records": [GOOD] * 3}),
        ({"request": RequestLimits(record_bytes=50)}, {"records": [BAD, GOOD]}),
        ({"request": RequestLimits(values=20)}, {"records": [{"text": [1] * 30}]}),
        ({"body": BodyLimits(body=100)}, {"records": [GOOD] * 3}),
    ],
)
async def test_what_is_too_large_is_413(site: Site, limits: dict[str, Any], body: dict[str, Any]) -> None:
    site.limits = ServingLimits(**limits)
    async with site.serving() as client:
        answer = await client.post(ADDRESS, json={**body, "caller": "user-1"})
    assert answer.status_code == 413
    assert "expected at most" in answer.json()["detail"]


async def test_a_body_is_refused_before_all_of_it_came(site: Site) -> None:
    site.limits = ServingLimits(body=BodyLimits(body=1000))
    came = 0

    async def endless() -> Any:
        nonlocal came
        while True:
            came += 1
            yield b"x" * 100

    async with site.serving() as client:
        answer = await client.post(ADDRESS, content=endless())
    assert answer.status_code == 413
    assert came < 20


async def test_a_body_that_comes_too_slowly_is_refused(site: Site) -> None:
    site.limits = ServingLimits(body=BodyLimits(seconds=0.01))
    async with site.serving():
        assert site.process is not None
        application = ServingApplication(site.process, site.limits)
        sent: list[dict[str, Any]] = []
        parts = iter([{"type": "http.request", "body": b"{", "more_body": True}])

        async def receive() -> dict[str, Any]:

            return next(parts, None) or await asyncio.Event().wait()  # type: ignore[return-value]

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        from tests.whitebox.serving.simulator import TOKEN

        headers = [(b"authorization", f"Bearer {TOKEN}".encode())]
        scope = {"type": "http", "method": "POST", "path": ADDRESS, "headers": headers}
        await application(scope, receive, send)
    assert sent[0]["status"] == 408


async def test_all_bodies_together_are_bounded(site: Site) -> None:
    site.limits = ServingLimits(body=BodyLimits(together=10))
    async with site.serving() as client:
        answer = await client.post(ADDRESS, json={"record": GOOD, "caller": "user-1"})
        small = await client.post(ADDRESS, content=b"{")
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "1"
    assert small.status_code == 400, "a body that was answered counts no longer"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/predict/v1/shop/reviews/other", "plan-unknown"),
        ("/predict/v1/shop/camera/digits", "plan-unknown"),
        ("/predict/v1/shop/reviews", "not-found"),
        ("/predict/v1/shop/reviews/mood/x", "not-found"),
        ("/predict/v1/shop/../reviews/mood", "not-found"),
        ("/predict/v2/shop/reviews/mood", "not-found"),
        ("/", "not-found"),
    ],
)
async def test_an_unknown_plan_is_404(site: Site, path: str, code: str) -> None:
    async with site.serving() as client:
        answer = await client.post(path, json={"record": GOOD, "caller": "user-1"})
    assert (answer.status_code, answer.headers["walle-error"]) == (404, code)


async def test_only_what_is_known_is_accepted(site: Site) -> None:
    async with site.serving() as client:
        assert (await client.get(ADDRESS)).status_code == 405
        answer = await client.post(ADDRESS, content=b"text", headers={"content-type": "text/csv"})
    assert answer.status_code == 415
    assert "application/json" in answer.json()["detail"]


async def test_a_sender_without_proof_learns_nothing(site: Site) -> None:
    async with site.serving() as client:
        nobody = await client.post(ADDRESS, headers={"authorization": ""})
        unknown = await client.post("/predict/v1/nowhere/a/b", headers={"authorization": ""})
        other = await client.post(ADDRESS, headers={"authorization": f"Bearer {BANK_TOKEN}"})
        wrong = await client.post(ADDRESS, headers={"authorization": "Bearer wl_00000009_" + "c" * 64})
        malformed = await client.post(ADDRESS, headers={"authorization": "Basic abc"})
    codes = [each.status_code for each in (nobody, unknown, other, wrong, malformed)]
    assert codes == [401, 401, 403, 401, 401]
    assert nobody.headers["www-authenticate"].startswith("Bearer")


async def test_a_device_asks_by_its_credential_for_itself(site: Site) -> None:
    headers = {"authorization": "", **site.cloud.headers("device-7")}
    async with site.serving() as client:
        own = await client.post(ADDRESS, json={"record": GOOD}, headers=headers)
        other = await client.post(ADDRESS, json={"record": GOOD, "caller": "user-1"}, headers=headers)
        forged = {**headers, "walle-device": headers["Walle-Device"].replace("device-7", "device-8")}
        stolen = await client.post(ADDRESS, json={"record": GOOD}, headers=forged)
        site.cloud.revoked.add("device-7")
        site.cloud.refresh()
        await site.settled()
        revoked = await client.post(ADDRESS, json={"record": GOOD}, headers=headers)
    assert [each.status_code for each in (own, other, stolen, revoked)] == [200, 403, 401, 401]


async def test_a_sender_has_a_pace(site: Site) -> None:
    site.limits = replace(site.limits, records_a_second=1.0)
    async with site.serving() as client:
        first = await client.post(ADDRESS, json={"records": [GOOD] * 10, "caller": "user-1"})
        second = await client.post(ADDRESS, json={"record": GOOD, "caller": "user-2"})
        device = {"authorization": "", **site.cloud.headers()}
        other = await client.post(ADDRESS, json={"record": GOOD}, headers=device)
        site.clock.advance(float(second.headers["retry-after"]))
        later = await client.post(ADDRESS, json={"record": GOOD, "caller": "user-2"})
    assert [each.status_code for each in (first, second, other, later)] == [200, 429, 200, 200]


async def test_a_failure_is_a_500_without_its_reason(site: Site) -> None:
    async with site.serving() as client:
        await site.settled()
        site.engine.broken[site.cloud.entries[0].manifest] = RuntimeError("secret")
        answer = await client.post(ADDRESS, json={"record": GOOD, "caller": "user-1"})
    assert answer.status_code == 500
    assert "secret" not in answer.text


async def test_an_overloaded_engine_is_passed_on(site: Site) -> None:
    async with site.serving() as client:
        await site.settled()
        busy = PredictionRefused(503, "overloaded", "the queue is full", retry_after=1.2)
        site.engine.broken[site.cloud.entries[0].manifest] = busy
        answer = await client.post(ADDRESS, json={"record": GOOD, "caller": "user-1"})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")


async def test_health_and_readiness(site: Site) -> None:
    site.cloud.down = True
    async with site.serving() as client:
        health, before = await client.get("/healthz"), await client.get("/readyz")
        site.cloud.down = False
        await site.settled()
        after = await client.get("/readyz")
        site.clock.advance(60)
        site.cloud.down = True
        away = await client.get("/readyz")
    assert (health.status_code, health.text) == (200, "alive\n")
    assert (before.status_code, before.json()["checks"]["tables"]["ok"]) == (503, False)
    assert (after.status_code, after.json()["impaired"]) == (200, False)
    assert (away.status_code, away.json()["impaired"]) == (200, True)
    assert "control_plane" in away.json()["checks"]


async def test_answers_of_a_version_are_counted_and_told(site: Site) -> None:
    async with site.serving() as client:
        await client.post(ADDRESS, json={"records": [GOOD, {"text": 1}], "caller": "user-1"})
        await client.post(ADDRESS, json={"record": GOOD, "caller": "user-2"})
        assert site.process is not None
        assert site.process.counts.records[("shop", "reviews/mood", "1.0.0"), "answered"] == 2
    figures = [each for told in site.ports.told for each in told.figures]
    assert sum(each.records for each in figures) == 3
    assert sum(each.refused for each in figures) == 1
    assert sum(map(sum, (each.scores for each in figures))) == 2


def test_json_answers_are_json() -> None:
    from walle.whitebox.serving.answers import write_one
    from walle.whitebox.serving.engine import LoadedPlan, RecordAnswer

    plan = LoadedPlan("0" * 64, "a/b", "1.0.0", (), ("x",))
    body = write_one(plan, RecordAnswer(None, None, float("nan"), [1.0, float("inf")]))
    assert json.loads(body)["prediction"] == {"value": None, "decision": [1.0, None]}


async def test_paths_and_headers_of_strangers_never_fail(site: Site) -> None:
    async with site.serving() as client:
        for path in ("//", "/predict/v1///", "/predict/v1/shop/%00/%ff", "/predict/v1/a/b/c?x=%"):
            answer: httpx.Response = await client.post(path, headers={"walle-caller": "é".encode()})
            assert answer.status_code in (403, 404)


async def test_others_have_their_turns_while_a_large_body_is_read(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    records = [{"text": "x" * 500}] * 2000
    content = json.dumps({"records": records, "caller": "user-1"}).encode()
    predict, turns = site.engine.predict_batch, dict.fromkeys(("taken", "sent", "read"), 0)

    async def others() -> None:
        while True:
            turns["taken"] += 1
            await asyncio.sleep(0)

    async def body() -> AsyncIterator[bytes]:
        turns["sent"] = turns["taken"]
        yield content

    async def noting(plan: str, found: Sequence[Any]) -> Any:
        turns["read"] = turns["taken"]
        return await predict(plan, found)

    monkeypatch.setattr(site.engine, "predict_batch", noting)
    async with site.serving() as client:
        waiting = asyncio.create_task(others())
        answer = await client.post(ADDRESS, content=body())
        waiting.cancel()
    assert answer.status_code == 200
    assert len(answer.json()["predictions"]) == len(records)
    assert turns["read"] - turns["sent"] >= len(content) // (STEP + 1000)
