"""The sweeps of the paper's Figures 8 to 13, each as lines of cost over what is swept."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

from benchmarks.support.placement.published import SETUPS, published
from walle.placement.baselines import best_fit, first_fit
from walle.placement.beam.search import RankedPlan, beam_search
from walle.placement.evaluation import evaluate
from walle.placement.exact.search import Clock, prove
from walle.placement.frontiers import outline, with_accuracy, with_rates
from walle.placement.problem.model import PlacementProblem

Line: TypeAlias = list[tuple[float, float]]
"""Points of what is swept and USD per hour; where there is no plan there is no point."""
Planner: TypeAlias = Callable[[PlacementProblem], RankedPlan | None]
EDGE_CAP_MBPS = 10.0


@dataclass(frozen=True)
class Sweep:
    """One picture: lines by their names, and the points at which the proved plan is another one than before."""

    name: str
    across: str
    lines: Mapping[str, Line]
    changes: Sequence[tuple[float, float]] = ()


class Sweeper:
    """Solves the problems of a dataset's sweeps; each proof takes at most some seconds, each sweep so many points."""

    def __init__(self, dataset: str, budget_s: float, clock: Clock, points: int) -> None:
        self._dataset, self._budget_s, self._clock, self._points = dataset, budget_s, clock, points
        self._medium = published(dataset, "medium")
        self._rate = max(self._medium.target.rates.values())

    def all(self) -> list[Sweep]:
        """Return the sweeps, over the medium setup."""
        return [
            self.rates(),
            self.accuracies(),
            self.oversubscription(),
            self.prices(),
            self.cap(),
            self.ratios(),
            self.percentiles(),
        ]

    def rates(self) -> Sweep:
        """Figure 8: the rate."""
        problems = {self._rate * each: with_rates(self._medium, each) for each in self._between(0.1, 2.0)}
        return self._sweep("figure 8", "requests per second", problems)

    def accuracies(self) -> Sweep:
        """Figure 9: the accuracy."""
        lowest, highest = {"vqa": (53.0, 58.5), "aicity": (51.0, 75.5)}[self._dataset]
        problems = {each: with_accuracy(self._medium, each) for each in self._between(lowest, highest)}
        return self._sweep("figure 9", "accuracy, percent", problems)

    def oversubscription(self) -> Sweep:
        """Figure 10: the small setup's workload on the workers of each setup."""
        target = published(self._dataset, "small").target
        larger = [published(self._dataset, each) for each in SETUPS]
        problems = {float(len(each.infrastructure.workers)): replace(each, target=target) for each in larger}
        return self._sweep("figure 10", "workers", problems)

    def prices(self) -> Sweep:
        """Figure 11: the price of traffic to the next tier, the other prices in proportion."""
        base = self._medium.infrastructure.network.usd_per_gb[0, 1]
        problems = {price: with_prices(self._medium, price / base) for price in self._between(0.0, 1.0)}
        return self._sweep("figure 11", "USD per GB from the lowest tier to the next", problems)

    def cap(self) -> Sweep:
        """Figure 13a: the rate with and without a cap on what leaves the edge."""
        infrastructure = replace(self._medium.infrastructure, tier_caps={0: EDGE_CAP_MBPS})
        lines = {}
        for name, problem in (
            ("no cap", self._medium),
            (f"{EDGE_CAP_MBPS:g} Mbit/s from the edge", replace(self._medium, infrastructure=infrastructure)),
        ):
            swept = {self._rate * each: with_rates(problem, each) for each in self._between(0.05, 1.5)}
            lines[name] = _costs(self._plans(swept, self._proved))
        return Sweep(f"{self._dataset} figure 13a", "requests per second", lines)

    def ratios(self) -> Sweep:
        """Figure 13b: how many workers, the cheaper ones, are on the lowest tier; the others are on the highest."""
        count = len(self._medium.infrastructure.workers)
        problems = {float(each): _with_edge(self._medium, each) for each in range(1, count)}
        return self._sweep("figure 13b", f"workers at the edge, of {count}", problems)

    def percentiles(self) -> Sweep:
        """Section 6.4: the percentile of latencies that plans are made with."""
        lines = {}
        for setup in SETUPS:
            problem = published(self._dataset, setup)
            swept = {float(each): replace(problem, percentile=f"p{each}") for each in (50, 75, 90)}
            lines[setup] = _costs(self._plans(swept, self._proved))
        return Sweep(f"{self._dataset} percentiles", "percentile of latencies", lines)

    def _between(self, low: float, high: float) -> list[float]:
        return [low + (high - low) * each / (self._points - 1) for each in range(self._points)]

    def _sweep(self, figure: str, across: str, problems: Mapping[float, PlacementProblem]) -> Sweep:
        planners: dict[str, Planner] = {
            "proved optimum": self._proved,
            "bare beam": lambda problem: next(iter(beam_search(problem, random.Random(0))), None),
            "best fit": best_fit,
            "first fit": first_fit,
        }
        plans = {name: self._plans(problems, planner) for name, planner in planners.items()}
        changes = [
            (at, plan.evaluation.cost)
            for (before, old), (at, plan) in pairwise(plans["proved optimum"].items())
            if outline(problems[before], old.plan) != outline(problems[at], plan.plan)
        ]
        return Sweep(f"{self._dataset} {figure}", across, {name: _costs(each) for name, each in plans.items()}, changes)

    def _plans(self, problems: Mapping[float, PlacementProblem], planner: Planner) -> dict[float, RankedPlan]:
        found = ((at, planner(problem)) for at, problem in problems.items())
        return {at: each for at, each in found if each is not None}

    def _proved(self, problem: PlacementProblem) -> RankedPlan | None:
        plan = prove(problem, self._budget_s, self._clock).plan
        return RankedPlan(plan, evaluate(problem, plan)) if plan else None


def with_prices(problem: PlacementProblem, factor: float) -> PlacementProblem:
    """Return the problem with all prices of traffic multiplied."""
    network = problem.infrastructure.network
    prices = {pair: price * factor for pair, price in network.usd_per_gb.items()}
    return replace(problem, infrastructure=replace(problem.infrastructure, network=replace(network, usd_per_gb=prices)))


def _with_edge(problem: PlacementProblem, count: int) -> PlacementProblem:
    """Return the problem with the cheapest workers on the lowest tier, the others on the highest."""
    infrastructure = problem.infrastructure
    top = len(infrastructure.tiers) - 1
    ranked = sorted(infrastructure.workers, key=lambda each: each.cost_per_hour)
    workers = tuple(replace(each, tier=0 if index < count else top) for index, each in enumerate(ranked))
    return replace(problem, infrastructure=replace(infrastructure, workers=workers))


def _costs(plans: Mapping[float, RankedPlan]) -> Line:
    return [(at, each.evaluation.cost) for at, each in plans.items()]
