"""What a plan costs, what it achieves, and which constraints it breaks: figures that were reckoned by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.placement.published import published
from walle.placement.evaluation import PlanMismatch, accuracies, evaluate, output_accuracy, traffic
from walle.placement.problem.model import (
    AccuracyRow,
    Edge,
    Infrastructure,
    ModelChoice,
    NetworkPrices,
    OperatorSpec,
    PlacementPlan,
    PlacementProblem,
    PlacementTarget,
    PlacementWorker,
    Profiles,
    WorkflowGraph,
)

KB_OF_A_GB_PER_HOUR = 1048576 / 3600
"""At one item per second, items of so many KB are a GB in an hour."""


def two_steps(**infrastructure) -> PlacementProblem:
    """A source at the edge with 10 items/s of a GB an hour each, a first operator, and a second that gets a tenth."""
    first = OperatorSpec("first", "model", (), 1.0, (ModelChoice("m", 1.0, (AccuracyRow((), 90.0),)),))
    second = OperatorSpec("second", "map", ("first",), 1.0, (ModelChoice("default", 1.0),))
    edges = (
        Edge("camera", "first", 1.0, {None: KB_OF_A_GB_PER_HOUR}),
        Edge("first", "second", 1.0, {None: KB_OF_A_GB_PER_HOUR / 10}),
    )
    workers = (
        PlacementWorker("e1", "slow", 0, "edge", 1.0),
        PlacementWorker("e2", "slow", 0, "edge", 1.0),
        PlacementWorker("c1", "fast", 1, "cloud", 5.0),
        PlacementWorker("c2", "fast", 1, "cloud", 5.0),
    )
    network = NetworkPrices({(0, 1): 0.5})
    latencies = {"first": {"m": {"slow": 250.0, "fast": 62.5}}, "second": {"default": {"slow": 100.0, "fast": 10.0}}}
    return PlacementProblem(
        WorkflowGraph(("camera",), "second", (first, second), edges),
        Infrastructure(("edge", "cloud"), workers, network, **infrastructure),
        Profiles({"p75": latencies}),
        PlacementTarget(90.0, {"camera": 10.0}),
    )


def plan(first: tuple[str, ...], second: tuple[str, ...], loads: tuple[float, ...] = ()) -> PlacementPlan:
    workers, shares = {"first": first, "second": second}, {"first": loads} if loads else {}
    return PlacementPlan({"first": "m", "second": "default"}, workers, shares)


def broken(problem: PlacementProblem, given: PlacementPlan) -> list[tuple[str, str]]:
    return [(each.constraint, each.subject) for each in evaluate(problem, given).violations]


def test_workers_are_paid_whole_and_traffic_by_the_loads_of_both_ends():
    # e1 and e2 carry 8 of 10 items, c1 the rest of its 24: loads are 4/24, 4/24 and 16/24.
    found = evaluate(two_steps(), plan(("e1", "e2", "c1"), ("c2",)))
    assert found.compute == 1 + 1 + 5 + 5
    # 2/3 of 10 GB go up to c1, and 1/3 of 1 GB from the edge to c2.
    assert found.network == pytest.approx((10 * 2 / 3 + 1 / 3) * 0.5)
    assert found.cost == found.compute + found.network
    assert found.utilisation == pytest.approx({"e1": 10 / 24, "e2": 10 / 24, "c1": 10 / 24, "c2": 0.1})
    assert found.throughput == pytest.approx(24)
    assert (found.accuracy, found.feasible) == (90.0, True)


def test_a_plan_may_say_how_loads_are_shared():
    found = evaluate(two_steps(), plan(("e1", "e2", "c1"), ("c2",), (0.4, 0.4, 0.2)))
    assert found.network == pytest.approx((10 * 0.2 + 0.8) * 0.5)
    assert found.utilisation == pytest.approx({"e1": 1.0, "e2": 1.0, "c1": 2 / 16, "c2": 0.1})
    assert found.throughput == pytest.approx(10)
    assert found.feasible


def test_each_constraint_that_a_plan_breaks_is_named():
    problem = two_steps()
    assert broken(problem, plan(("e1", "e2"), ("c1",))) == [("throughput", "first")]
    assert broken(problem, plan(("c1",), ("e1",))) == [("one-way", "first -> second")]
    assert broken(problem, plan(("c1",), ("c1",))) == [("one-operator", "c1")]
    strict = replace(problem, target=replace(problem.target, accuracy=90.5))
    assert broken(strict, plan(("c1",), ("c2",))) == [("accuracy", "second")]
    unable = replace(
        problem,
        profiles=Profiles({"p75": {**problem.profiles.tables["p75"], "first": {"m": {"slow": None, "fast": 62.5}}}}),
    )
    assert broken(unable, plan(("e1", "c1"), ("c2",))) == [("unable", "first on e1")]
    for each in evaluate(strict, plan(("e1",), ("e1",))).violations:
        assert each.subject in each.text


def test_bandwidth_is_what_leaves_a_tier_and_what_leaves_a_worker():
    # 10 GB an hour of GB of 1048576 KB are 23.86 Mbit/s.
    capped = two_steps(tier_caps={0: 23.8})
    assert broken(capped, plan(("c1",), ("c2",))) == [("bandwidth", "edge")]
    assert broken(two_steps(tier_caps={0: 23.9}), plan(("c1",), ("c2",))) == []
    # What stays at the edge does not count: 2/3 of 23.86 go to c1, and a little of the first operator's output.
    assert broken(two_steps(tier_caps={0: 17.0}), plan(("e1", "e2", "c1"), ("c2",))) == []
    # A worker's own cap counts what it sends, not what passes to it.
    both = plan(("e1", "e2", "c1"), ("c2",))
    assert broken(two_steps(worker_caps={"e1": 0.3}), both) == [("bandwidth", "e1")]
    assert broken(two_steps(worker_caps={"e1": 0.4, "c1": 0.0001}), both) == []
    # What goes to another location of a worker's tier leaves it.
    inside = two_steps(worker_caps={"c1": 0.0001}).infrastructure
    away = replace(inside, workers=(*inside.workers[:3], replace(inside.workers[3], location="elsewhere")))
    assert broken(replace(two_steps(), infrastructure=away), plan(("c1",), ("c2",))) == [("bandwidth", "c1")]


def test_a_worker_stands_for_one_at_each_of_its_sites():
    problem = two_steps(sites=(5, 1))
    found = evaluate(problem, plan(("e1",), ("c2",)))
    assert found.compute == 5 * 1 + 5
    assert found.utilisation["e1"] == pytest.approx(10 / (5 * 4))
    assert Infrastructure(("edge", "hub", "cloud"), (), NetworkPrices({}), (5, 2, 1)).coefficients == (10, 2, 1)


def test_traffic_is_free_at_one_location_and_has_a_price_between_two():
    problem = two_steps()
    away = replace(problem.infrastructure.workers[3], location="elsewhere")
    workers = (*problem.infrastructure.workers[:3], away)
    network = NetworkPrices({(0, 1): 0.5, (1, 1): 0.2})
    apart = replace(problem, infrastructure=replace(problem.infrastructure, workers=workers, network=network))
    assert evaluate(apart, plan(("c1",), ("c2",))).network == pytest.approx(10 * 0.5 + 1 * 0.2)
    assert evaluate(problem, plan(("c1",), ("c2",))).network == pytest.approx(10 * 0.5)


def test_traffic_of_edges_adds_up_to_the_network():
    problem, given = two_steps(), plan(("e1", "e2", "c1"), ("c2",))
    flows = traffic(problem, given)
    assert sum(each.usd for each in flows) == pytest.approx(evaluate(problem, given).network)
    first = {(each.sender, each.receiver): each.gb for each in flows if each.edge.target == "first"}
    assert first == pytest.approx({(0, 0): 10 / 3, (0, 1): 20 / 3})


def test_the_row_that_counts_is_the_closest_that_is_not_higher():
    # The example of the paper's section 4.1.
    rows = (AccuracyRow((60, 50), 55), AccuracyRow((50, 60), 60), AccuracyRow((70, 90), 65))
    model = ModelChoice("m", 1.0, rows)
    assert output_accuracy(model, (55, 83)) == 60
    assert output_accuracy(model, (65, 65)) == 60
    assert output_accuracy(model, (70, 90)) == 65
    assert output_accuracy(model, (49, 49)) is None
    assert output_accuracy(model, (70, None)) is None
    # A measured row counts as it is, though a lower one happened to be better.
    noisy = ModelChoice("m", 1.0, (AccuracyRow((60,), 55.9), AccuracyRow((70,), 55.7)))
    assert output_accuracy(noisy, (75,)) == 55.7


def test_accuracy_passes_through_what_has_no_rows():
    assert output_accuracy(ModelChoice("join", 1.0), (80.0, 70.0)) == 70.0
    assert accuracies(two_steps().workflow, {"first": "m", "second": "default"}) == {"first": 90.0, "second": 90.0}


def test_the_authors_plan_costs_what_they_say():
    # Their optimizer on VQA medium: 6.242 for compute; loads that fill the edge first.
    problem = published("vqa_medium")
    models = {"ExtractImageFeature": "resnet18", "SpeechRecognition": "wav2vec2-large-960h-lv60-self", "VQA": "default"}
    workers = {
        "ExtractImageFeature": ("cpu-1", "cpu-2", "cpu-5"),
        "SpeechRecognition": ("cpu-4", "gpu-1"),
        "VQA": ("cpu-6",),
    }
    found = evaluate(problem, PlacementPlan(models, workers))
    assert found.compute == pytest.approx(6.242)
    assert found.accuracy == 56.59
    assert found.feasible


@pytest.mark.parametrize(
    "given",
    [
        plan((), ("c1",)),
        plan(("e1", "e1"), ("c1",)),
        plan(("e9",), ("c1",)),
        plan(("e1", "c1"), ("c2",), (0.5, 0.6)),
        PlacementPlan({"first": "m"}, {"first": ("c1",)}),
        PlacementPlan({"first": "x", "second": "default"}, {"first": ("c1",), "second": ("c2",)}),
    ],
)
def test_a_plan_of_another_problem_is_refused(given):
    with pytest.raises(PlanMismatch):
        evaluate(two_steps(), given)
