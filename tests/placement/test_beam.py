"""Beam search: its plans are feasible, priced as all plans are, no cheaper than every plan, and those of the paper."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchmarks.support.placement.generator import generated
from tests.placement.published import NAMES, published
from tests.placement.small_problems import every_plan, price, small_problem
from walle.placement.beam.assignment import Assigner
from walle.placement.beam.orders import topological_orders
from walle.placement.beam.search import BeamWidths, beam_search, search_assignments, signature
from walle.placement.beam.selection import every_selection, most_accurate, select_models
from walle.placement.brute_force import brute_force
from walle.placement.evaluation import accuracies, evaluate
from walle.placement.improvement import improved
from walle.placement.planning import optimize
from walle.placement.problem.document import problem_of
from walle.placement.problem.model import (
    AccuracyRow,
    Edge,
    ModelChoice,
    OperatorSpec,
    PlacementProblem,
    Profiles,
    WorkflowGraph,
)
from walle.placement.tables import SearchTables

pytestmark = pytest.mark.slow

SEEDS = st.integers(0, 10_000)


def orders() -> random.Random:
    return random.Random(1)


def no_clock() -> float:
    return 0.0


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_plans_are_feasible_ascending_and_different(seed):
    problem = generated(seed)
    found = beam_search(problem, orders(), BeamWidths(plans=4))
    costs = [each.evaluation.cost for each in found]
    assert found
    assert costs == sorted(costs)
    assert all(each.evaluation.feasible and each.evaluation == evaluate(problem, each.plan) for each in found)
    assert len({repr(each.plan) for each in found}) == len(found)


@settings(max_examples=20, deadline=None)
@given(SEEDS)
@example(884).via("a crew with an idle worker of a higher tier, below which the next operator must not be")
def test_the_search_prices_plans_as_evaluation_does(seed):
    problem = generated(seed)
    tables = SearchTables(problem)
    found = search_assignments(tables, select_models(problem, 5), orders(), BeamWidths())
    for cost, used, chosen in found:
        assert cost == pytest.approx(tables.cost(chosen))
        assert cost == pytest.approx(evaluate(problem, tables.plan(chosen)).cost)
        assert used == sum(crew.mask for _, crew in chosen.values())
    assert len({signature(tables, each) for each in found}) == len(found)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.booleans())
def test_brute_force_finds_what_looking_at_every_plan_finds_and_nothing_is_cheaper(seed, located):
    problem = small_problem(seed, located=located)
    found = brute_force(problem, 1, no_clock)
    assert found.complete
    proportional = min((price(problem, each) for each in every_plan(problem)), default=float("inf"))
    least = found.best.evaluation.cost if found.best else float("inf")
    assert least <= proportional * (1 + 1e-9)
    assert (found.best is None) == (proportional == float("inf"))
    for plans in (beam_search(problem, orders()), optimize(problem, orders())):
        assert all(each.evaluation.cost >= least * (1 - 1e-9) for each in plans)


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_what_is_cut_off_would_not_have_been_cheaper(seed):
    tables = SearchTables(generated(seed))
    selections = select_models(tables.problem, 8)
    found = search_assignments(tables, selections, orders(), BeamWidths())
    every = (
        each
        for order in topological_orders(tables.parents, 10, orders())
        for one in selections
        for each in Assigner(tables, 10).assign(tables.selection(one.models), order)
    )
    assert found[0][0] <= min(cost for cost, _, _ in every) * (1 + 1e-9)


def chain(
    workers: list[tuple[str, str, float]], latencies: dict[str, dict[str, float]], **sizes: float
) -> PlacementProblem:
    """Two operators in a row at 10 items/s; workers are type, tier and price, their ids w0, w1 and so on."""
    row = [{"inputs": [], "output": 90}]
    return problem_of(
        {
            "format": 1,
            "workflow": {
                "sources": ["camera"],
                "sink": "second",
                "operators": [
                    {"name": "first", "models": [{"name": "m", "accuracy_rows": row}]},
                    {"name": "second", "kind": "map", "inputs": ["first"], "models": [{"name": "m"}]},
                ],
                "edges": [
                    {"source": "camera", "target": "first", "kb_per_item": sizes.get("into", 1)},
                    {"source": "first", "target": "second", "kb_per_item": sizes.get("between", 1)},
                ],
            },
            "infrastructure": {
                "tiers": [{"name": "edge"}, {"name": "cloud"}],
                "workers": [
                    {"id": f"w{index}", "type": kind, "tier": tier, "cost_per_hour": price}
                    for index, (kind, tier, price) in enumerate(workers)
                ],
                "network": {"usd_per_gb": {"edge->cloud": 0.1}},
            },
            "profiles": {"p75": {name: {"m": kinds} for name, kinds in latencies.items()}},
            "target": {"accuracy": 90, "rates": {"camera": 10}},
        }
    )


def test_two_operators_exchange_workers_if_that_keeps_more_traffic_at_the_edge():
    problem = chain(
        [("a", "edge", 1.0), ("a", "cloud", 1.0), ("a", "cloud", 1.0)], {"first": {"a": 50}, "second": {"a": 50}}
    )
    rows = (ModelChoice("m", 1.0, (AccuracyRow((), 90.0),)),)
    readers = tuple(OperatorSpec(name, "model", (), 1.0, rows) for name in ("large", "small"))
    join = OperatorSpec("second", "join", ("large", "small"), 1.0, (ModelChoice("m", 1.0),))
    edges = [Edge("camera", "large", 1.0, {None: 900.0}), Edge("camera", "small", 1.0, {None: 90.0})]
    edges += [Edge(each.name, "second", 1.0, {None: 1.0}) for each in readers]
    latencies = {each: {"m": {"a": 50.0}} for each in ("large", "small", "second")}
    graph = WorkflowGraph(("camera",), "second", (*readers, join), tuple(edges))
    tables = SearchTables(replace(problem, workflow=graph, profiles=Profiles({"p75": latencies})))
    large, small, last = tables.selection({"large": "m", "small": "m", "second": "m"})
    poor = {
        0: (large, tables.crew(large, 0b010)),
        1: (small, tables.crew(small, 0b001)),
        2: (last, tables.crew(last, 0b100)),
    }
    _, used, chosen = improved(tables, (tables.cost(poor), 0b111, poor), 10_000)
    assert [crew.mask for _, crew in chosen.values()] == [0b001, 0b010, 0b100]
    assert used == 0b111


def test_brute_force_fills_the_place_first_that_makes_traffic_cheapest():
    # What comes out of the first operator is much larger than what goes in: it had better come into being in the cloud.
    workers = [("a", "edge", 1.0), ("a", "cloud", 1.0), ("b", "cloud", 1.0)]
    problem = chain(workers, {"first": {"a": 150, "b": 9999}, "second": {"a": 9999, "b": 50}}, between=5000)
    found = brute_force(problem, 1, no_clock).best
    assert found.plan.shares["first"] == pytest.approx((1 / 3, 2 / 3))


def test_brute_force_takes_as_many_alike_workers_as_it_needs():
    workers = [("a", "edge", 1.0)] * 4
    found = brute_force(chain(workers, {"first": {"a": 290}, "second": {"a": 90}}), 1, no_clock).best
    assert found.evaluation.compute == 4


def test_an_operator_is_as_accurate_as_the_most_demanding_of_its_readers_needs():
    problem = chain([("a", "edge", 1.0)] * 4, {"first": {"a": 50}, "second": {"a": 50}})
    low, high = ModelChoice("low", 1.0, (AccuracyRow((), 60.0),)), ModelChoice("high", 9.0, (AccuracyRow((), 80.0),))
    strict, easy = (ModelChoice("m", 1.0, (AccuracyRow((least,), 70.0),)) for least in (80.0, 60.0))
    readers = tuple(
        OperatorSpec(name, "model", ("first",), 1.0, (each,)) for name, each in (("b", strict), ("c", easy))
    )
    join = OperatorSpec("second", "join", ("b", "c"), 1.0, (ModelChoice("m", 1.0),))
    edges = [Edge("camera", "first", 1.0, {None: 1.0}), *(Edge("first", name, 1.0, {None: 1.0}) for name in "bc")]
    edges += [Edge(name, "second", 1.0, {None: 1.0}) for name in "bc"]
    first = OperatorSpec("first", "model", (), 1.0, (low, high))
    graph = WorkflowGraph(("camera",), "second", (first, *readers, join), tuple(edges))
    found = select_models(replace(problem, workflow=graph, target=replace(problem.target, accuracy=70.0)), 1)
    assert [each.models["first"] for each in found] == ["high"]


def test_brute_force_ends_when_time_is_up():
    ticks = iter(range(10_000))
    found = brute_force(published("vqa_medium"), 50, lambda: float(next(ticks)))
    assert not found.complete
    assert found.best is None or found.best.evaluation.feasible


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_improvement_never_makes_a_plan_dearer(seed):
    problem = generated(seed)
    alone, better = optimize(problem, orders(), moves=0), optimize(problem, orders())
    assert better[0].evaluation.cost <= alone[0].evaluation.cost * (1 + 1e-9)
    assert all(each.evaluation.feasible for each in better)


def test_vqa_medium_costs_less_than_the_authors_plan():
    assert beam_search(published("vqa_medium"), orders())[0].evaluation.cost <= 7.4851


def test_aicity_medium_costs_what_the_paper_says():
    # Table 5: compute 12.7, network 8.4.
    found = beam_search(published("aicity_medium_assumed"), orders())[0].evaluation
    assert found.compute == pytest.approx(12.7)
    assert found.network == pytest.approx(8.4, abs=0.2)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_published_has_a_plan(name):
    assert optimize(published(name), orders(), BeamWidths())[0].evaluation.feasible


def test_pools_let_a_plan_keep_to_low_tiers_though_a_higher_one_is_cheaper():
    # Equation 2 alone would begin with the strongest worker, and all after it would have to stay on its tier.
    found = beam_search(published("vqa_small"), orders())[0]
    assert {problem_tier(published("vqa_small"), each) for ids in found.plan.workers.values() for each in ids} == {0}


def problem_tier(problem: PlacementProblem, worker: str) -> int:
    return problem.infrastructure.by_id[worker].tier


def test_a_crew_is_ended_by_the_cheapest_worker_that_suffices():
    problem = published("vqa_medium")
    listing = beam_search(problem, orders(), BeamWidths(finishing=False))[0].evaluation.cost
    assert listing > beam_search(problem, orders())[0].evaluation.cost


def test_caps_bound_the_search():
    problem = published("vqa_medium")
    free = beam_search(problem, orders())[0].evaluation
    capped = replace(problem, infrastructure=replace(problem.infrastructure, tier_caps={0: 28.0}))
    assert beam_search(capped, orders())
    found = optimize(capped, orders())
    assert all(each.evaluation.feasible for each in found)
    assert found[0].evaluation.cost > free.cost
    assert found[0].evaluation.network < free.network


def test_caps_bound_improvement():
    # Moves that break this cap would make every plan of the beam cheaper.
    problem = generated(10)
    capped = replace(problem, infrastructure=replace(problem.infrastructure, tier_caps={0: 1.7}))
    assert optimize(capped, orders())


def test_nothing_is_found_where_nothing_is_feasible():
    problem = published("vqa_small")
    demanding = replace(problem, target=replace(problem.target, accuracy=99.0))
    busy = replace(problem, target=replace(problem.target, rates=dict.fromkeys(problem.target.rates, 1e6)))
    for impossible in (demanding, busy):
        assert beam_search(impossible, orders()) == []
        assert optimize(impossible, orders()) == []
        assert brute_force(impossible, 1, no_clock).best is None


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_selections_reach_the_target_and_a_wide_beam_finds_the_cheapest(seed):
    problem = generated(seed)
    found = select_models(problem, 1000)
    goal = problem.target.accuracy
    assert all(accuracies(problem.workflow, each.models)[problem.workflow.sink] >= goal - 1e-6 for each in found)
    costs = [each.cost for each in found]
    assert costs == sorted(costs)
    if len(problem.workflow.operators) == 3:
        assert costs[0] == pytest.approx(min(each.cost for each in every_selection(problem)), rel=0.05)


def test_a_selection_costs_its_latencies_times_rates():
    problem = published("aicity_small_assumed")
    choices = {
        each.name: {model.name: model.selection_cost_ms for model in each.models} for each in problem.workflow.operators
    }
    for each in every_selection(problem):
        detect, identify = (choices[name][each.models[name]] for name in ("ObjectDetection", "ReID"))
        assert each.cost == pytest.approx(3.5 * detect + 77 * identify)


def test_the_most_accurate_models_reach_the_best_accuracy():
    problem = published("aicity_small_assumed")
    best = max(accuracies(problem.workflow, each.models)["ReID"] for each in every_selection(problem))
    assert accuracies(problem.workflow, most_accurate(problem).models)["ReID"] == best


INPUTS = st.integers(1, 7).flatmap(
    lambda count: st.tuples(
        *(st.lists(st.integers(0, index - 1), unique=True) if index else st.just([]) for index in range(count))
    )
)


@settings(max_examples=60, deadline=None)
@given(INPUTS, st.integers(1, 12))
def test_orders_are_topological_and_different(inputs, at_most):
    found = topological_orders(inputs, at_most, orders())
    assert 1 <= len(found) <= at_most
    assert len(set(found)) == len(found)
    for order in found:
        assert sorted(order) == list(range(len(inputs)))
        assert all(order.index(one) < order.index(each) for each, before in enumerate(inputs) for one in before)


def test_all_orders_are_there_if_they_are_few():
    assert set(topological_orders([[], [], [0, 1]], 10, orders())) == {(0, 1, 2), (1, 0, 2)}
    assert len(topological_orders([[]] * 4, 24, orders())) == 24
