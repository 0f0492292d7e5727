"""The explanation of a planned graph as JSON data: the graph before and after each step of planning (Walle, 4.1, 4.2).

Steps are `imported` (the model's operators), `lowered` (transform and composite operators are gone), then one for each
rule: constant folding, vertical and horizontal merging, unread values. Beside them are the paper's formula of the
workload for our catalogue, and the memory as it was planned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from walle.tensor.counting import NodeCost, group_of, node_cost
from walle_task.tensor.folding import FOLDING
from walle_task.tensor.graph import Node, TypedGraph
from walle_task.tensor.merging.rules import RULES
from walle_task.tensor.operators.catalogue import Workload, workload
from walle_task.tensor.planning import ExecutionPlan, lifetimes_of

GROUPS: Final = ("composite", "transform", "atomic", "raster", "view", "control flow")
PAPER: Final = Workload(atomic=61, transform=45, composite=16, control_flow=2, backends=16)
"""The counts of the paper, section 4.1."""
MAX_LINES: Final = 200
"""The most lines that are listed of what a rule changed; further ones are only counted."""


def explanation_of(plan: ExecutionPlan) -> dict[str, Any]:
    """Return how a graph was planned: `workload`, `steps` with nodes, `rules` with what they changed, and `memory`."""
    graph = plan.typed.graph
    return {
        "name": graph.name,
        "inputs": {name: str(plan.typed.types[name]) for name in graph.inputs},
        "outputs": {name: str(plan.typed.types[name]) for name in graph.outputs},
        "workload": {"ours": _workload_document(workload()), "paper": _workload_document(PAPER)},
        "steps": [_step_document(name, words, typed) for name, words, typed in _steps(plan)],
        "rules": [
            {
                "rule": each.rule,
                "gone": len(each.before),
                "came": len(each.after),
                "before": list(each.before[:MAX_LINES]),
                "after": list(each.after[:MAX_LINES]),
            }
            for each in plan.applications
        ],
        "memory": _memory_document(plan),
    }


def _workload_document(found: Workload) -> dict[str, Any]:
    return {
        "atomic": found.atomic,
        "transform": found.transform,
        "composite": found.composite,
        "control_flow": found.control_flow,
        "backends": found.backends,
        "without_raster": found.without_raster,
        "with_raster": found.with_raster,
        "saved": round(found.saved, 3),
    }


def _steps(plan: ExecutionPlan) -> Iterator[tuple[str, str, TypedGraph]]:
    """Yield each step's name, what it does, and the graph after it."""
    yield "imported", "the operators of the model", plan.typed
    yield "lowered", "transform and composite operators are rasters and atomic operators", plan.lowered
    typed = plan.lowered
    for rule in (FOLDING, *RULES):
        typed = rule.rewrite(typed)
        yield rule.name, rule.words, typed


def _step_document(name: str, words: str, typed: TypedGraph) -> dict[str, Any]:
    groups = Counter(group_of(node, typed) for node in typed.graph.nodes)
    costs = [node_cost(node, typed) for node in typed.graph.nodes]
    total = sum(costs, NodeCost())
    return {
        "step": name,
        "words": words,
        "groups": {group: groups[group] for group in GROUPS},
        "operators": dict(typed.graph.operators.most_common()),
        "flops": total.flops,
        "bytes": total.nbytes,
        "constant_bytes": sum(array.nbytes for array in typed.graph.constants.values()),
        "nodes": [_node_document(node, cost, typed) for node, cost in zip(typed.graph.nodes, costs, strict=True)],
    }


def _node_document(node: Node, cost: NodeCost, typed: TypedGraph) -> dict[str, Any]:
    return {
        "name": node.name,
        "operator": node.operator,
        "group": group_of(node, typed),
        "inputs": [name for name in node.inputs if name not in typed.graph.constants],
        "constants": [name for name in node.inputs if name in typed.graph.constants],
        "outputs": list(node.outputs),
        "types": [str(typed.types[name]) for name in node.outputs],
        "regions": len(node.attributes.get("regions", ())),
        "flops": cost.flops,
        "bytes": cost.nbytes,
    }


def _memory_document(plan: ExecutionPlan) -> dict[str, Any]:
    """Return what is planned against what it would be without sharing, and where each value lies in which steps."""
    lifetimes = lifetimes_of(plan.merged, plan.storage)
    return {
        "planned": plan.memory.nbytes,
        "naive": plan.memory.naive,
        "least": plan.memory.least,
        "steps": len(plan.merged.graph.nodes),
        "values": [
            {"name": name, "offset": plan.memory.offsets[name], "bytes": each.nbytes, "first": each.first,
             "last": each.last}
            for name, each in lifetimes.items()
        ],
    }  # fmt: skip


def heaviest(step: dict[str, Any], most: int) -> list[dict[str, Any]]:
    """Return the nodes of a step with the most operations, or bytes where these are equal."""
    return list(islice(sorted(step["nodes"], key=lambda node: (-node["flops"], -node["bytes"])), most))
