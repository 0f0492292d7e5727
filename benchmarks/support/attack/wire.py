"""Mutated inputs over real sockets to the running product, at a fixed rate, from a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, Final
from urllib.parse import urlsplit

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from benchmarks.support.attack.inputs import Fault, Frames, Input, Request
from benchmarks.support.attack.mutation import Mutator
from benchmarks.support.attack.target import AttackTarget
from benchmarks.support.cores import OTHER_CPUS

TIMEOUT_S: Final = 2.0
"""The timeout of an answer: a request that is shorter than its declared length gets none."""
MOST_AT_ONCE: Final = 64
MOST_FAULTS: Final = 30
FRAMES_PER_SOCKET: Final = 20
KINDS: Final = {"git": "git", "login": "login", "check-in": "check_in", "device": "device", "rest": "rest"}


@dataclass
class Answers:
    """The answers: statuses by endpoint, and inputs that were answered with 5xx."""

    sent: Counter[str] = field(default_factory=Counter)
    statuses: dict[str, Counter[str]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def answered_5xx(self) -> int:
        return sum(count for found in self.statuses.values() for status, count in found.items() if status[0] == "5")


def start(
    target: AttackTarget, seed: int, counts: dict[str, int], rate: float
) -> tuple[multiprocessing.Process, Connection]:
    """Start a process that sends inputs of each kind, mixed, at a rate; the result is sent over the connection."""
    receiving, sending = multiprocessing.get_context("spawn").Pipe(duplex=False)
    process: Any = multiprocessing.get_context("spawn").Process(
        target=_work, args=(target, seed, counts, rate, sending), daemon=True
    )
    process.start()
    sending.close()
    return process, receiving


def _work(target: AttackTarget, seed: int, counts: dict[str, int], rate: float, sending: Connection) -> None:
    os.sched_setaffinity(0, OTHER_CPUS)
    os.nice(10)
    sending.send(asyncio.run(_Wire(target, seed).attack(counts, rate)))


class _Wire:
    def __init__(self, target: AttackTarget, seed: int) -> None:
        self.target, self.mutator, self.rng = target, Mutator(seed + 1, legal=False), random.Random(seed)
        address = urlsplit(target.origin)
        self.host, self.port = str(address.hostname), address.port
        self.answers = Answers()

    async def attack(self, counts: dict[str, int], rate: float) -> Answers:
        began, places = time.monotonic(), asyncio.Semaphore(MOST_AT_ONCE)
        # If the product is slower than the rate, the attack ends all the same.
        until = began + 1.5 * sum(counts.values()) / rate + 10
        async with asyncio.TaskGroup() as tasks:
            for number, (kind, input) in enumerate(self._inputs(counts)):
                await asyncio.sleep(max(0.0, began + number / rate - time.monotonic()))
                await places.acquire()
                tasks.create_task(self._send(kind, input)).add_done_callback(lambda _: places.release())
                if time.monotonic() > until:
                    break
        self.answers.seconds = time.monotonic() - began
        return self.answers

    def _inputs(self, counts: dict[str, int]) -> Iterator[tuple[str, Input]]:
        left = Counter(counts)
        while kinds := [kind for kind, count in left.items() if count > 0]:
            (kind,) = self.rng.choices(kinds, [left[kind] for kind in kinds])
            if kind == "live":
                left[kind] -= FRAMES_PER_SOCKET
                yield kind, self.mutator.frames(self.target.frames, FRAMES_PER_SOCKET)
            else:
                left[kind] -= 1
                yield kind, self.mutator.request(self.target.seeds[KINDS[kind]])

    async def _send(self, kind: str, input: Input) -> None:
        outcome = await (self._request(input) if isinstance(input, Request) else self._talk(input))
        self.answers.sent[kind] += len(input.frames) if isinstance(input, Frames) else 1
        self.answers.statuses.setdefault(kind, Counter())[outcome] += 1
        if outcome.startswith("5") and len(self.answers.faults) < MOST_FAULTS:
            self.answers.faults.append(Fault(f"{kind}-on-the-wire", outcome, input))

    async def _request(self, request: Request) -> str:
        """Return the status of the first answer; "none" without one in time, "closed" if the connection ends."""
        writer = None
        try:
            reader, writer = await asyncio.open_connection(self.host, self.port)
            writer.write(request.wire())
            async with asyncio.timeout(TIMEOUT_S):
                line = await reader.readline()
        except TimeoutError:
            return "none"
        except (OSError, ValueError):
            return "closed"
        finally:
            if writer is not None:
                writer.transport.abort()
        parts = line.split()
        return parts[1].decode("latin-1") if len(parts) > 1 else "closed"

    async def _talk(self, frames: Frames) -> str:
        headers = {"Cookie": self.target.attacker_cookie}
        address = f"ws://{self.host}:{self.port}/live"
        try:
            async with connect(
                address, origin=self.target.origin, additional_headers=headers, close_timeout=1
            ) as socket:  # type: ignore[arg-type]
                for frame in frames.frames:
                    await socket.send(frame if isinstance(frame, bytes) else frame.encode(errors="replace").decode())
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(0.2):
                        async for _ in socket:
                            pass
                await socket.close()
                return str(socket.close_code)
        except WebSocketException as error:
            status = getattr(getattr(error, "response", None), "status_code", None)
            return str(status or getattr(getattr(error, "rcvd", None), "code", "closed"))
        except (OSError, TimeoutError):
            return "closed"
