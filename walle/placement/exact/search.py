"""The search for a plan that is proved to be the cheapest: programs solved in turn, each tighter than the one before.

Every solution of a program becomes a plan that `evaluate` prices: the best of them is the answer. The program's dual
bound is a bound on all plans. If a solution's plan costs more than the program thought, the program is tightened where
it thought wrong, and solved again; the search ends when the bound meets the best plan, or time is up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from walle.placement.evaluation import evaluate
from walle.placement.exact.balanced import BalancedFormulation
from walle.placement.exact.classes import Surcharge, no_surcharge
from walle.placement.exact.formulation import Formulation
from walle.placement.exact.limits import ProgramTooLarge
from walle.placement.exact.shared import SharedFormulation
from walle.placement.problem.model import PlacementPlan, PlacementProblem

Clock: TypeAlias = Callable[[], float]
"""Seconds from any fixed moment."""
PROVED: Final = 1e-6
"""The relative gap below which a plan counts as optimal: what the solver's arithmetic can tell apart."""
OPTIMAL, ENOUGH, INFEASIBLE, TIME, CANCELLED, STUCK = "optimal", "enough", "infeasible", "time", "cancelled", "stuck"
TOO_LARGE = "too-large"
"""How a search ends: with a proof that nothing is cheaper; with a plan within the gap that was asked for; with a proof
that no plan is feasible; because time was up; because it was cancelled; because caps of bandwidth leave a gap; or
before it began, as the problem is too large for a program (`walle.placement.exact.limits`)."""
CHOSEN: Final = "chosen"
LOADS: Final[Mapping[str, type[Formulation]]] = {
    CHOSEN: Formulation,
    "balanced": BalancedFormulation,
    "shared": SharedFormulation,
}
"""Which plans are searched: those that choose how loads are shared; those that share them in proportion to capacity;
those whose workers may serve several operators."""
_FEASIBLE: Final = 2
"""HiGHS's status of a solution that satisfies all rows."""


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """How far a search is after some seconds; `bound` and `best` are USD per hour, `best` infinite without a `plan`."""

    seconds: float
    bound: float
    best: float
    plan: PlacementPlan | None = None


@dataclass(frozen=True, slots=True)
class ProofResult:
    """What a search found.

    `plan` is the cheapest plan seen, None if there was none; `cost` is what it costs in an hour, surcharges included.
    No plan costs less than `bound`. `ended` is one of the constants above. `others` are the further plans that were
    seen, cheapest first.
    """

    plan: PlacementPlan | None
    cost: float
    bound: float
    ended: str
    seconds: float
    history: tuple[SearchProgress, ...] = ()
    others: tuple[PlacementPlan, ...] = ()

    @property
    def gap(self) -> float:
        """How much cheaper a plan might be, relative to this one's cost; infinite without a plan."""
        return relative_gap(self.cost, self.bound)


def relative_gap(cost: float, bound: float) -> float:
    """Return by which part of its cost a plan may be above a bound; 0 for a plan without costs."""
    if math.isinf(cost):
        return math.inf
    return max(0.0, cost - bound) / cost if cost > 0 else 0.0


def prove(
    problem: PlacementProblem,
    budget_s: float,
    clock: Clock,
    *,
    starts: Sequence[PlacementPlan] = (),
    surcharge: Surcharge = no_surcharge,
    cancelled: Callable[[], bool] = lambda: False,
    report: Callable[[SearchProgress], None] = lambda progress: None,
    loads: str = CHOSEN,
    gap: float = PROVED,
) -> ProofResult:
    """Search for the cheapest plan for at most `budget_s` seconds of a clock.

    `starts` are plans to begin with, such as the beam's. `cancelled` is asked often, and stops the search when it
    returns true; `report` is told each time that the bound or the best plan changes. `loads` says which plans there are
    to search (`LOADS`). The search ends at a plan that is proved to be within `gap` of the cheapest. Raises
    SolverMissing without HiGHS.
    """
    began = clock()
    try:
        formulation = LOADS[loads](problem, surcharge)
    except ProgramTooLarge:
        return _unproved(problem, starts, clock() - began)
    return _Search(formulation, began, budget_s, clock, cancelled, report, gap).run(starts)


def _unproved(problem: PlacementProblem, starts: Sequence[PlacementPlan], seconds: float) -> ProofResult:
    """Return the best of the plans that a search would have begun with."""
    costs = [(found.cost, index) for index, each in enumerate(starts) if (found := evaluate(problem, each)).feasible]
    if not costs:
        return ProofResult(None, math.inf, 0.0, TOO_LARGE, seconds)
    cost, best = min(costs)
    return ProofResult(starts[best], cost, 0.0, TOO_LARGE, seconds)


