"""A load generator for predictions over HTTP, whose answers have a body, perhaps in several segments.

`benchmarks.support.load` reads answers of one segment only, and is faster for that.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import uvloop
from numpy.typing import NDArray

_GIVEN_UP_NS = 2_000_000_000
"""So long a client waits for an answer; then it closes the connection and asks the next thing over a new one."""


def http_request(path: str, body: Any, **headers: str) -> bytes:
    """Return a POST of JSON as bytes; underscores in the names of headers stand for hyphens."""
    content = json.dumps(body).encode()
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, f"Content-Length: {len(content)}", "", ""]).encode() + content


@dataclass(frozen=True)
class Answers:
    """What a load got: answers a second, the latency of each in us, how often each status came; requests given up."""

    rate: float
    latencies_us: NDArray[np.float64]
    statuses: dict[int, int]
    unanswered: int

    def percentile(self, part: float) -> float:
        return float(np.percentile(self.latencies_us, part))


@dataclass
class _Sender:
    """The state of one load, which all its connections share."""

    port: int
    requests: Sequence[bytes]
    begin: int
    end: int
    sent: int = 0
    closed: int = 0
    unanswered: int = 0
    connections: list[_Connection] = field(default_factory=list)
    latencies: list[int] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)

    def next(self) -> bytes:
        self.sent += 1
        return self.requests[(self.sent - 1) % len(self.requests)]


class _Connection(asyncio.Protocol):
    """Sends the next request as soon as the last one is answered as a whole."""

    def __init__(self, sender: _Sender) -> None:
        self.sender = sender
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._read = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: asyncio.Transport = transport  # type: ignore[assignment]
        self._send()

    def _send(self) -> None:
        self._at = time.perf_counter_ns()
        self._transport.write(self.sender.next())

    def data_received(self, data: bytes) -> None:
        self._read += data
        head, found, body = self._read.partition(b"\r\n\r\n")
        if not found or len(body) < _length(head):
            return
        now = time.perf_counter_ns()
        self._read = b""
        if now >= self.sender.begin:
            self.sender.latencies.append(now - self._at)
            self.sender.statuses[int(head[9:12])] += 1
        if now < self.sender.end:
            self._send()
        elif not self.done.done():
            self.done.set_result(None)

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.sender.closed += 1
            self.done.set_result(None)

    def give_up_if_late(self, now: int) -> bool:
        """Close the connection if its request was not answered in time."""
        late = not self.done.done() and now - self._at > _GIVEN_UP_NS
        if late:
            self.done.set_result(None)
            self._transport.abort()
        return late


def _length(head: bytes) -> int:
    """Return the bytes of a body by its head; answers in chunks are not read."""
    start = head.lower().find(b"content-length:")
    if start < 0:
        raise ValueError(f"expected a Content-Length, found {head[:300]!r}")
    return int(head[start + 15 :].split(b"\r\n", 1)[0])


async def _saturate(port: int, requests: Sequence[bytes], connections: int, seconds: float, lead: float) -> Answers:
    begin = time.perf_counter_ns() + int(lead * 1e9)
    sender = _Sender(port, requests, begin, begin + int(seconds * 1e9))
    await asyncio.gather(*(_open(sender) for _ in range(connections)))
    awake = asyncio.create_task(_stay_awake(sender))
    while any(not connection.done.done() for connection in sender.connections):
        await asyncio.sleep(0.1)
        for connection in list(sender.connections):
            if connection.give_up_if_late(now := time.perf_counter_ns()):
                sender.unanswered += 1
                if now < sender.end:
                    await _open(sender)
    elapsed = (min(time.perf_counter_ns(), sender.end) - begin) / 1e9
    await awake
    if sender.closed or not sender.latencies:
        raise ConnectionError(f"the server closed {sender.closed} connections, {len(sender.latencies)} answers came")
    latencies = np.array(sender.latencies) / 1000
    return Answers(len(latencies) / elapsed, latencies, dict(sender.statuses), sender.unanswered)


async def _open(sender: _Sender) -> None:
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(lambda: _Connection(sender), "127.0.0.1", sender.port)
    sender.connections.append(connection)


async def _stay_awake(sender: _Sender) -> None:
    """Keep the event loop polling, so that no server pays for waking this process on another core."""
    while time.perf_counter_ns() < sender.end:
        await asyncio.sleep(0)


def saturate(port: int, requests: Sequence[bytes], connections: int, seconds: float, lead: float = 0.3) -> Answers:
    """Keep one request outstanding on each connection, in a process of its own; ends the benchmark if one is refused.

    What is answered in the first `lead` seconds does not count.
    """
    found = in_process(lambda: uvloop.run(_saturate(port, requests, connections, seconds, lead)))
    if found.statuses.keys() != {200}:
        raise SystemExit(f"expected every request to be answered, found the statuses {found.statuses}")
    return found


def in_process(work: Callable[[], Any]) -> Any:
    """Return what a function returns in a forked process; ends the benchmark if it raises."""

    def run() -> None:
        try:
            sending.send((True, work()))
        except Exception as error:
            sending.send((False, repr(error)))

    receiving, sending = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    sending.close()
    try:
        done, found = receiving.recv()
    except EOFError:
        done, found = False, "it ended by itself"
    process.join()
    if not done:
        raise SystemExit(f"a process of the benchmark failed: {found}")
    return found
