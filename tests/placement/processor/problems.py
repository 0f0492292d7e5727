"""Small problems to run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from walle.placement.problem.document import problem_of
from walle.placement.problem.model import PlacementPlan, PlacementProblem

HERE = str(Path(__file__).parent)


def answering(latency_ms: float = 2.0, rate: float = 100.0, **infrastructure: Any) -> PlacementProblem:
    """Return a problem of two sources whose items meet in one operator, with five workers on two tiers."""
    operators = ("features", "speech", "answer")
    row = {"inputs": [], "output": 90}
    models = [{"name": "m", "accuracy_rows": [row]}]
    joined = [{"name": "m", "accuracy_rows": [{"inputs": [90, 90], "output": 60}]}]
    workers = [("edge-1", "edge"), ("edge-2", "edge"), ("cloud-1", "cloud"), ("cloud-2", "cloud"), ("cloud-3", "cloud")]
    document = {
        "format": 1,
        "workflow": {
            "sources": ["image", "sound"],
            "sink": "answer",
            "operators": [
                {"name": "features", "models": models},
                {"name": "speech", "models": models},
                {"name": "answer", "inputs": ["features", "speech"], "models": joined},
            ],
            "edges": [
                {"source": "image", "target": "features", "kb_per_item": 10},
                {"source": "sound", "target": "speech", "kb_per_item": 5},
                {"source": "features", "target": "answer", "kb_per_item": 2},
                {"source": "speech", "target": "answer", "kb_per_item": 1},
            ],
        },
        "infrastructure": {
            "tiers": [{"name": "edge"}, {"name": "cloud"}],
            "workers": [{"id": each, "type": "x", "tier": tier, "cost_per_hour": 1} for each, tier in workers],
            "network": {"usd_per_gb": {"edge->cloud": 0.1}},
            **infrastructure,
        },
        "profiles": {"p75": {each: {"m": {"x": latency_ms}} for each in operators}},
        "target": {"accuracy": 50, "rates": {"image": rate, "sound": rate}},
    }
    return problem_of(document)


ANSWERING = PlacementPlan(
    dict.fromkeys(("features", "speech", "answer"), "m"),
    {"features": ("edge-1", "edge-2"), "speech": ("cloud-1",), "answer": ("cloud-2",)},
)


def counting(rate: float = 1000.0) -> PlacementProblem:
    """Return a problem of all kinds of operators: numbers, their multiples, odd ones left out, sums by key."""
    kinds = {"split": "map", "square": "model", "parity": "model", "both": "join", "odd": "filter", "sums": "group-by"}
    inputs = {"square": ["split"], "parity": ["split"], "both": ["square", "parity"], "odd": ["both"], "sums": ["odd"]}
    operators = []
    for name, kind in kinds.items():
        accuracy = {} if name != "split" else {"accuracy_rows": [{"inputs": [], "output": 90}]}
        operators.append(
            {"name": name, "kind": kind, "inputs": inputs.get(name, []), "models": [{"name": "default", **accuracy}]}
        )
    edges = [("numbers", "split"), *((source, target) for target, found in inputs.items() for source in found)]
    document = {
        "format": 1,
        "workflow": {
            "sources": ["numbers"],
            "sink": "sums",
            "operators": operators,
            "edges": [{"source": a, "target": b, "kb_per_item": 1} for a, b in edges],
        },
        "infrastructure": {
            "tiers": [{"name": "edge"}],
            "workers": [{"id": f"w{n}", "type": "x", "tier": "edge", "cost_per_hour": 1} for n in range(9)],
            "network": {"usd_per_gb": {}},
        },
        "profiles": {"p75": {name: {"default": {"x": 1}} for name in kinds}},
        "target": {"accuracy": 50, "rates": {"numbers": rate}},
    }
    return problem_of(document)


COUNTING = PlacementPlan(
    dict.fromkeys(("split", "square", "parity", "both", "odd", "sums"), "default"),
    {
        "split": ("w0",),
        "square": ("w1", "w2"),
        "parity": ("w3",),
        "both": ("w4", "w5"),
        "odd": ("w6",),
        "sums": ("w7", "w8"),
    },
)
