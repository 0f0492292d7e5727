"""The optimizer as a whole: plans by beam search at once, then better ones and a proof for as long as there is time."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from walle.placement.beam.search import DEFAULT_WIDTHS, BeamWidths, RankedPlan, beam_search
from walle.placement.evaluation import evaluate
from walle.placement.exact.search import Clock, SearchProgress, prove, relative_gap
from walle.placement.loads import with_best_loads
from walle.placement.problem.model import PlacementPlan, PlacementProblem

UNPROVED: Final = "beam"
"""How a search ends that was given no time for a proof."""


@dataclass(frozen=True, slots=True)
class Optimized:
    """The best plans, cheapest first, and what is known of better ones.

    No plan costs less than `bound` USD per hour; it is 0 where nothing was proved. `ended` is `beam` where no proof
    was asked for, else how the search for one ended (`walle.placement.exact.search`). `beam_cost` is what the beam's
    best plan costs.
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
        if self.best is None or self.ended == UNPROVED:
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

    The beam's plans come first, with `generator` for its topological orders; what is left of the time goes into the
    search for a proof, which begins at them. A budget of 0 asks for the beam alone, which needs no solver; with any
    other one SolverMissing is raised where HiGHS is not installed. `cancelled` ends the search with the best so far.
    """
    began = clock()
    beam = [with_better_loads(problem, each) for each in beam_search(problem, generator, widths)]
    beam_cost = min((each.evaluation.cost for each in beam), default=None)
    if budget_s <= 0:
        return Optimized(_best(beam, widths.plans), 0.0, UNPROVED, clock() - began, beam_cost)
    left = budget_s - (clock() - began)
    starts = [each.plan for each in beam]
    proof = prove(problem, left, clock, starts=starts, cancelled=cancelled, report=report)
    further = [*proof.others, *([proof.plan] if proof.plan else ())]
    found = [*beam, *(RankedPlan(each, evaluate(problem, each)) for each in further)]
    plans = _best(found, widths.plans)
    return Optimized(plans, proof.bound, proof.ended, clock() - began, beam_cost, proof.history)


def with_better_loads(problem: PlacementProblem, ranked: RankedPlan) -> RankedPlan:
    """Return a plan with the best loads for its workers."""
    plan = with_best_loads(problem, ranked.plan)
    return ranked if plan is ranked.plan else replace(ranked, plan=plan, evaluation=evaluate(problem, plan))


def _best(found: Sequence[RankedPlan], count: int) -> tuple[RankedPlan, ...]:
    """Return the cheapest plans, of those with the same models and workers one."""
    different: dict[tuple[object, ...], RankedPlan] = {}
    for each in sorted(found, key=lambda each: each.evaluation.cost):
        different.setdefault(_workers_of(each.plan), each)
    return tuple(different.values())[:count]


def _workers_of(plan: PlacementPlan) -> tuple[object, ...]:
    return tuple((name, plan.models[name], frozenset(plan.workers[name])) for name in sorted(plan.models))
