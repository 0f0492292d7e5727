"""After a change a plan moves what pays within the horizon, and nothing else."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.placement.small_problems import price, small_problem
from walle.placement.exact.search import prove
from walle.placement.frontiers import with_rates
from walle.placement.problem.model import PlacementPlan, PlacementProblem
from walle.placement.replanning import Replanned, replan

PROBLEM = small_problem(30, workers=6)


def best_plan(problem: PlacementProblem) -> PlacementPlan:
    found = prove(problem, 60.0, lambda: 0.0).plan
    assert found is not None
    return found


def replanned(problem: PlacementProblem, present: PlacementPlan, usd: float, hours: float = 1.0) -> Replanned:
    return replan(problem, present, 60.0, lambda: 0.0, moving_usd=usd, horizon_hours=hours)


def test_the_cheapest_plan_stays_where_nothing_changed() -> None:
    found = replanned(PROBLEM, best_plan(PROBLEM), 0.01)

    assert (found.moves, found.stopped) == ((), ())
    assert found.reason.startswith("nothing moves")


@settings(max_examples=10, deadline=None)
@given(factor=st.floats(0.2, 1.3), usd=st.floats(0, 3), hours=st.floats(0.1, 50))
def test_no_plan_is_cheaper_over_the_horizon_moves_included(factor: float, usd: float, hours: float) -> None:
    present, changed = best_plan(PROBLEM), with_rates(PROBLEM, factor)
    found = replanned(changed, present, usd, hours)
    if found.plan is None or found.evaluation is None:
        assert prove(changed, 60.0, lambda: 0.0).plan is None
        return

    paid = found.evaluation.cost + len(found.moves) * usd / hours
    assert paid == pytest.approx(found.proof.cost)
    assert paid >= prove(changed, 60.0, lambda: 0.0).cost * (1 - 3e-6)
    if found.staying is not None:
        assert paid <= found.staying.cost * (1 + 3e-6)
        assert found.saved_per_hour is not None
        assert found.saved_per_hour >= len(found.moves) * usd / hours - 1e-5


def test_moving_that_costs_too_much_leaves_a_dearer_plan_in_place() -> None:
    present, changed = best_plan(PROBLEM), with_rates(PROBLEM, 0.3)

    free, dear = replanned(changed, present, 0.0), replanned(changed, present, 1000.0)

    assert free.saved_per_hour is not None
    assert dear.saved_per_hour is not None
    assert free.saved_per_hour > dear.saved_per_hour
    assert dear.moves == ()


def test_a_worker_that_is_gone_is_replaced_and_the_moves_say_by_which() -> None:
    present = best_plan(PROBLEM)
    gone = present.workers[PROBLEM.workflow.sink][0]
    infrastructure = PROBLEM.infrastructure
    left = tuple(each for each in infrastructure.workers if each.id != gone)
    changed = replace(PROBLEM, infrastructure=replace(infrastructure, workers=left))

    found = replanned(changed, present, 0.01)

    assert found.plan is not None
    assert price(changed, found.plan) < math.inf
    serving = {worker: name for name, ids in found.plan.workers.items() for worker in ids}
    before = {worker: name for name, ids in present.workers.items() for worker in ids}
    assert {each.worker for each in found.moves} >= set(serving) - set(before)
    assert all(
        each.before == (before[each.worker], present.models[before[each.worker]]) for each in found.moves if each.before
    )


@pytest.mark.parametrize(("usd", "hours"), [(-1.0, 1.0), (1.0, 0.0), (math.nan, 1.0)])
def test_costs_and_horizons_that_are_none_are_refused(usd: float, hours: float) -> None:
    with pytest.raises(ValueError, match="expected a cost of moving"):
        replanned(PROBLEM, best_plan(PROBLEM), usd, hours)
