"""The narrower question: the cheapest plan whose loads are in proportion to capacity, all workers being equally busy.

An operator that spans places may be given shares that its capacities do not have. Rows that forbid it are added for
operators where it happened: most never need them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from walle.placement.exact.formulation import ROOM, Formulation
from walle.placement.loads import Place, place_of
from walle.placement.problem.model import PlacementPlan


class BalancedFormulation(Formulation):
    """The program of a problem whose plans share loads in proportion to capacity."""

    def plan(self, values: list[float]) -> PlacementPlan:
        """Return the plan of a solution's variables."""
        found = super().plan(values)
        return PlacementPlan(found.models, found.workers)

    def complete(self, plan: PlacementPlan) -> PlacementPlan:
        """Return a plan as it is: its loads are no choice."""
        return PlacementPlan(plan.models, plan.workers)

    def forbid(self, plan: PlacementPlan) -> bool:
        """Exclude a plan; it is the only one of its workers."""
        super().forbid(plan)
        return True

    def tighten(self, plan: PlacementPlan, values: Sequence[float]) -> bool:
        """Make the program right about a plan that it thinks cheaper than it is; return whether it was not."""
        loose = [name for name in self.spanning(plan) if name not in self.units]
        for name in loose:
            self._proportional(name)
        return bool(loose) or super().tighten(plan, values)

    def _proportional(self, name: str) -> None:
        """Make an operator's shares those of its capacities, exactly.

        With q the load share of one unit of capacity (1 / capacity), a place's share is q times its capacity: the sum
        over its workers of c (q b), b being whether a worker serves. Each product q b, of a bounded and a binary
        variable, is a variable of its own, between the three planes that hold it to the product at b = 0 and b = 1.
        """
        units = {
            (number, position): self.program.variable(integer=True)
            for number, each in enumerate(self.classes)
            for position in range(len(each.ids))
            if any((name, model, number) in self.count for model in self.models[name])
        }
        self.units[name] = units
        for number in {number for number, _ in units}:
            mine = [unit for (other, _), unit in units.items() if other == number]
            counts = [(self.count[name, m, number], -1.0) for m in self.models[name] if (name, m, number) in self.count]
            self.program.equal([*((unit, 1.0) for unit in mine), *counts])
            for first, second in pairwise(mine):
                self.program.row([(first, 1.0), (second, -1.0)], lower=0.0)
        for model in self.models[name]:
            self._products(name, model, units)

    def _products(self, name: str, model: str, units: Mapping[tuple[int, int], int]) -> None:
        rate = self.problem.rates[name] * ROOM
        # In units of 1 / rate: q is at most 1, as the capacity is at least the rate.
        scale = self.program.variable()
        self.program.row([(scale, 1.0), (self.select[name, model], -1.0)], upper=0.0)
        parts: dict[Place, list[tuple[int, float]]] = defaultdict(list)
        for (number, _), unit in units.items():
            if (name, model, number) not in self.count:
                continue
            capacity = self.classes[number].capacity[name, model] / rate
            product = self.program.variable()
            self.program.row([(product, 1.0), (scale, -1.0)], upper=0.0)
            self.program.row([(product, 1.0), (unit, -1.0)], upper=0.0)
            self.program.row([(product, 1.0), (scale, -1.0), (unit, -1.0)], lower=-1.0)
            parts[place_of(self.problem, self.classes[number].sample)].append((product, capacity))
        for place, terms in parts.items():
            self.program.equal([*terms, (self.share[name, model, place], -1.0)])
