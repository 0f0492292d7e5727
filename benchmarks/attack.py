"""Claim: whatever strangers send, there is no server error, others wait no longer, and memory does not grow.

The product, started by a `make run` of its own (own folder, port and database, no emulated devices, without REST's
limits per minute), runs on one core. First good clients measure it undisturbed: a device that checks in, a person's
page, a dashboard's socket. They continue during the attack. Mutated requests, frames, pushes and log-ins arrive over
real sockets, each on a new connection, at a fixed rate that leaves the product's core time: the claim is not about the
capacity of a core, but that a stranger's request costs others no more than its turn. Then 10^6 mutated headers, bodies
and frames go to in-process endpoints, the product's own ASGI application and middleware in a process at the lowest
priority (SCHED_IDLE) on the other core, which use the product's database.

The inputs are derived from real traffic: the protocol's vectors, what devices and gateways send, every operation of the
OpenAPI document with its recorded example, messages of the live channel, git's requests. A mutator with a seed flips,
cuts, repeats and floods; replaces parts by huge numbers, other types, deep nesting, odd text; declares wrong lengths.
The attackers have the role owner in an app and a scenario of their own.

No answer may be 5xx, no exception may leave the application, no error may be in the logs. The p99 of each good client
is compared with its own before the attack. Resident memory is compared between a quarter of the attack and its end.

    python -m benchmarks.attack [--seed N] [--rate N] [--faults FOLDER]

Not met yet, on two cores in November 2026: during the attack over sockets at 100 a second, the p99 of a check-in is 2.8
to 4.3 times and that of a page 3.7 to 5.4 times the idle one (at 50 a second 1.9 and 2.1). The product's one core also
runs PostgreSQL, workers and git; the web process alone uses half of it for the attack, and bursts queue before a page.
Resident memory of the web process grew by 7 to 17 per cent.

The smallest input of each fault is written to the folder.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import httpx
from rich.console import Console
from rich.table import Table

from benchmarks.support.attack import endpoints, target, wire
from benchmarks.support.attack.good_clients import EVERY_S, GoodClients, Waited
from benchmarks.support.attack.product import Product, running_product
from benchmarks.support.cores import leave_core_to_servers
from benchmarks.support.harness import Benchmark, Dimension, is_tiny
from benchmarks.support.outcome import Target
from benchmarks.support.walle import ROOT

ON_THE_WIRE: Final = {"git": 7, "login": 3, "check-in": 2, "device": 2, "rest": 2, "live": 2}
"""The number of inputs of each kind that are sent over sockets."""
GIT_AND_LOGIN: Final = 10 / 18
IN_PROCESS_S: Final = 330.0
WARM_UP: Final = 0.25
"""The part of an attack after which memory is measured for the comparison."""


def _name(text: str) -> str:
    return text.replace("-", "_").replace(" ", "_")


SCALE: Final = {
    "in_process_inputs": Dimension(1_000_000, 400),
    "socket_inputs": Dimension(18_000, 36),
    "idle_s": Dimension(45.0, 1.0),
}
BENCHMARK: Final = Benchmark(
    "attack",
    SCALE,
    targets=(
        Target("in_process_inputs", at_least=SCALE["in_process_inputs"].stated),
        Target("git_and_login_inputs", at_least=GIT_AND_LOGIN * SCALE["socket_inputs"].stated),
        Target("answers_5xx", at_most=0),
        Target("faults_logged", at_most=0),
        Target("good_clients_refused", at_most=0),
        *(
            Target(f"p99_ratio_{_name(client)}_{attack}", at_most=2)
            for client in EVERY_S
            for attack in ("sockets", "in_process")
        ),
        *(Target(f"memory_{part}_growth_percent", at_most=10) for part in ("web", "workers", "endpoints")),
    ),
    assumptions=(
        "two cores: the product with PostgreSQL and workers has one, the attack and the good clients share the other",
        "the attack sends at a fixed rate that leaves the product time: floods are what a proxy in front is for",
        "REST's limits per minute are off, so that every input is looked at",
        "people of the attack own an app and a scenario of their own, and nothing else",
    ),
)

console = Console(highlight=False, soft_wrap=True)


@dataclass
class Seen:
    """All measurements."""

    idle: Waited
    under: dict[str, Waited]
    answers: wire.Answers
    found: endpoints.Found
    memory: list[tuple[float, dict[str, float]]]
    logged: list[str]


def main() -> int:
    BENCHMARK.announce()
    options = _options()
    leave_core_to_servers()
    began = time.monotonic()

    def log(text: str) -> None:
        console.print(f"{time.monotonic() - began:6.1f} s  {text}")

    log(f"seed {options.seed}; the product has core 0, everything else core 1")
    if not is_tiny():
        subprocess.run([sys.executable, "frontend/tools/web.py", "build"], cwd=ROOT, check=True)
    with running_product() as product:
        log(f"the product answers at {product.origin}")
        victim = target.prepare(product.origin)
        time.sleep(2)  # longer than the second between two readings of a gateway's tables
        seen = attack(product, victim, options, log)
    faults = seen.answers.faults + seen.found.faults
    for number, fault in enumerate(faults):
        path = fault.write(options.faults, options.seed, number)
        log(f"{fault.endpoint}: {fault.what[:160]}: {path}")
    for line in seen.logged[:20]:
        log(f"logged: {line}")
    report(seen)
    figures = reckon(seen) | {"seconds": time.monotonic() - began, "seed": options.seed}
    return BENCHMARK.judge(figures)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="attack")
    parser.add_argument("--seed", type=int, default=2022)
    parser.add_argument("--rate", type=float, default=100.0, help="inputs a second over real sockets")
    parser.add_argument("--faults", type=Path, default=ROOT / "benchmarks" / "results" / "attack")
    return parser.parse_args()


def attack(
    product: Product, victim: target.AttackTarget, options: argparse.Namespace, log: Callable[[str], None]
) -> Seen:
    """Run both attacks, one after the other, and good clients all the while."""
    # Things that are built at first use are built now, so that they do not count as growth.
    httpx.get(f"{product.origin}/api/v1/schema", timeout=60).raise_for_status()
    good_clients = GoodClients(victim)
    try:
        idle_s = BENCHMARK.amount("idle_s")
        time.sleep(min(3.0, idle_s))
        good_clients.take()
        log(f"good clients ask an idle product for {idle_s:.0f} s")
        time.sleep(idle_s)
        idle = good_clients.take()
        share = BENCHMARK.size("socket_inputs") / sum(ON_THE_WIRE.values())
        counts = {kind: round(count * share) for kind, count in ON_THE_WIRE.items()}
        log(f"over sockets, {options.rate:g} a second: {counts}")
        answers = _await(*wire.start(victim, options.seed, counts, options.rate), product)
        under = {"sockets": good_clients.take()}
        count = BENCHMARK.size("in_process_inputs")
        log(f"to in-process endpoints: {count}, for {IN_PROCESS_S:.0f} s at most")
        found = _await(*endpoints.start(victim, options.seed, count, IN_PROCESS_S), product)
        under["in process"] = good_clients.take()
    finally:
        good_clients.stop()
    return Seen(idle, under, answers, found, product.memory, product.faults())


def _await(process: Any, connection: Connection, product: Product) -> Any:
    """Return what a process found; meanwhile the product's memory is measured every second."""
    while not connection.poll(1.0):
        product.memory.append((time.monotonic(), product.weigh()))
        if not process.is_alive() and not connection.poll(0):
            raise SystemExit("an attacking process died")
    found = connection.recv()
    process.join(20)
    return found