@dataclass
class _Search:
    formulation: Formulation
    began: float
    budget_s: float
    clock: Clock
    cancelled: Callable[[], bool]
    report: Callable[[SearchProgress], None]
    gap: float
    plan: PlacementPlan | None = None
    cost: float = math.inf
    bound: float = 0.0
    floor: float = math.inf
    stopped: str = ""
    seen: dict[tuple[object, ...], tuple[float, PlacementPlan]] = field(default_factory=dict)
    history: list[SearchProgress] = field(default_factory=list)

    def run(self, starts: Sequence[PlacementPlan]) -> ProofResult:
        for each in starts:
            self._consider(each)
        ended = ""
        while not ended:
            ended = self._solve()
        if ended in (OPTIMAL, INFEASIBLE):
            self.bound = self.cost
        ranked = sorted(self.seen.values(), key=lambda each: each[0])
        others = tuple(plan for _, plan in ranked if plan is not self.plan)
        return ProofResult(self.plan, self.cost, self.bound, ended, self._seconds(), tuple(self.history), others)

    def _solve(self) -> str:
        """Solve the program once; return how the search ended, or nothing if the program was tightened."""
        program = self.formulation.program
        solver = program.solver()
        solver.setOptionValue("mip_rel_gap", min(self.gap / 10, 1e9))
        solver.setOptionValue("mip_abs_gap", 0.0)
        # It asks `_interrupt` between nodes only: the first one of a large program takes longer than its time.
        solver.setOptionValue("time_limit", 2 * max(0.0, self.budget_s - self._seconds()) + 1)
        if self.plan is not None:
            self._begin_at(solver, self.plan)
        solver.cbMipInterrupt += self._interrupt
        solver.solve()
        return self._judge(solver)

    def _begin_at(self, solver: Any, plan: PlacementPlan) -> None:
        """Give the solver a plan to begin with, complete: it would report the bound of a completion as its own."""
        fixed = self.formulation.program.solver()
        for variable, value in self.formulation.start(plan).items():
            fixed.changeColBounds(variable, value, value)
        fixed.solve()
        if fixed.getInfo().primal_solution_status == _FEASIBLE:
            solver.setSolution(fixed.getSolution())

    def _judge(self, solver: Any) -> str:
        status = solver.modelStatusToString(solver.getModelStatus())
        if status == "Infeasible":
            # Then every plan that there is was excluded, and evaluated before that.
            self._raise_bound(math.inf)
            return self._ended(INFEASIBLE if self.plan is None else STUCK)
        info = solver.getInfo()
        self._raise_bound(info.mip_dual_bound)
        if info.primal_solution_status != _FEASIBLE:
            return self.stopped or TIME
        values = list(solver.getSolution().col_value)
        plan = self.formulation.plan(values)
        self._consider(plan)
        if ended := self._ended(""):
            return ended
        if status != "Optimal" or self._seconds() >= self.budget_s:
            return TIME
        if not self.formulation.tighten(plan, values):
            if not self.formulation.excludes:
                return STUCK
            if not self.formulation.forbid(plan):
                self.floor = min(self.floor, info.objective_function_value)
        return ""

    def _ended(self, otherwise: str) -> str:
        """Return that the search is over because of its proof, or of whoever stopped it."""
        if self.plan is not None and relative_gap(self.cost, self.bound) <= self.gap:
            return OPTIMAL if relative_gap(self.cost, self.bound) <= PROVED else ENOUGH
        return self.stopped or otherwise

    def _consider(self, plan: PlacementPlan) -> None:
        """Remember a plan that is feasible, made as good as it can be with its workers."""
        best = self.formulation.complete(plan)
        cost = self.formulation.price(best)
        if cost == math.inf:
            return
        workers = tuple(sorted((name, frozenset(ids)) for name, ids in plan.workers.items()))
        self.seen[tuple(sorted(plan.models.items())), workers] = (cost, best)
        if cost < self.cost:
            self.plan, self.cost = best, cost
            self._tell(self.bound)

    def _interrupt(self, event: Any) -> None:
        self._tell(self._within(event.data_out.mip_dual_bound))
        if self.cancelled():
            self.stopped = CANCELLED
        elif self._seconds() >= self.budget_s:
            self.stopped = TIME
        if self.stopped:
            event.interrupt()

    def _raise_bound(self, found: float) -> None:
        self.bound = max(self.bound, self._within(found))
        self._tell(self.bound)

    def _within(self, bound: float) -> float:
        """Return a bound of the plans that are left as one of all plans."""
        return min(bound, self.cost, self.floor)

    def _tell(self, bound: float) -> None:
        """Report the best plan and a bound, if either is better than in the last report."""
        told = self.history[-1].bound if self.history else 0.0
        progress = SearchProgress(self._seconds(), max(told, bound), self.cost, self.plan)
        if not self.history or (progress.bound, progress.best) != (told, self.history[-1].best):
            self.history.append(progress)
            self.report(progress)

    def _seconds(self) -> float:
        return self.clock() - self.began
