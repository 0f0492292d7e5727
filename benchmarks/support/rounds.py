"""Servers loaded in turn, round after round, so that drift of the machine hits all of them."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table

from benchmarks.support.load import CONNECTIONS, Load, run, saturate, wait_until_idle
from benchmarks.support.walle import Server

console = Console()


@dataclass
class Contestant:
    """A server with the requests that it is loaded with, and what came of it, round by round."""

    name: str
    server: Server
    requests: list[bytes]
    connections: int = CONNECTIONS
    loads: list[Load] = field(default_factory=list)
    costs_us: list[float] = field(default_factory=list)

    def take_turn(self, part: float, seconds: float) -> None:
        """As many requests as it answers in so many seconds, beginning with those after a part of all."""
        wait_until_idle()
        before = self.server.cpu_seconds()
        start = int(part * len(self.requests))
        load = run(saturate, self.server.port, self.requests, start, seconds, self.connections)
        self.loads.append(load)
        self.costs_us.append((self.server.cpu_seconds() - before) / len(load.latencies_us) * 1e6)

    @property
    def rate(self) -> float:
        """Answers per second, the median over rounds."""
        return statistics.median(load.rate for load in self.loads)

    @property
    def cost_us(self) -> float:
        """CPU time of the server for one answer, all its threads together, the median over rounds."""
        return statistics.median(self.costs_us)

    def percentile(self, q: float) -> float:
        """The median over rounds of a percentile of the latency in microseconds."""
        return statistics.median(load.percentile(q) for load in self.loads)

    def ratio_to(self, other: Contestant) -> float:
        """How many times the other's rate, the median over rounds."""
        return statistics.median(load.rate / its.rate for load, its in zip(self.loads, other.loads, strict=True))


def take_turns(contestants: Sequence[Contestant], rounds: int, seconds: float) -> None:
    """Loads each in each round, and prints what came of it."""
    for round_ in range(rounds):
        for one in contestants:
            one.take_turn(round_ / rounds, seconds)
            told = f"{one.loads[-1].rate:8.0f}/s, {one.costs_us[-1]:6.1f} us of CPU each"
            console.print(f"round {round_ + 1}: {one.name:16} {told}, statuses {one.loads[-1].statuses}")
    table = Table("requests", "per second", "CPU us each", "p50 us", "p99 us", title="saturated, one core")
    for one in contestants:
        figures = (one.rate, one.cost_us, one.percentile(50), one.percentile(99))
        table.add_row(one.name, *(f"{figure:.1f}" if figure < 100 else f"{figure:.0f}" for figure in figures))
    console.print(table)
