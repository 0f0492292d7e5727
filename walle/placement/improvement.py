"""Local improvement of plans: what greedy crews miss by a worker or two.

A move takes workers off an operator, gives it others, exchanges workers of two operators, or uses another model. The
best move is made, again and again, until none makes the plan cheaper.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from walle.placement.beam.assignment import Assignment
from walle.placement.beam.search import Late, never
from walle.placement.evaluation import accuracies, enough
from walle.placement.tables import Crew, ModelTable, SearchTables

_FULL: Final = 1 - 1e-12
"""The share of a rate from which on it is carried, apart from rounding."""
_GAIN: Final = 1e-9
"""By which part of its cost a plan must become cheaper for a move to count."""
_MOST: Final = 2
"""The most workers that a move takes off an operator, or gives it."""

_Choice = Mapping[int, tuple[ModelTable, Crew]]
_Part = tuple[float, int]
"""What some workers cost in an hour, and their bits."""


def improved(tables: SearchTables, assignment: Assignment, moves: int, late: Late = never) -> Assignment:
    """Return a plan that no move makes cheaper, or the best one after pricing so many moves or when it is late."""
    cost, used, chosen = assignment
    while moves > 0 and not late():
        best, least = None, cost * (1 - _GAIN)
        for candidate in _neighbours(tables, chosen, used, least, late):
            if sum(crew.compute for _, crew in candidate.values()) >= least:
                continue
            moves -= 1
            price = tables.cost(candidate)
            if price < least and (not tables.capped or tables.within_caps(candidate)):
                best, least = candidate, price
        if best is None:
            break
        cost, chosen = least, dict(best)
        used = sum(crew.mask for _, crew in chosen.values())
    return cost, used, chosen


def _neighbours(tables: SearchTables, chosen: _Choice, used: int, limit: float, late: Late) -> Iterator[_Choice]:
    """Yield the plans that are a move away and whose workers alone cost less than a limit."""
    free = _some_of_each(tables, [each for each in range(len(tables.hourly)) if not used >> each & 1])
    more, compute = _parts(tables, free), sum(crew.compute for _, crew in chosen.values())
    for operator, (table, crew) in chosen.items():
        room = limit - compute + crew.compute
        for model in (*_models(tables, chosen, operator), table):
            for mask in _masks(tables, crew, more, room, late):
                if _carries(model, mask):
                    yield {**chosen, operator: (model, tables.crew(model, mask))}
    if compute >= limit:
        return
    for first, second in combinations(chosen, 2):
        if late():
            return
        yield from _exchanged(tables, chosen, first, second)


def _models(tables: SearchTables, chosen: _Choice, operator: int) -> list[ModelTable]:
    """Return the other models of an operator with which the plan is accurate enough."""
    problem, name = tables.problem, tables.names[operator]
    models = {tables.names[each]: table.model for each, (table, _) in chosen.items()}
    found = []
    for model in problem.workflow.by_name[name].models:
        accuracy = accuracies(problem.workflow, {**models, name: model.name})[problem.workflow.sink]
        if model.name != models[name] and accuracy is not None and enough(accuracy, problem.target.accuracy):
            found.append(tables.model(operator, model.name))
    return found


def _exchanged(tables: SearchTables, chosen: _Choice, first: int, second: int) -> Iterator[_Choice]:
    """Yield a plan in which two operators exchange one worker, or one gives another one of its own."""
    (one, ones), (two, twos) = chosen[first], chosen[second]
    for mine in (0, *(1 << each for each in _some_of_each(tables, ones.workers))):
        for other in (0, *(1 << each for each in _some_of_each(tables, twos.workers))):
            left, right = ones.mask & ~mine | other, twos.mask & ~other | mine
            if mine != other and _carries(one, left) and _carries(two, right):
                yield {**chosen, first: (one, tables.crew(one, left)), second: (two, tables.crew(two, right))}


def _some_of_each(tables: SearchTables, workers: Iterable[int]) -> list[int]:
    """Return up to two workers of each class of alike ones: no move takes more."""
    seen: dict[int, int] = {}
    found = []
    for each in workers:
        kind = tables.classes[each]
        seen[kind] = seen.get(kind, 0) + 1
        if seen[kind] <= _MOST:
            found.append(each)
    return found


def _masks(tables: SearchTables, crew: Crew, more: Sequence[_Part], room: float, late: Late) -> Iterator[int]:
    """Yield the crew as it is, and with up to two workers less and others more, three in all, if that costs less than
    `room` and until it is late.
    """
    for saved, gone in _parts(tables, _some_of_each(tables, crew.workers)):
        for _, new in more[: bisect_left(more, (room - crew.compute + saved,))]:
            if late():
                return
            if gone.bit_count() + new.bit_count() < 2 * _MOST:
                yield crew.mask & ~gone | new


def _parts(tables: SearchTables, workers: Sequence[int]) -> list[_Part]:
    """Return all sets of up to two workers, the cheapest first."""
    sets = (some for size in range(_MOST + 1) for some in combinations(workers, size))
    return sorted((sum(tables.hourly[each] for each in some), sum(1 << each for each in some)) for some in sets)


def _carries(table: ModelTable, mask: int) -> bool:
    carried = 0.0
    capacities = table.capacities
    while mask:
        worker = mask.bit_length() - 1
        if not capacities[worker]:
            return False
        carried += capacities[worker]
        mask ^= 1 << worker
    return carried >= _FULL
