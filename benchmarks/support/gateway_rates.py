"""The rate of one gateway on one core of this machine, with an offer in every answer and without any."""

from __future__ import annotations

import os
import statistics
from itertools import product

import numpy as np
from rich.console import Console

from benchmarks.support import fleet
from benchmarks.support.cores import SERVER_CPUS, leave_core_to_servers
from benchmarks.support.load import run, saturate, wait_until_idle
from benchmarks.support.walle import serving, temporary_walle

GATEWAY = "benchmarks.support.checkin_peers:gateway"
SHORTER_WAY = "walle.gateway.uvicorn_protocol:CheckInProtocol"
MOST_TRIES = 40
"""How often a slice without any offer is repeated: the first quotas take a second, longer than a tiny slice."""
OFFERS, PLAIN = "offers_per_s_of_a_gateway", "check_ins_per_s_of_a_gateway"

console = Console()


def measured_rates(rounds: int, check_ins: int, seconds: float) -> dict[str, float]:
    """Return check-ins per second, medians over rounds: OFFERS that carry one offer, PLAIN that carry none.

    A round lasts `seconds` and has devices of its own. An offer counts against a pace, so that some are refused until
    the gateway knows what quotas to request. Its exposure is new and is stored, as in a release's first seconds.
    """
    cpus = os.sched_getaffinity(0)
    leave_core_to_servers()
    rates: dict[str, list[float]] = {OFFERS: [], PLAIN: []}
    with temporary_walle():
        requests = _requests(rounds * check_ins)
        with serving(GATEWAY, "--factory", cpus=SERVER_CPUS, protocol=SHORTER_WAY) as gateway:
            for round_, name in product(range(rounds), rates):
                wait_until_idle()
                for _ in range(MOST_TRIES):
                    load = run(saturate, gateway, requests[name], round_ * check_ins, seconds)
                    if load.offers or name == PLAIN:
                        break
                else:
                    raise SystemExit("expected the gateway to make offers: it was leased no quota")
                carrying = load.offers / len(load.latencies_us)
                rates[name].append(load.rate * carrying if name == OFFERS else load.rate)
                text = f"{carrying:.1%} carry an offer, {load.cost_us:.0f} us of CPU each"
                console.print(f"round {round_ + 1}: {name:30} {rates[name][-1]:8.0f}, {text}")
            # A gateway that stops writes what it has taken; it is given less time than that takes.
            wait_until_idle()
    os.sched_setaffinity(0, cpus)
    return {name: statistics.median(found) for name, found in rates.items()}


def _requests(count: int) -> dict[str, list[bytes]]:
    """Return check-ins of devices that lack only the version being released, and of devices that lack nothing."""
    console.print("preparing releases, and devices for a gateway")
    fleet.create_releases()
    fleet.open_last_stages()
    rng = np.random.default_rng(2022)
    up_to_date = fleet.requests(count, 0.0, rng)
    fleet.register(up_to_date)
    return {OFFERS: fleet.requests(count, 0.0, rng, has=lambda entry: not entry.observed), PLAIN: up_to_date}
