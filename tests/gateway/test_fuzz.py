"""Whatever bytes arrive, a gateway answers with a code of its own: 2xx or 4xx, never 500, and goes on."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.gateway.serving import raw_request
from tests.gateway.simulator import APP_KEY, Clock, Cloud, make_application, make_gateway
from tests.protocol.strategies import json_values
from tests.vectors.reports import FULL
from walle.gateway.application import GatewayApplication

CODES = {
    "header-malformed",
    "app-unknown",
    "app-key-refused",
    "body-malformed",
    "credential-invalid",
    "credential-expired",
    "credential-key-retired",
    "device-revoked",
    "document-malformed",
    "wrong-signature",
    "unsigned",
    "not-found",
    "root-unknown",
    "method-not-allowed",
    "variant-missing",
    "artifact-missing",
    "digest-malformed",
    "gateway-key-refused",
}
fuzzed = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


class Caller:
    """Calls the application as a server would, without one: quick enough for many examples."""

    def __init__(self, application: GatewayApplication) -> None:
        self.application = application
        self.loop = asyncio.get_event_loop_policy().new_event_loop()

    def __call__(
        self, method: str, path: str, headers: dict[str, bytes] | None = None, body: bytes = b""
    ) -> tuple[int, Any]:
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        raw = [(name.lower().encode(), value) for name, value in (headers or {}).items()]
        scope = {"type": "http", "method": method, "path": path, "headers": raw, "extensions": {}}
        self.loop.run_until_complete(self.application(scope, receive, send))
        content = b"".join(message.get("body", b"") for message in sent[1:])
        status = sent[0]["status"]
        if status >= 400:
            assert json.loads(content)["code"] in CODES, content
        return status, content


@pytest.fixture
def cloud() -> Cloud:
    return Cloud()


@pytest.fixture
def call(cloud: Cloud, tmp_path: Any) -> Any:
    caller = Caller(make_application(make_gateway(cloud, Clock()), cloud, tmp_path))
    caller.loop.run_until_complete(caller.application.gateway.tables.refresh())
    yield caller
    caller.loop.close()


lines = st.one_of(st.binary(max_size=120), st.text('"shop;v=1,?():@%é', max_size=40).map(str.encode))


@fuzzed
@given(device=lines, app=lines, profile=lines, whole=st.sets(st.sampled_from(["Walle-Device", "Walle-App"])))
@example(device=b'"device-1";c="k1.1..0";n=999999999999999', app=b'"shop";v="1"', profile=b"", whole=set())
@example(device=b"", app=b'"shop";v="1";x=%"%00"', profile=b"", whole={"Walle-Device"})
@example(device=b"", app=b'"shop";v="1";region=99;x=-1.5', profile=b"a/b;d=:AAAAAAAAAAAAAAAA:", whole={"Walle-Device"})
def test_headers(call: Caller, cloud: Cloud, device: bytes, app: bytes, profile: bytes, whole: set[str]) -> None:
    """`whole` headers are left as they should be, so that the others are looked at too."""
    good = {name: value.encode() for name, value in cloud.headers().items()}
    sent = {"Walle-Device": device, "Walle-App": app, "Walle-Profile": profile}
    sent |= {name: good[name] for name in whole}
    for path in ("/walle/v1/checkin", "/walle/v1/reports"):
        status, _ = call("POST", path, sent, b'{"reports": []}')
        assert status in (200, 204, 400, 401)
    assert call("GET", "/walle/v1/checkin", good)[0] == 204


bodies = st.one_of(st.binary(max_size=60), json_values.map(lambda value: json.dumps(value).encode()))


@fuzzed
@given(body=bodies)
def test_bodies(call: Caller, cloud: Cloud, body: bytes) -> None:
    headers = {name: value.encode() for name, value in cloud.headers().items()}
    for path in ("/walle/v1/enrol", "/walle/v1/reports"):
        assert call("POST", path, headers, body)[0] in (200, 400)


@fuzzed
@given(
    request=st.fixed_dictionaries(
        {"app": st.sampled_from(["shop", "bank", "library"])},
        optional={
            "key": st.one_of(st.just(APP_KEY), json_values),
            "device": st.one_of(st.just("device-1"), json_values),
            "credential": json_values,
            "statement": json_values,
        },
    )
)
def test_enrolments(call: Caller, request: dict[str, Any]) -> None:
    assert call("POST", "/walle/v1/enrol", {}, json.dumps(request).encode())[0] in (200, 400, 403)


@fuzzed
@given(changes=st.dictionaries(st.sampled_from(sorted(FULL)), json_values, max_size=3))
def test_reports(call: Caller, cloud: Cloud, changes: dict[str, Any]) -> None:
    headers = {name: value.encode() for name, value in cloud.headers().items()}
    body = json.dumps({"reports": [FULL | changes, FULL]}).encode()
    status, content = call("POST", "/walle/v1/reports", headers, body)
    answer = json.loads(content)
    assert status == 200
    assert FULL["id"] in answer["accepted"]
    assert len(answer["accepted"]) + len(answer["rejected"]) == 2


@fuzzed
@given(path=st.text(st.characters(), max_size=30), first=st.sampled_from(["", "exclusive/", "roots/", "artifacts/"]))
@example(path="../../etc/passwd", first="artifacts/")
@example(path="k1.W1tbW1tbW1tb.0/prefs.json", first="exclusive/")
@example(path="shop/state", first="relay/")
@example(path="shop/reports", first="relay/")
def test_paths(call: Caller, path: str, first: str) -> None:
    for method in ("GET", "POST"):
        status, _ = call(method, f"/walle/v1/{first}{path}")
        assert status in (200, 204, 400, 401, 404, 405)


RAW: list[tuple[bytes, list[tuple[bytes, bytes]]]] = [
    (b"/walle/v1/checkin", [(b"walle-device", bytes(range(128, 256)))]),
    (b"/walle/v1/checkin", [(b"walle-device", b'"' * 7000), (b"walle-app", b"(" * 7000)]),
    (b"/walle/v1/checkin", [(b"walle-profile", b"a/b;d=:AAAAAAAAAAAAAAAA:")] * 300),
    (b"/walle/v1/checkin", [(b"walle-app", b"\t\x0b\x7f")]),
    (b"/walle/v1/exclusive/%00%ff/%0a", []),
    (b"/walle/v1/roots/%2e%2e%2f1.json", []),
    (b"/walle/v1/artifacts/%00", []),
    (b"/walle/v1/checkin?x=%ff", []),
    (b"/walle/v1/" + b"x" * 5000, []),
]


@pytest.mark.parametrize(("target", "headers"), RAW, ids=lambda value: str(value)[:30])
async def test_raw_bytes_over_http(address: str, target: bytes, headers: list[tuple[bytes, bytes]]) -> None:
    status, _, _ = await raw_request(address, target, headers)
    assert 400 <= status < 500
    assert (await raw_request(address, b"/walle/v1/roots/1.json", []))[0] == 200
