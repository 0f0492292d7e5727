"""Claim: with a thousand active releases with rules, a check-in still runs at half the bare server's rate or more.

One gateway process on one core, its write-behind to PostgreSQL included, against a bare ASGI application on the same
server, in the same run. The releases target versions, systems, models, regions, numbers that change by the minute, what
is known of users, and id lists (support/targeting.py); devices are drawn from thousands of kinds and have what they
should (support/population.py). Three kinds of traffic: headers of which nine in ten were seen before, headers of
thousands of kinds, and headers of which no two are the same. Beside them the fleet of benchmark `checkin`, with a
hundred uniform releases. The load generator and PostgreSQL share the other core, PostgreSQL at low priority.

Then the same decisions without a server around them, for ten to five thousand releases: what an answer costs must
depend on how many of them concern the device, not on how many there are.
"""

from __future__ import annotations

import os

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.support import fleet, targeted_fleet
from benchmarks.support.cores import SERVER_CPUS, leave_core_to_servers
from benchmarks.support.handlers import desk_costs
from benchmarks.support.load import pace, run, wait_until_idle
from benchmarks.support.outcome import Target, print_outcome
from benchmarks.support.population import Population
from benchmarks.support.rounds import Contestant, take_turns
from benchmarks.support.targeted_fleet import TRAFFIC
from benchmarks.support.walle import serving, temporary_walle

RELEASES = int(os.environ.get("BENCH_RELEASES", "1000"))
DEVICES = int(os.environ.get("BENCH_DEVICES", "20000"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "4"))
SECONDS = 3.0
PACED_RATE = 4000
GROWTH = (10, 100, 1000, 5000)
PEERS = "benchmarks.support.checkin_peers:"
SHORTER_WAY = "walle.gateway.uvicorn_protocol:CheckInProtocol"

console = Console()


def main() -> None:
    leave_core_to_servers()
    with temporary_walle():
        console.print(f"preparing {RELEASES} releases and the fleet's requests")
        figures = measure(requests())
    figures |= growth()
    targets = [
        Target("ratio_to_bare_recurring", at_least=0.5),
        Target("cost_of_5000_releases_to_1000", at_most=1.5),
    ]
    print_outcome("rules", figures, targets)


def requests() -> dict[str, list[bytes]]:
    """The releases, and the check-ins of devices that are known to the registry; each kind of traffic has its own."""
    from devices_app.selectors.state import gateway_state

    rng = np.random.default_rng(2022)
    fleet.create_releases()
    targeted_fleet.create_releases(RELEASES, len(TRAFFIC) * DEVICES, rng)
    found = {"uniform": fleet.requests(DEVICES, 0.1, rng)}
    state, people = gateway_state().apps[targeted_fleet.APP], Population(rng)
    for place, (name, traffic) in enumerate(TRAFFIC.items()):
        devices = range(place * DEVICES, (place + 1) * DEVICES)
        found[name] = list(map(fleet.request, targeted_fleet.check_ins(traffic, people, state, devices)))
    for sent in found.values():
        fleet.register(sent)
    return found


def measure(requests: dict[str, list[bytes]]) -> dict[str, float]:
    """Rates and latencies, with the servers running side by side and loaded in turn."""
    with (
        serving(PEERS + "bare", cpus=SERVER_CPUS) as server,
        serving(PEERS + "gateway", "--factory", cpus=SERVER_CPUS, protocol=SHORTER_WAY) as gateway,
    ):
        bare = Contestant("bare", server, requests["recurring"])
        contestants = [Contestant(name, gateway, sent) for name, sent in requests.items()]
        figures = {"gateway_memory_start_mb": gateway.resident_mb()}
        take_turns([bare, *contestants], ROUNDS, SECONDS)
        figures |= {f"rate_{one.name}": one.rate for one in (bare, *contestants)}
        figures |= {f"cpu_us_{one.name}": one.cost_us for one in (bare, *contestants)}
        figures |= {f"ratio_to_bare_{one.name}": one.ratio_to(bare) for one in contestants}
        figures |= {f"cpu_ratio_to_bare_{one.name}": bare.cost_us / one.cost_us for one in contestants}
        figures |= latency([bare, *contestants])
        figures |= {"gateway_memory_end_mb": gateway.resident_mb()}
    return figures


def latency(contestants: list[Contestant]) -> dict[str, float]:
    """Latencies at a fixed rate."""
    table = Table("requests", "p50 us", "p99 us", "statuses", title=f"latency at {PACED_RATE} check-ins/s")
    figures = {}
    for one in contestants:
        wait_until_idle()
        load = run(pace, one.server.port, one.requests, 0, 4.0, PACED_RATE)
        figures |= {f"p50_us_{one.name}": load.percentile(50), f"p99_us_{one.name}": load.percentile(99)}
        table.add_row(one.name, f"{load.percentile(50):.0f}", f"{load.percentile(99):.0f}", str(load.statuses))
    console.print(table)
    return figures


def growth() -> dict[str, float]:
    """What an answer costs by the number of releases, without a server around it."""
    table = Table("releases", *(f"us, {name}" for name in TRAFFIC), "compile ms", "MB", title="CPU for an answer alone")
    figures = {}
    for releases in GROWTH:
        costs = desk_costs(releases, SERVER_CPUS)
        answers = [costs.answer_us[name] for name in TRAFFIC]
        table.add_row(str(releases), *(f"{value:.1f}" for value in (*answers, costs.compile_ms, costs.memory_mb)))
        figures |= {f"answer_us_{name}_{releases}": costs.answer_us[name] for name in TRAFFIC}
        figures |= {f"compile_ms_{releases}": costs.compile_ms, f"table_and_caches_mb_{releases}": costs.memory_mb}
    console.print(table)
    figures["cost_of_5000_releases_to_1000"] = figures["answer_us_kinds_5000"] / figures["answer_us_kinds_1000"]
    return figures


if __name__ == "__main__":
    main()
