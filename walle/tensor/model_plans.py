"""How a task's model will run, as JSON data: what is kept of a version and shown by `walle version validate` and pages.

Backends are predicted by the rates of a reference device, slowed down for each class of devices. The rates of a class
are assumptions until devices report; which backends a device has is known to it alone, so that all are listed.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from walle.tensor.counting import group_of
from walle.tensor.explaining import GROUPS
from walle_task.tensor.backends.own import OwnKernels
from walle_task.tensor.faults import Fault, GraphMalformed, shown
from walle_task.tensor.graph import Graph
from walle_task.tensor.planning import ExecutionPlan, plan_execution
from walle_task.tensor.search.choosing import Ranking, ranked
from walle_task.tensor.search.reference_rates import reference_rates
from walle_task.tensor.task_models import MODULE_MODE, OWN, TASK_BACKENDS, in_session_mode

SLOWER: Final[Mapping[str, float]] = {"low": 4.0, "mid": 2.0, "high": 1.0}
"""How many times as long as the reference device devices of a class (`performance`) are taken to need."""
_DIGITS: Final = 4


def plan_of_model(graph: Graph, shapes: Mapping[str, Sequence[int]], *, exact: bool, keeps: bool) -> dict[str, Any]:
    """Return how a model will run for inputs of some shapes, in a process that runs it once, or that `keeps` it.

    Raises GraphMalformed with all faults for a model that cannot run for these.
    """
    if unknown := sorted(shapes.keys() - graph.inputs.keys()):
        raise GraphMalformed([Fault("", "shapes", f"inputs of the model, {', '.join(graph.inputs)}", shown(unknown))])
    found: dict[str, Any] = {
        "inputs": {name: str(spec) for name, spec in graph.inputs.items()},
        "outputs": list(graph.outputs),
        "constant_bytes": sum(array.nbytes for array in graph.constants.values()),
        "operators": dict(graph.operators.most_common()),
    }
    if not in_session_mode(graph, shapes):
        return {**found, "mode": "module", "why": f"{OWN} ({MODULE_MODE})"}
    plan = plan_execution(graph, shapes)
    rankings = {name: _ranking(plan, slower, exact, keeps) for name, slower in SLOWER.items()}
    return {
        **found,
        "mode": "session",
        "inputs": {name: str(plan.typed.types[name]) for name in graph.inputs},
        "memory": {"planned": plan.memory.nbytes, "naive": plan.memory.naive},
        "steps": _groups(plan),
        "profile": _profile(rankings["high"]),
        "classes": [_class(name, ranking) for name, ranking in rankings.items()],
    }


def _ranking(plan: ExecutionPlan, slower: float, exact: bool, keeps: bool) -> Ranking:
    rates = {name: each.slowed(slower) for name, each in reference_rates().items()}
    return ranked(plan.typed, TASK_BACKENDS, rates, exact, math.inf if keeps else 1, installed_only=False)


def _groups(plan: ExecutionPlan) -> dict[str, int]:
    counts = dict.fromkeys(GROUPS, 0)
    for node in plan.merged.graph.nodes:
        counts[group_of(node, plan.merged)] += 1
    return {name: count for name, count in counts.items() if count}


def _class(name: str, ranking: Ranking) -> dict[str, Any]:
    """Return the backends for devices of a class, the best first, and why others cannot run the model."""
    return {
        "performance": name,
        "backends": [
            {
                "backend": each.backend,
                "needs": NEEDS[each.backend],
                "run_ms": _ms(each.seconds),
                "start_ms": _ms(each.loading + each.compilation),
            }
            for each in ranking.costs
        ],
        "refused": {backend: list(reasons) for backend, reasons in ranking.refused.items()},
    }


NEEDS: Final[Mapping[str, str]] = {
    OwnKernels.name: "numpy", "onnxruntime": "onnxruntime", "onnxruntime-int8": "onnxruntime", "mnn": "MNN",
    "torch": "torch",
}  # fmt: skip
"""The module that a device needs for each backend."""


def _profile(ranking: Ranking) -> list[dict[str, Any]]:
    """Return the operators of our own kernels by kind of work, the longest first: how many, and the share of time."""
    own = next(each for each in ranking.costs if each.backend == OWN)
    counts: dict[str, int] = defaultdict(int)
    operations: dict[str, int] = defaultdict(int)
    for each in own.operators:
        counts[str(each.algorithm.kind)] += 1
        operations[str(each.algorithm.kind)] += each.algorithm.operations
    total = sum(own.kinds.values()) or 1.0
    return [
        {"kind": str(kind), "operators": counts[kind], "operations": operations[kind], "share": round(part / total, 3)}
        for kind, part in sorted(own.kinds.items(), key=lambda item: -item[1])
    ]


def _ms(seconds: float) -> float:
    return float(f"{seconds * 1e3:.{_DIGITS}g}")
