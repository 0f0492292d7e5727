"""The cloud's answers, the odd ones above all: whatever comes, a device gets one of its own errors."""

import asyncio
import contextlib
import json

import httpx
import pytest

from walle.device.errors import ServerRefused, Unreachable
from walle.device.link.cloud import ROOT_LIMIT, CloudClient, http_client, read_answer
from walle.protocol.connections import IDLE_S, connection_limits
from walle.protocol.errors import HeaderMalformed


def cloud(*, status: int = 200, body: bytes = b"", **headers: str) -> CloudClient:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(status, content=body, headers={k.replace("_", "-"): v for k, v in headers.items()})

    return CloudClient("https://walle.example/", httpx.AsyncClient(transport=httpx.MockTransport(answer)))


@pytest.mark.parametrize("server", ["https://w.example", "https://w.example/", "https://w.example/walle/v1"])
def test_addresses_are_relative_to_the_gateway_or_absolute(server):
    there = CloudClient(server, httpx.AsyncClient())
    assert there.base == "https://w.example/walle/v1"
    assert there.url("/walle/v1/artifacts/x") == "https://w.example/walle/v1/artifacts/x"
    assert there.url("https://cdn.example/artifacts/x") == "https://cdn.example/artifacts/x"


@pytest.mark.parametrize("body", [b"", b"nonsense", b"[]", b"{}", b'{"device": 1, "credential": "x"}', b"\xff"])
async def test_an_enrolment_answered_with_nonsense(body):
    with pytest.raises(Unreachable, match="/enrol"):
        await cloud(body=body).enrol({})


@pytest.mark.parametrize(
    "answer", [[], {"accepted": 5}, {"rejected": [1]}, {"rejected": [{"code": "x"}]}, {"rejected": 3}]
)
async def test_reports_answered_with_nonsense(answer):
    with pytest.raises(Unreachable, match="/reports"):
        await cloud(body=json.dumps(answer).encode()).send_reports([], {})


async def test_reports_of_which_some_are_refused():
    answer = {"accepted": ["a"], "rejected": [{"id": "b", "code": "report-malformed", "detail": "x"}]}
    found = await cloud(body=json.dumps(answer).encode()).send_reports([], {})
    assert (found.accepted, found.rejected) == (("a",), {"b": "report-malformed"})


@pytest.mark.parametrize("status", [500, 502, 503, 429])
async def test_a_server_in_trouble_is_as_good_as_unreachable(status):
    with pytest.raises(Unreachable) as caught:
        await cloud(status=status, walle_retry_after="7").check_in({})
    assert caught.value.retry_after == 7


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"walle_error": "app-unknown"}, "app-unknown"),
        ({"body": b'{"code": "body-malformed"}'}, "body-malformed"),
        ({"body": b"<html>"}, "Bad Request"),
    ],
)
async def test_a_refusal_says_why(more, reason):
    with pytest.raises(ServerRefused) as caught:
        await cloud(status=400, **more).check_in({})
    assert (caught.value.status, caught.value.reason) == (400, reason)


async def test_a_root_that_is_not_there_yet_is_no_error():
    assert await cloud(status=404).root(2) is None


async def test_a_root_that_is_refused_is_one():
    with pytest.raises(ServerRefused):
        await cloud(status=403).root(2)


async def test_a_root_without_end_is_refused():
    with pytest.raises(ServerRefused, match="longer than"):
        await cloud(body=b" " * (ROOT_LIMIT + 1)).root(2)


@pytest.mark.parametrize("headers", [{"Walle-Retry-After": "-1"}, {"Walle-Retry-After": "1.5"}, {"Walle-Offers": "5"}])
def test_an_answer_that_breaks_the_contract(headers):
    with pytest.raises(HeaderMalformed):
        read_answer(httpx.Headers(headers))


def test_an_answer_without_walles_headers_is_nobodys():
    assert not read_answer(httpx.Headers({"Content-Type": "text/html"})).walle


@pytest.mark.processes
async def test_a_connection_that_rests_is_not_used_again():
    """A server that has just closed it would lose the request: uvicorn does so after five seconds."""
    connections = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        with contextlib.suppress(asyncio.IncompleteReadError):
            while await reader.readuntil(b"\r\n\r\n"):
                writer.write(b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1") as server:
        address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with http_client(limits=connection_limits(idle_s=0.0)) as rests, http_client() as hurries:
            for client, used in ((rests, 2), (hurries, 1)):
                before = connections
                for _ in range(2):
                    await client.get(address)
                assert connections - before == used
    assert IDLE_S < 5
