"""Enrolment over HTTP, both ways and again."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tests.gateway.serving import eventually
from tests.gateway.simulator import APP_KEY, BANK_APP_KEY, Clock, Cloud
from tests.vectors import keys
from tests.vectors.keys import NOW
from walle.gateway.application import MAX_ENROLMENT, Gateway
from walle.gateway.enrolment import CREDENTIAL_S, new_device_id
from walle.protocol.names import DEVICE_ID_PATTERN
from walle.protocol.signing import sign


async def enrol(client: httpx.AsyncClient, **body: Any) -> dict[str, Any]:
    response = await client.post("/enrol", content=json.dumps({"app": "shop", **body}))
    assert response.status_code == 200, response.text
    assert response.headers["cache-control"] == "no-store"
    answer: dict[str, Any] = response.json()
    return answer


async def refused(client: httpx.AsyncClient, **body: Any) -> tuple[int, str]:
    response = await client.post("/enrol", content=json.dumps({"app": "shop", **body}))
    assert response.headers["walle-error"] == response.json()["code"]
    return response.status_code, response.json()["code"]


async def test_with_the_apps_key_the_server_chooses_the_id(client: httpx.AsyncClient, cloud: Cloud) -> None:
    first, second = [await enrol(client, key=APP_KEY) for _ in range(2)]
    assert first["device"] != second["device"]
    assert DEVICE_ID_PATTERN.fullmatch(first["device"])
    assert first["expires"] == NOW + CREDENTIAL_S
    assert first["interval"] == 60
    assert cloud.keyring.read_credential(first["credential"], first["device"], NOW) is None


async def test_what_it_gives_checks_in(client: httpx.AsyncClient) -> None:
    answer = await enrol(client, key=APP_KEY)
    headers = {"walle-device": f'"{answer["device"]}";c="{answer["credential"]}"', "walle-app": '"shop";v="1.0.0"'}
    response = await client.get("/checkin", headers=headers)
    assert response.status_code == 204
    assert "walle-offers" in response.headers


async def test_a_device_cannot_choose_the_id_of_another(client: httpx.AsyncClient, cloud: Cloud) -> None:
    for credential in (None, "", "k1.1..0", cloud.credential("device-2"), 7, ["x"]):
        answer = await enrol(client, key=APP_KEY, device="device-1", credential=credential)
        assert answer["device"] != "device-1"


@pytest.mark.parametrize("device", ["", "a b", "é", "\ud800", 7, None, ["device-1"], "x" * 65])
async def test_an_odd_device_id_is_not_taken(client: httpx.AsyncClient, cloud: Cloud, device: object) -> None:
    answer = await enrol(client, key=APP_KEY, device=device, credential=cloud.credential())
    assert DEVICE_ID_PATTERN.fullmatch(answer["device"])
    assert answer["device"] != device


async def test_again_keeps_the_id_even_after_the_key_is_retired_and_the_time_over(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway, clock: Clock
) -> None:
    former = await enrol(client, key=APP_KEY)
    for _ in range(3):
        cloud.rotate_device_key()
    await eventually(lambda: gateway.tables.state is cloud.state)
    clock.now += 10 * CREDENTIAL_S
    answer = await enrol(client, key=APP_KEY, device=former["device"], credential=former["credential"])
    assert answer["device"] == former["device"]
    assert answer["credential"].startswith("k4.")
    assert cloud.keyring.read_credential(answer["credential"], answer["device"], clock.now) is None


async def test_with_a_statement_the_backend_names_device_and_facts(client: httpx.AsyncClient, cloud: Cloud) -> None:
    facts = {"age_band": "18-29", "vip": True, "score": 0.5}
    answer = await enrol(client, statement=cloud.statement("user-7", facts))
    assert answer["device"] == "user-7"
    assert cloud.keyring.read_credential(answer["credential"], "user-7", NOW) == facts


async def test_a_statement_vouches_also_without_facts(client: httpx.AsyncClient, cloud: Cloud) -> None:
    answer = await enrol(client, statement=cloud.statement("user-7", {}))
    assert cloud.keyring.read_credential(answer["credential"], "user-7", NOW) == {}


async def test_a_statement_goes_before_a_key_and_again_brings_new_facts(
    client: httpx.AsyncClient, cloud: Cloud
) -> None:
    first = await enrol(client, statement=cloud.statement("user-7", {"age_band": "18-29"}))
    again = await enrol(
        client,
        key=APP_KEY,
        device="user-7",
        credential=first["credential"],
        statement=cloud.statement("user-7", {"age_band": "30-49"}),
    )
    assert again["device"] == "user-7"
    assert cloud.keyring.read_credential(again["credential"], "user-7", NOW) == {"age_band": "30-49"}


async def test_an_id_that_begins_with_a_dash_is_kept_by_whoever_has_it(client: httpx.AsyncClient, cloud: Cloud) -> None:
    statement = cloud.statement("-user-7", {"vip": True})
    stranger = {"device": "user-8", "credential": cloud.credential("user-8")}
    forged = {"device": "-user-7", "credential": cloud.credential("user-8")}
    for shown in ({}, stranger, forged):
        assert await refused(client, statement=statement, **shown) == (400, "document-malformed")
    again = await enrol(client, statement=statement, device="-user-7", credential=cloud.credential("-user-7"))
    assert again["device"] == "-user-7"


async def test_with_the_apps_key_only_nobody_vouches_any_more(client: httpx.AsyncClient, cloud: Cloud) -> None:
    first = await enrol(client, statement=cloud.statement("user-7", {"age_band": "18-29"}))
    again = await enrol(client, key=APP_KEY, device="user-7", credential=first["credential"])
    assert again["device"] == "user-7"
    assert cloud.keyring.read_credential(again["credential"], "user-7", NOW) is None


@pytest.mark.parametrize("key", [None, "", "wa_wrong", BANK_APP_KEY, 7, [], {"a": 1}, "\ud800", "é" * 100])
async def test_a_wrong_key(client: httpx.AsyncClient, key: object) -> None:
    assert await refused(client, key=key) == (403, "app-key-refused")


async def test_refused_statements(client: httpx.AsyncClient, cloud: Cloud) -> None:
    statement = cloud.statement
    cases: list[tuple[Any, int, str]] = [
        (statement("user-7", {}, app="bank"), 403, "mixed"),
        (statement("user-7", {}, expires=NOW - 1), 403, "expired"),
        (statement("user 7", {}), 400, "document-malformed"),
        (statement("", {}), 400, "document-malformed"),
        (statement("-user-7", {}), 400, "document-malformed"),
        (statement("user-7", {"a": None}), 403, "document-malformed"),
        (statement("user-7", {"a": float("nan")}), 403, "document-malformed"),
        (statement("user-7", {"a": "\0"}), 403, "document-malformed"),
        (statement("user-7", {"a": "\ud800"}), 403, "document-malformed"),
        (statement("user-7", {"a": "x" * 2000}), 403, "document-malformed"),
        (statement("user-7", {}, format=2), 403, "document-malformed"),
        (statement("user-7", {}, expires="never"), 403, "document-malformed"),
        (statement("user-7", {}) | {"signatures": []}, 403, "unsigned"),
        (statement("user-7", {}) | {"payload": "e30="}, 403, "wrong-signature"),
        ("not an object", 403, "unsigned"),
        ({}, 403, "unsigned"),
        ([], 403, "unsigned"),
        (7, 403, "unsigned"),
        (False, 403, "unsigned"),
    ]
    for sent, status, code in cases:
        assert await refused(client, statement=sent, key=APP_KEY) == (status, code), sent


async def test_a_statement_by_a_key_that_is_not_registered(client: httpx.AsyncClient, cloud: Cloud) -> None:
    document = {"type": "walle-facts", "format": 1, "app": "shop", "device": "d", "facts": {}, "expires": NOW + 1}
    foreign = json.loads(sign("facts", document, [keys.signer("targets-1")]))
    assert await refused(client, statement=foreign) == (403, "wrong-signature")


async def test_the_last_second_of_a_statement(client: httpx.AsyncClient, cloud: Cloud, clock: Clock) -> None:
    statement = cloud.statement("user-7", {})
    clock.now = NOW + 600
    assert (await enrol(client, statement=statement))["device"] == "user-7"
    clock.now += 0.5
    assert await refused(client, statement=statement) == (403, "expired")


async def test_a_revoked_device_cannot_enrol_under_its_id(
    client: httpx.AsyncClient, cloud: Cloud, gateway: Gateway
) -> None:
    cloud.revoked |= {"device-1", "user-7"}
    cloud.refresh()
    await eventually(lambda: gateway.tables.state is cloud.state)
    again = {"key": APP_KEY, "device": "device-1", "credential": cloud.credential()}
    assert await refused(client, **again) == (403, "device-revoked")
    assert await refused(client, statement=cloud.statement("user-7", {})) == (403, "device-revoked")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "body-malformed"),
        (b"[]", "body-malformed"),
        (b'"shop"', "body-malformed"),
        (b"{}", "body-malformed"),
        (b'{"app": 7}', "body-malformed"),
        (b"\xff", "body-malformed"),
        (b"[" * 60_000, "body-malformed"),
        (b'{"app": "library"}', "app-unknown"),
        (b'{"app": "' + b"x" * 60_000 + b'"}', "app-unknown"),
        (b'{"app": "\\ud800"}', "app-unknown"),
    ],
    ids=lambda value: str(value)[:30],
)
async def test_other_bodies(client: httpx.AsyncClient, body: bytes, code: str) -> None:
    response = await client.post("/enrol", content=body)
    assert (response.status_code, response.json()["code"]) == (400, code)
    assert len(response.content) < 1000


async def test_only_by_post(client: httpx.AsyncClient) -> None:
    response = await client.get("/enrol")
    assert (response.status_code, response.json()["code"]) == (405, "method-not-allowed")


async def test_a_body_beyond_the_limit(client: httpx.AsyncClient) -> None:
    """Anybody may send one, and it is parsed between two check-ins."""
    body = json.dumps({"app": "shop", "key": APP_KEY}).encode()
    assert (await client.post("/enrol", content=body.ljust(MAX_ENROLMENT))).status_code == 200
    response = await client.post("/enrol", content=body.ljust(MAX_ENROLMENT + 1))
    assert (response.status_code, response.json()["code"]) == (413, "body-too-large")


def test_the_id_of_a_new_device_is_no_option_of_a_command():
    tokens = iter(["-a", "--", "b-"])
    asked = []
    assert new_device_id(lambda size: (asked.append(size), next(tokens))[1]) == "b-"
    assert asked == [16, 16, 16]
