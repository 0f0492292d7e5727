"""Steps 1 to 3 of the session mode (Walle, section 4.2), and the plan of memory: all that is done before a run.

1. The graph is checked; its nodes are in an order in which they can be executed.
2. The shapes of all values are computed from those of its inputs, and what attributes are made of these.
3. Geometric computing: transform and composite operators are lowered, what is constant is folded, rasters are merged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from walle_task.tensor.checking import check_graph
from walle_task.tensor.faults import Fault, GraphMalformed
from walle_task.tensor.folding import FOLDING
from walle_task.tensor.graph import Graph, TypedGraph
from walle_task.tensor.lowering import Keeps, keeps_none, lower
from walle_task.tensor.memory import Lifetime, MemoryPlan, plan_memory
from walle_task.tensor.merging.rules import RULES, Application, Rule, apply_rules, is_view
from walle_task.tensor.operators.catalogue import OPERATORS
from walle_task.tensor.operators.operator import OperatorGroup
from walle_task.tensor.resolving import resolve

MOST_BYTES: Final = 1 << 30
"""What the arena of a session may have if nothing else is said."""
MOST_STEPS: Final = 50_000
"""The most nodes of a lowered graph."""


@dataclass(frozen=True, slots=True)
class ExecutionPlan:
    """A graph after each step of planning, what the rules of merging changed, and where its values lie.

    `storage` names for each value the one whose memory it has: another one where a raster only changes its shape.
    """

    typed: TypedGraph
    lowered: TypedGraph
    merged: TypedGraph
    applications: tuple[Application, ...]
    storage: Mapping[str, str]
    memory: MemoryPlan


@dataclass(frozen=True, slots=True)
class Kept:
    """The operators that a session has kernels for itself, and the rules that make more of them."""

    keeps: Keeps = keeps_none
    rules: tuple[Rule, ...] = ()


def plan_execution(
    graph: Graph,
    shapes: Mapping[str, Sequence[int]] | None = None,
    most_bytes: int = MOST_BYTES,
    kept: Kept | None = None,
) -> ExecutionPlan:
    """Return how a graph is executed for inputs of some shapes. Raises GraphMalformed with all faults."""
    typed, kept = resolve(check_graph(graph), shapes), kept or Kept()
    _refuse_control_flow(graph)
    _refuse_large_values(typed, most_bytes)
    return plan_lowered(typed, lower(typed, kept.keeps), most_bytes, kept.rules)


def plan_lowered(
    typed: TypedGraph, lowered: TypedGraph, most_bytes: int = MOST_BYTES, rules: Sequence[Rule] = ()
) -> ExecutionPlan:
    """Return how a graph is executed that is lowered already, with some rules more. Raises GraphMalformed."""
    if len(lowered.graph.nodes) > MOST_STEPS:
        raise GraphMalformed([Fault("", "nodes", f"at most {MOST_STEPS} when lowered", str(len(lowered.graph.nodes)))])
    _refuse_large_values(lowered, most_bytes)
    merged, applications = apply_rules(lowered, (FOLDING, *rules, *RULES))
    _refuse_large_values(merged, most_bytes)
    storage = _storage(merged)
    memory = plan_memory(lifetimes_of(merged, storage))
    if memory.nbytes > most_bytes:
        raise GraphMalformed([Fault("", "memory", f"at most {most_bytes} bytes", f"{memory.nbytes}")])
    return ExecutionPlan(typed, lowered, merged, applications, storage, memory)


def merged_series(typed: TypedGraph, kept: Kept) -> TypedGraph:
    """Return the series of kernels that a session executes for a graph, without the plan of its memory."""
    series = lower(typed, kept.keeps)
    for rule in (FOLDING, *kept.rules, *RULES):
        series = rule.rewrite(series)
    return series


def _refuse_control_flow(graph: Graph) -> None:
    faults = [
        Fault(
            node.name,
            "operator",
            "an operator that the session mode has",
            f"{node.operator}, which is control flow: a Module runs it",
        )
        for node in graph.nodes
        if OPERATORS[node.operator].group is OperatorGroup.CONTROL_FLOW
    ]
    if faults:
        raise GraphMalformed(faults)


def _refuse_large_values(typed: TypedGraph, most_bytes: int) -> None:
    faults = [
        Fault(node.name, "outputs", f"at most {most_bytes} bytes", f"{typed.types[name]} of {typed.types[name].nbytes}")
        for node in typed.graph.nodes
        for name in node.outputs
        if typed.types[name].nbytes > most_bytes
    ]
    if faults:
        raise GraphMalformed(faults)


def _storage(typed: TypedGraph) -> dict[str, str]:
    storage = {name: name for name in (*typed.graph.inputs, *typed.graph.constants)}
    for node in typed.graph.nodes:
        for name in node.outputs:
            storage[name] = storage[node.inputs[0]] if is_view(node, typed) else name
    return storage


def lifetimes_of(typed: TypedGraph, storage: Mapping[str, str]) -> dict[str, Lifetime]:
    """Return when the memory of each value is needed: from its definition to the last step that reads it.

    Inputs are there before the first step, outputs until after the last one. Constants have memory of their own.
    """
    graph, end = typed.graph, len(typed.graph.nodes)
    first = dict.fromkeys(graph.inputs, -1)
    last = dict.fromkeys(graph.inputs, -1)
    for step, node in enumerate(graph.nodes):
        for name in node.outputs:
            if storage[name] == name:
                first[name] = last[name] = step
        for name in node.inputs:
            last[storage[name]] = step
    last.update({storage[name]: end for name in graph.outputs})
    return {name: Lifetime(typed.types[name].nbytes, begin, last[name]) for name, begin in first.items()}
