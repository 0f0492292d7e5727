"""The search for a plan that is proved to be the cheapest: programs solved in turn, each tighter than the one before.

Every solution of a program becomes a plan that `evaluate` prices: the best of them is the answer. The program's dual
bound is a bound on all plans. If a solution's plan costs more than the program thought, the program is tightened where
it thought wrong, and solved again; the search ends when the bound meets the best plan, or time is up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from walle.placement.evaluation import evaluate
from walle.placement.exact.classes import Surcharge, no_surcharge
from walle.placement.exact.formulation import Formulation
from walle.placement.loads import with_best_loads
from walle.placement.problem.model import PlacementPlan, PlacementProblem

Clock: TypeAlias = Callable[[], float]
"""Seconds from any fixed moment."""
PROVED: Final = 1e-6
"""The relative gap below which a plan counts as optimal: what the solver's arithmetic can tell apart."""
_FEASIBLE: Final = 2
"""HiGHS's status of a solution that satisfies all rows."""


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """How far a search is after some seconds; `bound` and `best` are USD per hour, `best` infinite without a plan."""

    seconds: float
    bound: float
    best: float


@dataclass(frozen=True, slots=True)
class ProofResult:
    """What a search found.

    `plan` is the cheapest plan seen, None if there was none; `cost` is what it costs in an hour, surcharges included.
    No plan costs less than `bound`. `ended` is `optimal`, `infeasible` (proved), `time` or `cancelled`. `others` are
    the further plans that were seen, cheapest first.
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
    balanced: bool = False,
) -> ProofResult:
    """Search for the cheapest plan for at most `budget_s` seconds of a clock.

    `starts` are plans to begin with, such as the beam's. `cancelled` is asked often, and stops the search when it
    returns true; `report` is told each time that the bound or the best plan changes. `balanced` asks for the cheapest
    of the plans whose loads are in proportion to capacity. Raises SolverMissing without HiGHS.
    """
    return _Search(problem, budget_s, clock, surcharge, cancelled, report, balanced).run(starts)


@dataclass
class _Search:
    problem: PlacementProblem
    budget_s: float
    clock: Clock
    surcharge: Surcharge
    cancelled: Callable[[], bool]
    report: Callable[[SearchProgress], None]
    balanced: bool
    plan: PlacementPlan | None = None
    cost: float = math.inf
    bound: float = 0.0
    floor: float = math.inf
    stopped: str = ""
    seen: dict[tuple[object, ...], tuple[float, PlacementPlan]] = field(default_factory=dict)
    history: list[SearchProgress] = field(default_factory=list)

    def run(self, starts: Sequence[PlacementPlan]) -> ProofResult:
        self.began = self.clock()
        for each in starts:
            self._consider(each)
        self.formulation = Formulation(self.problem, self.surcharge, balanced=self.balanced)
        ended = ""
        while not ended:
            ended = self._solve()
        if ended in ("optimal", "infeasible"):
            self.bound = self.cost if self.plan else math.inf
        ranked = sorted(self.seen.values(), key=lambda each: each[0])
        others = tuple(plan for _, plan in ranked if plan is not self.plan)
        return ProofResult(self.plan, self.cost, self.bound, ended, self._seconds(), tuple(self.history), others)

    def _solve(self) -> str:
        """Solve the program once; return how the search ended, or nothing if the program was tightened."""
        program = self.formulation.program
        solver = program.solver()
        solver.setOptionValue("mip_rel_gap", PROVED / 10)
        solver.setOptionValue("mip_abs_gap", 0.0)
        solver.setOptionValue("time_limit", max(0.01, self.budget_s - self._seconds()))
        if self.plan is not None:
            values = self.formulation.start(self.plan)
            solver.setSolution(len(values), list(values), list(values.values()))
        solver.cbMipInterrupt += self._interrupt
        solver.cbSimplexInterrupt += self._interrupt
        solver.solve()
        return self._judge(solver)

    def _judge(self, solver: Any) -> str:
        status = solver.modelStatusToString(solver.getModelStatus())
        if status == "Infeasible":
            # Then every plan that there is was excluded, and evaluated before that.
            self._raise_bound(math.inf)
            return self._ended("infeasible" if self.plan is None else "time")
        info = solver.getInfo()
        self._raise_bound(info.mip_dual_bound)
        if info.primal_solution_status != _FEASIBLE:
            return self.stopped or "time"
        plan = self.formulation.plan(list(solver.getSolution().col_value))
        self._consider(plan)
        if ended := self._ended(""):
            return ended
        if status != "Optimal" or self._seconds() >= self.budget_s:
            return "time"
        self._tighten(plan, info.objective_function_value)
        return ""

    def _ended(self, otherwise: str) -> str:
        """Return that the search is over because of its proof, or of whoever stopped it."""
        if self.plan is not None and relative_gap(self.cost, self.bound) <= PROVED:
            return "optimal"
        return self.stopped or otherwise

    def _tighten(self, plan: PlacementPlan, thought: float) -> None:
        """Make the program right about a plan that it thinks cheaper than it is, or exclude its workers.

        Of workers that are excluded, the best plan has been seen, unless caps bound the loads: then they may cost no
        more than the program thought, which stays a floor of the bound.
        """
        loose = [name for name in self.formulation.spanning(plan) if name not in self.formulation.units]
        if self.balanced and loose:
            for name in loose:
                self.formulation.proportional(name)
            return
        infrastructure = self.problem.infrastructure
        if (
            not self.balanced
            and (infrastructure.tier_caps or infrastructure.worker_caps)
            and self.formulation.spanning(plan)
        ):
            self.floor = min(self.floor, thought)
        self.formulation.forbid(plan)

    def _consider(self, plan: PlacementPlan) -> None:
        """Remember a plan that is feasible, with the best loads for its workers."""
        best = plan if self.balanced else with_best_loads(self.problem, plan)
        cost = self._price(best)
        if cost == math.inf:
            return
        workers = tuple(sorted((name, frozenset(ids)) for name, ids in plan.workers.items()))
        self.seen[tuple(sorted(plan.models.items())), workers] = (cost, best)
        if cost < self.cost:
            self.plan, self.cost = best, cost
            self._tell()

    def _price(self, plan: PlacementPlan) -> float:
        """Return what a plan costs with its surcharges; infinite if it is not feasible."""
        found = evaluate(self.problem, plan)
        by_id = self.problem.infrastructure.by_id
        extra = sum(
            self.surcharge(name, plan.models[name], by_id[each]) for name, ids in plan.workers.items() for each in ids
        )
        return found.cost + extra if found.feasible else math.inf

    def _interrupt(self, event: Any) -> None:
        self._raise_bound(event.data_out.mip_dual_bound)
        if self.cancelled():
            self.stopped = "cancelled"
        elif self._seconds() >= self.budget_s:
            self.stopped = "time"
        if self.stopped:
            event.interrupt()

    def _raise_bound(self, found: float) -> None:
        found = min(found, self.cost, self.floor)
        if self.bound < found < math.inf:
            self.bound = found
            self._tell()

    def _tell(self) -> None:
        progress = SearchProgress(self._seconds(), self.bound, self.cost)
        self.history.append(progress)
        self.report(progress)

    def _seconds(self) -> float:
        return self.clock() - self.began
