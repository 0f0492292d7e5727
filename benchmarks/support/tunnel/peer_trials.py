"""The part `peers`: the tunnel against mosquitto with QoS 1, received against received and durable against durable.

Each uploads the same features over links of the same traces at the same moments of these, one after the other on each
link, while the other side rests. A consumer takes what mosquitto receives, over no link. Then each takes as many
messages as it can and keeps them for a consumer that is away: mosquitto in memory, one at a time and many, and saving
each.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import uvloop
from rich.console import Console
from rich.table import Table

from benchmarks.support.cores import SERVER_CPUS
from benchmarks.support.outcome import Target
from benchmarks.support.tunnel import site
from benchmarks.support.tunnel.disk import sync_seconds
from benchmarks.support.tunnel.mosquitto import mosquitto, version
from benchmarks.support.tunnel.shaping import Link, shaped
from benchmarks.support.tunnel.traces import Trace, traces
from benchmarks.support.tunnel.uploads import (
    MqttUploader,
    Rate,
    TunnelUploader,
    Values,
    consume,
    saturate,
)
from benchmarks.support.walle import Server

EQUAL: Final = 1.02
"""Delays that differ by less cannot be told apart from one run to the next."""
TARGETS = (
    *(Target(f"{kind}_bytes_ratio", at_most=0.7) for kind in ("received", "durable")),
    *(Target(f"{kind}_p50_ratio", at_most=EQUAL) for kind in ("received", "durable")),
    *(Target(f"{kind}_p99_ratio", at_most=EQUAL) for kind in ("received", "durable")),
    Target("durable_to_memory", at_least=1.0),
)
CONNECTIONS: Final = 64
IN_FLIGHT: Final = 32
_ONE_WAY_S: Final = 0.02
_EVERY_S: Final = 0.25
_TIMEOUT_S: Final = 15.0
_OPEN_S: Final = 1.0
"""Seconds before the traces begin, in which connections are opened."""
_SEED: Final = 41


class Side(NamedTuple):
    """One protocol over all links: the delay in seconds of each upload, by link and number, and the bytes of one."""

    delays: dict[tuple[int, int], float]
    bytes_each: float


def measure(
    folder: Path, durable: Server, devices: site.Devices, links: int, *, seconds: float, values: Sequence[Values]
) -> dict[str, float]:
    """Compare over so many links at once, then by rates; `durable` is the product's server. Return the figures."""
    print(f"peer: mosquitto {version()}")
    syncs = sync_seconds(folder, seconds)
    chosen, figures = traces(links, _SEED), dict[str, float]()
    with site.receiving() as receiving:
        for kind, server in (("received", receiving), ("durable", durable)):
            with mosquitto(persistent=kind == "durable", cpus=SERVER_CPUS) as broker:
                trial = LinkTrial(chosen, seconds, values)
                ours = uvloop.run(trial.tunnels(server.port, devices))
                theirs = uvloop.run(trial.publishers(broker.port))
            missing = float(np.median(syncs)) if kind == "durable" else 0.0
            figures |= _compared(kind, ours, theirs, missing)
        memory = uvloop.run(_tunnel_rate(receiving, devices, seconds, values))
    figures |= {"memory_per_s_tunnel": memory.per_s, "memory_per_core_tunnel": memory.per_core}
    figures |= _rates(durable, devices, seconds, values)
    figures |= {"fsync_per_s": 1 / float(syncs.mean()), "fsync_p50_ms": float(np.median(syncs)) * 1e3}
    figures["durable_to_fsync"] = figures["durable_per_s_tunnel"] * float(syncs.mean())
    _report(figures)
    return figures


@dataclass(frozen=True)
class LinkTrial:
    """Uploads over links: every so often the next feature on each, unless the one before is still on its way."""

    chosen: Sequence[Trace]
    seconds: float
    values: Sequence[Values]

    async def tunnels(self, port: int, devices: site.Devices) -> Side:
        uploaders = [TunnelUploader(devices.headers(), site.TASK, devices.manifest) for _ in self.chosen]
        return await self._over_links(port, uploaders)

    async def publishers(self, port: int) -> Side:
        consumer = await consume(port)
        try:
            return await self._over_links(port, [MqttUploader(f"device-{n}") for n in range(len(self.chosen))])
        finally:
            consumer.transport.close()

    async def _over_links(self, port: int, uploaders: Sequence[TunnelUploader | MqttUploader]) -> Side:
        began = time.monotonic() + _OPEN_S
        links = [Link(trace, _ONE_WAY_S, began) for trace in self.chosen]
        delays: dict[tuple[int, int], float] = {}
        async with contextlib.AsyncExitStack() as open_:
            for uploader, link in zip(uploaders, links, strict=True):
                await uploader.open(await open_.enter_async_context(shaped(link, port)))
                open_.callback(uploader.close)
            before = sum(link.bytes_up + link.bytes_down for link in links)
            numbered = enumerate(uploaders)
            await asyncio.gather(*(self._upload(number, uploader, began, delays) for number, uploader in numbered))
            passed = sum(link.bytes_up + link.bytes_down for link in links) - before
        return Side(delays, passed / len(delays))

    async def _upload(
        self,
        link: int,
        uploader: TunnelUploader | MqttUploader,
        began: float,
        delays: dict[tuple[int, int], float],
    ) -> None:
        for number in range(max(1, int(self.seconds / _EVERY_S))):
            # Not all links at once.
            wait = began + (number + link / len(self.chosen)) * _EVERY_S - time.monotonic()
            if wait < 0 and number:
                continue
            await asyncio.sleep(max(0.0, wait))
            sent = time.perf_counter()
            uploader.send(self.values[(link + number * len(self.chosen)) % len(self.values)])
            try:
                await uploader.acknowledged(uploader.acknowledged_count + 1, _TIMEOUT_S)
            except TimeoutError:
                return  # a link that is broken for so long has nothing to compare
            delays[link, number] = time.perf_counter() - sent