def reckon(seen: Seen) -> dict[str, float]:
    """Compute the figures of the claim."""
    figures = {
        "in_process_inputs": float(seen.found.total),
        "git_and_login_inputs": float(seen.answers.sent["git"] + seen.answers.sent["login"]),
        "socket_inputs": float(seen.answers.sent.total()),
        "answers_5xx": float(seen.answers.answered_5xx + seen.found.answered_5xx),
        "faults_logged": float(len(seen.logged)),
        "good_clients_refused": float(sum(sum(waited.failed.values()) for waited in (seen.idle, *seen.under.values()))),
    }
    for client in EVERY_S:
        figures[f"p99_ms_{_name(client)}_idle"] = seen.idle.p99(client)
        for attack, waited in seen.under.items():
            figures[f"p99_ratio_{_name(client)}_{_name(attack)}"] = waited.p99(client) / seen.idle.p99(client)
    for part in ("web", "workers"):
        weights = [(at, mb[part]) for at, mb in seen.memory]
        figures |= _growth(f"memory_{part}", weights, seen.answers.sent.total())
    return figures | _growth("memory_endpoints", seen.found.memory, seen.found.total)


def _growth(name: str, weights: Sequence[tuple[float, float]], inputs: int) -> dict[str, float]:
    """Return the growth from a quarter of the attack to its end, in per cent and per 10^5 inputs."""
    if len(weights) < 4 or not inputs:
        return {f"{name}_mb": 0.0, f"{name}_growth_percent": 0.0, f"{name}_mb_per_100000": 0.0}
    tenth = max(1, len(weights) // 10)
    start = int(len(weights) * WARM_UP)
    before = sum(mb for _, mb in weights[start : start + tenth]) / tenth
    after = sum(mb for _, mb in weights[-tenth:]) / tenth
    grown = after - before
    return {
        f"{name}_mb": after,
        f"{name}_growth_percent": 100 * grown / before,
        f"{name}_mb_per_100000": grown / (inputs * (1 - WARM_UP)) * 1e5,
    }


def report(seen: Seen) -> None:
    """Print what was sent to each endpoint, the answers, and the waiting times of good clients."""
    table = Table("endpoint", "inputs", "answers", title="what was sent")
    for kind, count in seen.answers.sent.items():
        table.add_row(f"{kind}, on the wire", str(count), _statuses(seen.answers.statuses[kind]))
    for endpoint, count in seen.found.sent.items():
        table.add_row(f"{endpoint}, in process", str(count), f"{seen.found.seconds.get(endpoint, 0):.0f} s")
    table.add_row("all in process", str(seen.found.total), _statuses(seen.found.statuses))
    console.print(table)
    table = Table(
        "good client",
        "idle p50/p99 ms",
        *(f"{attack} p50/p99 ms" for attack in seen.under),
        title="how long they waited",
    )
    for client in EVERY_S:
        table.add_row(client, *(_middle(waited, client) for waited in (seen.idle, *seen.under.values())))
    console.print(table)


def _middle(waited: Waited, client: str) -> str:
    times = sorted(waited.ms[client])
    return f"{times[len(times) // 2]:.1f}/{waited.p99(client):.1f} of {len(times)}" if times else "-"


def _statuses(found: Any) -> str:
    return ", ".join(f"{status} {count}" for status, count in sorted(found.items()))


if __name__ == "__main__":
    sys.exit(main())
