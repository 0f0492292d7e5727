"""The optimizer without a solver: beam search, then local improvement of what it found."""

from __future__ import annotations

import random
from typing import Final

from walle.placement.beam.search import BeamWidths, Late, RankedPlan, never, ranked, search_assignments, signature
from walle.placement.beam.selection import select_models
from walle.placement.improvement import improved
from walle.placement.loads import with_best_loads
from walle.placement.problem.model import PlacementProblem
from walle.placement.tables import SearchTables

WIDE: Final = BeamWidths(models=100, workers=20, orders=10, plans=5)
"""Wider beams than the paper's: most of what they hold is cut off early, as cheaper plans are known by then."""
MOVES: Final = 20_000
"""How many moves are priced at most to improve one plan; one takes some 20 to 50 microseconds."""


def optimize(
    problem: PlacementProblem,
    generator: random.Random,
    widths: BeamWidths = WIDE,
    moves: int = MOVES,
    late: Late = never,
) -> list[RankedPlan]:
    """Return up to `widths.plans` feasible plans, no two alike, the cheapest first; none if the beams find none.

    They are the best that are found until it is `late`.
    """
    tables = SearchTables(problem)
    found = search_assignments(tables, select_models(problem, widths.models), generator, widths, late)
    better = [improved(tables, each, moves, late) for each in found]
    distinct = {signature(tables, each): each for each in sorted(better, key=lambda each: -each[0])}
    plans = [with_best_loads(problem, tables.plan(chosen)) for _, _, chosen in distinct.values()]
    return ranked(problem, plans)
