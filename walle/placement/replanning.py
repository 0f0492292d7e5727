"""A new plan after a change of rates, prices or workers, in which moving has its price.

Where a worker begins to serve another operator, or its operator another model, that model is loaded there, which costs
`moving_usd`. A plan is expected to stay for `horizon_hours`, so a move costs its part of that in every hour, beside the
worker's price. The cheapest plan by this measure leaves everything where it is unless moving pays within the horizon:
prices that go up and down by less than that move nothing (hysteresis).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from walle.placement.evaluation import Evaluation, evaluate
from walle.placement.exact.classes import Surcharge
from walle.placement.exact.search import Clock, ProofResult, SearchProgress, prove
from walle.placement.loads import with_best_loads
from walle.placement.problem.model import PlacementPlan, PlacementProblem, PlacementWorker


@dataclass(frozen=True, slots=True)
class Move:
    """A worker that begins to serve an operator with a model; `before` is what it served until now, if anything."""

    worker: str
    operator: str
    model: str
    before: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class Replanned:
    """The plan after a change, and why.

    `staying` is what the present plan costs under the new problem, with the best loads, None if it is no longer
    feasible; `plan` is None if no plan is.
    """

    plan: PlacementPlan | None
    evaluation: Evaluation | None
    moves: tuple[Move, ...]
    stopped: tuple[str, ...]
    staying: Evaluation | None
    moving_usd: float
    horizon_hours: float
    proof: ProofResult

    @property
    def saved_per_hour(self) -> float | None:
        """USD per hour that the new plan costs less than staying would; None where staying is impossible."""
        if self.staying is None or self.evaluation is None:
            return None
        return self.staying.cost - self.evaluation.cost

    @property
    def reason(self) -> str:
        """Why the plan moves or stays, in words."""
        if self.evaluation is None:
            return "no plan is feasible any more"
        spent = self.moving_usd * len(self.moves)
        moves = f"{len(self.moves)} move{'' if len(self.moves) == 1 else 's'} for USD {spent:.4g}"
        if self.staying is None:
            return f"the present plan is no longer feasible: {moves}"
        if not self.moves:
            return f"nothing moves: no other plan saves, within {self.horizon_hours:g} hours, what moving to it costs"
        saved = self.staying.cost - self.evaluation.cost
        hours = f"paid back after {spent / saved:.3g} of {self.horizon_hours:g} hours" if saved > 0 else "for nothing"
        return f"{moves} save{'s' if len(self.moves) == 1 else ''} USD {saved:.4g} an hour, {hours}"


def replan(
    problem: PlacementProblem,
    present: PlacementPlan,
    budget_s: float,
    clock: Clock,
    *,
    moving_usd: float,
    horizon_hours: float,
    cancelled: Callable[[], bool] = lambda: False,
    report: Callable[[SearchProgress], None] = lambda progress: None,
) -> Replanned:
    """Return the plan that is cheapest over the horizon, moves included, as far as `budget_s` seconds tell.

    `problem` is the new one; workers and operators of the present plan that it does not have are gone. Raises
    ValueError if moving costs less than nothing or the horizon is not positive, SolverMissing without HiGHS.
    """
    if not (moving_usd >= 0 and horizon_hours > 0):
        raise ValueError("expected a cost of moving of at least 0 and a horizon above 0 hours")
    now = _assigned(present)
    staying = _staying(problem, present)
    proof = prove(
        problem,
        budget_s,
        clock,
        starts=[staying] if staying else [],
        surcharge=_surcharge(now, moving_usd / horizon_hours),
        cancelled=cancelled,
        report=report,
    )
    plan = proof.plan
    return Replanned(
        plan,
        evaluate(problem, plan) if plan else None,
        _moves(now, plan) if plan else (),
        tuple(sorted(set(now) - {each for ids in plan.workers.values() for each in ids})) if plan else (),
        evaluate(problem, staying) if staying else None,
        moving_usd,
        horizon_hours,
        proof,
    )


def _assigned(plan: PlacementPlan) -> dict[str, tuple[str, str]]:
    """Return what each worker serves: an operator with a model."""
    return {worker: (name, plan.models[name]) for name, workers in plan.workers.items() for worker in workers}


def _staying(problem: PlacementProblem, present: PlacementPlan) -> PlacementPlan | None:
    """Return the present plan without the workers that are gone, with the best loads, if that is feasible."""
    operators, workers = problem.workflow.by_name, problem.infrastructure.by_id
    left = {name: tuple(each for each in ids if each in workers) for name, ids in present.workers.items()}
    known = {name: {model.name for model in each.models} for name, each in operators.items()}
    fits = set(left) == set(operators) and all(present.models[name] in known[name] and left[name] for name in left)
    if not fits:
        return None
    plan = with_best_loads(problem, PlacementPlan(present.models, left))
    return plan if evaluate(problem, plan).feasible else None


def _surcharge(now: dict[str, tuple[str, str]], hourly: float) -> Surcharge:
    def of(operator: str, model: str, worker: PlacementWorker) -> float:
        return 0.0 if now.get(worker.id) == (operator, model) else hourly

    return of


def _moves(now: dict[str, tuple[str, str]], plan: PlacementPlan) -> tuple[Move, ...]:
    then = _assigned(plan)
    return tuple(
        Move(worker, *served, now.get(worker)) for worker, served in sorted(then.items()) if now.get(worker) != served
    )
