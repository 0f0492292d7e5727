"""Placement problems drawn at random, from a seed; each has a feasible plan, which no optimizer has seen.

What is drawn, and from where:

- 5 to 30 workers in 2 or 3 tiers, 3 to 6 operators, as issue and paper (Table 4: 5 to 30 nodes).
- Types of workers and their prices are those of the VQA inputs (USD 0.096 to 2.497 an hour). How much slower than a
  V100 a type is, is drawn for each operator between the least and the most that was measured there (`SLOWDOWNS`, P75).
- Latencies on a V100 are between the least and the most measured there, 4.6 to 31 ms; an operator has 1 to 5 models,
  each 1.1 to 1.6 times as slow as the one before.
- Accuracies: models at the sources have 80 to 94 %, as the published image models, and each slower model gains up to
  2.5. Other operators lose part of what their inputs lack, and their rows are noisy by 0.1, as those of VQA are.
- Messages: 97 to 3300 KB from sources, 0.1 to 20 KB between operators. One edge in six of those that no join needs
  multiplies the rate, by 0.2 to 22 (vehicles in a frame).
- Network: USD 0.1 to 0.3 a GB, and the direct way from edge to cloud costs more than each of its halves.
- The target is what some plan reaches: workers, ordered by tier, are cut at random into crews for the operators in
  topological order, so that traffic only goes up, with random models. The rate is 20 to 95 % of what these carry, the
  accuracy at most theirs.
"""

from __future__ import annotations

import random
from itertools import pairwise, product
from typing import Any

from walle.placement.evaluation import accuracies
from walle.placement.problem.document import problem_of
from walle.placement.problem.model import PlacementProblem

PRICES = {"x2": 0.096, "x4": 0.192, "x8": 0.384, "x16": 0.768, "x48": 2.305, "V100": 2.497}
SLOWDOWNS = {
    "x2": (8.99, 28.76),
    "x4": (6.38, 19.61),
    "x8": (3.71, 11.14),
    "x16": (2.44, 6.19),
    "x48": (2.42, 6.06),
    "V100": (1.0, 1.15),
}
TYPES = {
    "edge": ("x2", "x4", "x4", "x8", "x8", "x16"),
    "hub": ("x4", "x8", "x16", "V100"),
    "cloud": ("x8", "x48", "V100", "V100"),
}
LEVELS = 4
"""At how many accuracies of each input an operator is measured."""


def generated(seed: int) -> PlacementProblem:
    """Return the problem of a seed."""
    return problem_of(document(seed))


def document(seed: int) -> dict[str, Any]:
    """Return the document of a seed's problem."""
    draw = random.Random(seed)
    tiers = ("edge", "cloud") if draw.random() < 0.5 else ("edge", "hub", "cloud")
    workflow = _workflow(draw, draw.randint(3, 6))
    names = [each["name"] for each in workflow["operators"]]
    workers = _workers(draw, tiers, draw.randint(max(5, len(names)), 30))
    made = {
        "format": 1,
        "name": f"generated {seed}",
        "assumed": ["every figure is drawn from the ranges that the paper and its repository publish"],
        "workflow": workflow,
        "infrastructure": {
            "tiers": [{"name": name} for name in tiers],
            "workers": workers,
            "network": {"usd_per_gb": _prices(draw, tiers)},
        },
        "profiles": {
            "p75": {
                name: _latencies(draw, operator) for name, operator in zip(names, workflow["operators"], strict=True)
            }
        },
        "target": {"accuracy": 0.0, "rates": dict.fromkeys(workflow["sources"], 1.0)},
    }
    return {**made, "target": _target(draw, problem_of(made))}


def _workflow(draw: random.Random, count: int) -> dict[str, Any]:
    parents = _parents(draw, count)
    sources: list[str] = []
    operators: list[dict[str, Any]] = []
    edges: list[dict[str, Any]] = []
    for index, before in enumerate(parents):
        name, inputs = f"op{index}", [f"op{each}" for each in before]
        models = [{"name": f"m{each}"} for each in range(draw.randint(1, 5))]
        operators.append({"name": name, "inputs": inputs, "models": models})
        if not before:
            sources.append(f"source{index}")
            edges.append({"source": sources[-1], "target": name, "kb_per_item": round(_log_uniform(draw, 97, 3300), 2)})
        ratio = round(_log_uniform(draw, 0.2, 22), 2) if len(before) == 1 and draw.random() < 1 / 6 else 1.0
        edges += [
            {"source": each, "target": name, "rate_ratio": ratio, "kb_per_item": round(_log_uniform(draw, 0.1, 20), 3)}
            for each in inputs
        ]
    _measure(draw, operators)
    return {"sources": sources, "sink": operators[-1]["name"], "operators": operators, "edges": edges}


