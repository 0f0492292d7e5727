"""Problems that are small enough for every plan to be looked at, drawn from a seed."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from walle.placement.evaluation import evaluate
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

TYPES = {"slow": (1.0, 0.2), "medium": (2.0, 0.5), "fast": (4.0, 1.1)}
"""The relative speed and the price of each type of worker."""


def small_problem(seed: int, *, workers: int = 4, tiers: int = 3, located: bool = False) -> PlacementProblem:
    """Return a problem of 2 or 3 operators with 1 or 2 models each; most have a feasible plan."""
    draw = random.Random(seed)
    names = [f"op{index}" for index in range(draw.randint(2, 3))]
    operators = tuple(_operator(draw, name, names[:index]) for index, name in enumerate(names))
    edges = [
        Edge(
            each, operator.name, draw.choice((1.0, 0.5, 2.0)), {"a": draw.uniform(10, 900), "b": draw.uniform(10, 900)}
        )
        for operator in operators
        for each in operator.inputs
    ]
    edges += [Edge("source", each.name, 1.0, {None: draw.uniform(50, 900)}) for each in operators if not each.inputs]
    prices = {(low, high): draw.uniform(0.05, 0.4) for low in range(tiers) for high in range(low + 1, tiers)}
    latencies = {
        name: {
            model: {kind: draw.uniform(80, 200) * (1 + (model == "b")) / speed for kind, (speed, _) in TYPES.items()}
            for model in ("a", "b")
        }
        for name in names
    }
    return PlacementProblem(
        WorkflowGraph(("source",), names[-1], operators, tuple(edges)),
        Infrastructure(
            tuple(f"tier{each}" for each in range(tiers)),
            tuple(_worker(draw, index, tiers, located) for index in range(workers)),
            NetworkPrices(prices | ({(each, each): 0.05 for each in range(tiers)} if located else {})),
        ),
        Profiles({"p75": latencies}),
        PlacementTarget(draw.choice((40, 60, 70)), {"source": draw.uniform(3, 15)}),
    )


def _operator(draw: random.Random, name: str, before: list[str]) -> OperatorSpec:
    """Return an operator that reads at most one of those before it, and model b is better than a."""
    inputs = (before[-1],) if before else ()
    models = []
    for model, gain in (("a", 0), ("b", 10)):
        rows = [
            AccuracyRow((float(low),) * len(inputs), 55.0 + gain + low / 10) for low in ((0, 60) if inputs else (60,))
        ]
        models.append(ModelChoice(model, 10.0 + gain, tuple(rows)))
    return OperatorSpec(name, "model", inputs, 1.0, tuple(models[: draw.randint(1, 2)]))


def _worker(draw: random.Random, index: int, tiers: int, located: bool) -> PlacementWorker:
    kind = draw.choice(list(TYPES))
    location = draw.choice("xy") if located else "x"
    return PlacementWorker(f"w{index}", kind, draw.randrange(tiers), location, TYPES[kind][1])


def with_inputs(count: int, *, models: int) -> PlacementProblem:
    """Return a problem whose sink reads so many operators, each with so many models of accuracies of their own."""
    names = [f"op{index}" for index in range(count)]
    choices = [ModelChoice(f"m{n}", 10.0, (AccuracyRow((), 60.0 + n),)) for n in range(models)]
    sink = OperatorSpec("sink", "join", tuple(names), 1.0, (ModelChoice("default", 1.0),))
    workers = (PlacementWorker(f"w{n}", "any", 0, "x", 1.0) for n in range(count + 1))
    latencies = {name: {each.name: {"any": 5.0} for each in choices} for name in names}
    return PlacementProblem(
        WorkflowGraph(
            ("source",),
            "sink",
            (*(OperatorSpec(name, "model", (), 1.0, tuple(choices)) for name in names), sink),
            (
                *(Edge("source", name, 1.0, {None: 1.0}) for name in names),
                *(Edge(name, "sink", 1.0, {None: 1.0}) for name in names),
            ),
        ),
        Infrastructure(("tier0",), tuple(workers), NetworkPrices({})),
        Profiles({"p75": {**latencies, "sink": {"default": {"any": 5.0}}}}),
        PlacementTarget(60.0, {"source": 1.0}),
    )


def every_plan(problem: PlacementProblem) -> Iterator[PlacementPlan]:
    """Yield every plan that shares loads in proportion to capacity, feasible or not."""
    names, ids = problem.workflow.order, [each.id for each in problem.infrastructure.workers]
    choices = [[model.name for model in problem.workflow.by_name[name].models] for name in names]
    for serving in product((None, *names), repeat=len(ids)):
        workers = {name: tuple(i for i, each in zip(ids, serving, strict=True) if each == name) for name in names}
        if all(workers.values()):
            for models in product(*choices):
                yield PlacementPlan(dict(zip(names, models, strict=True)), workers)


def price(problem: PlacementProblem, plan: PlacementPlan) -> float:
    """Return what a plan costs, infinite if it is not feasible."""
    found = evaluate(problem, plan)
    return found.cost if found.feasible else math.inf


def with_shares(plan: PlacementPlan, draw: random.Random) -> PlacementPlan:
    """Return a plan that shares loads at random."""
    shares = {}
    for name, ids in plan.workers.items():
        weights = [draw.random() + 0.01 for _ in ids]
        shares[name] = tuple(each / math.fsum(weights) for each in weights)
    return replace(plan, shares=shares)