def _compared(kind: str, tunnel: Side, mosquitto: Side, missing: float) -> dict[str, float]:
    """Return the figures of both sides; `missing` is what mosquitto's acknowledgement does not wait for, in seconds."""
    both = sorted(tunnel.delays.keys() & mosquitto.delays.keys())
    figures: dict[str, float] = {}
    for name, side in (("tunnel", tunnel), ("mosquitto", mosquitto)):
        delays = np.array([side.delays[each] for each in both]) * 1e3
        figures |= {f"{kind}_p{q}_ms_{name}": float(np.percentile(delays, q)) for q in (50, 90, 99)}
        figures |= {f"{kind}_mean_ms_{name}": float(delays.mean()), f"{kind}_bytes_{name}": side.bytes_each}
    figures[f"{kind}_bytes_ratio"] = tunnel.bytes_each / mosquitto.bytes_each
    for name in ("p50", "p90", "p99", "mean"):
        theirs = figures[f"{kind}_{name}_ms_mosquitto"] + missing * 1e3
        figures[f"{kind}_{name}_ratio"] = figures[f"{kind}_{name}_ms_tunnel"] / theirs
    return figures


def _rates(durable: Server, devices: site.Devices, seconds: float, values: Sequence[Values]) -> dict[str, float]:
    """Measure how many messages each side takes in a second."""
    figures: dict[str, float] = {}
    trials = {
        "memory_one_at_a_time_per_s": (False, 1, 1),
        "memory_per_s_mosquitto": (False, CONNECTIONS, IN_FLIGHT),
        "persistent_per_s_mosquitto": (True, CONNECTIONS, IN_FLIGHT),
    }
    for name, (persistent, connections, in_flight) in trials.items():
        with mosquitto(persistent=persistent, cpus=SERVER_CPUS) as broker:
            figures[name] = uvloop.run(_mqtt_rate(broker, connections, in_flight, seconds, values)).per_s
    rate = uvloop.run(_tunnel_rate(durable, devices, seconds, values))
    figures |= {"durable_per_s_tunnel": rate.per_s, "durable_per_core_tunnel": rate.per_core}
    figures["durable_to_memory"] = rate.per_s / figures["memory_one_at_a_time_per_s"]
    return figures


async def _mqtt_rate(
    broker: Server, connections: int, in_flight: int, seconds: float, values: Sequence[Values]
) -> Rate:
    (await consume(broker.port)).transport.close()
    uploaders = [MqttUploader(f"publisher-{number}") for number in range(connections)]
    for uploader in uploaders:
        await uploader.open(broker.port)
    rate = await saturate(uploaders, values, seconds, in_flight, broker.cpu_seconds)
    for uploader in uploaders:
        uploader.close()
    return rate


async def _tunnel_rate(server: Server, devices: site.Devices, seconds: float, values: Sequence[Values]) -> Rate:
    uploaders = [TunnelUploader(devices.headers(), site.TASK, devices.manifest) for _ in range(CONNECTIONS)]
    for uploader in uploaders:
        await uploader.open(server.port)
    rate = await saturate(uploaders, values, seconds, IN_FLIGHT, server.cpu_seconds)
    for uploader in uploaders:
        uploader.close()
    return rate


def _report(figures: dict[str, float]) -> None:
    table = Table("", "bytes", "mean ms", "p50 ms", "p90 ms", "p99 ms", title="a feature of a page view, both ways")
    for kind in ("received", "durable"):
        for side in ("tunnel", "mosquitto"):
            delays = (f"{figures[f'{kind}_{name}_ms_{side}']:.1f}" for name in ("mean", "p50", "p90", "p99"))
            table.add_row(f"{kind}, {side}", f"{figures[f'{kind}_bytes_{side}']:.0f}", *delays)
    console = Console(width=130, highlight=False)
    console.print(table)
    console.print(
        f"per second: mosquitto in memory {figures['memory_one_at_a_time_per_s']:,.0f} one at a time, "
        f"{figures['memory_per_s_mosquitto']:,.0f} over {CONNECTIONS} connections; saving after each message "
        f"{figures['persistent_per_s_mosquitto']:,.0f}; tunnels in memory {figures['memory_per_s_tunnel']:,.0f}, "
        f"durable {figures['durable_per_s_tunnel']:,.0f}; syncs of this disk {figures['fsync_per_s']:,.0f}"
    )
