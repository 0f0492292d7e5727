"""The in-process endpoints: the product's own ASGI application and middleware in a process of their own.

It uses the product's database, at the lowest priority (SCHED_IDLE), on the core that the product leaves free. The
effect of an input is observed from inside: the status, an exception that leaves the application, a logged error.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, Final
from urllib.parse import unquote

import psutil

from benchmarks.support.attack.inputs import Fault, Frames, Input, Request
from benchmarks.support.attack.mutation import Mutator
from benchmarks.support.attack.target import AttackTarget
from benchmarks.support.cores import OTHER_CPUS
from benchmarks.support.harness import is_tiny

SHARES: Final = {"check-in": 0.626, "middleware": 0.23, "device": 0.1, "live": 0.04, "rest": 0.004}
"""The share of the inputs by endpoint: a request of REST costs a hundred times as much as a check-in."""
FRAMES_PER_SOCKET: Final = 200
MOST_FAULTS: Final = 30
SHRINKING: Final = 300
_YIELD_EVERY, _MEASURE_EVERY = 50, 5_000


@dataclass
class Found:
    """The result of the attack. `memory` is resident MB by the number of inputs so far."""

    sent: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)
    memory: list[tuple[int, float]] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.sent.values())

    @property
    def answered_5xx(self) -> int:
        return sum(count for status, count in self.statuses.items() if status.startswith("5"))


def start(target: AttackTarget, seed: int, count: int, seconds: float) -> tuple[multiprocessing.Process, Connection]:
    """Start a process that sends a number of inputs within a time; its result is sent over the connection."""
    receiving, sending = multiprocessing.get_context("spawn").Pipe(duplex=False)
    process: Any = multiprocessing.get_context("spawn").Process(
        target=_work, args=(target, seed, count, seconds, sending), daemon=True
    )
    process.start()
    sending.close()
    return process, receiving


def _work(target: AttackTarget, seed: int, count: int, seconds: float, sending: Connection) -> None:
    os.sched_setaffinity(0, OTHER_CPUS)
    if not is_tiny():
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    os.environ["WALLE_LOG_LEVEL"] = "error"
    sending.send(asyncio.run(_all_endpoints(target, seed, count, seconds)))


async def _all_endpoints(target: AttackTarget, seed: int, count: int, seconds: float) -> Found:
    from walle.gateway.middleware import CheckInMiddleware
    from walleweb.asgi import application

    errors = _Errors()
    logging.getLogger().addHandler(errors)
    async with _lifespan(application):
        middleware = CheckInMiddleware(_business, application.gateway.application.gateway)
        endpoints: dict[str, tuple[Any, Sequence[Request]]] = {
            "check-in": (application, target.seeds["check_in"]),
            "middleware": (middleware, target.seeds["check_in"]),
            "device": (application, target.seeds["device"]),
            "rest": (application, target.seeds["rest"]),
        }
        attack = _Attack(target, application, errors, seed)
        until = time.monotonic() + seconds
        # The slow endpoints first: the fast ones use the remaining time up to the last input.
        for endpoint in ("rest", "live", "device", "middleware", "check-in"):
            inputs, began = round(count * SHARES[endpoint]), time.monotonic()
            if endpoint == "live":
                await attack.sockets(inputs, until)
            else:
                await attack.requests(endpoint, *endpoints[endpoint], inputs, until)
            attack.found.seconds[endpoint] = time.monotonic() - began
        return attack.found


class _Errors(logging.Handler):
    """Keeps the last logged line of level ERROR."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.last = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.last = record.getMessage()[:300] + (f" {record.exc_info[1]!r}"[:300] if record.exc_info else "")

    def take(self) -> str:
        last, self.last = self.last, ""
        return last


