"""A request's head is bounded while it arrives: lines and bytes of headers, target and trailers."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.gateway.serving import serving
from walle.gateway.uvicorn_heads import MAX_HEAD, MAX_LINES
from walle.gateway.uvicorn_protocol import CheckInProtocol

FIRST = b"POST /target HTTP/1.1\r\n"
PIECE = b"x" * 5000
FAR = 4 << 20
"""Bytes; many times what a head may have."""


class Recorder:
    """An application that notes its requests, and answers once it has read them to their end."""

    def __init__(self) -> None:
        self.requests: list[tuple[int, int]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        size, more = 0, True
        while more:
            message = await receive()
            size += len(message.get("body", b""))
            more = message.get("more_body", False)
        self.requests.append((len(scope["headers"]), size))
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})


class Line:
    """A connection of which bytes are sent as they are."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of the next answer."""
        async with asyncio.timeout(20):
            status, *lines = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[:-2]
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            body = await self.reader.readexactly(int(headers.get("content-length", 0)))
        return int(status.split()[1]), headers, body

    async def rest(self) -> bytes:
        """What comes until the server closes."""
        async with asyncio.timeout(20):
            return await self.reader.read()


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
async def line(recorder: Recorder) -> AsyncIterator[Line]:
    async with serving(recorder, lifespan="off", http=CheckInProtocol, access_log=False) as address:
        line = Line(*await asyncio.open_connection("127.0.0.1", int(address.rpartition(":")[2])))
        yield line
        line.writer.close()
        with contextlib.suppress(ConnectionError):
            await line.writer.wait_closed()


async def expect_refusal(line: Line, recorder: Recorder) -> None:
    status, headers, body = await line.answer()
    assert (status, headers["walle-error"], headers["connection"]) == (431, "headers-too-large", "close")
    assert (headers["content-type"], headers["cache-control"]) == ("application/problem+json", "no-store")
    problem = json.loads(body)
    assert (problem["status"], problem["code"]) == (431, "headers-too-large")
    assert str(MAX_LINES) in problem["detail"]
    assert str(MAX_HEAD) in problem["detail"]
    assert await line.rest() == b""
    assert recorder.requests == []


def lines(count: int) -> bytes:
    return b"".join(b"x-%d: 1\r\n" % number for number in range(count))


async def test_as_many_lines_as_are_allowed_are_and_one_more_is_not(line: Line, recorder: Recorder) -> None:
    for _ in range(2):  # each request of a connection is counted for itself
        await line.send(FIRST + lines(MAX_LINES) + b"\r\n")
        assert (await line.answer())[0] == 200
    assert recorder.requests == [(MAX_LINES, 0)] * 2
    recorder.requests.clear()
    await line.send(FIRST + lines(MAX_LINES + 1) + b"\r\n")
    await expect_refusal(line, recorder)


@pytest.mark.parametrize("where", ["target", "name", "value"])
async def test_as_many_bytes_as_are_allowed_are_and_one_more_is_not(line: Line, recorder: Recorder, where: str) -> None:
    def request(length: int) -> bytes:
        parts = {"target": b"/", "name": b"n", "value": b""}
        parts[where] += b"x" * (length - 2)
        return b"GET %b HTTP/1.1\r\n%b: %b\r\n\r\n" % (parts["target"], parts["name"], parts["value"])

    for _ in range(2):
        await line.send(request(MAX_HEAD))
        assert (await line.answer())[0] == 200
        assert recorder.requests.pop() == (1, 0)
    await line.send(request(MAX_HEAD + 1))
    await expect_refusal(line, recorder)


@pytest.mark.parametrize("begin", [b"GET /", b"GET / HTTP/1.1\r\nx", b"GET / HTTP/1.1\r\nx: ", b"\r\n"])
async def test_what_does_not_end_is_refused_while_it_arrives(line: Line, recorder: Recorder, begin: bytes) -> None:
    await line.send(begin)
    refused = asyncio.create_task(expect_refusal(line, recorder))
    for _ in range(FAR // len(PIECE)):
        if refused.done():
            break
        await line.send(PIECE if begin.strip() else b"\r\n" * 2500)
        await asyncio.sleep(0)
    await refused


async def test_whoever_sends_on_sees_the_answer(line: Line, recorder: Recorder) -> None:
    """Four megabytes are on their way before the answer is read: closing at once would reset the connection."""
    await line.send(FIRST + b"walle-app: %b\r\n" % (b"x" * 95) * 40_000 + b"\r\n")
    await expect_refusal(line, recorder)


async def test_a_handshake_of_a_socket_is_bounded_too(line: Line, recorder: Recorder) -> None:
    socket = b"connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: aaaa\r\n"
    await line.send(b"GET /live HTTP/1.1\r\n" + socket + lines(MAX_LINES) + b"\r\n")
    await expect_refusal(line, recorder)


async def test_bodies_are_not_bounded_with_it(line: Line, recorder: Recorder) -> None:
    await line.send(FIRST + b"content-length: %d\r\n\r\n" % FAR + b"x" * FAR)
    assert (await line.answer())[0] == 200
    await line.send(FIRST + b"transfer-encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * MAX_HEAD + b"0\r\n\r\n")
    assert (await line.answer())[0] == 200
    assert recorder.requests == [(1, FAR), (1, MAX_HEAD)]


@pytest.mark.parametrize("trailer", [b"x: 1\r\n" * (MAX_LINES + 1), b"x: " + b"y" * FAR + b"\r\n"])
async def test_trailers_are_bounded_too(line: Line, recorder: Recorder, trailer: bytes) -> None:
    """Their request waits for its end, so there is no answer; the connection is closed."""
    await line.send(FIRST + b"transfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n")
    with contextlib.suppress(ConnectionError):
        await line.send(trailer + b"\r\n")
        assert b"200" not in await line.rest()
    assert all(count <= MAX_LINES for count, _ in recorder.requests)


async def test_a_refusal_does_not_come_in_the_middle_of_another_answer(line: Line, recorder: Recorder) -> None:
    await line.send(FIRST + b"content-length: 0\r\n\r\n" + FIRST + lines(MAX_LINES + 1) + b"\r\n")
    assert b"431" not in await line.rest()
