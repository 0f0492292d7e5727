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

from walle.placement.tables import Chosen, Crew, ModelTable, SearchTables

_FULL: Final = 1 - 1e-12
"""The share of a rate from which on it is carried, apart from rounding."""

Assignment = tuple[float, int, dict[int, tuple[ModelTable, Crew]]]
"""What a part of a plan costs, the bits of all its workers, and who serves which operator."""

_Step = tuple[float, Assignment, Crew]
"""What a part of a plan costs with one operator more, that part without it, and the operator's crew."""


class Assigner:
    """Assigns workers to selections of models; beams of common beginnings are searched once."""

    def __init__(self, tables: SearchTables, width: int, *, finishing: bool = True) -> None:
        self._tables = tables
        self._width = width
        self._finishing = finishing
        self._tiers = range(len(tables.problem.infrastructure.tiers))
        self._found: dict[tuple[object, ...], set[int]] = {}
        self._beams: dict[tuple[tuple[int, str], ...], list[Assignment]] = {}

    def assign(
        self, selection: Sequence[ModelTable], order: Sequence[int], limit: float = math.inf
    ) -> list[Assignment]:
        """Return the complete assignments of a beam, the cheapest first, that cost less than a limit.

        `selection` has the models by operator. For each order, selections come by what they cost at least, the cheapest
        first, and limits never rise: so what was cut off for one of them would be cut off for all later ones.
        """
        rest = sum(table.bound for table in selection)
        beam: list[Assignment] = [(0.0, 0, {})]
        prefix: tuple[tuple[int, str], ...] = ()
        for operator in order:
            table = selection[operator]
            rest -= table.bound
            prefix = (*prefix, (operator, table.model))
            known = self._beams.get(prefix)
            if known is None:
                known = self._beams[prefix] = self._grown(beam, table, limit - rest)
            beam = known
        return [each for each in beam if each[0] < limit]

    def _grown(self, beam: list[Assignment], table: ModelTable, limit: float) -> list[Assignment]:
        """Return the best assignments that have one operator more and cost less than a limit."""
        grown: list[_Step] = []
        for part in beam:
            if part[0] + table.bound < limit:
                grown += self._with_crews(part, table, limit)
        grown.sort(key=_cost)
        return [
            (cost, part[1] | crew.mask, {**part[2], table.operator: (table, crew)})
            for cost, part, crew in grown[: self._width]
        ]

    def _with_crews(self, part: Assignment, table: ModelTable, limit: float) -> list[_Step]:
        """Return the steps from a partial assignment to the crews of the next operator that some pool leads to."""
        cost, used, chosen = part
        prices, floor = self._tables.arrival(table.operator, chosen)
        found: list[_Step] = []
        for mask in self._crews(table, prices, used, floor):
            crew = self._tables.crew(table, mask)
            price = cost + crew.compute
            for place, share in crew.shares:
                price += share * prices[place]
            if price < limit and self._within_caps(chosen, table, crew):
                found.append((price, part, crew))
        return found

    def _within_caps(self, chosen: Chosen, table: ModelTable, crew: Crew) -> bool:
        tables = self._tables
        return not tables.capped or tables.within_caps({**chosen, table.operator: (table, crew)})

    def _crews(self, table: ModelTable, prices: tuple[float, ...], used: int, floor: int) -> set[int]:
        """Return the crews of all pools, as bits."""
        key = table.operator, table.model, prices, used, floor
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._new_crews(table, prices, used, floor)
        return found

    def _new_crews(self, table: ModelTable, prices: tuple[float, ...], used: int, floor: int) -> set[int]:
        tiers = self._tables.tiers
        ranking = [each for each in self._ranked(table, prices) if not used >> each & 1 and tiers[each] >= floor]
        found: set[int] = set()
        for highest in self._tiers[floor:]:
            pool = [each for each in ranking if tiers[each] <= highest]
            mask = self._greedy(table, pool)
            if mask:
                found.add(mask)
                if self._finishing:
                    found.add(self._finished(table, pool, prices))
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
        """Return the first workers of a pool up to where one can carry the rest alone, with the cheapest such one.

        All of the pool carry the operator's rate together.
        """
        capacities, hourly, places = table.capacities, self._tables.hourly, self._tables.places
        strongest = max(pool, key=capacities.__getitem__)
        mask, left, position = 0, _FULL, 0
        while capacities[strongest] < left:
            worker = pool[position]
            mask |= 1 << worker
            left -= capacities[worker]
            position += 1
            if worker == strongest:
                strongest = max(pool[position:], key=capacities.__getitem__, default=worker)
        last, least = 0, math.inf
        for worker in pool[position:]:
            if capacities[worker] >= left:
                price = hourly[worker] + left * prices[places[worker]]
                if price < least:
                    last, least = 1 << worker, price
        return mask | last


def _cost(step: _Step) -> float:
    return step[0]
