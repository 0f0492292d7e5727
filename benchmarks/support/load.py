"""A load generator: keep-alive connections that send prepared requests and time each answer.

It runs in a process of its own, sends requests as they are and parses of responses only their end, so that one core of
it is faster than the servers it measures.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import multiprocessing
import time
from array import array
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf
from pathlib import Path

import numpy as np
import psutil
import uvloop

from benchmarks.support.harness import needs_idle_machine
from benchmarks.support.walle import Server

CONNECTIONS = 64
_LOW_PRIORITY = 10
_WRITTEN_S = 300
"""Within this time PostgreSQL has written what a round left; exposures of some seconds were seen to take a minute."""


@dataclass(frozen=True)
class Load:
    """The result of a run: answers per second, latencies in microseconds, statuses, answers with offers.

    `cpu_s` is the CPU time of the server in the measured time, and `closed` how often it closed a connection.
    """

    rate: float
    latencies_us: np.ndarray
    statuses: dict[int, int]
    offers: int
    cpu_s: float
    closed: int

    def percentile(self, q: float) -> float:
        return float(np.percentile(self.latencies_us, q))

    @property
    def cost_us(self) -> float:
        """CPU time of the server for one answer, all its threads together."""
        return self.cpu_s / len(self.latencies_us) * 1e6


class _Connection(asyncio.Protocol):
    """Sends the next request when the last one is answered or, if paced, when told to."""

    def __init__(self, run: _Run) -> None:
        self.run = run
        self.sent = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]
        self.run.connected(self)

    def send(self, due: int) -> None:
        self.sent = due
        self.transport.write(next(self.run.requests))

    def data_received(self, data: bytes) -> None:
        # A 204 and every other answer measured here fits one segment, headers and body.
        run = self.run
        now = time.perf_counter_ns()
        if now >= run.begin:
            run.start_measuring(now)
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
        self.run.lost(self)


class _Run:
    """The state of one run, which all its connections share; times are of time.perf_counter_ns."""

    begin: float
    end: float

    def __init__(self, server: Server, requests: Iterator[bytes], seconds: float, *, paced: bool) -> None:
        self.server, self.requests, self.seconds, self.paced = server, requests, seconds, paced
        self.idle: deque[_Connection] = deque()
        self.loop = asyncio.get_running_loop()
        self.done: asyncio.Future[None] = self.loop.create_future()
        self.closed = 0
        self.started = False
        self._reopening: set[asyncio.Task[None]] = set()

    def start_measuring(self, now: int) -> None:
        """Start to count from here on."""
        self.began, self.begin, self.end = now, inf, now + int(self.seconds * 1e9)
        self.latencies = array("q")
        self.statuses: Counter[int] = Counter()
        self.offers = 0
        self.cpu_s = self.server.cpu_seconds()

    def connected(self, connection: _Connection) -> None:
        """Add a new connection: it is idle, or starts to work at once if all others have."""
        if self.started and not self.paced:
            connection.send(time.perf_counter_ns())
        else:
            self.idle.append(connection)

    def lost(self, connection: _Connection) -> None:
        """Open another connection for one that the server closed, as clients do; give up if it closes all of them."""
        if self.done.done():
            return
        self.closed += 1
        if connection in self.idle:
            self.idle.remove(connection)
        if self.closed > CONNECTIONS:
            self.done.set_exception(ConnectionError(f"the server closed {self.closed} connections"))
            return
        task = self.loop.create_task(self.open())
        self._reopening.add(task)
        task.add_done_callback(self._reopened)

    async def open(self) -> None:
        await self.loop.create_connection(lambda: _Connection(self), "127.0.0.1", self.server.port)

    def _reopened(self, task: asyncio.Task[None]) -> None:
        self._reopening.discard(task)
        if task.cancelled():
            return
        if (error := task.exception()) and not self.done.done():
            self.done.set_exception(error)


def saturate(
    server: Server, requests: Iterator[bytes], seconds: float, connections: float = CONNECTIONS, lead: float = 0.0
) -> Load:
    """Send as many requests as the server answers over this many connections, one outstanding on each.

    `lead` is the number of seconds of load before measuring: a server that writes behind then has its usual backlog.
    """
    return uvloop.run(_saturate(server, requests, seconds, int(connections), lead))


def pace(server: Server, requests: Iterator[bytes], seconds: float, rate: float) -> Load:
    """Send requests at a fixed rate whatever the answers are; latency counts from when a request was due."""
    return uvloop.run(_pace(server, requests, seconds, rate))


async def _saturate(server: Server, requests: Iterator[bytes], seconds: float, connections: int, lead: float) -> Load:
    run = await _connect(server, requests, connections, seconds, paced=False)
    run.started = True
    run.start_measuring(time.perf_counter_ns())
    if lead:
        run.begin, run.end = run.began + int(lead * 1e9), inf
    while run.idle:
        run.idle.popleft().send(time.perf_counter_ns())
    _stay_awake(run)
    await run.done
    return _finish(run)


def _stay_awake(run: _Run) -> None:
    """Keep the event loop polling.

    On a virtual machine a server pays much for waking a client that sleeps on another core, and the slower server wakes
    it more often.
    """
    if not run.done.done():
        run.loop.call_soon(_stay_awake, run)


async def _pace(server: Server, requests: Iterator[bytes], seconds: float, rate: float) -> Load:
    run = await _connect(server, requests, CONNECTIONS, seconds, paced=True)
    started = time.perf_counter_ns()
    run.start_measuring(started)
    total, sent = max(1, int(seconds * rate)), 0
    while sent < total and not run.done.done():
        due = min(total, int((time.perf_counter_ns() - started) / 1e9 * rate))
        while sent < due and run.idle:
            # The connection that was idle longest, so that none waits until the server closes it.
            run.idle.popleft().send(started + int(sent / rate * 1e9))
            sent += 1
        await asyncio.sleep(0.0005)
    while len(run.idle) < CONNECTIONS and not run.done.done():
        await asyncio.sleep(0.001)
    if run.done.done():
        await run.done
    return _finish(run)


async def _connect(server: Server, requests: Iterator[bytes], connections: int, seconds: float, *, paced: bool) -> _Run:
    run = _Run(server, requests, seconds, paced=paced)
    await asyncio.gather(*(run.open() for _ in range(connections)))
    return run


def _finish(run: _Run) -> Load:
    elapsed = (time.perf_counter_ns() - run.began) / 1e9
    cpu_s = run.server.cpu_seconds() - run.cpu_s
    run.done.cancel()
    latencies = np.array(run.latencies)
    statuses = {204: len(latencies) - run.statuses.total(), **run.statuses}
    return Load(len(latencies) / elapsed, latencies, statuses, run.offers, cpu_s, run.closed)


def cycle(requests: Sequence[bytes], start: int = 0) -> Iterator[bytes]:
    """Repeat the requests endlessly, from a given one."""
    return islice(itertools.cycle(requests), start % len(requests), None)


def run(generator: Callable[..., Load], server: Server, requests: list[bytes], start: int, *arguments: float) -> Load:
    """Run a load generator in a process of its own, on the cores that the servers leave free, with new connections.

    Ends the benchmark if a request is refused, because the speed of refusals proves nothing.
    """

    def work() -> None:
        try:
            sending.send(generator(server, cycle(requests, start), *arguments))
        except Exception as error:
            sending.send(repr(error))

    receiving, sending = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    sending.close()
    found = receiving.recv()
    process.join()
    if not isinstance(found, Load):
        raise SystemExit(f"the load generator failed: {found}")
    if any(status >= 400 for status in found.statuses):
        raise SystemExit(f"expected every request to be answered, found the statuses {found.statuses}")
    return found


def wait_until_idle() -> None:
    """Return when nothing is left over from the round before: no queued request, no check-in to be written.

    A run that cannot be judged does not wait.
    """
    let_databases_wait()
    deadline = time.monotonic() + _WRITTEN_S
    while needs_idle_machine() and psutil.cpu_percent(interval=1.5) > 10:
        if time.monotonic() > deadline:
            raise SystemExit("this machine does not come to rest: something else is running on it")


def settle() -> None:
    """Wait until check-ins of the slice before are written, a few seconds at most."""
    let_databases_wait()
    deadline = time.monotonic() + 5
    while needs_idle_machine() and psutil.cpu_percent(interval=0.25) > 15 and time.monotonic() < deadline:
        pass


def let_databases_wait() -> None:
    """Make PostgreSQL give way to the load generator: in production it has a machine of its own.

    Linux schedules sessions before processes (sched_autogroup), and each of PostgreSQL's processes is a session of its
    own: the priority of a process alone changes nothing.
    """
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error, OSError):
            if process.name() == "postgres":
                process.nice(_LOW_PRIORITY)
                Path(f"/proc/{process.pid}/autogroup").write_text(str(_LOW_PRIORITY))
