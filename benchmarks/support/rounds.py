"""Servers loaded in short slices that alternate with those of a baseline, so that drift of the machine affects both."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table

from benchmarks.support.load import CONNECTIONS, Load, run, saturate, settle
from benchmarks.support.ratios import Ratio
from benchmarks.support.walle import Server

FLUSH_S = 1.0
"""The interval at which gateways write check-ins: a slice is as long, and starts when the first are being written.

Where slices are shorter, so is the load before them.
"""
MOST_SPREAD = 0.05

console = Console(width=130, highlight=False)


@dataclass
class Contestant:
    """A server with the requests that it is loaded with, and the measurements of each slice.

    It takes part in every round whose number `every` divides; `pairs` are its slices with the baseline's beside them.
    """

    name: str
    server: Server
    requests: list[bytes]
    connections: int = CONNECTIONS
    every: int = 1
    loads: list[Load] = field(default_factory=list)
    pairs: list[tuple[Load, Load]] = field(default_factory=list)

    def take_turn(self, part: float, seconds: float) -> Load:
        """Load it for this many seconds, starting with the requests after a part of all."""
        settle()
        start, lead = int(part * len(self.requests)), min(seconds, FLUSH_S)
        load = run(saturate, self.server, self.requests, start, seconds, self.connections, lead)
        self.loads.append(load)
        return load

    @property
    def rate(self) -> float:
        """Answers per second, the median over slices."""
        return statistics.median(load.rate for load in self.loads)

    @property
    def cost_us(self) -> float:
        """CPU time of the server for one answer, all its threads together, the median over slices."""
        return statistics.median(load.cost_us for load in self.loads)

    def percentile(self, q: float) -> float:
        """Return the median over slices of a percentile of the latency in microseconds."""
        return statistics.median(load.percentile(q) for load in self.loads)

    @property
    def ratio(self) -> Ratio:
        """Its rate as a multiple of the baseline's, by pair."""
        return Ratio.of([load.rate / base.rate for load, base in self.pairs])

    @property
    def cpu_ratio(self) -> Ratio:
        """The baseline's CPU time as a multiple of its own, by pair."""
        return Ratio.of([base.cost_us / load.cost_us for load, base in self.pairs])

    def figures(self) -> dict[str, float]:
        """Return rate, cost, and both ratios to the baseline."""
        found = {f"rate_{self.name}": self.rate, f"cpu_us_{self.name}": self.cost_us}
        found |= {f"slice_p{q}_us_{self.name}": self.percentile(q) for q in (50, 99)}
        if self.pairs:
            found |= self.ratio.figures(f"ratio_to_bare_{self.name}")
            found |= self.cpu_ratio.figures(f"cpu_ratio_to_bare_{self.name}")
        return found


def take_turns(baseline: Contestant, contestants: Sequence[Contestant], rounds: int, seconds: float) -> None:
    """Load each in its rounds, before the baseline in even rounds and after it in odd ones; print the results."""
    for round_ in range(rounds):
        for contestant in contestants:
            if round_ % contestant.every == 0:
                pair = [baseline, contestant] if round_ // contestant.every % 2 == 0 else [contestant, baseline]
                loads = {each.name: each.take_turn(round_ / rounds, seconds) for each in pair}
                contestant.pairs.append((loads[contestant.name], loads[baseline.name]))
                _report(round_ + 1, contestant, baseline)
    columns = ("requests", "per second", "CPU us each", "p50 us", "p99 us", "to bare", "95 % interval", "CPU to bare")
    table = Table(*columns, title=f"saturated, one core, slices of {seconds:g} s, {rounds} rounds")
    for contestant in (baseline, *contestants):
        figures = (contestant.rate, contestant.cost_us, contestant.percentile(50), contestant.percentile(99))
        shares = [""] * 3
        if contestant.pairs:
            ratio = contestant.ratio
            interval = f"{ratio.low:.3f} to {ratio.high:.3f} (+- {ratio.spread:.1%})"
            shares = [f"{ratio.median:.3f}", interval, f"{contestant.cpu_ratio.median:.3f}"]
        table.add_row(
            contestant.name, *(f"{figure:.1f}" if figure < 100 else f"{figure:.0f}" for figure in figures), *shares
        )
    console.print(table)


def _report(round_: int, contestant: Contestant, baseline: Contestant) -> None:
    load, base = contestant.pairs[-1]
    closed = f", {load.closed + base.closed} connections closed" if load.closed + base.closed else ""
    console.print(
        f"round {round_}: {contestant.name:14} {load.rate:8.0f}/s, {load.cost_us:6.1f} us of CPU each, "
        f"{load.rate / base.rate:.3f} of {baseline.name}, statuses {load.statuses}{closed}"
    )
