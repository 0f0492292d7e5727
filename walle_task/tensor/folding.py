"""Constant folding: what depends on constants alone is computed once, when a graph is planned.

Models come from strangers: how much of that there may be is bounded by counting it, before any of it is computed.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from walle_task.tensor.checking import completed
from walle_task.tensor.faults import Fault, GraphMalformed
from walle_task.tensor.graph import Node, TypedGraph
from walle_task.tensor.kernels.arrays import KERNELS
from walle_task.tensor.merging.rules import Rule, is_view
from walle_task.tensor.operators.catalogue import LOWERED
from walle_task.tensor.raster import regions_step
from walle_task.tensor.search.work import Work, node_work

MOST_GROWTH: Final = 1 << 16
"""How many bytes more than its inputs a folded value may have: what unfolds further is computed in each run, in memory
that is planned."""

MOST_OPERATIONS: Final = 1 << 31
"""How many operations on constants a graph may have, so that planning takes seconds: the dequantised weights of the
largest models have three for each weight."""
_DEAR: Final = 16
"""How many operations one element of a function counts for."""
_FUNCTIONS: Final = frozenset({Work.FUNCTION, Work.ERROR_FUNCTION, Work.NORMALISATION})


def _folded(typed: TypedGraph) -> TypedGraph:
    _refuse_much_work(typed)
    constants, nodes = dict(typed.graph.constants), []
    for node in typed.graph.nodes:
        made = _computed(node, typed, constants) if _is_foldable(node, typed, constants) else None
        if made is None:
            nodes.append(node)
        else:
            constants.update(made)
    return TypedGraph(replace(typed.graph, constants=constants, nodes=tuple(nodes)), typed.types)


def _refuse_much_work(typed: TypedGraph) -> None:
    constants, operations = set(typed.graph.constants), 0
    for node in typed.graph.nodes:
        if not _is_foldable(node, typed, constants):
            continue
        constants.update(node.outputs)
        operations += _operations(node, typed)
        if operations > MOST_OPERATIONS:
            expected = f"at most {MOST_OPERATIONS} operations on constants alone up to here"
            raise GraphMalformed([Fault(node.name, "operator", expected, f"{operations} with this {node.operator}")])


def _is_foldable(node: Node, typed: TypedGraph, constants: Container[str]) -> bool:
    """Return whether a node reads constants only, defines no output of the graph and does not unfold what it reads."""
    computable = node.operator in KERNELS or node.operator == "raster"
    if not computable or not all(name in constants for name in node.inputs):
        return False
    made, read = (sum(typed.types[name].nbytes for name in names) for names in (node.outputs, node.inputs))
    return made <= read + MOST_GROWTH and not set(node.outputs) & set(typed.graph.outputs)


def _operations(node: Node, typed: TypedGraph) -> int:
    if is_view(node, typed):
        return 0
    work = node_work(node, typed)
    return work.operations * (_DEAR if work.kind in _FUNCTIONS else 1)


def _computed(node: Node, typed: TypedGraph, constants: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what a node makes of constants; None where it cannot be computed, which a run of it will say."""
    try:
        return evaluate(node, typed, constants)
    except (IndexError, ValueError):
        return None


def evaluate(node: Node, typed: TypedGraph, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the outputs of a node of a lowered graph, computed by itself. Raises IndexError for indices of a gather
    that are outside."""
    inputs = [np.ascontiguousarray(values[name]).reshape(values[name].shape) for name in node.inputs]
    if is_view(node, typed):
        return {node.outputs[0]: inputs[0].reshape(typed.types[node.outputs[0]].shape)}
    outputs = [np.empty(typed.types[name].shape, typed.types[name].dtype) for name in node.outputs]
    if "regions" in node.attributes:
        step = regions_step(node, outputs[0], dict(zip(node.inputs, inputs, strict=True)))
    else:
        step = KERNELS[node.operator](inputs, outputs, completed(node, LOWERED[node.operator]))
    with np.errstate(all="ignore"):
        step()
    return dict(zip(node.outputs, outputs, strict=True))


FOLDING: Final = Rule("constant folding", "what depends on constants alone is computed once", _folded)
