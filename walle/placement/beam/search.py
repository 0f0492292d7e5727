"""Beam search as a whole: the best plans over selections of models and topological orders."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from walle.placement.beam.assignment import Assigner, Assignment
from walle.placement.beam.orders import topological_orders
from walle.placement.beam.selection import ModelSelection, select_models
from walle.placement.evaluation import Evaluation, evaluate
from walle.placement.problem.model import PlacementPlan, PlacementProblem
from walle.placement.tables import SearchTables


@dataclass(frozen=True, slots=True)
class BeamWidths:
    """How wide the beams are, by default as in the authors' configuration, and how many plans are wanted.

    `finishing` adds the crews that the cheapest worker ends; without it, crews are those of the paper's listing.
    """

    models: int = 10
    workers: int = 10
    orders: int = 10
    plans: int = 3
    finishing: bool = True


DEFAULT_WIDTHS: Final = BeamWidths()
Late = Callable[[], bool]
"""Whether time is up."""


def never() -> bool:
    """Say that there is time."""
    return False


@dataclass(frozen=True, slots=True)
class RankedPlan:
    """A plan with its evaluation."""

    plan: PlacementPlan
    evaluation: Evaluation


def beam_search(
    problem: PlacementProblem, generator: random.Random, widths: BeamWidths = DEFAULT_WIDTHS
) -> list[RankedPlan]:
    """Return the best feasible plans that the beams find, the cheapest first; none if they find none.

    Topological orders are drawn by `generator` where there are more than `widths.orders`.
    """
    tables = SearchTables(problem)
    found = search_assignments(tables, select_models(problem, widths.models), generator, widths)
    return ranked(problem, [tables.plan(chosen) for _, _, chosen in found])


def search_assignments(
    tables: SearchTables,
    selections: Iterable[ModelSelection],
    generator: random.Random,
    widths: BeamWidths,
    late: Late = never,
) -> list[Assignment]:
    """Return the cheapest distinct assignments of workers to selected models that are found until it is late."""
    orders = topological_orders(tables.parents, widths.orders, generator)
    selected = [tables.selection(each.models) for each in selections]
    selected.sort(key=lambda models: sum(table.bound for table in models))
    best: dict[tuple[object, ...], Assignment] = {}
    assigner = Assigner(tables, widths.workers, finishing=widths.finishing)
    for order in orders:
        for models in selected:
            if late():
                return list(best.values())
            for each in assigner.assign(models, order, _limit(best, widths.plans)):
                best.setdefault(signature(tables, each), each)
            best = dict(sorted(best.items(), key=lambda item: item[1][0])[: widths.plans])
    return list(best.values())


def _limit(best: dict[tuple[object, ...], Assignment], plans: int) -> float:
    """Return what a plan must cost less than to be among the wanted ones."""
    return math.inf if len(best) < plans else max(cost for cost, _, _ in best.values())


def signature(tables: SearchTables, assignment: Assignment) -> tuple[object, ...]:
    """Return what is equal for plans that differ by alike workers only."""
    _, _, chosen = assignment
    return tuple(
        (table.model, tuple(sorted(tables.classes[each] for each in crew.workers)))
        for _, (table, crew) in sorted(chosen.items())
    )


def ranked(problem: PlacementProblem, plans: Iterable[PlacementPlan]) -> list[RankedPlan]:
    """Return plans with their evaluations, those that are feasible, the cheapest first."""
    found = [RankedPlan(plan, evaluate(problem, plan)) for plan in plans]
    return sorted((each for each in found if each.evaluation.feasible), key=lambda each: each.evaluation.cost)
