"""The lower bound by brute force: every selection of models with every assignment of workers.

Workers that are alike are told apart by their number only, and what already costs as much as the best plan is not
taken further; nothing else is left out. An operator's load fills the places of its workers one after the other, in each
order: as traffic is linear in the shares of one operator, no other shares cost less.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from walle.placement.beam.search import RankedPlan
from walle.placement.beam.selection import every_selection
from walle.placement.evaluation import evaluate
from walle.placement.problem.model import PlacementProblem
from walle.placement.tables import Crew, ModelTable, SearchTables, filled

_FULL = 1 - 1e-12


@dataclass(frozen=True, slots=True)
class BruteForceResult:
    """The cheapest plan found, None if there is none; whether all were looked at; seconds; and how many were."""

    best: RankedPlan | None
    complete: bool
    seconds: float
    plans: int


class _OutOfTime(Exception):
    """The time for a search is up."""


def brute_force(problem: PlacementProblem, budget_s: float, clock: Callable[[], float]) -> BruteForceResult:
    """Return the cheapest of all feasible plans, or the cheapest that was seen in some seconds of a clock."""
    search = _BruteForceSearch(SearchTables(problem), clock, clock() + budget_s)
    began = clock()
    complete = True
    try:
        for selection in every_selection(problem):
            search.look(search.tables.selection(selection.models))
    except _OutOfTime:
        complete = False
    best = None
    if search.best is not None:
        plan = search.tables.plan(search.best)
        best = RankedPlan(plan, evaluate(problem, plan))
    return BruteForceResult(best, complete, clock() - began, search.seen)


class _BruteForceSearch:
    """A depth-first search over operators in topological order."""

    def __init__(self, tables: SearchTables, clock: Callable[[], float], until: float) -> None:
        self.tables = tables
        self.best: dict[int, tuple[ModelTable, Crew]] | None = None
        self.seen = 0
        self._least = math.inf
        self._clock = clock
        self._until = until

    def look(self, models: Sequence[ModelTable]) -> None:
        """Look at all assignments of workers to a selection of models."""
        self._deepen(models, 0.0, 0, {})

    def _deepen(
        self, models: Sequence[ModelTable], cost: float, used: int, chosen: dict[int, tuple[ModelTable, Crew]]
    ) -> None:
        if self._clock() > self._until:
            raise _OutOfTime
        if len(chosen) == len(models):
            self.seen += 1
            if cost < self._least:
                self.best, self._least = chosen, cost
            return
        table = models[len(chosen)]
        prices, floor = self.tables.arrival(table.operator, chosen)
        for mask in self._masks(table, used, floor, self._least - cost):
            for crew in self._crews(table, mask):
                brought = sum(share * prices[place] for place, share in crew.shares)
                grown = {**chosen, table.operator: (table, crew)}
                price = cost + crew.compute + brought
                if price < self._least and (not self.tables.capped or self.tables.within_caps(grown)):
                    self._deepen(models, price, used | mask, grown)

    def _masks(self, table: ModelTable, used: int, floor: int, limit: float) -> Iterator[int]:
        """Yield every set of unused workers from a tier up that carries the operator's rate, at less than a limit."""
        classes: dict[int, list[int]] = {}
        for worker, tier in enumerate(self.tables.tiers):
            if tier >= floor and table.capacities[worker] and not used >> worker & 1:
                classes.setdefault(self.tables.classes[worker], []).append(worker)
        yield from self._counted(table, list(classes.values()), 0, 0.0, limit)

    def _counted(
        self, table: ModelTable, classes: Sequence[Sequence[int]], mask: int, carried: float, limit: float
    ) -> Iterator[int]:
        if not classes:
            if carried >= _FULL:
                yield mask
            return
        workers, rest = classes[0], classes[1:]
        for count in range(len(workers) + 1):
            price = sum(self.tables.hourly[each] for each in workers[:count])
            if price >= limit:
                return
            more = sum(1 << each for each in workers[:count])
            room = sum(table.capacities[each] for each in workers[:count])
            yield from self._counted(table, rest, mask | more, carried + room, limit - price)

    def _crews(self, table: ModelTable, mask: int) -> Iterator[Crew]:
        """Yield a crew with each order in which its load may fill its places."""
        crew = self.tables.crew(table, mask)
        room: dict[int, float] = {}
        for each in crew.workers:
            room[self.tables.places[each]] = room.get(self.tables.places[each], 0.0) + table.capacities[each]
        for order in permutations(room):
            yield replace(crew, shares=filled(room, order)) if len(room) > 1 else crew
