"""The check-in riding on a business service: what the service says arrives, whatever is wrong with the check-in."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.gateway.serving import eventually, raw_request, serving
from tests.gateway.simulator import Clock, Cloud, make_gateway
from tests.support.waiting import ANSWER_S
from walle.gateway.application import Gateway
from walle.gateway.middleware import CheckInMiddleware
from walle.protocol.headers import read_offers

Messages = list[dict[str, Any]]


class Business:
    """A small service: echoes the body in chunks, with headers of its own, and remembers its lifespan."""

    def __init__(self) -> None:
        self.lifespan: list[str] = []
        self.seen: list[list[tuple[bytes, bytes]]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            while True:
                message = await receive()
                self.lifespan.append(message["type"])
                await send({"type": f"{message['type']}.complete"})
                if message["type"] == "lifespan.shutdown":
                    return
        self.seen.append(scope["headers"])
        if scope["path"] == "/broken":
            raise RuntimeError("the business has a bug of its own")
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        headers = [(b"content-type", b"text/plain"), (b"x-price", b"42"), (b"vary", b"accept")]
        await send({"type": "http.response.start", "status": 201, "headers": headers})
        for chunk in (b"you said: ", body):
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


@contextlib.asynccontextmanager
async def asking(application: Any, lifespan: str = "on") -> AsyncIterator[httpx.AsyncClient]:
    async with (
        serving(application, lifespan) as address,
        httpx.AsyncClient(base_url=address, timeout=ANSWER_S, verify=False) as client,
    ):
        yield client


@pytest.fixture
def business() -> Business:
    return Business()


@pytest.fixture
async def address(business: Business, gateway: Gateway) -> AsyncIterator[str]:
    async with serving(CheckInMiddleware(business, gateway)) as address:
        yield address


@pytest.fixture
async def shop(address: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=address, timeout=ANSWER_S, verify=False) as client:
        yield client


def assert_business(response: httpx.Response, said: bytes = b"") -> None:
    assert (response.status_code, response.content) == (201, b"you said: " + said)
    assert response.headers["content-type"] == "text/plain"
    assert response.headers["x-price"] == "42"


async def test_the_answer_rides_on_the_business_response(shop: httpx.AsyncClient, cloud: Cloud) -> None:
    response = await shop.post("/buy", headers=cloud.headers(), content=b"a hat")
    assert_business(response, b"a hat")
    (offer,) = read_offers(response.headers["walle-offers"].encode())
    assert offer.task == "camera/digits"
    assert response.headers["walle-retry-after"] == "60"


async def test_no_cache_may_hand_it_to_another_device(shop: httpx.AsyncClient, cloud: Cloud) -> None:
    response = await shop.get("/", headers=cloud.headers())
    assert response.headers.get_list("vary") == ["accept", "walle-device"]


async def test_requests_without_a_check_in_are_left_alone(shop: httpx.AsyncClient) -> None:
    for headers in ({}, {"walle-app": '"shop";v="1"'}, {"walle-device": ""}):
        response = await shop.get("/", headers=headers)
        assert_business(response)
        assert response.headers.get_list("vary") == ["accept"]
        assert not [name for name in response.headers if name.startswith("walle")]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"Walle-Device": "?"}, "header-malformed"),
        ({"Walle-Device": "x" * 9000}, "header-malformed"),
        ({"Walle-App": ""}, "header-malformed"),
        ({"Walle-Profile": "(((("}, "header-malformed"),
        ({"Walle-App": '"library";v="1"'}, "app-unknown"),
        ({"Walle-App": '"bank";v="1"'}, "credential-invalid"),
        ({"Walle-Device": '"device-1";c="k9.1..0"'}, "credential-key-retired"),
    ],
)
async def test_a_refused_check_in_harms_nobody(
    shop: httpx.AsyncClient, cloud: Cloud, change: dict[str, str], code: str
) -> None:
    response = await shop.post("/buy", headers=cloud.headers() | change, content=b"a hat")
    assert_business(response, b"a hat")
    assert response.headers["walle-error"] == code
    assert "walle-offers" not in response.headers


async def test_lines_without_number_harm_nobody(address: str, cloud: Cloud) -> None:
    """The service's own server may take in any number of them."""
    lines = [(b"walle-device", b"x" * 95)] * 5000
    status, headers, body = await raw_request(address, b"/buy", lines)
    assert (status, headers["x-price"], headers["walle-error"]) == (201, "42", "headers-too-large")
    assert b"you said: " in body


async def test_bytes_that_are_no_text_harm_nobody(address: str, cloud: Cloud) -> None:
    for value in (bytes(range(128, 256)), b'"\\', b"\xff" * 5000):
        status, headers, body = await raw_request(address, b"/buy", [(b"walle-device", value), (b"walle-app", value)])
        assert (status, headers["x-price"], headers["walle-error"]) == (201, "42", "header-malformed")
        assert b"you said: " in body


