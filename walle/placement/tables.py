"""A problem as numbers by index, for searches that look at many plans.

Operators are indices of the workflow's topological order, workers indices of the infrastructure's list, and sets of
workers bits of an integer. A place is a tier and a location: between two workers, traffic costs what it costs between
their places. All prices are USD per hour at the target's rates. What a plan costs here is what
`walle.placement.evaluation` says.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from walle.placement.evaluation import GB_PER_HOUR, MBPS, TOLERANCE
from walle.placement.problem.model import Edge, PlacementPlan, PlacementProblem

SOURCE: Final = -1
"""What stands for a source where an operator's index is expected."""


@dataclass(frozen=True, slots=True)
class Crew:
    """The workers of an operator: as bits, in order, their price, the load by place, lowest and highest tier.

    Lower places are filled first; at a place, load is shared in proportion to capacity.
    """

    mask: int
    workers: tuple[int, ...]
    compute: float
    shares: tuple[tuple[int, float], ...]
    low: int
    high: int


@dataclass(slots=True)
class ModelTable:
    """An operator with one of its models: what each worker can take of its rate, and at which price for all of it.

    `capacities` are shares of the operator's rate, 0 where a worker cannot run the model. `units` are what the whole
    rate would cost on workers like it, infinite where it cannot. `bound` is no more than any crew costs.
    """

    operator: int
    model: str
    capacities: tuple[float, ...]
    units: tuple[float, ...]
    bound: float
    crews: dict[int, Crew] = field(default_factory=dict)
    rankings: dict[tuple[float, ...], list[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Inflow:
    """An edge into an operator: the index of what it comes from, SOURCE for a source, and the edge."""

    source: int
    edge: Edge


Chosen = Mapping[int, tuple[ModelTable, Crew]]
"""A plan, or a part of one: operators with their model and their workers."""


class SearchTables:
    """The numbers of one problem; those of a model are made when it is first asked for."""

    def __init__(self, problem: PlacementProblem) -> None:
        self.problem = problem
        self.names = problem.workflow.order
        self.index = {name: index for index, name in enumerate(self.names)}
        workers, infrastructure = problem.infrastructure.workers, problem.infrastructure
        self.hourly = tuple(infrastructure.hourly(each) for each in workers)
        self.tiers = tuple(each.tier for each in workers)
        spots = sorted({(each.tier, each.location) for each in workers})
        self.places = tuple(spots.index((each.tier, each.location)) for each in workers)
        self.place_tiers = tuple(tier for tier, _ in spots)
        samples = {(each.tier, each.location): each for each in workers}
        network = infrastructure.network
        self.prices = tuple(tuple(network.between(samples[low], samples[high]) for high in spots) for low in spots)
        self.source_prices = tuple(network.between(None, samples[spot]) for spot in spots)
        self.inflows = tuple(
            tuple(Inflow(self.index.get(edge.source, SOURCE), edge) for edge in problem.workflow.into[name])
            for name in self.names
        )
        self.parents = tuple(
            tuple(each.source for each in inflows if each.source != SOURCE) for inflows in self.inflows
        )
        self._arrivals: dict[tuple[object, ...], tuple[tuple[float, ...], int]] = {}
        self._models: dict[tuple[int, str], ModelTable] = {}
        self._gb: dict[tuple[str, str, str | None], float] = {}

    def model(self, operator: int, name: str) -> ModelTable:
        """Return the table of an operator's model."""
        found = self._models.get((operator, name))
        if found is None:
            found = self._models[operator, name] = self._table(operator, name)
        return found

    def selection(self, models: Mapping[str, str]) -> tuple[ModelTable, ...]:
        """Return the tables of a selection of models, by operator."""
        return tuple(self.model(index, models[name]) for index, name in enumerate(self.names))

    def _table(self, operator: int, model: str) -> ModelTable:
        name = self.names[operator]
        rate = self.problem.rates[name]
        capacities = tuple(
            self.problem.capacity(name, model, each) / rate for each in self.problem.infrastructure.workers
        )
        units = tuple(
            price / capacity if capacity else math.inf for price, capacity in zip(self.hourly, capacities, strict=True)
        )
        return ModelTable(
            operator, model, capacities, units, _fractional(capacities, self._least_units(operator, units))
        )

    def _least_units(self, operator: int, units: Sequence[float]) -> list[float]:
        """Return what the whole rate costs at least on workers like each, with what sources send if they are known."""
        if self.parents[operator]:
            return list(units)
        prices, _ = self.arrival(operator, {})
        return [unit + prices[place] for unit, place in zip(units, self.places, strict=True)]

    def gb(self, edge: Edge, model: str | None) -> float:
        """Return the GB in an hour on an edge whose source, if it is an operator, uses a model."""
        key = edge.source, edge.target, model
        found = self._gb.get(key)
        if found is None:
            found = self._gb[key] = self.problem.edge_rate(edge) * edge.kb(model) * GB_PER_HOUR
        return found

    def arrival(self, operator: int, chosen: Chosen) -> tuple[tuple[float, ...], int]:
        """Return what it costs to bring an operator all of its input, by place, and the lowest tier that it may be on.

        All operators before it have been chosen. The price is infinite below that tier.
        """
        parts: list[object] = [operator]
        for each in self.parents[operator]:
            table, crew = chosen[each]
            parts += (table.model, crew.mask, crew.shares)
        key = tuple(parts)
        found = self._arrivals.get(key)
        if found is None:
            found = self._arrivals[key] = self._arrival(operator, chosen)
        return found

    def _arrival(self, operator: int, chosen: Chosen) -> tuple[tuple[float, ...], int]:
        prices = [0.0] * len(self.place_tiers)
        floor = 0
        for inflow in self.inflows[operator]:
            if inflow.source == SOURCE:
                gb = self.gb(inflow.edge, None)
                floor = max(floor, self.problem.infrastructure.network.source_tier)
                for place, price in enumerate(self.source_prices):
                    prices[place] += gb * price
                continue
            table, crew = chosen[inflow.source]
            gb = self.gb(inflow.edge, table.model)
            floor = max(floor, crew.high)
            for sender, share in crew.shares:
                for place, price in enumerate(self.prices[sender]):
                    prices[place] += gb * share * price
        return tuple(prices), floor

    def crew(self, table: ModelTable, mask: int) -> Crew:
        """Return the crew of a set of workers that can all run a model."""
        found = table.crews.get(mask)
        if found is None:
            workers = tuple(index for index in range(mask.bit_length()) if mask >> index & 1)
            room: dict[int, float] = {}
            for each in workers:
                room[self.places[each]] = room.get(self.places[each], 0.0) + table.capacities[each]
            tiers = [self.tiers[each] for each in workers]
            compute = sum(self.hourly[each] for each in workers)
            found = table.crews[mask] = Crew(mask, workers, compute, filled(room, sorted(room)), min(tiers), max(tiers))
        return found

    @cached_property
    def classes(self) -> tuple[int, ...]:
        """For each worker, the index of the first that is alike: of one place and price, and equally fast."""
        profiled = self.problem.profiles.tables[self.problem.percentile]
        own = {name for models in profiled.values() for latencies in models.values() for name in latencies}
        caps = self.problem.infrastructure.worker_caps
        first: dict[tuple[object, ...], int] = {}
        keys = (
            (self.places[index], self.hourly[index], each.type, each.id if each.id in own or each.id in caps else None)
            for index, each in enumerate(self.problem.infrastructure.workers)
        )
        return tuple(first.setdefault(key, index) for index, key in enumerate(keys))

    @cached_property
    def capped(self) -> bool:
        """Whether the bandwidth of any tier or worker is bounded."""
        return bool(self.problem.infrastructure.tier_caps or self.problem.infrastructure.worker_caps)

    def within_caps(self, chosen: Chosen) -> bool:
        """Return whether what a plan, or a part of one, sends between its operators keeps to all bandwidths."""
        infrastructure = self.problem.infrastructure
        tiers, workers = self._sent(chosen)
        ids = infrastructure.by_id
        limits = [
            *(
                (cap * infrastructure.coefficients[tier], tiers.get(tier, 0.0))
                for tier, cap in infrastructure.tier_caps.items()
            ),
            *(
                (cap * infrastructure.coefficients[ids[each].tier], workers.get(each, 0.0))
                for each, cap in infrastructure.worker_caps.items()
            ),
        ]
        return all(sent <= limit * (1 + TOLERANCE) for limit, sent in limits)

    def _sent(self, chosen: Chosen) -> tuple[dict[int, float], dict[str, float]]:
        """Return the Mbit/s that leave each tier for higher ones, and each worker for other places."""
        tiers: dict[int, float] = {}
        workers: dict[str, float] = {}
        for operator, (_, crew) in chosen.items():
            for inflow in self.inflows[operator]:
                if inflow.source != SOURCE and inflow.source not in chosen:
                    continue
                for sender, place, mbps in self._senders(inflow, chosen):
                    tier = self.problem.infrastructure.network.source_tier if place is None else self.place_tiers[place]
                    away = sum(share for to, share in crew.shares if self.place_tiers[to] > tier)
                    tiers[tier] = tiers.get(tier, 0.0) + mbps * away
                    if sender is not None:
                        gone = sum(share for to, share in crew.shares if to != place)
                        workers[sender] = workers.get(sender, 0.0) + mbps * gone
        return tiers, workers

    def _senders(self, inflow: Inflow, chosen: Chosen) -> list[tuple[str | None, int | None, float]]:
        """Return the id, the place and the Mbit/s of each worker that sends on an edge; None stands for the sources."""
        if inflow.source == SOURCE:
            return [(None, None, self.problem.edge_rate(inflow.edge) * inflow.edge.kb(None) * MBPS)]
        table, crew = chosen[inflow.source]
        mbps = self.problem.edge_rate(inflow.edge) * inflow.edge.kb(table.model) * MBPS
        workers = self.problem.infrastructure.workers
        pairs = zip(crew.workers, self.loads(table, crew), strict=True)
        return [(workers[each].id, self.places[each], mbps * load) for each, load in pairs]

    def loads(self, table: ModelTable, crew: Crew) -> tuple[float, ...]:
        """Return the share of the load that each worker of a crew serves; at a place, in proportion to capacity."""
        there: dict[int, float] = {}
        for each in crew.workers:
            there[self.places[each]] = there.get(self.places[each], 0.0) + table.capacities[each]
        shares = dict(crew.shares)
        places = ((each, self.places[each]) for each in crew.workers)
        return tuple(shares.get(place, 0.0) * table.capacities[each] / there[place] for each, place in places)

    def plan(self, chosen: Chosen) -> PlacementPlan:
        """Return a complete choice as a plan; where workers of an operator are in several places, with their shares."""
        ids = self.problem.infrastructure.workers
        parts = [(self.names[index], *chosen[index]) for index in sorted(chosen)]
        return PlacementPlan(
            models={name: table.model for name, table, _ in parts},
            workers={name: tuple(ids[each].id for each in crew.workers) for name, _, crew in parts},
            shares={name: self.loads(table, crew) for name, table, crew in parts if self._apart(crew)},
        )

    def _apart(self, crew: Crew) -> bool:
        return len({self.places[each] for each in crew.workers}) > 1

    def cost(self, chosen: Chosen) -> float:
        """Return what a complete choice costs in an hour; infinite if traffic would go down."""
        total = 0.0
        for operator, (_, crew) in chosen.items():
            prices, floor = self.arrival(operator, chosen)
            if crew.low < floor:
                return math.inf
            total += crew.compute + sum(share * prices[place] for place, share in crew.shares)
        return total


def filled(room: Mapping[int, float], order: Iterable[int]) -> tuple[tuple[int, float], ...]:
    """Return the shares of places, each with room for some share of a load, if they are filled in an order."""
    left = 1.0
    shares: list[tuple[int, float]] = []
    for place in order:
        taken = min(left, room[place])
        left -= taken
        if taken > 0:
            shares.append((place, taken))
    return tuple(shares)


def _fractional(capacities: Sequence[float], units: Sequence[float]) -> float:
    """Return what the whole rate costs at least, if workers could be paid in part: the cheapest units first."""
    left, total = 1.0, 0.0
    for unit, capacity in sorted(zip(units, capacities, strict=True)):
        if not capacity:
            break
        taken = min(left, capacity)
        total += taken * unit
        left -= taken
        if left <= 0:
            return total
    return math.inf if left > TOLERANCE else total
