"""Requests for predictions that come to the web server: passed on to a serving process, and to nothing else."""

import asyncio

import httpx
import pytest

from tests.gateway.serving import serving
from tests.gateway.simulator import Cloud
from tests.whitebox.serving.test_routing import offer
from walleweb.predictions import PredictionForwarder

PATH = "/predict/v1/shop/reviews/mood"


class Served:
    """A serving process that says what it was asked."""

    def __init__(self):
        self.seen = []

    async def __call__(self, scope, receive, send):
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        self.seen.append((scope["method"], scope["path"], dict(scope["headers"]), body))
        headers = [(b"content-type", b"application/json"), (b"retry-after", b"3"), (b"server-timing", b"secret")]
        await send({"type": "http.response.start", "status": 429, "headers": headers})
        await send({"type": "http.response.body", "body": b'{"a": ', "more_body": True})
        await send({"type": "http.response.body", "body": b"1}"})


@pytest.fixture
async def served():
    return Served()


@pytest.fixture
async def forwarder(served, tmp_path):
    async with serving(served, lifespan="off") as address:
        yield PredictionForwarder(address, tmp_path / "unused")


def client_of(forwarder):
    return httpx.AsyncClient(transport=httpx.ASGITransport(forwarder), base_url="http://walle")


async def test_what_is_asked_and_answered_is_passed_on(forwarder, served):
    async def parts():
        yield b"x" * 100_000
        yield b"end"

    headers = {"authorization": "Bearer wl_1", "walle-caller": "user-1", "cookie": "session"}
    async with client_of(forwarder) as client:
        answer = await client.post(PATH, content=parts(), headers=headers)
    assert (answer.status_code, answer.json(), answer.headers["retry-after"]) == (429, {"a": 1}, "3")
    assert "server-timing" not in answer.headers
    ((method, path, seen, body),) = served.seen
    assert (method, path, len(body)) == ("POST", PATH, 100_003)
    assert (seen[b"authorization"], seen[b"walle-caller"]) == (b"Bearer wl_1", b"user-1")
    assert b"cookie" not in seen, "the session is the web server's"


@pytest.mark.parametrize("tail", ["v1/../../metrics", "v1/a/b/c/d", "v1/a/b/%2e%2e", "", "v1/a/b/c?x"])
async def test_no_other_address_is_reached(forwarder, served, tail):
    sent, path = [], f"/predict/{tail}"

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "headers": []}
    await forwarder(scope, None, send)
    assert sent[0]["status"] == 404
    assert served.seen == []


async def test_without_a_serving_process_callers_are_told_to_come_again(tmp_path):
    async with client_of(PredictionForwarder("", tmp_path / "nobody")) as client:
        answer = await client.post(PATH, json={})
    assert (answer.status_code, answer.json()["code"]) == (503, "serving-unavailable")
    assert answer.headers["retry-after"] == "2"


async def test_a_serving_process_is_woken_once_a_table_names_a_pipeline(forwarder, served):
    cloud = Cloud()
    forwarder.notice(cloud.state)
    cloud.entries.append(offer("1.0.0", 1))
    cloud.publish()
    for _ in range(2):
        forwarder.notice(cloud.state)
    async with asyncio.timeout(10):
        while not served.seen:
            await asyncio.sleep(0.01)
    assert [each[:2] for each in served.seen] == [("GET", "/healthz")]


async def test_one_that_does_not_answer_is_woken_with_the_next_table(served, tmp_path):
    cloud = Cloud(entries=[offer("1.0.0", 1)])
    forwarder = PredictionForwarder("http://127.0.0.1:9", tmp_path / "unused")
    forwarder.notice(cloud.state)
    async with asyncio.timeout(10):
        while forwarder._waking is not None:
            await asyncio.sleep(0.01)
