"""One device that uploads features through its tunnel, in a process that may be killed at any moment.

    python -m benchmarks.support.tunnel_faults.device FOLDER

FOLDER has `device.json` (see `Order`). Each feature has a number that no other feature of the device has, also after
the process was killed: `made` counts them, in one byte each, before they are handed to the tunnel, and `lives` has the
first number of each process. Once there is a file
`enough` the device makes no more, uploads what waits, and ends with its tunnel's counts in `counts.json`.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Final

import httpx

from walle.device.agent import Agent
from walle.device.clocks import seconds_since_boot
from walle.device.link.cloud import CloudAnswer
from walle.device.notices import ignore
from walle.device.storage.disk import Disk
from walle.device.storage.state import Installation
from walle.device.tunnel.connection import TunnelConnector
from walle.device.tunnel.parts import parts_on_disk
from walle.device.tunnel.service import TunnelService
from walle.device.updates.downloader import Downloader
from walle.protocol.canonical import canonical_json
from walle.protocol.documents import Manifest

TASK: Final = "bench/features"
LARGE_EVERY: Final = 100
LARGE: Final = 8_000
"""One feature in so many has so many random numbers, and is longer than one message."""
IMPATIENCE: Final = 0.2
"""The part of the usual pauses between attempts to connect."""
MOST_WAITING: Final = 1000
"""So many features, of 2 KB on average, take an eighth of the spool's 16 MiB."""


@dataclass(frozen=True)
class Order:
    """What a device's folder says: the server's address, the headers, the seconds between features, and a seed."""

    base: str
    headers: dict[str, str]
    every_s: float
    seed: int

    def write(self, folder: Path) -> None:
        (folder / "device.json").write_text(json.dumps(asdict(self)))

    @classmethod
    def read(cls, folder: Path) -> Order:
        return cls(**json.loads((folder / "device.json").read_text()))


class _NoCheckIns:
    """A device that is enrolled, and to which nothing is offered."""

    enrolled = True

    def receive(self, answer: CloudAnswer) -> None:
        print(f"the cloud said {answer.error or answer.offers}", flush=True)


def manifest() -> Manifest:
    """Return the manifest of the task whose outputs are uploaded."""
    scenario, task = TASK.split("/")
    empty: dict[str, object] = {"inputs": {}, "outputs": {}, "limits": {}, "requires": {}, "files": []}
    named = {"type": "walle-manifest", "format": 1, "scenario": scenario, "task": task, "version": "1.0.0"}
    return Manifest.from_payload(canonical_json({**named, **empty, "upload": {"outputs": ["n", "values"]}}))


class Uploader:
    """The life of the device in one process."""

    def __init__(self, folder: Path, order: Order, random_source: random.Random, client: httpx.AsyncClient) -> None:
        self._folder, self._order, self._random = folder, order, random_source
        self._manifest = manifest()
        self._installed = Installation(TASK, "1.0.0", self._manifest.digest, "folder", 1)
        self._made = os.open(folder / "made", os.O_CREAT | os.O_APPEND | os.O_RDWR, 0o600)
        self.service = self._service(order, client, lambda: IMPATIENCE * random_source.random())

    def _service(self, order: Order, client: httpx.AsyncClient, randomness: Callable[[], float]) -> TunnelService:
        parts = parts_on_disk(
            self._folder / "tunnel",
            Disk(),
            download=partial(Downloader, client, randomness=randomness),
            resolve=lambda address: address,
            monotonic=seconds_since_boot,
        )
        return TunnelService(
            parts,
            TunnelConnector(order.base),
            _NoCheckIns(),
            lambda: order.headers,
            clock=time.time,
            monotonic=seconds_since_boot,
            randomness=randomness,
            on_notice=ignore,
        )

    async def live(self) -> None:
        with (self._folder / "lives").open("a") as lives:
            lives.write(f"{os.fstat(self._made).st_size}\n")
        agent = Agent([self.service], on_notice=lambda notice: print(notice.name, notice.text, flush=True))
        running = asyncio.create_task(agent.run())
        while not (self._folder / "enough").exists():
            await asyncio.sleep(self._order.every_s)
            if self.service.counts()["waiting"] < MOST_WAITING:
                self._upload()
        while self.service.counts()["waiting"]:
            await asyncio.sleep(0.05)
        agent.stop()
        await running
        (self._folder / "counts.json").write_text(json.dumps(dict(self.service.counts())))

    def _upload(self) -> None:
        number = os.fstat(self._made).st_size
        os.write(self._made, b".")
        count = LARGE if number % LARGE_EVERY == LARGE_EVERY - 1 else self._random.randrange(60)
        output = {"n": number, "values": [self._random.random() for _ in range(count)]}
        now = time.time()
        self.service.upload(self._installed, self._manifest, output, at=now, tracked_at=now)


async def live(folder: Path) -> None:
    """Upload until it is enough."""
    order = Order.read(folder)
    async with httpx.AsyncClient() as client:
        await Uploader(folder, order, random.Random(f"{order.seed} {os.getpid()}"), client).live()


if __name__ == "__main__":
    asyncio.run(live(Path(sys.argv[1])))
