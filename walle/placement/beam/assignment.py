"""Worker assignment: beam search over operators in a topological order (algorithm 1, section 4.3).

For each operator, workers are taken greedily by equation 2, the price of an item computed there and brought there,
until they carry the operator's rate. This is done for several pools: the i-th has the unassigned workers of tier i and
lower, but none below the highest tier of the workers before it (assumption A2). What a worker takes counts once for
each site of its tier (TCoeff).

As workers are paid whole, the last one taken may cost more than what is left is worth. So each pool leads to a second
crew, as the authors' program makes it: as soon as one worker can carry the rest alone, the cheapest such one ends it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from walle.placement.tables import SOURCE, Crew, ModelTable, SearchTables

_FULL: Final = 1 - 1e-12
"""The share of a rate from which on it is carried, apart from rounding."""

Assignment = tuple[float, int, dict[int, tuple[ModelTable, Crew]]]
"""What a part of a plan costs, the bits of all its workers, and who serves which operator."""


class Assigner:
    """Assigns workers to selections of models; beams of common beginnings are searched once."""

    def __init__(self, tables: SearchTables, width: int, *, finishing: bool = True) -> None:
        self._tables = tables
        self._width = width
        self._finishing = finishing
        self._tiers = range(len(tables.problem.infrastructure.tiers))
        self._beams: dict[tuple[tuple[int, str], ...], list[Assignment]] = {}

    def assign(
        self, selection: Sequence[ModelTable], order: Sequence[int], limit: float = math.inf
    ) -> list[Assignment]:
        """Return the complete assignments of a beam, the cheapest first, that cost less than a limit.

        `selection` has the models by operator.
        """
        rest = sum(table.bound for table in selection)
        beam: list[Assignment] = [(0.0, 0, {})]
        prefix: tuple[tuple[int, str], ...] = ()
        for operator in order:
            table = selection[operator]
            rest -= table.bound
            prefix = (*prefix, (operator, table.model))
            if not beam or beam[0][0] + table.bound + rest >= limit:
                return []
            beam = self._grown(prefix, beam, table)
        return [each for each in beam if each[0] < limit]

    def _grown(
        self, prefix: tuple[tuple[int, str], ...], beam: list[Assignment], table: ModelTable
    ) -> list[Assignment]:
        """Return the best assignments that have one operator more."""
        known = self._beams.get(prefix)
        if known is None:
            grown = [each for part in beam for each in self._with_crews(part, table)]
            grown.sort(key=_cost)
            known = self._beams[prefix] = grown[: self._width]
        return known

    def _with_crews(self, part: Assignment, table: ModelTable) -> list[Assignment]:
        """Return a partial assignment with each crew of the next operator that some pool leads to."""
        cost, used, chosen = part
        prices, floor = self._tables.arrival(table.operator, chosen)
        found: list[Assignment] = []
        for mask in self._crews(table, prices, used, floor):
            crew = self._tables.crew(table, mask)
            grown = {**chosen, table.operator: (table, crew)}
            if not self._tables.capped or self._tables.within_caps(grown):
                brought = sum(share * prices[place] for place, share in crew.shares)
                found.append((cost + crew.compute + brought, used | mask, grown))
        return found

    def _crews(self, table: ModelTable, prices: tuple[float, ...], used: int, floor: int) -> set[int]:
        """Return the crews of all pools, as bits."""
        ranking = [each for each in self._ranked(table, prices) if not used >> each & 1]
        found: set[int] = set()
        for highest in self._tiers[floor:]:
            pool = [each for each in ranking if self._tables.tiers[each] <= highest]
            found.add(self._greedy(table, pool))
            if self._finishing:
                found.add(self._finished(table, pool, prices))
        found.discard(0)
        return found

    def _ranked(self, table: ModelTable, prices: tuple[float, ...]) -> list[int]:
        """Return the workers that may serve an operator, by equation 2, the cheapest first."""
        found = table.rankings.get(prices)
        if found is None:
            keyed = [
                (unit + prices[place], index)
                for index, (unit, place) in enumerate(zip(table.units, self._tables.places, strict=True))
            ]
            found = table.rankings[prices] = [index for price, index in sorted(keyed) if price < math.inf]
        return found

    def _greedy(self, table: ModelTable, pool: Sequence[int]) -> int:
        """Return the first workers of a pool that carry the operator's rate together, as bits; 0 if all do not."""
        mask, carried = 0, 0.0
        for worker in pool:
            mask |= 1 << worker
            carried += table.capacities[worker]
            if carried >= _FULL:
                return mask
        return 0

    def _finished(self, table: ModelTable, pool: Sequence[int], prices: tuple[float, ...]) -> int:
        """Return the first workers of a pool up to where one can carry the rest alone, with the cheapest such one."""
        mask, left = 0, _FULL
        for position, worker in enumerate(pool):
            able = [each for each in pool[position:] if table.capacities[each] >= left]
            if able:
                hourly, places = self._tables.hourly, self._tables.places
                return mask | 1 << min(able, key=lambda each: hourly[each] + left * prices[places[each]])
            mask |= 1 << worker
            left -= table.capacities[worker]
        return 0


def _cost(assignment: Assignment) -> float:
    return assignment[0]


def operator_inputs(tables: SearchTables) -> list[list[int]]:
    """Return the indices of the operators before each operator."""
    return [[each.source for each in inflows if each.source != SOURCE] for inflows in tables.inflows]
