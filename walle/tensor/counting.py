"""What nodes compute and move: floating-point operations and bytes, counted from types alone.

An operation is an addition, a multiplication, a comparison or a function of one element; a product of matrices has two
for each pair of elements. Bytes are those of the elements that are read and written, whatever caches make of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from walle_task.tensor.graph import Graph, Node, TypedGraph
from walle_task.tensor.lowering import lower
from walle_task.tensor.merging.rules import is_view
from walle_task.tensor.operators.catalogue import LOWERED, OPERATORS
from walle_task.tensor.operators.operator import OperatorGroup
from walle_task.tensor.types import InputSpec, TensorType

_MOVING: Final = frozenset(
    {"cast", "gather", "gather_elements", "gather_nd", "scatter_nd", "one_hot", "shape_of", "where"}
)
_OVER_INPUT: Final = frozenset({"argmax", "argmin", "top_k"})


@dataclass(frozen=True, slots=True)
class NodeCost:
    """The operations of a node, and the bytes that it reads and writes."""

    flops: int = 0
    nbytes: int = 0

    def __add__(self, other: NodeCost) -> NodeCost:
        return NodeCost(self.flops + other.flops, self.nbytes + other.nbytes)


def node_cost(node: Node, typed: TypedGraph) -> NodeCost:
    """Return what a node costs; one that is lowered costs what it becomes, and control flow is not counted."""
    operator = LOWERED.get(node.operator)
    if operator is None:
        return _cost_lowered(node, typed.types)
    if operator.group is OperatorGroup.CONTROL_FLOW or is_view(node, typed):
        return NodeCost()
    return NodeCost(_flops(node, typed.types), _nbytes(node, typed.types))


def total_cost(typed: TypedGraph) -> NodeCost:
    """Return what all nodes of a graph cost."""
    return sum((node_cost(node, typed) for node in typed.graph.nodes), NodeCost())


def _cost_lowered(node: Node, types: Mapping[str, TensorType]) -> NodeCost:
    inputs = {name: InputSpec(types[name].dtype, types[name].shape) for name in node.inputs}
    named = {name: types[name] for name in (*node.inputs, *node.outputs)}
    return total_cost(lower(TypedGraph(Graph("", inputs, {}, (node,), node.outputs), named)))


def _flops(node: Node, types: Mapping[str, TensorType]) -> int:
    first, output = types[node.inputs[0]], types[node.outputs[0]]
    if node.operator == "raster" or node.operator in _MOVING:
        return 0
    if node.operator == "matmul":
        return 2 * output.count * first.shape[-1]
    over_input = node.operator.startswith("reduce_") or node.operator in _OVER_INPUT
    return first.count if over_input else output.count


def _nbytes(node: Node, types: Mapping[str, TensorType]) -> int:
    written = sum(types[name].nbytes for name in node.outputs)
    if node.operator == "raster":
        return 2 * written
    if node.operator.startswith("gather"):
        return 2 * written + types[node.inputs[1]].nbytes
    return written + sum(types[name].nbytes for name in node.inputs)


def group_of(node: Node, typed: TypedGraph) -> str:
    """Return the group of a node's operator; a raster is its own, or a `view` where nothing has to be moved."""
    if node.operator == "raster":
        return "view" if is_view(node, typed) else "raster"
    return str(OPERATORS[node.operator].group)
