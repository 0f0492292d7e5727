"""The part `capacity`: thousands of tunnels on one server process, idle and active, and PostgreSQL behind it."""

from __future__ import annotations

import asyncio
import contextlib
import math
import ssl
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Final

import psutil
import uvloop
from rich.console import Console

from benchmarks.support.outcome import Target
from benchmarks.support.tunnel import redis_trials, site
from benchmarks.support.tunnel.handshake_trials import NginxWorker, shipped_nginx
from benchmarks.support.tunnel.uploads import Rate, TunnelUploader, Values, saturate
from benchmarks.support.walle import Server

TARGETS = (
    Target("idle_tunnel_kb", at_most=64.0),
    Target("refused_tunnels", at_most=0.0),
)
_AT_ONCE: Final = 50
_BEHIND_NGINX: Final = 300
"""Tunnels through nginx, whose process takes 1024 connections here, two for each."""


def measure(
    folder: Path, server: Server, devices: site.Devices, tunnels: int, *, seconds: float, values: Sequence[Values]
) -> dict[str, float]:
    """Open so many tunnels, leave them idle, then upload over all of them; each for so many seconds."""
    before = stored()
    figures = uvloop.run(_measure(server, devices, tunnels, seconds, values))
    grown, more = (now - then for now, then in zip(stored(), before, strict=True))
    figures["stored_bytes_each"] = grown / more
    figures |= uvloop.run(_through_nginx(folder, server, devices, min(tunnels, _BEHIND_NGINX)))
    figures |= uvloop.run(redis_trials.measure(seconds, values))
    return figures


async def _measure(
    server: Server, devices: site.Devices, tunnels: int, seconds: float, values: Sequence[Values]
) -> dict[str, float]:
    async with opened(server.port, devices, 1):
        pass
    before, began = server.resident_mb(), time.perf_counter()
    async with opened(server.port, devices, tunnels) as uploaders:
        took, grown = time.perf_counter() - began, server.resident_mb() - before
        await asyncio.sleep(seconds / 2)  # what opening them left to do is done by then
        cpu = server.cpu_seconds()
        await asyncio.sleep(seconds)
        idle = (server.cpu_seconds() - cpu) / seconds
        log, database = await asyncio.to_thread(wal_bytes), postgres_cpu_seconds()
        rate = await saturate(uploaders, values, seconds, 1, server.cpu_seconds)
        # A few are acknowledged before the measured seconds begin.
        count = sum(uploader.acknowledged_count for uploader in uploaders)
        log, database = await asyncio.to_thread(wal_bytes) - log, postgres_cpu_seconds() - database
        refused = sum(uploader.tunnel.ended.done() for uploader in uploaders)
    figures = {
        "idle_tunnel_kb": grown / tunnels * 1e3,
        "opened_per_s": tunnels / took,
        "idle_cpu_share": idle,
        "refused_tunnels": refused,
        "uploads_per_s": rate.per_s,
        "uploads_per_core": rate.per_core,
        "postgres_uploads_per_core": count / database if database else math.nan,
        "wal_bytes_each": log / count,
    }
    _report(tunnels, figures, rate)
    return figures


@contextlib.asynccontextmanager
async def opened(
    port: int, devices: site.Devices, count: int, tls: ssl.SSLContext | None = None
) -> AsyncIterator[list[TunnelUploader]]:
    """Open tunnels of as many devices, some at once."""
    uploaders = [TunnelUploader(devices.headers(), site.TASK, devices.manifest) for _ in range(count)]
    try:
        for start in range(0, count, _AT_ONCE):
            await asyncio.gather(*(uploader.open(port, tls) for uploader in uploaders[start : start + _AT_ONCE]))
        yield uploaders
    finally:
        for uploader in uploaders:
            uploader.close()


async def _through_nginx(folder: Path, server: Server, devices: site.Devices, count: int) -> dict[str, float]:
    """Measure what a tunnel takes of nginx's memory, beside what its server takes."""
    with tempfile.TemporaryDirectory(dir=folder) as name, shipped_nginx(Path(name), server.port) as nginx:
        worker = NginxWorker(nginx)
        trusted = ssl.create_default_context(cafile=str(Path(name, "certificate.pem")))
        async with opened(nginx.port, devices, 1, trusted):
            pass
        before = worker.resident_mb()
        async with opened(nginx.port, devices, count, trusted):
            return {"nginx_tunnel_kb": (worker.resident_mb() - before) / count * 1e3}


def postgres_cpu_seconds() -> float:
    """Return the CPU time of all of PostgreSQL's processes that live, from the beginning on."""
    total = 0.0
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if process.name() == "postgres":
                total += sum(process.cpu_times()[:2])
    return total


def wal_bytes() -> int:
    """Return how much PostgreSQL has written to its log."""
    return int(_value("SELECT pg_current_wal_insert_lsn() - '0/0'"))


def stored() -> tuple[float, float]:
    """Return the bytes of the table of features, its indexes included, and the number of its rows."""
    size = _value(
        "SELECT coalesce(sum(pg_total_relation_size(inhrelid)), 0) FROM pg_inherits"
        " WHERE inhparent = 'devices_app_feature'::regclass"
    )
    return float(size), float(_value("SELECT count(*) FROM devices_app_feature"))


def _value(query: str) -> float:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchone()[0]  # type: ignore[no-any-return]


def _report(tunnels: int, figures: dict[str, float], rate: Rate) -> None:
    console = Console(width=130, highlight=False)
    console.print(
        f"{tunnels:,} tunnels: {figures['idle_tunnel_kb']:.1f} KB each, {figures['opened_per_s']:.0f} opened a second, "
        f"{figures['idle_cpu_share']:.1%} of a core while idle"
    )
    console.print(
        f"one upload at a time on each: {rate.per_s:,.0f} per second; {rate.per_core:,.0f} per core of the server, "
        f"{figures['postgres_uploads_per_core']:,.0f} per core of PostgreSQL, "
        f"{figures['wal_bytes_each']:.0f} bytes of its log each"
    )
