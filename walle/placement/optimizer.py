"""The optimizer as a whole: plans by beam search at once, then better ones and a proof for as long as there is time.

Without time for a proof, plans are those of `walle.placement.planning`, which needs no solver.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from walle.placement import planning
from walle.placement.beam.search import DEFAULT_WIDTHS, BeamWidths, RankedPlan, beam_search
from walle.placement.evaluation import evaluate
from walle.placement.exact.search import TOO_LARGE, Clock, SearchProgress, prove, relative_gap
from walle.placement.problem.model import PlacementPlan, PlacementProblem

UNPROVED: Final = "beam"
"""How a search ends that was given no time for a proof."""
HEURISTICS_S: Final = 5.0
"""The seconds after which the beams' plans are no longer improved, unless half of the budget is more."""


@dataclass(frozen=True, slots=True)
class Optimized:
    """The best plans, cheapest first, and what is known of better ones.

    No plan costs less than `bound` USD per hour; it is 0 where nothing was proved. `ended` is `beam` where no proof
    was asked for, else how the search for one ended (`walle.placement.exact.search`). `beam_cost` is what the bare
    beam's best plan costs.
    """

    plans: tuple[RankedPlan, ...]
    bound: float
    ended: str
    seconds: float
    beam_cost: float | None = None
    history: tuple[SearchProgress, ...] = ()

    @property
    def best(self) -> RankedPlan | None:
        """The cheapest plan, if there is one."""
        return self.plans[0] if self.plans else None

    @property
    def gap(self) -> float | None:
        """How much cheaper than the best plan another may be, relative to its cost; None where nothing was proved."""
        if self.best is None or self.ended in (UNPROVED, TOO_LARGE):
            return None
        return relative_gap(self.best.evaluation.cost, self.bound)


def optimize(
    problem: PlacementProblem,
    budget_s: float,
    clock: Clock,
    generator: random.Random,
    *,
    widths: BeamWidths = DEFAULT_WIDTHS,
    cancelled: Callable[[], bool] = lambda: False,
    report: Callable[[SearchProgress], None] = lambda progress: None,
) -> Optimized:
    """Return the best plans that are found in about `budget_s` seconds of a clock, `widths.plans` of them at most.

    Plans by wider beams and local improvement come first, with `generator` for topological orders, for half of the
    budget or HEURISTICS_S at most; what is left of the time goes into the search for a proof, which begins at them. A
    budget of 0 asks for no proof; with any other one SolverMissing is raised where HiGHS is not installed. `cancelled`
    ends the search with the best so far.
    """
    began = clock()

    def late() -> bool:
        return cancelled() or clock() - began >= max(HEURISTICS_S, budget_s / 2)

    beam = beam_search(problem, generator, widths)
    beam_cost = min((each.evaluation.cost for each in beam), default=None)
    if beam:
        report(SearchProgress(clock() - began, 0.0, beam[0].evaluation.cost, beam[0].plan))
    found = planning.optimize(problem, generator, replace(planning.WIDE, plans=widths.plans), late=late)
    found += beam
    if budget_s <= 0:
        return Optimized(_best(found, widths.plans), 0.0, UNPROVED, clock() - began, beam_cost)
    left = budget_s - (clock() - began)
    starts = [each.plan for each in found]
    proof = prove(problem, left, clock, starts=starts, cancelled=cancelled, report=report)
    further = [*proof.others, *([proof.plan] if proof.plan else ())]
    found += [RankedPlan(each, evaluate(problem, each)) for each in further]
    plans = _best(found, widths.plans)
    return Optimized(plans, proof.bound, proof.ended, clock() - began, beam_cost, proof.history)


def _best(found: Sequence[RankedPlan], count: int) -> tuple[RankedPlan, ...]:
    """Return the cheapest plans, at the same cost the more accurate first; of those with the same workers one."""
    different: dict[tuple[object, ...], RankedPlan] = {}
    for each in sorted(found, key=_rank):
        different.setdefault(_workers_of(each.plan), each)
    return tuple(different.values())[:count]


def _rank(ranked: RankedPlan) -> tuple[float, float]:
    cost, accuracy = ranked.evaluation.cost, ranked.evaluation.accuracy
    return cost, 0.0 if accuracy is None else -accuracy


def _workers_of(plan: PlacementPlan) -> tuple[object, ...]:
    return tuple((name, plan.models[name], frozenset(plan.workers[name])) for name in sorted(plan.models))
