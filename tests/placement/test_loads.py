"""Loads that are chosen cost no more than loads in proportion to capacity, and are as good as any."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.placement.small_problems import every_plan, price, small_problem, with_shares
from walle.placement.evaluation import PlanMismatch, evaluate
from walle.placement.loads import with_best_loads
from walle.placement.problem.model import PlacementPlan


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_no_other_loads_of_the_same_workers_cost_less(seed: int) -> None:
    problem, draw = small_problem(seed, located=seed % 2 == 0), random.Random(seed)
    for plan in itertools.islice(every_plan(problem), 0, 300, 7):
        best = with_best_loads(problem, plan)
        assert (best.models, best.workers) == (plan.models, plan.workers)
        for other in (plan, with_shares(plan, draw), with_shares(plan, draw)):
            assert price(problem, best) <= price(problem, other) * (1 + 1e-9)


def test_a_worker_that_is_given_more_than_it_can_take_is_a_violation() -> None:
    problem = small_problem(19)
    plan = next(
        each for each in every_plan(problem) if price(problem, each) < math.inf and len(each.workers["op0"]) == 2
    )
    name, ids = "op0", plan.workers["op0"]
    capacity = problem.capacity(name, plan.models[name], problem.infrastructure.by_id[ids[0]])

    alone = evaluate(problem, PlacementPlan(plan.models, plan.workers, {name: (1.0, 0.0)}))

    assert alone.utilisation[ids[1]] == 0
    assert alone.utilisation[ids[0]] == pytest.approx(problem.rates[name] / capacity)
    assert ("throughput" in {each.constraint for each in alone.violations}) == (capacity < problem.rates[name])


@pytest.mark.parametrize("shares", [(0.5,), (0.5, 0.6), (1.5, -0.5)])
def test_shares_that_are_none_are_refused(shares: tuple[float, ...]) -> None:
    problem = small_problem(19)
    plan = next(each for each in every_plan(problem) if len(each.workers["op0"]) == 2)

    with pytest.raises(PlanMismatch, match="expected a share of each worker of op0"):
        evaluate(problem, PlacementPlan(plan.models, plan.workers, {"op0": shares}))
