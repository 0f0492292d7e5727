"""The optimizer without a solver: beam search, then local improvement of what it found."""

from __future__ import annotations

import random
from typing import Final

from walle.placement.beam.search import DEFAULT_WIDTHS, BeamWidths, RankedPlan, ranked, search_assignments, signature
from walle.placement.beam.selection import select_models
from walle.placement.improvement import improved
from walle.placement.problem.model import PlacementProblem
from walle.placement.tables import SearchTables

MOVES: Final = 20_000
"""How many moves are priced at most to improve one plan; one takes some 20 to 50 microseconds."""


def optimize(
    problem: PlacementProblem,
    generator: random.Random,
    widths: BeamWidths = DEFAULT_WIDTHS,
    moves: int = MOVES,
) -> list[RankedPlan]:
    """Return up to `widths.plans` feasible plans, the cheapest first; none if beams find none.

    With `moves` of 0 they are those of the beams alone.
    """
    tables = SearchTables(problem)
    found = search_assignments(tables, select_models(problem, widths.models), generator, widths)
    better = [improved(tables, each, moves) for each in found]
    distinct = {signature(tables, each): each for each in sorted(better, key=lambda each: -each[0])}
    return sorted(ranked(tables, list(distinct.values())), key=lambda each: each.evaluation.cost)
