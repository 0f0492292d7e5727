"""The ablation of the paper's Table 7: ways to select models, each with ways to place them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from walle.placement.baselines import SELECTIONS, SPARK_OVERHEAD, BaselineCost, assigned, by_use
from walle.placement.beam.selection import ModelSelection
from walle.placement.exact.search import Clock
from walle.placement.problem.model import PlacementProblem

PAPER: Final[Mapping[str, Mapping[str, float]]] = {
    "medium": {"most accurate": (14.3 + 14.0) / (12.7 + 8.4), "brute force": 1.0},
    "large": {"most accurate": (17.5 + 19.1) / (17.0 + 13.6), "brute force": 1.0},
}
"""By setup of AICity and way to select: what the beam's plan of these models costs, of that of the beam's models."""


@dataclass(frozen=True)
class AblationRow:
    """One row: USD per hour of compute and network, and the CPU milliseconds of selecting and assigning."""

    selected: str
    placed: str
    compute: float
    network: float
    took_ms: float

    @property
    def cost(self) -> float:
        return self.compute + self.network


def ablation(problem: PlacementProblem, clock: Clock) -> Iterator[AblationRow]:
    """Yield the rows in which there is a plan; brute force is placed by the beam alone, as in the paper."""
    for name, select in SELECTIONS.items():
        began = clock()
        selections = select(problem)
        plan = assigned(problem, selections, random.Random(0))
        took_ms = 1e3 * (clock() - began)
        if plan is not None:
            yield AblationRow(name, "beam", plan.evaluation.compute, plan.evaluation.network, took_ms)
        if selections and name != "brute force":
            for each in _by_use(problem, selections[0]):
                yield AblationRow(name, each.name, each.compute, each.network, 0.0)


def _by_use(problem: PlacementProblem, selection: ModelSelection) -> Iterator[BaselineCost]:
    for overhead in (0.0, SPARK_OVERHEAD):
        if found := by_use(problem, selection, edge=False, overhead=overhead):
            yield found
