"""What Redis Streams take as the sink of features: of its core, and of its memory, when each group is synced."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import Final

import redis.asyncio
from rich.console import Console

from benchmarks.support import fleet
from benchmarks.support.cores import SERVER_CPUS
from benchmarks.support.tunnel.site import TASK
from benchmarks.support.tunnel.uploads import Rate, Values
from benchmarks.support.walle import Server, free_port, wait_for_port
from walle.gateway.ports import ReceivedFeature
from walle.gateway.redis_features import RedisFeatureSink
from walle.protocol.tunnel_messages import write_values

MISSING: Final = "this benchmark needs Redis: apt-get install -y redis-server"
GROUP: Final = 100
"""Features of one group, each of another device."""


async def measure(seconds: float, values: Sequence[Values]) -> dict[str, float]:
    """Store groups, one after the other, for so many seconds; return the figures."""
    with _redis() as server:
        address = f"redis://127.0.0.1:{server.port}/0"
        sink, asking = RedisFeatureSink(address), redis.asyncio.Redis.from_url(address)
        spools = [secrets.token_bytes(8) for _ in range(GROUP)]
        await sink.store(_group(spools, 1, values))
        memory = (await asking.info("memory"))["used_memory"]
        cpu, began, groups = server.cpu_seconds(), time.perf_counter(), 0
        while time.perf_counter() < began + seconds:
            groups += 1
            await sink.store(_group(spools, groups + 1, values))
        took, cpu = time.perf_counter() - began, server.cpu_seconds() - cpu
        memory = (await asking.info("memory"))["used_memory"] - memory
        await sink.close()
        await asking.aclose()
    count = groups * GROUP
    rate = Rate(count / took, cpu / count, count)
    figures = {
        "redis_uploads_per_s": rate.per_s,
        "redis_uploads_per_core": rate.per_core,
        "redis_bytes_each": memory / count,
    }
    Console(width=130, highlight=False).print(
        f"Redis, groups of {GROUP}, each synced: {figures['redis_uploads_per_s']:,.0f} features per second, "
        f"{figures['redis_uploads_per_core']:,.0f} per core, {figures['redis_bytes_each']:.0f} bytes of memory each"
    )
    return figures


def _group(spools: Sequence[bytes], sequence: int, values: Sequence[Values]) -> list[ReceivedFeature]:
    now, group = time.time(), []
    for number, spool in enumerate(spools):
        body = write_values(values[(sequence * GROUP + number) % len(values)])
        group.append(
            ReceivedFeature(
                app=fleet.APP,
                device=f"tunnel-{number:09d}",
                spool=spool,
                sequence=sequence,
                task=TASK,
                version="1.0.0",
                manifest=fleet.manifest_digest(0)[:24],
                at=now,
                tracked_at=now,
                received_at=now,
                values=body,
                raw_bytes=len(body),
                wire_bytes=len(body),
                answer_by=None,
            )
        )
    return group


@contextlib.contextmanager
def _redis() -> Iterator[Server]:
    """Run a Redis that syncs before it answers, on the servers' core."""
    program = shutil.which("redis-server")
    if program is None:
        raise SystemExit(MISSING)
    port = free_port()
    durable = ("--appendonly", "yes", "--appendfsync", "always", "--save", "")
    with tempfile.TemporaryDirectory(prefix="walle-bench-") as folder:
        options = ("--port", str(port), "--bind", "127.0.0.1", "--dir", folder, *durable, "--loglevel", "warning")
        process = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
        os.sched_setaffinity(process.pid, SERVER_CPUS)
        try:
            wait_for_port(port, process)
            yield Server(port, process)
        finally:
            process.terminate()
            process.wait(20)
