"""Several operators on one worker: its time is divided among them, and it is paid once.

The paper gives each worker one operator (sections 4.3 and 7), so that small operators leave expensive workers idle.
Here the loads of a worker's operators, each as a part of what the worker could take of it alone, add up to 1 at most.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from walle.placement.evaluation import Evaluation
from walle.placement.exact.search import Clock, ProofResult, SearchProgress, prove
from walle.placement.exact.shared import evaluate_shared
from walle.placement.problem.model import PlacementPlan, PlacementProblem


@dataclass(frozen=True, slots=True)
class SharedPlacement:
    """A plan in which workers may serve several operators, what it costs, and the proof of its search.

    Each operator's shares say which part of its load each of its workers serves.
    """

    plan: PlacementPlan | None
    evaluation: Evaluation | None
    proof: ProofResult


def share_workers(
    problem: PlacementProblem,
    budget_s: float,
    clock: Clock,
    *,
    cancelled: Callable[[], bool] = lambda: False,
    report: Callable[[SearchProgress], None] = lambda progress: None,
) -> SharedPlacement:
    """Return the cheapest plan that is found in `budget_s` seconds of a clock. Raises SolverMissing without HiGHS."""
    proof = prove(problem, budget_s, clock, cancelled=cancelled, report=report, loads="shared")
    evaluation = evaluate_shared(problem, proof.plan) if proof.plan else None
    return SharedPlacement(proof.plan, evaluation, proof)
