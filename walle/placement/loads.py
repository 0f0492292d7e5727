"""How a plan's workers best share their operator's load: a cheap place is filled before a dear one takes the rest.

In proportion to capacity, workers of an operator are equally busy, and a cloud worker beside an edge worker with room
is sent traffic that the edge could have kept. With the models and the workers given, the traffic's cost is linear in
the shares of any one operator, those of the others given. So the best shares fill places one after the other, in some
order of places; operators at one place have no choice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations, product
from typing import Final, TypeAlias

from walle.placement.evaluation import evaluate
from walle.placement.problem.model import PlacementPlan, PlacementProblem, PlacementWorker

Place: TypeAlias = tuple[int, str, str]
"""Where costs and caps of traffic are the same: a tier; a location, where locations matter; a worker with a cap."""
MOST_COMBINATIONS: Final = 4096
"""The most combinations of orders that are tried."""
_MOST_PLACES: Final = 5


def place_of(problem: PlacementProblem, worker: PlacementWorker) -> Place:
    """Return where a worker is, as far as prices and caps of traffic tell.

    Locations of a tier are told apart where traffic between them costs something, and where workers have caps: what
    stays at a location does not count for those.
    """
    caps = problem.infrastructure.worker_caps
    apart = bool(caps) or bool(problem.infrastructure.network.usd_per_gb.get((worker.tier, worker.tier)))
    return worker.tier, worker.location if apart else "", worker.id if worker.id in caps else ""


def with_best_loads(problem: PlacementProblem, plan: PlacementPlan) -> PlacementPlan:
    """Return the feasible plan of the same models and workers whose traffic costs least, or the plan itself.

    It is the best there is unless bandwidth is capped: then it is the best that fills places one after the other.
    """
    options = [tuple(_filled(problem, plan, name)) for name in plan.workers]
    if math.prod(map(len, options)) > MOST_COMBINATIONS:
        return plan
    found, cost = plan, _cost(problem, plan)
    for chosen in product(*options):
        shares = {name: each for name, each in zip(plan.workers, chosen, strict=True) if each}
        candidate = replace(plan, shares=shares)
        if (new := _cost(problem, candidate)) < cost:
            found, cost = candidate, new
    return found


def spread(
    problem: PlacementProblem, plan: PlacementPlan, name: str, by_place: Mapping[Place, float]
) -> tuple[float, ...]:
    """Return the shares of an operator's workers from those of places; at a place, in proportion to capacity."""
    capacities = _capacities(problem, plan, name)
    places = [place_of(problem, problem.infrastructure.by_id[each]) for each in plan.workers[name]]
    there = {place: math.fsum(c for c, at in zip(capacities, places, strict=True) if at == place) for place in by_place}
    shares = [by_place[at] * capacity / there[at] for capacity, at in zip(capacities, places, strict=True)]
    whole = math.fsum(shares)
    return tuple(each / whole for each in shares)


def rooms(problem: PlacementProblem, plan: PlacementPlan, name: str) -> dict[Place, float]:
    """Return the part of an operator's load that its workers at each place can serve, which may be more than all."""
    room: dict[Place, float] = {}
    for capacity, each in zip(_capacities(problem, plan, name), plan.workers[name], strict=True):
        place = place_of(problem, problem.infrastructure.by_id[each])
        room[place] = room.get(place, 0.0) + capacity / problem.rates[name]
    return room


def with_shares(plan: PlacementPlan, name: str, shares: tuple[float, ...]) -> PlacementPlan:
    """Return a plan with these shares of one operator's workers."""
    return replace(plan, shares={**plan.shares, name: shares})


def _filled(problem: PlacementProblem, plan: PlacementPlan, name: str) -> Iterator[tuple[float, ...]]:
    """Yield the shares of an operator that fill places in each order; nothing to choose is the empty tuple."""
    room = rooms(problem, plan, name)
    if not 1 < len(room) <= _MOST_PLACES or math.fsum(room.values()) < 1:
        yield ()
        return
    yield from {spread(problem, plan, name, _in_order(order, room)): None for order in permutations(room)}


def _in_order(order: Sequence[Place], room: Mapping[Place, float]) -> dict[Place, float]:
    left, shares = 1.0, {}
    for place in order:
        shares[place] = min(left, room[place])
        left -= shares[place]
    return shares


def _capacities(problem: PlacementProblem, plan: PlacementPlan, name: str) -> list[float]:
    by_id = problem.infrastructure.by_id
    return [problem.capacity(name, plan.models[name], by_id[each]) for each in plan.workers[name]]


def _cost(problem: PlacementProblem, plan: PlacementPlan) -> float:
    found = evaluate(problem, plan)
    return found.cost if found.feasible else math.inf
