"""Claim: a check-in costs little more than the bare server under it, whatever the size of the fleet.

One gateway process on one core, with credential check, profile comparison, cohort hashes and write-behind to
PostgreSQL, against a bare ASGI application on the same server and a plain DRF + ORM view, in the same run. The gateway
is measured as `make run` starts it, with uvicorn's shorter way for check-ins, and as an ordinary ASGI application
("asgi"). The load generator and PostgreSQL share the other core, PostgreSQL at low priority: what it takes, the load
generator lacks, so the CPU time of the gateway itself is printed beside the rates. Rounds of the contestants alternate,
so that drift of the machine hits all; ratios are medians over rounds.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.support import fleet
from benchmarks.support.cores import SERVER_CPUS, leave_core_to_servers
from benchmarks.support.load import CONNECTIONS, Load, pace, run, saturate, wait_until_idle
from benchmarks.support.outcome import Target, print_outcome
from benchmarks.support.walle import Server, serving, temporary_walle

DEVICES = int(os.environ.get("BENCH_DEVICES", "250000"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))
SECONDS = 4.0
PACED_RATE = 4000
UNIQUE = {"hit90": 0.1, "hit0": 1.0, "hit100": 0.0}
PEERS = "benchmarks.support.checkin_peers:"
SHORTER_WAY = "walle.gateway.uvicorn_protocol:CheckInProtocol"

console = Console()


def main() -> None:
    leave_core_to_servers()
    with temporary_walle():
        console.print("preparing 100 releases and the fleet's requests")
        fleet.create_releases()
        rng = np.random.default_rng(2022)
        requests = {name: fleet.requests(DEVICES, unique, rng) for name, unique in UNIQUE.items()}
        requests["offers"] = fleet.requests(DEVICES, 0.0, rng, has=lambda entry: False)
        fleet.register(requests["hit100"])
        figures = measure(requests)
    if figures["ratio_to_bare_hit90"] < 0.7:
        busy = figures["rate_gateway_hit90"] * figures["cpu_us_gateway_hit90"] / 1e6
        console.print(
            f"Short of 0.7: the gateway was busy for {busy:.0%} of its core and costs "
            f"{1 / figures['cpu_ratio_to_bare_hit90']:.2f} times the CPU of the bare server; the rest of the gap is "
            "time in which the load generator waited for the core that PostgreSQL writes check-ins on."
        )
    print_outcome(
        "checkin",
        figures,
        [Target("ratio_to_bare_hit90", at_least=0.7), Target("ratio_to_drf", at_least=10)],
    )


def measure(requests: dict[str, list[bytes]]) -> dict[str, float]:
    """All figures, with the servers running side by side and loaded in turn."""
    with (
        serving(PEERS + "bare", cpus=SERVER_CPUS) as bare,
        serving(PEERS + "gateway", "--factory", cpus=SERVER_CPUS, protocol=SHORTER_WAY) as gateway,
        serving(PEERS + "gateway", "--factory", cpus=SERVER_CPUS) as asgi,
        serving(PEERS + "drf", "--factory", cpus=SERVER_CPUS) as drf,
    ):
        before = gateway.resident_mb()
        figures = throughput({"bare": bare, "gateway": gateway, "asgi": asgi, "drf": drf}, requests)
        figures |= latency({"bare": bare, "gateway": gateway}, requests["hit90"])
        figures |= {"gateway_memory_start_mb": before, "gateway_memory_end_mb": gateway.resident_mb()}
    figures["known_devices"] = DEVICES
    return figures


def throughput(servers: dict[str, Server], requests: dict[str, list[bytes]]) -> dict[str, float]:
    """Requests per second of each contestant, round by round, and the ratios of the rounds."""
    contestants = [("bare", "hit90"), *(("gateway", kind) for kind in requests)]
    contestants += [("asgi", "hit90"), ("drf", "hit90")]
    loads: dict[tuple[str, str], list[Load]] = {contestant: [] for contestant in contestants}
    costs: dict[tuple[str, str], list[float]] = {contestant: [] for contestant in contestants}
    for round_ in range(ROUNDS):
        for server, kind in contestants:
            start = round_ * DEVICES // ROUNDS
            before = servers[server].cpu_seconds()
            wait_until_idle()
            # Django answers one synchronous request after the other; more connections would only wait in line.
            connections = 4 if server == "drf" else CONNECTIONS
            load = run(saturate, servers[server].port, requests[kind], start, SECONDS, connections)
            cpu = (servers[server].cpu_seconds() - before) / len(load.latencies_us) * 1e6
            loads[server, kind].append(load)
            costs[server, kind].append(cpu)
            rate = f"{load.rate:8.0f}/s, {cpu:6.1f} us of CPU each"
            console.print(f"round {round_ + 1}: {server:8} {kind:7} {rate}, statuses {load.statuses}")
    show_throughput(loads, costs)
    bare = [load.rate for load in loads["bare", "hit90"]]
    figures = {f"rate_{server}_{kind}": median(load.rate for load in found) for (server, kind), found in loads.items()}
    figures |= {f"cpu_us_{server}_{kind}": median(found) for (server, kind), found in costs.items()}
    for kind in requests:
        rates = [load.rate for load in loads["gateway", kind]]
        figures[f"ratio_to_bare_{kind}"] = median(rate / other for rate, other in zip(rates, bare, strict=True))
    figures["ratio_to_bare_asgi"] = median(
        load.rate / other for load, other in zip(loads["asgi", "hit90"], bare, strict=True)
    )
    gateway, drf = loads["gateway", "hit90"], loads["drf", "hit90"]
    figures["ratio_to_drf"] = median(one.rate / other.rate for one, other in zip(gateway, drf, strict=True))
    figures["cpu_ratio_to_bare_hit90"] = figures["cpu_us_bare_hit90"] / figures["cpu_us_gateway_hit90"]
    return figures


def latency(servers: dict[str, Server], requests: list[bytes]) -> dict[str, float]:
    """Latencies at a fixed rate: alone, while tables are swapped, while 50 devices pull."""
    bare, gateway = servers["bare"].port, servers["gateway"].port
    conditions: dict[str, tuple[int, Callable[[], Any]]] = {
        "bare": (bare, contextlib.nullcontext),
        "gateway": (gateway, contextlib.nullcontext),
        "gateway_table_swaps": (gateway, swapping_tables),
        "gateway_50_pulls": (gateway, lambda: pulling(gateway, 50)),
    }
    table = Table("condition", "p50 us", "p99 us", "statuses", title=f"latency at {PACED_RATE} check-ins/s")
    figures = {}
    for name, (port, condition) in conditions.items():
        wait_until_idle()
        with condition():
            load = run(pace, port, requests, 0, 6.0, PACED_RATE)
        figures |= {f"p50_us_{name}": load.percentile(50), f"p99_us_{name}": load.percentile(99)}
        table.add_row(name, f"{load.percentile(50):.0f}", f"{load.percentile(99):.0f}", str(load.statuses))
    console.print(table)
    return figures


def show_throughput(loads: dict[tuple[str, str], list[Load]], costs: dict[tuple[str, str], list[float]]) -> None:
    columns = ("server", "headers", "check-ins/s", "CPU us each", "p50 us", "p99 us")
    table = Table(*columns, title="saturated, one core, 64 connections (drf: 4)")
    for (server, kind), found in loads.items():
        p50, p99 = (median(load.percentile(q) for load in found) for q in (50, 99))
        rate, cost = median(load.rate for load in found), median(costs[server, kind])
        table.add_row(server, kind, f"{rate:.0f}", f"{cost:.1f}", f"{p50:.0f}", f"{p99:.0f}")
    console.print(table)


@contextlib.contextmanager
def swapping_tables() -> Iterator[None]:
    """Publishes a new table twice a second meanwhile."""
    from devices_app.models import App
    from releases_app.services.tables import publish_app

    with repeating(lambda: publish_app(App.objects.get(), now=datetime.now(UTC)), every=0.5):
        yield


@contextlib.contextmanager
def pulling(port: int, count: int) -> Iterator[None]:
    """So many devices pull an artifact of 4 MB over and over meanwhile, each at about 1 MB/s."""
    from django.conf import settings

    from walle.artifacts import LocalStore

    digest = LocalStore(settings.WALLE_ARTIFACTS_DIR).put(os.urandom(4 << 20)).digest
    process = multiprocessing.get_context("fork").Process(target=_pull, args=(port, digest, count), daemon=True)
    process.start()
    time.sleep(0.5)
    try:
        yield
    finally:
        process.kill()
        process.join()


def _pull(port: int, digest: str, count: int) -> None:
    import asyncio

    async def device() -> None:
        while True:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 18)
            request = f"GET /walle/v1/artifacts/{digest} HTTP/1.1\r\nHost: walle\r\nConnection: close\r\n\r\n"
            writer.write(request.encode())
            while await reader.read(1 << 17):
                await asyncio.sleep(0.12)
            writer.close()

    async def fleet_of_devices() -> None:
        await asyncio.gather(*(device() for _ in range(count)))

    asyncio.run(fleet_of_devices())


@contextlib.contextmanager
def repeating(action: Callable[[], object], *, every: float) -> Iterator[None]:
    """Does something again and again in a thread."""
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(every):
            action()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def median(values: Any) -> float:
    return float(statistics.median(values))


if __name__ == "__main__":
    main()
