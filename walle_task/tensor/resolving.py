"""Values that follow from shapes: attributes that are values of a graph get their numbers when it is planned.

A model of any batch or length computes shapes with its own operators: it reads the shape of a tensor, takes its first
number, and gives that to a reshape. Once the shapes of inputs are known, all of that is known; it is computed while
types are inferred, by the same kernels, and is gone from the graph that is planned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from walle_task.tensor.faults import Unfit, shown
from walle_task.tensor.folding import evaluate
from walle_task.tensor.graph import Graph, Node, TypedGraph, ValueOf
from walle_task.tensor.inference import infer_types
from walle_task.tensor.lowering import lower
from walle_task.tensor.operators.catalogue import OPERATORS
from walle_task.tensor.operators.operator import Attribute, OperatorGroup
from walle_task.tensor.types import TensorType

MOST_ELEMENTS: Final = 1 << 16
"""The most elements of a value that is computed for an attribute."""
MOST_BETWEEN: Final = 1 << 26
"""The most bytes of all that is between the inputs and the outputs of a node that is computed by itself."""


class TooMuchBetween(Unfit):
    """What is between the inputs and the outputs of a node is too large for it to be computed by itself."""


def resolve(graph: Graph, shapes: Mapping[str, Sequence[int]] | None = None) -> TypedGraph:
    """Return a checked graph with numbers in the place of values that are attributes, and the type of each value.

    Raises GraphMalformed with all faults, among them attributes that follow from the inputs' elements.
    """
    values = _ShapeValues(graph)
    typed = infer_types(graph, shapes, resolver=values)
    return values.without_known(typed)


def evaluate_node(node: Node, types: Mapping[str, TensorType], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the outputs of a node by name, computed by itself. `types` are those of what it reads and defines.

    Raises TooMuchBetween; Unfit where what it reads cannot be computed with, such as indices outside of a tensor.
    """
    constants = {name: values[name] for name in node.inputs}
    named = {name: types[name] for name in (*node.inputs, *node.outputs)}
    try:
        lowered = lower(TypedGraph(Graph("", {}, constants, (node,), node.outputs), named))
        made = sum(lowered.types[name].nbytes for each in lowered.graph.nodes for name in each.outputs)
        if made > MOST_BETWEEN:
            raise TooMuchBetween("inputs", f"what is computed in {MOST_BETWEEN} bytes", f"what takes {made}")
        found = dict(lowered.graph.constants)
        for each in lowered.graph.nodes:
            found.update(evaluate(each, lowered, found))
    except TooMuchBetween:
        raise
    except (IndexError, ValueError) as error:
        raise Unfit("inputs", f"what {node.operator} can be computed of", error) from None
    return {name: found[name] for name in node.outputs}


class _ShapeValues:
    """What is known of a graph's values when only the shapes of its inputs are (a `Resolver`)."""

    def __init__(self, graph: Graph) -> None:
        self._known: dict[str, Any] = dict(graph.constants)
        self._computed: set[str] = set()
        self._needed = _needed(graph)

    def resolved(self, node: Node) -> Node:
        """Return a node with numbers in the place of its attributes that are values. Raises Unfit."""
        if not node.computed:
            return node
        attributes = dict(node.attributes)
        for field, value in node.attributes.items():
            if isinstance(value, ValueOf):
                attributes[field] = self._number(field, value, OPERATORS[node.operator].attributes[field])
        return replace(node, attributes=attributes)

    def infer(self, node: Node, types: Mapping[str, TensorType]) -> None:
        """Compute what a node defines, where attributes need it and what it reads is known. Raises Unfit."""
        if self._needed.isdisjoint(node.outputs):
            return
        if node.operator == "shape_of":
            made = {node.outputs[0]: np.array(types[node.inputs[0]].shape, "int64")}
        elif self._is_known(node) and sum(types[name].count for name in node.outputs) <= MOST_ELEMENTS:
            made = evaluate_node(node, types, self._known)
        else:
            return
        self._known.update(made)
        self._computed.update(made)

    def without_known(self, typed: TypedGraph) -> TypedGraph:
        """Return a graph whose values that were computed are constants."""
        outputs = set(typed.graph.outputs)
        nodes = tuple(
            node
            for node in typed.graph.nodes
            if not self._computed.issuperset(node.outputs) or outputs & {*node.outputs}
        )
        made = {name for node in nodes for name in node.outputs}
        read = {name for node in nodes for name in node.inputs}
        constants = {name: self._known[name] for name in self._computed & read - made}
        return replace(typed, graph=replace(typed.graph, nodes=nodes, constants={**typed.graph.constants, **constants}))

    def _is_known(self, node: Node) -> bool:
        control = OPERATORS[node.operator].group is OperatorGroup.CONTROL_FLOW
        return not control and all(name in self._known for name in node.inputs)

    def _number(self, field: str, value: ValueOf, attribute: Attribute) -> Any:
        array = self._known.get(value.name)
        if array is None:
            raise Unfit(field, "a value that follows from shapes and constants", f"{value.name}, which inputs decide")
        if array.ndim > 1 or array.size > MOST_ELEMENTS:
            raise Unfit(field, attribute.expected, f"{array.dtype}{list(array.shape)} {value.name}")
        number = tuple(array.tolist()) if array.ndim else array.item()
        if not attribute.valid(number):
            raise Unfit(field, attribute.expected, f"{value.name}, which is {shown(number)}")
        return number


def _needed(graph: Graph) -> set[str]:
    """Return the values that attributes follow from; of a tensor whose shape is read, only that."""
    needed = {value.name for node in graph.nodes for value in node.computed}
    for node in reversed(graph.nodes):
        if not needed.isdisjoint(node.outputs) and node.operator != "shape_of":
            needed.update(node.inputs)
    return needed
