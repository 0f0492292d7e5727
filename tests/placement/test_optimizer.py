"""The optimizer's plans, their order, and what is known of better ones."""

from __future__ import annotations

import itertools
import random
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.support.placement.generator import generated
from tests.placement.small_problems import small_problem, with_inputs
from tests.support.placements import problem
from walle.placement.beam.search import BeamWidths
from walle.placement.exact.search import SearchProgress, prove
from walle.placement.frontiers import accuracy_frontier, with_accuracy
from walle.placement.infeasible import explain_infeasible
from walle.placement.optimizer import optimize
from walle.placement.problem.document import problem_of


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_plans_are_feasible_different_and_in_order_and_the_first_is_as_cheap_as_any(seed: int) -> None:
    asked = small_problem(seed)

    found = optimize(asked, 60.0, lambda: 0.0, random.Random(0), widths=BeamWidths(plans=3))

    costs = [each.evaluation.cost for each in found.plans]
    assert costs == sorted(costs)
    assert all(each.evaluation.feasible for each in found.plans)
    assert len({str((dict(each.plan.models), each.plan.workers)) for each in found.plans}) == len(costs) <= 3
    best = prove(asked, 60.0, lambda: 0.0)
    assert found.ended == best.ended
    if found.best:
        assert costs[0] == pytest.approx(best.cost, rel=3e-6)
        assert found.gap == pytest.approx(0.0, abs=1e-6)


def test_of_plans_that_cost_the_same_the_more_accurate_comes_first() -> None:
    slow_enough_for_both = {"accuracy": 54, "rates": {"camera": 5}}

    found = optimize(problem_of(problem(target=slow_enough_for_both)), 60.0, lambda: 0.0, random.Random(0))

    first, second = found.plans[:2]
    assert first.evaluation.cost == second.evaluation.cost
    assert (first.plan.models["describe"], second.plan.models["describe"]) == ("large", "small")


def test_without_time_for_a_proof_no_solver_is_needed_and_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "highspy", None)

    found = optimize(generated(3), 0.0, lambda: 0.0, random.Random(0))

    assert found.best is not None
    assert (found.ended, found.bound, found.gap) == ("beam", 0.0, None)
    assert found.beam_cost is not None
    assert found.best.evaluation.cost <= found.beam_cost


def test_plans_are_not_improved_for_longer_than_there_is_time() -> None:
    """Each look at this clock takes a second, so that the bare beam's plans are all there is time for."""
    asked, seconds = generated(15), itertools.count()

    found = optimize(asked, 0.0, lambda: float(next(seconds)), random.Random(0))

    improved = optimize(asked, 0.0, lambda: 0.0, random.Random(0)).best
    assert (found.best and found.best.evaluation.cost) == found.beam_cost
    assert improved is not None
    assert found.beam_cost is not None
    assert improved.evaluation.cost < found.beam_cost
    assert next(seconds) < 20


def test_a_plan_is_told_of_as_soon_as_the_beam_has_one() -> None:
    told: list[SearchProgress] = []

    found = optimize(generated(3), 0.0, lambda: 0.0, random.Random(0), report=told.append)

    assert [each.best for each in told] == [found.beam_cost]


def test_what_is_too_large_for_a_proof_has_plans_and_says_so() -> None:
    asked = with_inputs(20, models=4)

    found = optimize(asked, 60.0, lambda: 0.0, random.Random(0))

    assert found.best is not None
    assert (found.ended, found.bound, found.gap) == ("too-large", 0.0, None)
    assert list(accuracy_frontier(asked, 60.0, lambda: 0.0)) == []
    explained = explain_infeasible(with_accuracy(asked, 99.0), 60.0, lambda: 0.0)
    assert explained is not None
    assert (explained.certain, explained.remedies) == (False, ())
