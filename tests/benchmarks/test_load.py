"""The load generator against a server that closes connections, as servers do with idle ones, or that fails."""

import asyncio
import os
import threading
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from benchmarks.support.load import CONNECTIONS, cycle, pace, run, saturate
from benchmarks.support.walle import Server

pytestmark = pytest.mark.processes

REQUESTS = [b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n"]
EMPTY = b"HTTP/1.1 204 No Content\r\n\r\n"
FAULT = b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n"


@contextmanager
def serving(answer=EMPTY, *, closes_after=None, closed_at_most=10, answered=None):
    """A server that closes so many connections, each after so many answers, and keeps all others."""
    left = closed_at_most

    async def talk(reader, writer):
        nonlocal left
        answers = 0
        while await reader.readline():
            while (await reader.readline()).strip():
                pass
            if answers == closes_after and left > 0:
                left -= 1
                break
            writer.write(answer)
            answers += 1
            if answered is not None:
                answered.append(writer)
        writer.close()

    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(asyncio.start_server(talk, "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield Server(server.sockets[0].getsockname()[1], SimpleNamespace(pid=os.getpid()))
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0.01))
        loop.close()


GENERATORS = {
    "saturate": lambda server: saturate(server, cycle(REQUESTS), 0.3),
    "pace": lambda server: pace(server, cycle(REQUESTS), 0.3, 1000),
}


@pytest.mark.parametrize("generate", GENERATORS.values(), ids=GENERATORS)
def test_a_closed_connection_is_opened_anew(generate):
    with serving(closes_after=1) as server:
        load = generate(server)
    assert load.closed == 10
    assert set(load.statuses) == {204}
    assert len(load.latencies_us) > CONNECTIONS


def test_a_server_that_closes_every_connection_ends_the_run():
    with serving(closes_after=0, closed_at_most=10_000) as server, pytest.raises(ConnectionError, match="closed"):
        saturate(server, cycle(REQUESTS), 30)


def test_what_is_answered_before_the_lead_is_over_does_not_count():
    answered = []
    with serving(answered=answered) as server:
        load = saturate(server, cycle(REQUESTS), 0.1, 4, 1.0)
    assert 0 < len(load.latencies_us) < len(answered)
    assert load.cpu_s > 0


def test_refused_requests_end_the_benchmark():
    with serving(FAULT) as server, pytest.raises(SystemExit, match="expected every request to be answered"):
        run(saturate, server, REQUESTS, 0, 0.1)


def test_a_server_that_is_gone_ends_the_benchmark():
    with serving() as server:
        pass
    with pytest.raises(SystemExit, match="the load generator failed"):
        run(saturate, server, REQUESTS, 0, 0.1)
