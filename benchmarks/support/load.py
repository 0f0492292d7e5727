"""A load generator: keep-alive connections that send prepared requests and time each answer.

It runs in a process of its own, writes requests as they are and looks in responses for nothing but their end, so
that one core of it outruns the servers it measures.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import multiprocessing
import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import psutil
import uvloop

CONNECTIONS = 64
_LOW_PRIORITY = 10


@dataclass(frozen=True)
class Load:
    """What came of a run: answers per second, latencies in microseconds, statuses, and answers that carry offers."""

    rate: float
    latencies_us: np.ndarray
    statuses: dict[int, int]
    offers: int

    def percentile(self, q: float) -> float:
        return float(np.percentile(self.latencies_us, q))


class _Connection(asyncio.Protocol):
    """Sends the next request when the last is answered or, if paced, when told to."""

    def __init__(self, run: _Run) -> None:
        self.run = run
        self.sent = 0
        self.busy = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]
        self.run.idle.append(self)

    def send(self, due: int) -> None:
        self.sent = due
        self.transport.write(next(self.run.requests))

    def data_received(self, data: bytes) -> None:
        # A 204 and every other answer measured here fits one segment, headers and body.
        run = self.run
        now = time.perf_counter_ns()
        run.latencies.append((now - self.sent) // 1000)
        if not data.startswith(b"HTTP/1.1 204"):
            run.statuses[int(data[9:12])] += 1
        run.offers += b"walle-offers" in data
        if run.paced:
            run.idle.append(self)
        elif now < run.end:
            self.sent = now
            self.transport.write(next(run.requests))
        elif not run.done.done():
            run.done.set_result(None)

    def connection_lost(self, error: Exception | None) -> None:
        if not self.run.done.done():
            self.run.done.set_exception(error or ConnectionError("the server closed a connection"))


class _Run:
    def __init__(self, requests: Iterator[bytes], paced: bool) -> None:
        self.requests = requests
        self.paced = paced
        self.idle: list[_Connection] = []
        self.latencies = array("q")
        self.statuses: Counter[int] = Counter()
        self.offers = 0
        self.end = 0
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()


def saturate(port: int, requests: Iterator[bytes], seconds: float, connections: int = CONNECTIONS) -> Load:
    """As many requests as the server answers over so many connections, one outstanding on each."""
    return uvloop.run(_saturate(port, requests, seconds, connections))


def pace(port: int, requests: Iterator[bytes], seconds: float, rate: float) -> Load:
    """Requests at a fixed rate whatever the answers do; latency counts from when a request was due."""
    return uvloop.run(_pace(port, requests, seconds, rate))


async def _saturate(port: int, requests: Iterator[bytes], seconds: float, connections: int) -> Load:
    run = await _connect(port, requests, connections, paced=False)
    started = time.perf_counter_ns()
    run.end = started + int(seconds * 1e9)
    for connection in run.idle:
        connection.send(time.perf_counter_ns())
    _stay_awake(run)
    await run.done
    return _finish(run, started)


def _stay_awake(run: _Run) -> None:
    """Keeps the event loop polling: on a virtual machine a server pays dearly for waking a client that sleeps on
    another core, and the slower server wakes it more often."""
    if not run.done.done():
        asyncio.get_running_loop().call_soon(_stay_awake, run)


async def _pace(port: int, requests: Iterator[bytes], seconds: float, rate: float) -> Load:
    run = await _connect(port, requests, CONNECTIONS, paced=True)
    started = time.perf_counter_ns()
    total, sent = int(seconds * rate), 0
    while sent < total:
        due = min(total, int((time.perf_counter_ns() - started) / 1e9 * rate))
        while sent < due and run.idle:
            run.idle.pop().send(started + int(sent / rate * 1e9))
            sent += 1
        await asyncio.sleep(0.0005)
    while len(run.idle) < CONNECTIONS:
        await asyncio.sleep(0.001)
    return _finish(run, started)


async def _connect(port: int, requests: Iterator[bytes], connections: int, *, paced: bool) -> _Run:
    run = _Run(requests, paced)
    loop = asyncio.get_running_loop()
    await asyncio.gather(
        *(loop.create_connection(lambda: _Connection(run), "127.0.0.1", port) for _ in range(connections))
    )
    return run


def _finish(run: _Run, started: int) -> Load:
    elapsed = (time.perf_counter_ns() - started) / 1e9
    latencies = np.array(run.latencies)
    statuses = {204: len(latencies) - run.statuses.total(), **run.statuses}
    return Load(len(latencies) / elapsed, latencies, statuses, run.offers)


def cycle(requests: Sequence[bytes], start: int = 0) -> Iterator[bytes]:
    """The requests over and over, from a given one."""
    return islice(itertools.cycle(requests), start % len(requests), None)


def run(generator: Callable[..., Load], port: int, requests: list[bytes], start: int, *arguments: float) -> Load:
    """A load generator in a process of its own, on the cores that the servers leave free."""

    def work() -> None:
        sending.send(generator(port, cycle(requests, start), *arguments))

    receiving, sending = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    sending.close()
    load: Load = receiving.recv()
    process.join()
    return load


def wait_until_idle() -> None:
    """Returns when nothing is left over from the round before: no request in a queue, no check-in to be written."""
    deadline = time.monotonic() + 60
    let_databases_wait()
    while psutil.cpu_percent(interval=1.5) > 10:
        if time.monotonic() > deadline:
            raise SystemExit("this machine does not come to rest: something else is running on it")


def let_databases_wait() -> None:
    """Makes PostgreSQL give way to the load generator: in production it has a machine of its own.

    Linux weighs sessions before it weighs processes (sched_autogroup), and each of PostgreSQL's processes is a session
    of its own: that of a process alone changes nothing.
    """
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error, OSError):
            if process.name() == "postgres":
                process.nice(_LOW_PRIORITY)
                Path(f"/proc/{process.pid}/autogroup").write_text(str(_LOW_PRIORITY))
