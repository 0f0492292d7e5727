"""A small workflow with an operator of each kind, its tree, and a plan for each way to cut it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from walle.bundle.tree import MemoryTree
from walle.placement.problem.document import problem_of
from walle.placement.problem.model import PlacementPlan, PlacementProblem

TASK_TOML = """
[task]
kind = "workflow"
description = "How much each length of words in a text weighs"

[inputs.text]
type = "text"
[inputs.numbers]
type = "list"

[[samples]]
name = "three words, heavy"
input = { text = "a tiny oak tree", numbers = [1, 2] }
[samples.expect]
records = { equals = [[4, 105.0], [3, 45.0]] }

[trigger]
every_s = 5

[limits]
time_ms = 10000

[upload]
answer_s = 2

[cloud]
memory_mb = 128
time_ms = 10000
"""
OPERATORS = {
    "words": ("map", ["text"], ["default"]),
    "long": ("filter", ["words"], ["default"]),
    "weight": ("model", ["long"], ["light", "heavy"]),
    "length": ("map", ["long"], ["default"]),
    "factor": ("map", ["numbers"], ["default"]),
    "pairs": ("join", ["weight", "length", "factor"], ["default"]),
    "total": ("group-by", ["pairs"], ["default"]),
}
"""By operator: its kind, what feeds it, and its models."""
TIERS = ("phone", "edge", "cloud")
CODE = {
    "words": {"entry": "texts.cutting:words"},
    "long": {"entry": "texts.cutting:is_long"},
    "weight": {
        "entry": "weighing:weight",
        "models": {"light": ["scales/light.json"], "heavy": ["scales/heavy/"]},
        "files": ["scales/unit.json"],
    },
    "length": {"entry": "texts.measuring:length"},
    "factor": {"entry": "weighing:factor", "files": ["scales/unit.json"]},
    "total": {"entry": "totals:total", "key": "totals:length_of"},
}
SOURCES = {
    "texts/__init__.py": "",
    "texts/cutting.py": (
        "def words(text):\n    yield from enumerate(text.split())\n\n\n"
        "def is_long(word):\n    return len(word[1]) > 2\n"
    ),
    "texts/measuring.py": "def length(word):\n    yield word[0], len(word[1])\n",
    "weighing.py": (
        "import json\nfrom pathlib import Path\n\nSCALES = Path(__file__).with_name('scales')\n\n\n"
        "def weight(model):\n"
        "    place = SCALES / 'light.json' if model == 'light' else SCALES / 'heavy' / 'weights.json'\n"
        "    scale = json.loads(place.read_text())\n"
        "    return lambda words: [(word[0], scale * len(set(word[1])) * {'kg': 1.0}[unit()]) for word in words]\n\n\n"
        "def unit():\n    return json.loads((SCALES / 'unit.json').read_text())\n\n\n"
        "def factor(numbers):\n    yield from (numbers if unit() == 'kg' else [])\n"
    ),
    "totals.py": (
        "def length_of(pair):\n    return pair[1][1]\n\n\n"
        "def total(length, pairs):\n"
        "    same = [pair for pair in pairs if pair[0][0] == pair[1][0]]\n"
        "    return [length, float(sum(weight * factor for (_, weight), _, factor in same))]\n"
    ),
    "scales/light.json": "2",
    "scales/heavy/weights.json": "5",
    "scales/unit.json": '"kg"',
    "train.py": "import torch\n",
    "notes/why.md": "Words of up to two letters weigh nothing.",
}


def problem_document() -> dict[str, Any]:
    """Return the problem: a worker for each operator on each of three tiers, all of them able to do all."""
    latencies = {name: {model: {"any": 5.0} for model in models} for name, (_, _, models) in OPERATORS.items()}
    return {
        "format": 1,
        "name": "lengths of words",
        "workflow": {
            "sources": ["text", "numbers"],
            "sink": "total",
            "operators": [_operator(name, *given) for name, given in OPERATORS.items()],
            "edges": [
                {"source": source, "target": name, "kb_per_item": 1}
                for name, (_, sources, _) in OPERATORS.items()
                for source in sources
            ],
        },
        "infrastructure": {
            "tiers": [{"name": tier} for tier in TIERS],
            "workers": [
                {"id": f"{tier}-{name}", "type": "any", "tier": tier, "cost_per_hour": 1 + TIERS.index(tier)}
                for tier in TIERS
                for name in OPERATORS
            ],
            "network": {"usd_per_gb": {"phone->edge": 0.1, "phone->cloud": 0.2, "edge->cloud": 0.1}},
        },
        "profiles": {"p75": latencies},
        "target": {"accuracy": 50, "rates": {"text": 2, "numbers": 2}},
    }


def _operator(name: str, kind: str, sources: list[str], models: list[str]) -> dict[str, Any]:
    inputs = [each for each in sources if each in OPERATORS]
    rows = [] if inputs else [{"inputs": [], "output": 90.0}]
    choices = [{"name": each, "accuracy_rows": rows} for each in models]
    return {"name": name, "kind": kind, "inputs": inputs, "models": choices}


PROBLEM = problem_of(problem_document())


def workflow_tree(changes: Mapping[str, str | None] | None = None, **code: dict[str, Any] | None) -> MemoryTree:
    """Return the tree with some files changed, or left out (None), and what code.json says of some operators."""
    operators = {name: each for name, each in {**CODE, **code}.items() if each is not None}
    files: dict[str, str | None] = {
        **SOURCES,
        "task.toml": TASK_TOML,
        "problem.json": json.dumps(problem_document()),
        "code.json": json.dumps({"format": "walle-workflow-code/1", "operators": operators}),
        **(changes or {}),
    }
    return MemoryTree({path: content.encode() for path, content in files.items() if content is not None})


def plan(tiers: Mapping[str, str], model: str = "heavy") -> PlacementPlan:
    """Return the plan with each operator on one tier."""
    models = {name: models[0] for name, (_, _, models) in OPERATORS.items()} | {"weight": model}
    return PlacementPlan(models, {name: (f"{tiers[name]}-{name}",) for name in OPERATORS})


def every_cut(problem: PlacementProblem = PROBLEM) -> Iterator[dict[str, str]]:
    """Yield the tiers of each plan over the lowest and the highest one in which nothing comes back down."""
    for chosen in product(("phone", "cloud"), repeat=len(OPERATORS)):
        tiers = dict(zip(OPERATORS, chosen, strict=True))
        edges = (edge for edge in problem.workflow.edges if edge.source in tiers)
        if all(tiers[edge.source] == "phone" or tiers[edge.target] == "cloud" for edge in edges):
            yield tiers
