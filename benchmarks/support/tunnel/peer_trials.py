"""The part `peers`: the tunnel against mosquitto with QoS 1, received against received and durable against durable.

Both upload the same features over links of the same traces at the same moments, so that delays are pairs. A consumer
takes what mosquitto receives, over no link. Then each takes as many messages as it can and keeps them for a consumer that
is away: mosquitto in memory, one at a time and many, and saving after each message; the tunnel in memory and PostgreSQL.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
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

TARGETS = (
    *(Target(f"{kind}_bytes_ratio", at_most=0.7) for kind in ("received", "durable")),
    *(Target(f"{kind}_delay_ratio", at_most=1.0) for kind in ("received", "durable")),
    Target("durable_to_memory", at_least=1.0),
)
CONNECTIONS: Final = 64
IN_FLIGHT: Final = 32
_ONE_WAY_S: Final = 0.02
_EVERY_S: Final = 0.25
_SEED: Final = 41


class Pair(NamedTuple):
    """One feature over both protocols: seconds until it was acknowledged."""

    tunnel_s: float
    mqtt_s: float


class Compared(NamedTuple):
    """Pairs of delays, and the bytes in both directions that a feature took on either side."""

    pairs: list[Pair]
    tunnel_bytes: float
    mqtt_bytes: float

    def figures(self, kind: str) -> dict[str, float]:
        ours, theirs = (np.array([pair[side] for pair in self.pairs]) for side in (0, 1))
        figures = {f"{kind}_bytes_tunnel": self.tunnel_bytes, f"{kind}_bytes_mosquitto": self.mqtt_bytes}
        for side, delays in (("tunnel", ours), ("mosquitto", theirs)):
            figures |= {f"{kind}_p{q}_ms_{side}": float(np.percentile(delays, q)) * 1e3 for q in (50, 90, 99)}
            figures[f"{kind}_mean_ms_{side}"] = float(delays.mean()) * 1e3
        figures[f"{kind}_bytes_ratio"] = self.tunnel_bytes / self.mqtt_bytes
        figures[f"{kind}_delay_ratio"] = float(ours.mean() / theirs.mean())
        return figures


class _Side:
    """One protocol's connection over its link."""

    def __init__(self, uploader: TunnelUploader | MqttUploader, link: Link) -> None:
        self.uploader, self.link = uploader, link
        self._before = 0

    @property
    def bytes(self) -> int:
        return self.link.bytes_up + self.link.bytes_down - self._before

    def begin(self) -> None:
        """Count bytes from here on: what opening the connection took is not a feature's."""
        self._before = self.link.bytes_up + self.link.bytes_down

    async def upload(self, values: Values) -> float:
        began = time.perf_counter()
        self.uploader.send(values)
        await self.uploader.acknowledged(self.uploader.acknowledged_count + 1)
        return time.perf_counter() - began


def measure(
    folder: Path, devices: site.Devices, links: int, seconds: float, values: Sequence[Values]
) -> dict[str, float]:
    """Compare over so many links at once, then by rates; return the figures."""
    print(f"peer: mosquitto {version()}")
    chosen, figures = traces(links, _SEED), dict[str, float]()
    servers = {"received": site.receiving, "durable": site.plain}
    for kind, serving in servers.items():
        with _both(serving, persistent=kind == "durable") as ports:
            compared = uvloop.run(_beside(ports, devices, chosen, seconds, values))
            figures |= compared.figures(kind)
    figures |= _rates(folder, devices, seconds, values)
    _report(figures)
    return figures


@contextlib.contextmanager
def _both(serving: Callable[[], AbstractContextManager[Server]], *, persistent: bool) -> Iterator[tuple[int, int]]:
    """Run a gateway and a broker; yield their ports."""
    with serving() as server, mosquitto(persistent=persistent, cpus=SERVER_CPUS) as broker:
        yield server.port, broker.port


async def _beside(
    ports: tuple[int, int], devices: site.Devices, chosen: Sequence[Trace], seconds: float, values: Sequence[Values]
) -> Compared:
    """Upload the same features over both at the same moments, over links of the same traces."""
    async with contextlib.AsyncExitStack() as open_:
        consumer = await consume(ports[1])
        open_.callback(consumer.transport.close)
        sides = []
        began = time.monotonic()
        for number, trace in enumerate(chosen):
            mqtt = MqttUploader(f"device-{number}")
            tunnel = TunnelUploader(devices.headers(), site.TASK, devices.manifest)
            pair = []
            for uploader, port in zip((tunnel, mqtt), ports, strict=True):
                link = Link(trace, _ONE_WAY_S, began)
                await uploader.open(await open_.enter_async_context(shaped(link, port)))
                open_.callback(uploader.close)
                pair.append(_Side(uploader, link))
            sides.append((pair[0], pair[1]))
        found = await asyncio.gather(
            *(_pairs(*both, seconds, values[number :: len(chosen)]) for number, both in enumerate(sides))
        )
    pairs = [pair for of_link in found for pair in of_link]
    tunnel_bytes, mqtt_bytes = (sum(both[side].bytes for both in sides) / len(pairs) for side in (0, 1))
    return Compared(pairs, tunnel_bytes, mqtt_bytes)


async def _pairs(tunnel: _Side, mqtt: _Side, seconds: float, values: Sequence[Values]) -> list[Pair]:
    """Upload one feature after the other, each over both at once, with a pause between them."""
    tunnel.begin()
    mqtt.begin()
    pairs: list[Pair] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end or not pairs:
        value = values[len(pairs) % len(values)]
        first, second = (tunnel, mqtt) if len(pairs) % 2 else (mqtt, tunnel)
        took = await asyncio.gather(first.upload(value), second.upload(value))
        pairs.append(Pair(*(took if first is tunnel else reversed(took))))
        await asyncio.sleep(_EVERY_S)
    return pairs


def _rates(folder: Path, devices: site.Devices, seconds: float, values: Sequence[Values]) -> dict[str, float]:
    """Measure how many messages each side takes in a second, and the disk's limit beside them."""
    figures: dict[str, float] = {}
    trials = {
        "memory_one_at_a_time_per_s": (False, 1, 1),
        "memory_per_s_mosquitto": (False, CONNECTIONS, IN_FLIGHT),
        "persistent_per_s_mosquitto": (True, CONNECTIONS, IN_FLIGHT),
    }
    for name, (persistent, connections, in_flight) in trials.items():
        with mosquitto(persistent=persistent, cpus=SERVER_CPUS) as broker:
            figures[name] = uvloop.run(_mqtt_rate(broker, connections, in_flight, seconds, values)).per_s
    with site.receiving() as server:
        memory = uvloop.run(_tunnel_rate(server, devices, seconds, values))
    syncs = sync_seconds(folder, seconds)
    with site.plain() as server:
        durable = uvloop.run(_tunnel_rate(server, devices, seconds, values))
    figures |= {"memory_per_s_tunnel": memory.per_s, "durable_per_s_tunnel": durable.per_s}
    figures |= {"memory_per_core_tunnel": memory.per_core, "durable_per_core_tunnel": durable.per_core}
    figures |= {"fsync_per_s": 1 / float(syncs.mean()), "fsync_p99_ms": float(np.percentile(syncs, 99)) * 1e3}
    figures["durable_to_fsync"] = durable.per_s * float(syncs.mean())
    figures["durable_to_memory"] = durable.per_s / figures["memory_one_at_a_time_per_s"]
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
