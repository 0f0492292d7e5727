"""The exact search finds what looking at every plan finds, and its bound is one."""

from __future__ import annotations

import itertools
import math
import random
import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.placement.small_problems import every_plan, price, small_problem, with_shares
from walle.placement.evaluation import capped_traffic, evaluate
from walle.placement.exact.library import SolverMissing
from walle.placement.exact.search import LOADS, ProofResult, SearchProgress, prove
from walle.placement.exact.shared import evaluate_shared
from walle.placement.loads import with_best_loads
from walle.placement.problem.model import PlacementProblem

pytestmark = pytest.mark.slow

SEEDS = st.integers(min_value=0, max_value=10**6)
NEAR = 1 + 3e-6
HARD = small_problem(19)
"""A problem that the solver does not solve before its search begins."""
few = settings(max_examples=12, deadline=None)


def proved(problem: PlacementProblem, **options: object) -> ProofResult:
    """Search under a clock that stands still: nothing here is cut off by time."""
    return prove(problem, 60.0, lambda: 0.0, **options)  # type: ignore[arg-type]


@few
@given(seed=SEEDS)
def test_no_plan_is_cheaper_than_the_one_that_is_proved(seed: int) -> None:
    problem = small_problem(seed)
    cheapest = min((price(problem, with_best_loads(problem, each)) for each in every_plan(problem)), default=math.inf)

    found = proved(problem)

    assert found.cost == pytest.approx(cheapest, rel=3e-6)
    assert found.ended == ("infeasible" if cheapest == math.inf else "optimal")
    if found.plan is not None:
        assert evaluate(problem, found.plan).cost == found.cost


@few
@given(seed=SEEDS)
def test_loads_in_proportion_to_capacity_are_proved_as_well(seed: int) -> None:
    problem = small_problem(seed, located=True)
    cheapest = min((price(problem, each) for each in every_plan(problem)), default=math.inf)

    found = proved(problem, loads="balanced")

    assert found.cost == pytest.approx(cheapest, rel=3e-6)
    assert found.plan is None or not found.plan.shares


@few
@given(seed=SEEDS, kind=st.sampled_from(sorted(LOADS)), caps=st.booleans())
def test_no_feasible_plan_costs_less_than_the_bound(seed: int, kind: str, caps: bool) -> None:
    problem = small_problem(seed)
    if caps:
        problem = replace(
            problem, infrastructure=replace(problem.infrastructure, tier_caps={0: 20.0}, worker_caps={"w0": 9.0})
        )
    plans = [*itertools.islice(every_plan(problem), 400)]
    if kind != "balanced":
        plans += [with_shares(each, random.Random(seed)) for each in plans]

    found = prove(problem, 3.0, itertools.count(0, 0.001).__next__, loads=kind)

    assert found.bound <= found.cost * NEAR
    for each in plans:
        assert found.bound <= price(problem, each) * NEAR


def test_an_operator_and_its_reader_that_both_span_tiers_are_priced_as_products_of_their_shares() -> None:
    # A seed whose first program has flows that no shares have.
    problem = small_problem(53, workers=5)
    cheapest = min(price(problem, with_best_loads(problem, each)) for each in every_plan(problem))

    found = proved(problem)

    assert found.ended == "optimal"
    assert found.cost == pytest.approx(cheapest, rel=3e-6)


@few
@given(seed=SEEDS)
def test_workers_that_serve_several_operators_have_time_for_them_and_never_cost_more(seed: int) -> None:
    problem = small_problem(seed)
    alone, shared = proved(problem), proved(problem, loads="shared")

    assert shared.bound <= alone.cost * NEAR
    if shared.plan is not None:
        found = evaluate_shared(problem, shared.plan)
        assert found.feasible
        assert max(found.utilisation.values()) <= 1 + 1e-6
        assert found.cost == shared.cost <= alone.cost * NEAR


@pytest.mark.parametrize(
    ("seed", "caps"), [(52, {"tier_caps": {0: 5.0}}), (28, {"worker_caps": {"w0": 3.0, "w1": 3.0}})]
)
def test_caps_of_bandwidth_are_rows_and_make_plans_dearer(seed: int, caps: dict[str, dict[object, float]]) -> None:
    free = small_problem(seed)
    problem = replace(free, infrastructure=replace(free.infrastructure, **caps))  # type: ignore[arg-type]
    cheapest = min(price(problem, with_best_loads(problem, each)) for each in every_plan(problem))

    found = proved(problem)

    assert (found.ended, found.others) == ("optimal", ())
    assert proved(free).cost < found.cost <= cheapest * (1 + 1e-9)


def test_loads_at_a_cap_are_kept_within_it_by_a_hair() -> None:
    # The cheapest plan of the program misses the cap by 1e-17 more than plans may.
    caps = {"w0": 3.0, "w1": 3.0}
    problem = replace(HARD, infrastructure=replace(HARD.infrastructure, worker_caps=caps))
    filled = min(price(problem, with_best_loads(problem, each)) for each in every_plan(problem))

    found = proved(problem)

    assert found.ended == "optimal"
    assert found.cost < 0.98 * filled
    assert found.plan is not None
    assert evaluate(problem, found.plan).feasible
    assert capped_traffic(problem, found.plan)[1]["w1"] == pytest.approx(caps["w1"], rel=1e-6)


def test_progress_goes_one_way_and_ends_at_the_answer() -> None:
    reports: list[SearchProgress] = []

    found = proved(HARD, report=reports.append)

    assert list(found.history) == reports
    assert all(a.bound <= b.bound and a.best >= b.best for a, b in itertools.pairwise(reports))
    assert reports[-1].bound == pytest.approx(found.bound)
    assert reports[-1].best == found.cost


def test_a_search_that_is_cancelled_keeps_what_it_began_with() -> None:
    start = next(each for each in every_plan(HARD) if price(HARD, each) < math.inf)

    found = proved(HARD, starts=[start], cancelled=lambda: True)

    assert found.ended == "cancelled"
    assert found.bound < found.cost <= price(HARD, start)


def test_without_time_there_is_still_a_plan_to_begin_with_and_a_bound() -> None:
    start = next(each for each in every_plan(HARD) if price(HARD, each) < math.inf)

    found = prove(HARD, 0.0, itertools.count().__next__, starts=[start])

    assert found.ended == "time"
    assert found.bound < found.cost <= price(HARD, start)


def test_without_highs_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "highspy", None)

    with pytest.raises(SolverMissing, match=r"pip install 'walle\[placement\]'"):
        proved(HARD)
