"""Claim: a check-in costs little more than the bare server under it, whatever the size of the fleet.

One process on one core, with credential check, profile comparison, cohort hashes and write-behind to PostgreSQL, is
compared with a bare ASGI application on the same server and a plain DRF + ORM view, in the same run. Four paths to the
same answer are judged, each as a share of the bare server's rate, with headers of which nine in ten were seen before:

- `hit90`: the gateway alone, with uvicorn's shorter path for check-ins (walle.gateway.uvicorn_protocol): 0.7;
- `product`: all that `make run` serves on its port, started by its own command: 0.7;
- `asgi`: the gateway alone as an ordinary ASGI application: 0.6;
- `product_asgi`: all that `make run` serves as an ordinary ASGI application, through its router and middleware: 0.6.

Slices of a second of the bare server and of one contestant alternate, each over new connections; a ratio is the median
over such pairs. Its 95 % confidence interval is printed, and must not extend further than 5 % to either side. The load
generator and PostgreSQL share the other core, PostgreSQL at low priority: the load generator lacks what PostgreSQL
uses, so that the CPU time of the server itself is printed beside the rates. A slice starts to count a second after its
load began, when the check-ins of its first second are being written.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sys
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
from benchmarks.support.harness import Benchmark, Dimension
from benchmarks.support.load import pace, run, wait_until_idle
from benchmarks.support.outcome import Target
from benchmarks.support.rounds import FLUSH_S, MOST_SPREAD, Contestant, take_turns
from benchmarks.support.walle import Server, serving, serving_product, temporary_walle

UNIQUE = {"hit90": 0.1, "hit0": 1.0, "hit100": 0.0}
JUDGED = {"hit90": 0.7, "product": 0.7, "asgi": 0.6, "product_asgi": 0.6}
"""The contestants whose ratio to the bare server is judged."""
RARELY = 4
"""A contestant that is not judged takes part in one of this many rounds."""
DRF_CONNECTIONS = 4
"""Django answers one synchronous request after the other, so that more connections would only queue."""
PACED_RATE = 4000
PEERS = "benchmarks.support.checkin_peers:"
SHORTER_WAY = "walle.gateway.uvicorn_protocol:CheckInProtocol"
BENCHMARK = Benchmark(
    "checkin",
    scale={
        "devices": Dimension(250_000, 300),
        "releases": Dimension(fleet.RELEASES, 10),
        "rounds": Dimension(24, 1),
        "slice_s": Dimension(FLUSH_S, 0.05),
        "paced_s": Dimension(6.0, 0.1),
    },
    targets=(
        *(Target(f"ratio_to_bare_{name}", at_least=ratio) for name, ratio in JUDGED.items()),
        *(Target(f"ratio_to_bare_{name}_spread", at_most=MOST_SPREAD) for name in JUDGED),
        Target("ratio_to_drf", at_least=10),
    ),
    assumptions=(
        "two cores: the server has one, the load generator and PostgreSQL share the other, PostgreSQL at low priority",
        "requests come over 64 connections of the loopback interface, without TLS and without a proxy in front",
        "one app of ten versions, a tenth of its releases gray; devices have what they should: answers are empty",
        "every device is known to the registry: a check-in updates a row and inserts none",
    ),
)

console = Console(highlight=False)


def main() -> int:
    BENCHMARK.announce()
    leave_core_to_servers()
    devices = BENCHMARK.size("devices")
    with temporary_walle():
        console.print("preparing releases and the fleet's requests")
        fleet.create_releases(BENCHMARK.size("releases"))
        rng = np.random.default_rng(2022)
        requests = {name: fleet.requests(devices, unique, rng) for name, unique in UNIQUE.items()}
        requests["offers"] = fleet.requests(devices, 0.0, rng, has=lambda entry: False)
        fleet.register(requests["hit100"])
        figures = measure(requests)
    if figures["ratio_to_bare_hit90"] < JUDGED["hit90"]:
        busy = figures["rate_hit90"] * figures["cpu_us_hit90"] / 1e6
        console.print(
            f"Short of 0.7: the gateway was busy for {busy:.0%} of its core and costs "
            f"{1 / figures['cpu_ratio_to_bare_hit90']:.2f} times the CPU of the bare server; the rest of the gap is "
            "time in which the load generator waited for the core that PostgreSQL writes check-ins on."
        )
    return BENCHMARK.judge(figures)


def measure(requests: dict[str, list[bytes]]) -> dict[str, float]:
    """Measure all figures, with the servers running side by side and loaded in turn."""
    with (
        serving(PEERS + "bare", cpus=SERVER_CPUS) as bare,
        serving(PEERS + "gateway", "--factory", cpus=SERVER_CPUS, protocol=SHORTER_WAY) as gateway,
        serving(PEERS + "gateway", "--factory", cpus=SERVER_CPUS) as asgi,
        serving_product(cpus=SERVER_CPUS) as product,
        serving_product(cpus=SERVER_CPUS, protocol="httptools") as product_asgi,
        serving(PEERS + "drf", "--factory", cpus=SERVER_CPUS) as drf,
    ):
        weighed = {"gateway": gateway, "product": product}
        figures = {f"{name}_memory_start_mb": server.resident_mb() for name, server in weighed.items()}
        usual = requests["hit90"]
        contestants = [
            Contestant("hit90", gateway, usual),
            Contestant("product", product, usual),
            Contestant("asgi", asgi, usual),
            Contestant("product_asgi", product_asgi, usual),
            *(Contestant(kind, gateway, requests[kind], every=RARELY) for kind in ("hit0", "hit100", "offers")),
        ]
        plain = Contestant("drf", drf, usual, DRF_CONNECTIONS, every=RARELY)
        baseline = Contestant("bare", bare, usual)
        take_turns(baseline, [*contestants, plain], BENCHMARK.size("rounds"), BENCHMARK.amount("slice_s"))
        for contestant in (baseline, *contestants, plain):
            figures |= contestant.figures()
        figures["ratio_to_drf"] = contestants[0].rate / plain.rate
        figures |= latency({"bare": bare, "gateway": gateway, "product": product}, usual)
        figures |= {f"{name}_memory_end_mb": server.resident_mb() for name, server in weighed.items()}
    return figures


def latency(servers: dict[str, Server], requests: list[bytes]) -> dict[str, float]:
    """Measure latencies at a fixed rate: alone, while tables are swapped, while 50 devices pull."""
    gateway = servers["gateway"]
    conditions: dict[str, tuple[Server, Callable[[], Any]]] = {
        **{name: (server, contextlib.nullcontext) for name, server in servers.items()},
        "gateway_table_swaps": (gateway, swapping_tables),
        "gateway_50_pulls": (gateway, lambda: pulling(gateway.port, 50)),
    }
    table = Table("condition", "p50 us", "p99 us", "statuses", title=f"latency at {PACED_RATE} check-ins/s")
    figures = {}
    for name, (server, condition) in conditions.items():
        wait_until_idle()
        with condition():
            load = run(pace, server, requests, 0, BENCHMARK.amount("paced_s"), PACED_RATE)
        figures |= {f"p50_us_{name}": load.percentile(50), f"p99_us_{name}": load.percentile(99)}
        table.add_row(name, f"{load.percentile(50):.0f}", f"{load.percentile(99):.0f}", str(load.statuses))
    console.print(table)
    return figures


@contextlib.contextmanager
def swapping_tables() -> Iterator[None]:
    """Publish a new table twice a second for the length of the block."""
    from devices_app.models import App
    from releases_app.services.tables import publish_app

    with repeating(lambda: publish_app(App.objects.get(), now=datetime.now(UTC)), every=0.5):
        yield


@contextlib.contextmanager
def pulling(port: int, count: int) -> Iterator[None]:
    """Have devices pull an artifact of 4 MB repeatedly for the length of the block, each at about 1 MB/s."""
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
    """Call a function repeatedly in a thread for the length of the block."""
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


if __name__ == "__main__":
    sys.exit(main())