class _Attack:
    """Sends inputs to endpoints and records their effects."""

    def __init__(self, target: AttackTarget, application: Any, errors: _Errors, seed: int) -> None:
        self.target, self.application, self.errors = target, application, errors
        self.mutator = Mutator(seed, legal=True)
        self.found = Found()
        self._known: set[tuple[str, str]] = set()

    async def requests(
        self, endpoint: str, application: Any, seeds: Sequence[Request], count: int, until: float
    ) -> None:
        async def attempt(request: Input) -> str:
            assert isinstance(request, Request)
            return await _answer(application, request, self.errors)

        for number in range(count):
            if number % _YIELD_EVERY == 0:
                await asyncio.sleep(0)
                if time.monotonic() > until:
                    return
            await self._try(endpoint, self.mutator.request(seeds), attempt)

    async def sockets(self, count: int, until: float) -> None:
        async def attempt(frames: Input) -> str:
            assert isinstance(frames, Frames)
            return await _talk(self.application, self.target, frames, self.errors)

        for _ in range(-(-count // FRAMES_PER_SOCKET)):
            if time.monotonic() > until:
                return
            frames = self.mutator.frames(self.target.frames, FRAMES_PER_SOCKET)
            await self._try("live", frames, attempt, FRAMES_PER_SOCKET)

    async def _try(
        self, endpoint: str, input: Input, attempt: Callable[[Input], Awaitable[str]], weight: int = 1
    ) -> None:
        found = self.found
        outcome = await attempt(input)
        found.statuses[outcome.split()[0]] += 1
        if (
            outcome.startswith("5")
            and len(found.faults) < MOST_FAULTS
            and (endpoint, _kind(outcome)) not in self._known
        ):
            self._known.add((endpoint, _kind(outcome)))
            found.faults.append(Fault(endpoint, outcome, await _shrunk(input, attempt, _kind(outcome))))
        if (found.total + weight) // _MEASURE_EVERY > found.total // _MEASURE_EVERY:
            gc.collect()
            found.memory.append((found.total + weight, psutil.Process().memory_info().rss / 1e6))
        found.sent[endpoint] += weight


def _kind(outcome: str) -> str:
    """Return the part of an outcome that identifies its fault: everything but numbers and quoted words."""
    return "".join(each for each in outcome.partition("'")[0][:80] if not each.isdigit())


async def _shrunk(input: Input, attempt: Callable[[Input], Awaitable[str]], kind: str) -> Input:
    """Return the smallest input found that still causes the fault."""
    left = SHRINKING
    while left > 0:
        for smaller in input.smaller():
            left -= 1
            outcome = await attempt(smaller)
            if outcome.startswith("5") and _kind(outcome) == kind:
                input = smaller
                break
            if left <= 0:
                break
        else:
            break
    return input


async def _answer(application: Any, request: Request, errors: _Errors) -> str:
    """Return the status of an answer; one that begins with 5 also if an exception was raised or an error was logged."""
    path, _, query = request.target.partition(b"?")
    scope = {
        "type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1", "scheme": "http",
        "method": request.method, "path": unquote(path.decode("ascii")), "raw_path": path, "query_string": query,
        "root_path": "", "headers": [(b"host", b"127.0.0.1"), *request.headers], 
        "client": ("127.0.0.1", 5), "server": ("127.0.0.1", 80),
        "extensions": {}, "state": {},
    }  # fmt: skip
    incoming = [{"type": "http.request", "body": request.body, "more_body": False}]
    status = 0

    async def receive() -> dict[str, Any]:
        if incoming:
            return incoming.pop()
        await asyncio.sleep(60)
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        nonlocal status
        status = status or message.get("status", 0)

    try:
        await asyncio.wait_for(application(scope, receive, send), 30)
    except Exception as error:
        return f"5xx {type(error).__name__}: {error}"[:400]
    logged = errors.take()
    return f"5xx {status} logged: {logged}" if logged else str(status)


async def _talk(application: Any, target: AttackTarget, frames: Frames, errors: _Errors) -> str:
    """Return the receiving function of a socket that sends these messages one after the other."""
    headers = [(b"host", b"127.0.0.1"), (b"origin", b"http://127.0.0.1"), (b"cookie", target.attacker_cookie.encode())]
    scope = {
        "type": "websocket", "asgi": {"version": "3.0"}, "scheme": "ws", "path": "/live", "raw_path": b"/live",
        "query_string": b"", "root_path": "", "headers": headers, "client": ("127.0.0.1", 5), "subprotocols": [],
        "server": ("127.0.0.1", 80), "extensions": {}, "state": {},
    }  # fmt: skip
    messages: Iterator[dict[str, Any]] = iter(_messages(frames))
    closed = "open"

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0)
        return next(messages)

    async def send(message: dict[str, Any]) -> None:
        nonlocal closed
        if "text" in message:
            message["text"].encode()  # as the server does
        if message["type"] == "websocket.close":
            closed = str(message.get("code"))

    try:
        await asyncio.wait_for(application(scope, receive, send), 120)
    except Exception as error:
        return f"5xx {type(error).__name__}: {error}"[:400]
    logged = errors.take()
    return f"5xx logged: {logged}" if logged else closed


def _messages(frames: Frames) -> Iterator[dict[str, Any]]:
    yield {"type": "websocket.connect"}
    for frame in frames.frames:
        yield {"type": "websocket.receive", **({"text": frame} if isinstance(frame, str) else {"bytes": frame})}
    yield {"type": "websocket.disconnect", "code": 1000}


async def _business(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@contextlib.asynccontextmanager
async def _lifespan(application: Any) -> Any:
    incoming: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    started = asyncio.Event()

    async def send(message: dict[str, str]) -> None:
        started.set()

    task = asyncio.create_task(application({"type": "lifespan", "state": {}}, incoming.get, send))
    incoming.put_nowait({"type": "lifespan.startup"})
    await asyncio.wait_for(started.wait(), 60)
    yield
    incoming.put_nowait({"type": "lifespan.shutdown"})
    await asyncio.wait_for(task, 60)