async def test_a_bug_in_the_check_in_harms_nobody(
    shop: httpx.AsyncClient, cloud: Cloud, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("a bug")

    monkeypatch.setattr(gateway.check_ins, "_answer", broken)
    response = await shop.post("/buy", headers=cloud.headers(), content=b"a hat")
    assert_business(response, b"a hat")
    assert "walle-error" not in response.headers


async def test_while_cut_off_the_business_goes_on(shop: httpx.AsyncClient, cloud: Cloud, clock: Clock) -> None:
    cloud.down = True
    clock.monotonic += 100
    response = await shop.get("/", headers=cloud.headers())
    assert_business(response)
    assert "walle-offers" not in response.headers


async def test_a_bug_of_the_business_stays_its_own(shop: httpx.AsyncClient, cloud: Cloud) -> None:
    assert (await shop.get("/broken", headers=cloud.headers())).status_code == 500
    assert_business(await shop.get("/", headers=cloud.headers()))


async def test_the_service_sees_the_request_as_it_was(
    shop: httpx.AsyncClient, business: Business, cloud: Cloud
) -> None:
    await shop.get("/", headers=cloud.headers() | {"cookie": "a=b"})
    names = [name for name, _ in business.seen[0]]
    assert b"walle-device" in names
    assert b"cookie" in names


async def test_check_ins_are_noted(shop: httpx.AsyncClient, cloud: Cloud) -> None:
    await shop.get("/", headers=cloud.headers())
    await eventually(lambda: [record.device for record in cloud.check_ins] == ["device-1"])


async def test_both_live_and_end_together(cloud: Cloud, clock: Clock, business: Business) -> None:
    async with asking(CheckInMiddleware(business, make_gateway(cloud, clock))) as client:
        assert cloud.reads == 1
        await client.get("/", headers=cloud.headers())
    assert business.lifespan == ["lifespan.startup", "lifespan.shutdown"]
    assert len(cloud.check_ins) == 1
    assert cloud.closed == 3


# Applications without a lifespan, in the ways that there are.
async def refuses(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        raise ValueError("Django can only handle ASGI/HTTP connections, not lifespan.")
    await Business()(scope, receive, send)


async def refuses_late(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        await receive()
        raise ValueError("no")
    await Business()(scope, receive, send)


async def ignores(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] != "lifespan":
        await Business()(scope, receive, send)


@pytest.mark.parametrize("lifespan", ["on", "auto"])
@pytest.mark.parametrize("service", [refuses, refuses_late, ignores])
async def test_a_service_without_a_lifespan_still_gets_a_gateway(
    cloud: Cloud, clock: Clock, service: Any, lifespan: str
) -> None:
    gateway = make_gateway(cloud, clock)
    async with asking(CheckInMiddleware(service, gateway), lifespan) as client:
        response = await client.get("/", headers=cloud.headers())
        assert_business(response)
        assert "walle-offers" in response.headers
        cloud.publish()
        await eventually(lambda: gateway.tables.state is cloud.state)
    assert cloud.closed == 3


async def test_djangos_own_application(cloud: Cloud, clock: Clock) -> None:
    from django.core.asgi import get_asgi_application

    service = get_asgi_application()
    async with asking(CheckInMiddleware(service, make_gateway(cloud, clock))) as client:
        response = await client.get("/no/such/page", headers=cloud.headers())
    assert response.status_code == 404
    assert "walle-offers" in response.headers


async def drive(application: Any, incoming: list[str]) -> Messages:
    """The lifespan messages that an application sends, given those that a server sends."""
    queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    for kind in incoming:
        queue.put_nowait({"type": kind})
    sent: Messages = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async with asyncio.timeout(5):
        await application({"type": "lifespan"}, queue.get, send)
    return sent


async def test_a_service_that_fails_to_start_stops_the_gateway(cloud: Cloud, clock: Clock) -> None:
    async def fails(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "lifespan.startup.failed", "message": "no database"})

    sent = await drive(CheckInMiddleware(fails, make_gateway(cloud, clock)), ["lifespan.startup"])
    assert [message["type"] for message in sent] == ["lifespan.startup.failed"]
    assert cloud.closed == 3


async def test_a_service_that_breaks_after_its_start_is_not_hidden(cloud: Cloud, clock: Clock) -> None:
    async def breaks(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        raise RuntimeError("while stopping")

    application = CheckInMiddleware(breaks, make_gateway(cloud, clock))
    with pytest.raises(RuntimeError, match="while stopping"):
        await drive(application, ["lifespan.startup", "lifespan.shutdown"])
    assert cloud.closed == 3


async def test_websockets_are_passed_on(cloud: Cloud, clock: Clock) -> None:
    seen = []

    async def service(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["type"])

    await CheckInMiddleware(service, make_gateway(cloud, clock))({"type": "websocket", "headers": []}, None, None)
    assert seen == ["websocket"]
