"""Shape inference: the types of all values of a graph, given the shapes of its inputs (step 2 of the session mode)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from walle_task.tensor.checking import completed
from walle_task.tensor.faults import MAX_FAULTS, Fault, GraphMalformed, Unfit, shown
from walle_task.tensor.graph import Graph, Node, TypedGraph, ValueOf, constant_type
from walle_task.tensor.operators.catalogue import OPERATORS
from walle_task.tensor.operators.control_flow import control_types
from walle_task.tensor.operators.operator import Call, Operator, OperatorGroup
from walle_task.tensor.types import TensorType, fits


class Resolver(Protocol):
    """Gives attributes that are values of the graph their numbers, while types are inferred."""

    def resolved(self, node: Node) -> Node:
        """Return a node without such attributes. Raises Unfit."""
        ...

    def infer(self, node: Node, types: Mapping[str, TensorType]) -> None:
        """Take notice of a resolved node, and of the types of what it reads and defines. Raises Unfit."""
        ...


class NothingKnown:
    """The resolver that knows no value."""

    def resolved(self, node: Node) -> Node:
        for field, value in node.attributes.items():
            if isinstance(value, ValueOf):
                raise Unfit(field, "numbers, or a value that follows from shapes and constants", value)
        return node

    def infer(self, node: Node, types: Mapping[str, TensorType]) -> None:
        pass


def infer_types(
    graph: Graph,
    shapes: Mapping[str, Sequence[int]] | None = None,
    operators: Mapping[str, Operator] = OPERATORS,
    resolver: Resolver | None = None,
) -> TypedGraph:
    """Return a checked graph, its nodes resolved, with the type of each value.

    `shapes` are those of inputs that leave an axis open. Raises GraphMalformed with all faults. Of nodes that read what
    a faulty one defines, nothing is said.
    """
    resolver = resolver or NothingKnown()
    nodes = []
    faults: list[Fault] = []
    types = {name: constant_type(array) for name, array in graph.constants.items()}
    types.update(_input_types(graph, shapes or {}, faults))
    for given in graph.nodes:
        read = (*given.inputs, *(value.name for value in given.computed))
        if len(faults) >= MAX_FAULTS or not all(name in types for name in read):
            continue
        try:
            node = resolver.resolved(given)
            outputs = node_types(node, operators[node.operator], tuple(types[name] for name in node.inputs))
            if len(outputs) != len(node.outputs):
                raise Unfit("outputs", f"{len(outputs)} outputs", len(node.outputs))
            types.update(zip(node.outputs, outputs, strict=True))
            resolver.infer(node, types)
            nodes.append(node)
        except Unfit as error:
            faults.append(error.at(given.name))
    if faults:
        raise GraphMalformed(faults)
    return TypedGraph(replace(graph, nodes=tuple(nodes)), types)


def node_types(node: Node, operator: Operator, inputs: tuple[TensorType, ...]) -> tuple[TensorType, ...]:
    """Return the types of a node's outputs. Raises Unfit."""
    call = Call(inputs, completed(node, operator))
    if operator.group is OperatorGroup.CONTROL_FLOW:
        return control_types(operator.name, call, _graph_types)
    return operator.infer(call)


def _graph_types(graph: Graph, inputs: tuple[TensorType, ...]) -> tuple[TensorType, ...]:
    found = dict(zip(graph.inputs, inputs, strict=False))
    if len(inputs) != len(graph.inputs) or any(found[name].dtype != spec.dtype for name, spec in graph.inputs.items()):
        expected = ", ".join(map(str, graph.inputs.values())) or "nothing"
        raise Unfit("inputs", f"inputs of graph {shown(graph.name)}, {expected}", ", ".join(map(str, inputs)))
    try:
        typed = infer_types(graph, {name: each.shape for name, each in found.items()})
    except GraphMalformed as error:
        raise Unfit(f"graph {shown(graph.name)}", "a graph for these inputs", shown(str(error))) from None
    return tuple(typed.types[name] for name in graph.outputs)


def _input_types(graph: Graph, shapes: Mapping[str, Sequence[int]], faults: list[Fault]) -> dict[str, TensorType]:
    types = {}
    named: dict[str, int] = {}
    for name, spec in graph.inputs.items():
        known = [axis for axis in spec.shape if isinstance(axis, int)]
        if name not in shapes and len(known) < len(spec.shape):
            faults.append(Fault("", f"inputs.{shown(name)}", f"a shape for {spec}", "none given"))
            continue
        given = shapes.get(name, known)
        found = TensorType(spec.dtype, tuple(int(length) for length in given))
        if not spec.accepts(found) or not fits(found.shape) or 0 in found.shape:
            faults.append(Fault("", f"inputs.{shown(name)}", str(spec), str(found)))
        else:
            types[name] = found
            for axis, length in zip(spec.shape, found.shape, strict=True):
                if isinstance(axis, str) and named.setdefault(axis, length) != length:
                    expected = f"{shown(axis)} as of another input, {named[axis]}"
                    faults.append(Fault("", f"inputs.{shown(name)}", expected, str(length)))
    faults += [
        Fault("", "inputs", f"one of {', '.join(graph.inputs)}", shown(name))
        for name in shapes.keys() - types.keys()
        if name not in graph.inputs
    ]
    return types