def _parents(draw: random.Random, count: int) -> list[list[int]]:
    """Return the operators before each: none, one or two of the earlier ones; the last takes all that are left over."""
    found: list[list[int]] = [[]]
    for index in range(1, count - 1):
        found.append(sorted(draw.sample(range(index), min(index, draw.choice((0, 1, 1, 1, 2))))))
    loose = set(range(count - 1)).difference(*found)
    while len(loose) > 3:
        first = min(loose)
        later = min(each for each in loose if each > first)
        found[later] = sorted({*found[later], first})
        loose.discard(first)
    return [*found, sorted(loose)]


def _measure(draw: random.Random, operators: list[dict[str, Any]]) -> None:
    """Give each model its accuracy rows, from those of the operators before it."""
    outputs: dict[str, list[float]] = {}
    for operator in operators:
        levels = [_thinned(outputs[each]) for each in operator["inputs"]]
        best = [max(each) for each in levels]
        weights = [draw.uniform(0.2, 0.6) for _ in levels]
        output = draw.uniform(80, 92) if not levels else min(best) - draw.uniform(2, 30)
        for model in operator["models"]:
            model["accuracy_rows"] = [
                {
                    "inputs": list(inputs),
                    "output": round(
                        output - _lost(inputs, best, weights) + (draw.uniform(-0.1, 0.1) if inputs else 0), 3
                    ),
                }
                for inputs in product(*levels)
            ]
            output += draw.uniform(0.1, 2.5)
        outputs[operator["name"]] = [row["output"] for model in operator["models"] for row in model["accuracy_rows"]]


def _lost(inputs: tuple[float, ...], best: list[float], weights: list[float]) -> float:
    return sum(weight * (top - each) for each, top, weight in zip(inputs, best, weights, strict=True))


def _thinned(values: list[float]) -> list[float]:
    """Return at most LEVELS of some accuracies, from the lowest to the highest."""
    known = sorted(set(values))
    if len(known) <= LEVELS:
        return known
    return [known[round(step * (len(known) - 1) / (LEVELS - 1))] for step in range(LEVELS)]


def _workers(draw: random.Random, tiers: tuple[str, ...], count: int) -> list[dict[str, Any]]:
    places = [*tiers, *draw.choices(tiers, weights=(4, 3, 3)[: len(tiers)], k=count - len(tiers))]
    found = []
    for index, tier in enumerate(sorted(places, key=tiers.index)):
        kind = draw.choice(TYPES[tier])
        found.append(
            {"id": f"{tier}-{kind.lower()}-{index}", "type": kind, "tier": tier, "cost_per_hour": PRICES[kind]}
        )
    return found


def _prices(draw: random.Random, tiers: tuple[str, ...]) -> dict[str, float]:
    if len(tiers) == 2:
        return {"edge->cloud": round(draw.uniform(0.1, 0.3), 3)}
    first, second = draw.uniform(0.1, 0.2), draw.uniform(0.1, 0.2)
    direct = draw.uniform(max(first, second), 0.3)
    return {"edge->hub": round(first, 3), "hub->cloud": round(second, 3), "edge->cloud": round(direct, 3)}


def _latencies(draw: random.Random, operator: dict[str, Any]) -> dict[str, dict[str, float]]:
    latency = _log_uniform(draw, 4.6, 20)
    slowdowns = {kind: _log_uniform(draw, *bounds) for kind, bounds in SLOWDOWNS.items()}
    found = {}
    for model in operator["models"]:
        found[model["name"]] = {kind: round(latency * slowdown, 3) for kind, slowdown in slowdowns.items()}
        latency = min(31.0, latency * draw.uniform(1.1, 1.6))
    return found


def _target(draw: random.Random, problem: PlacementProblem) -> dict[str, Any]:
    """Return a target that one plan reaches: random models, and workers cut into crews from the lowest tier up."""
    order, workers = problem.workflow.order, problem.infrastructure.workers
    models = {name: draw.choice(problem.workflow.by_name[name].models).name for name in order}
    cuts = [0, *sorted(draw.sample(range(1, len(workers)), len(order) - 1)), len(workers)]
    carried = min(
        sum(problem.capacity(name, models[name], each) for each in workers[start:end]) / problem.rates[name]
        for name, (start, end) in zip(order, pairwise(cuts), strict=True)
    )
    reached = accuracies(problem.workflow, models)[problem.workflow.sink]
    rate = round(carried * draw.uniform(0.2, 0.95), 4)
    assert reached is not None, "every model was measured from the lowest accuracies of its inputs on"
    return {
        "accuracy": round(reached - draw.uniform(0, 3), 3),
        "rates": dict.fromkeys(problem.workflow.sources, rate),
    }


def _log_uniform(draw: random.Random, low: float, high: float) -> float:
    return low * (high / low) ** draw.random()
