"""Good clients of the product, one of each kind, which measure how long they wait: a device, a page, a socket."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, Final

import httpx
import numpy as np
from websockets.asyncio.client import connect

from benchmarks.support.attack.target import APP, AttackTarget
from benchmarks.support.cores import OTHER_CPUS

EVERY_S: Final = {"check-in": 0.02, "page": 0.1, "socket": 0.02}
"""Seconds between two requests of one client: pages request more often than a person does."""


@dataclass
class Waited:
    """Milliseconds by client, and the number of failed requests."""

    ms: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in EVERY_S})
    failed: dict[str, int] = field(default_factory=lambda: dict.fromkeys(EVERY_S, 0))

    def p99(self, client: str) -> float:
        return float(np.percentile(self.ms[client], 99)) if self.ms[client] else float("inf")


class GoodClients:
    """A process that measures from `begin` on; `take` returns the measurements since then and starts again."""

    def __init__(self, target: AttackTarget) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, other = context.Pipe()
        self._process = context.Process(target=_work, args=(target, other), daemon=True)
        self._process.start()
        assert self._connection.recv() == "ready"

    def take(self) -> Waited:
        self._connection.send("take")
        found: Waited = self._connection.recv()
        return found

    def stop(self) -> None:
        self._process.kill()
        self._process.join()


def _work(target: AttackTarget, connection: Connection) -> None:
    os.sched_setaffinity(0, OTHER_CPUS)
    asyncio.run(_all(target, connection))


async def _all(target: AttackTarget, connection: Connection) -> None:
    waited = Waited()
    loop = asyncio.get_running_loop()
    async with httpx.AsyncClient(base_url=target.origin, timeout=30) as client:
        enrolled = (await client.post("/walle/v1/enrol", json={"app": APP, "key": target.enrol_key})).json()
        device = {
            "walle-device": f'"{enrolled["device"]}";c="{enrolled["credential"]}";n=0',
            "walle-app": f'"{APP}";v="1.0.0"',
        }
        page = {"authorization": f"Bearer {target.innocent}"}
        origin = {"Cookie": target.innocent_cookie}
        address = target.origin.replace("http", "ws", 1) + "/live"
        async with connect(address, origin=target.origin, additional_headers=origin) as socket:  # type: ignore[arg-type]

            async def check_in() -> bool:
                return (await client.get("/walle/v1/checkin", headers=device)).status_code == 204

            async def open_page() -> bool:
                return (await client.get("/api/v1/releases", headers=page)).status_code == 200

            async def ping() -> bool:
                await socket.send(json.dumps({"type": "ping"}))
                return json.loads(str(await asyncio.wait_for(socket.recv(), 30)))["type"] == "pong"

            def hand_over() -> None:
                nonlocal waited
                connection.recv()
                connection.send(waited)
                waited = Waited()

            for attempt in (check_in, open_page, ping):
                assert await attempt(), f"{attempt.__name__} gets no answer before the attack"
            loop.add_reader(connection.fileno(), hand_over)
            connection.send("ready")
            clients: dict[str, Callable[[], Awaitable[bool]]] = {
                "check-in": check_in,
                "page": open_page,
                "socket": ping,
            }
            await asyncio.gather(
                *(_measure_for_ever(name, attempt, lambda: waited) for name, attempt in clients.items())
            )


async def _measure_for_ever(name: str, attempt: Callable[[], Awaitable[bool]], present: Callable[[], Waited]) -> None:
    while True:
        began = time.perf_counter()
        try:
            good = await attempt()
        except (httpx.HTTPError, OSError, TimeoutError):
            good = False
        took: Any = time.perf_counter() - began
        present().ms[name].append(1000 * took)
        present().failed[name] += not good
        await asyncio.sleep(max(0.001, EVERY_S[name] - took))
