"""The shorter way for check-ins through uvicorn answers as the usual way does."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.gateway.serving import eventually, serving
from tests.gateway.simulator import Cloud
from tests.support.waiting import ANSWER_S
from walle.gateway.application import GatewayApplication
from walle.gateway.uvicorn_protocol import CheckInProtocol

CHECK_IN = "/walle/v1/checkin"


class Counted:
    """The application, and how many requests reached it the usual way."""

    def __init__(self, application: GatewayApplication) -> None:
        self.application, self.requests = application, 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.requests += scope["type"] == "http"
        await self.application(scope, receive, send)


@pytest.fixture
def counted(application: GatewayApplication) -> Counted:
    return Counted(application)


@pytest.fixture
async def short(counted: Counted) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        serving(counted, http=CheckInProtocol, access_log=False) as address,
        httpx.AsyncClient(base_url=address, timeout=ANSWER_S) as client,
    ):
        yield client


@pytest.mark.parametrize(
    ("change", "usual"),
    [
        ({}, False),
        ({"Walle-Profile": "camera/digits;d=:AAAAAAAAAAAAAAAA:"}, False),
        ({"Walle-Profile": "nonsense"}, True),
        ({"Walle-Device": '"device-1";c="k.1..abc";n=0'}, True),
        ({"Walle-App": ""}, True),
        ({"Connection": "close"}, True),
        ({"Expect": "100-continue"}, True),
    ],
)
async def test_both_ways_answer_alike(
    short: httpx.AsyncClient, client: httpx.AsyncClient, counted: Counted, cloud: Cloud, change: Any, usual: bool
) -> None:
    headers = cloud.headers() | change
    found, expected = await short.post(CHECK_IN, headers=headers), await client.post("/checkin", headers=headers)
    assert (found.status_code, found.content) == (expected.status_code, expected.content)
    differing = {"walle-offers", "connection"}  # two clients, two tokens
    assert {k: v for k, v in found.headers.items() if k not in differing} == {
        k: v for k, v in expected.headers.items() if k not in differing
    }
    assert ("walle-offers" in found.headers) == ("walle-offers" in expected.headers)
    assert counted.requests == usual


async def test_a_check_in_is_noted_once_whichever_way_it_goes(short: httpx.AsyncClient, cloud: Cloud) -> None:
    await short.post(CHECK_IN, headers=cloud.headers("device-7"))
    await eventually(lambda: cloud.batches)
    assert cloud.batches == [1]


async def test_a_body_that_nobody_asked_for_is_read_past(
    short: httpx.AsyncClient, counted: Counted, cloud: Cloud
) -> None:
    lines = "".join(f"{name}: {value}\r\n" for name, value in cloud.headers().items())
    check_in = f"POST {CHECK_IN} HTTP/1.1\r\nhost: walle\r\n{lines}content-length: {1 << 20}\r\n\r\n{'x' * (1 << 20)}"
    last = "GET /walle/v1/nothing HTTP/1.1\r\nhost: walle\r\nconnection: close\r\n\r\n"

    reader, writer = await asyncio.open_connection(short.base_url.host, short.base_url.port)
    writer.write((2 * check_in + last).encode())
    answers = await asyncio.wait_for(reader.read(), 10)
    writer.close()

    assert re.findall(rb"HTTP/1\.1 (\d+) ", answers) == [b"204", b"204", b"404"]
    assert counted.requests == 1


async def test_answers_keep_the_order_of_pipelined_requests(
    short: httpx.AsyncClient, counted: Counted, cloud: Cloud
) -> None:
    """Check-ins with and without a body, around a request that takes the usual way."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in cloud.headers().items())
    check_in = f"POST {CHECK_IN} HTTP/1.1\r\nhost: walle\r\n{lines}content-length: %d\r\n\r\n%s"
    root = "GET /walle/v1/roots/1.json HTTP/1.1\r\nhost: walle\r\n\r\n"
    last = "GET /walle/v1/nothing HTTP/1.1\r\nhost: walle\r\nconnection: close\r\n\r\n"
    requests = check_in % (0, "") + check_in % (5, "hello") + root + check_in % (0, "") + last

    reader, writer = await asyncio.open_connection(short.base_url.host, short.base_url.port)
    writer.write(requests.encode())
    answers = await asyncio.wait_for(reader.read(), 10)
    writer.close()

    assert re.findall(rb"HTTP/1\.1 (\d+) ", answers) == [b"204", b"204", b"200", b"204", b"404"]
    assert counted.requests == 3  # the check-in behind the root waits for its turn
