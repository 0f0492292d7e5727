"""Claim: with a thousand active releases with rules, a check-in still runs at half the bare server's rate or more.

One gateway process on one core, its write-behind to PostgreSQL included, against a bare ASGI application on the same
server, in the same run. The releases target versions, systems, models, regions, numbers that change by the minute,
facts about users, and id lists (support/targeting.py); devices are of thousands of kinds and have the versions that
they should have (support/population.py). Three kinds of traffic are judged: headers of which nine in ten were seen
before, headers of thousands of kinds, and headers of which no two are the same. Beside them the fleet of benchmark
`checkin`, with a hundred uniform releases. Slices of the bare server and of each kind of traffic alternate as in
benchmark `checkin`.

Then the same decisions without a server around them, for ten to five thousand releases: the cost of an answer must
depend on how many of them concern the device, not on how many there are, for each kind of traffic.
"""

from __future__ import annotations

import sys

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.support import fleet, targeted_fleet
from benchmarks.support.cores import SERVER_CPUS, leave_core_to_servers
from benchmarks.support.handlers import handler_costs
from benchmarks.support.harness import Benchmark, Dimension, is_tiny
from benchmarks.support.load import pace, run, wait_until_idle
from benchmarks.support.outcome import Target
from benchmarks.support.population import Population
from benchmarks.support.rounds import FLUSH_S, MOST_SPREAD, Contestant, take_turns
from benchmarks.support.targeted_fleet import TRAFFIC
from benchmarks.support.walle import serving, temporary_walle

PACED_RATE = 4000
GROWTH = (10, 100, 1000, 5000)
TINY_GROWTH = (10, 50)
RARELY = 4
"""A contestant that is not judged takes part in one of this many rounds."""
PEERS = "benchmarks.support.checkin_peers:"
SHORTER_WAY = "walle.gateway.uvicorn_protocol:CheckInProtocol"
BENCHMARK = Benchmark(
    "rules",
    scale={
        "releases": Dimension(1000, 20),
        "devices": Dimension(20_000, 200),
        "rounds": Dimension(24, 1),
        "slice_s": Dimension(FLUSH_S, 0.05),
        "paced_s": Dimension(4.0, 0.1),
        "answers": Dimension(16_000, 400),
    },
    targets=(
        *(Target(f"ratio_to_bare_{name}", at_least=0.5) for name in TRAFFIC),
        *(Target(f"ratio_to_bare_{name}_spread", at_most=MOST_SPREAD) for name in TRAFFIC),
        *(Target(f"cost_of_5000_releases_to_1000_{name}", at_most=1.5) for name in TRAFFIC),
    ),
    assumptions=(
        "two cores: the gateway has one, the load generator and PostgreSQL share the other, PostgreSQL at low priority",
        "a rule takes a few per cent of the devices: of a thousand releases some thirty concern one, as in the paper",
        "of more than a thousand releases each is for one of five channels of the app",
        "every device is known to the registry and has what it should, so most answers are empty",
        "of kinds and fresh, headers that no cache has are parsed and decided anew: 15 to 35 us in Python, "
        "where the bare server takes 21 a request. 0.5 is out of reach for them: 0.39 and 0.29 were seen undisturbed",
    ),
)

console = Console(highlight=False)


def main() -> int:
    BENCHMARK.announce()
    leave_core_to_servers()
    with temporary_walle():
        console.print("preparing releases and the fleet's requests")
        figures = measure(requests())
    return BENCHMARK.judge(figures | growth())


def requests() -> dict[str, list[bytes]]:
    """Create the releases; return the check-ins of devices known to the registry, by kind of traffic."""
    from devices_app.selectors.state import gateway_state

    rng = np.random.default_rng(2022)
    count = BENCHMARK.size("devices")
    fleet.create_releases(min(fleet.RELEASES, BENCHMARK.size("releases")))
    targeted_fleet.create_releases(BENCHMARK.size("releases"), len(TRAFFIC) * count, rng)
    found = {"uniform": fleet.requests(count, 0.1, rng)}
    state, people = gateway_state().apps[targeted_fleet.APP], Population(rng)
    for place, (name, traffic) in enumerate(TRAFFIC.items()):
        devices = range(place * count, (place + 1) * count)
        found[name] = list(map(fleet.request, targeted_fleet.check_ins(traffic, people, state, devices)))
    for sent in found.values():
        fleet.register(sent)
    return found


def measure(requests: dict[str, list[bytes]]) -> dict[str, float]:
    """Measure rates and latencies, with the servers running side by side and loaded in turn."""
    with (
        serving(PEERS + "bare", cpus=SERVER_CPUS) as server,
        serving(PEERS + "gateway", "--factory", cpus=SERVER_CPUS, protocol=SHORTER_WAY) as gateway,
    ):
        bare = Contestant("bare", server, requests["recurring"])
        judged = [Contestant(name, gateway, requests[name]) for name in TRAFFIC]
        contestants = [*judged, Contestant("uniform", gateway, requests["uniform"], every=RARELY)]
        figures = {"gateway_memory_start_mb": gateway.resident_mb()}
        take_turns(bare, contestants, BENCHMARK.size("rounds"), BENCHMARK.amount("slice_s"))
        for contestant in (bare, *contestants):
            figures |= contestant.figures()
        figures |= latency([bare, *contestants])
        figures |= {"gateway_memory_end_mb": gateway.resident_mb()}
    return figures


def latency(contestants: list[Contestant]) -> dict[str, float]:
    """Measure latencies at a fixed rate."""
    table = Table("requests", "p50 us", "p99 us", "statuses", title=f"latency at {PACED_RATE} check-ins/s")
    figures = {}
    for contestant in contestants:
        wait_until_idle()
        load = run(pace, contestant.server, contestant.requests, 0, BENCHMARK.amount("paced_s"), PACED_RATE)
        figures |= {f"p50_us_{contestant.name}": load.percentile(50), f"p99_us_{contestant.name}": load.percentile(99)}
        table.add_row(contestant.name, f"{load.percentile(50):.0f}", f"{load.percentile(99):.0f}", str(load.statuses))
    console.print(table)
    return figures


def growth() -> dict[str, float]:
    """Measure the cost of an answer by the number of releases, without a server around it."""
    table = Table("releases", *(f"us, {name}" for name in TRAFFIC), "compile ms", "MB", title="CPU for an answer alone")
    figures = {}
    sizes = TINY_GROWTH if is_tiny() else GROWTH
    for releases in sizes:
        costs = handler_costs(releases, SERVER_CPUS, BENCHMARK.size("answers"))
        answers = [costs.answer_us[name] for name in TRAFFIC]
        table.add_row(str(releases), *(f"{value:.1f}" for value in (*answers, costs.compile_ms, costs.memory_mb)))
        figures |= {f"answer_us_{name}_{releases}": costs.answer_us[name] for name in TRAFFIC}
        figures |= {f"compile_ms_{releases}": costs.compile_ms, f"table_and_caches_mb_{releases}": costs.memory_mb}
    console.print(table)
    for name in TRAFFIC:
        usual, many = (figures[f"answer_us_{name}_{releases}"] for releases in sizes[-2:])
        figures[f"cost_of_5000_releases_to_1000_{name}"] = many / usual
    return figures


if __name__ == "__main__":
    sys.exit(main())
