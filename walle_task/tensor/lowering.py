"""Lowering: transform and composite operators become rasters and atomic operators (step 3 of the session mode)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from walle_task.tensor.checking import completed
from walle_task.tensor.faults import GraphMalformed, Unfit
from walle_task.tensor.graph import Node, TypedGraph, constant_type
from walle_task.tensor.inference import node_types
from walle_task.tensor.operators.catalogue import OPERATORS
from walle_task.tensor.operators.operator import Call, CoordinateMap, Fill, Move, Operator
from walle_task.tensor.types import TensorType
from walle_task.tensor.view import Region, normalised

Keeps = Callable[[Operator, Call], bool]
"""Whether a backend has a transform or composite operator itself, for inputs of some types."""


def keeps_none(_operator: Operator, _call: Call) -> bool:
    """Stand for the backend that has atomic operators and rasters only."""
    return False


def lower(typed: TypedGraph, keeps: Keeps = keeps_none) -> TypedGraph:
    """Return the graph that computes the same outputs by atomic operators, rasters, control flow and what is kept."""
    lowering = Lowering(typed, keeps)
    for node in typed.graph.nodes:
        lowering.add(node)
    return lowering.done(typed.graph.outputs)


class Lowering:
    """A lowered graph that grows (`Emitter`): by one node of the original at a time, or by operators of its own."""

    def __init__(self, typed: TypedGraph, keeps: Keeps = keeps_none) -> None:
        self._graph, self._keeps = typed.graph, keeps
        self._constants = dict(typed.graph.constants)
        given = (*typed.graph.inputs, *typed.graph.constants)
        self._types: dict[str, TensorType] = {name: typed.types[name] for name in given}
        self._nodes: list[Node] = []
        self._taken = {*typed.types, *(node.name for node in typed.graph.nodes)}
        self._numbers: dict[tuple[str, str], str] = {}
        self._origin = ""
        self._count = 0

    @classmethod
    def after(cls, lowered: TypedGraph, origin: str) -> Lowering:
        """Return what goes on after all nodes of a lowered graph; new values are named by their origin."""
        lowering = cls(lowered)
        lowering._nodes, lowering._types, lowering._origin = list(lowered.graph.nodes), dict(lowered.types), origin
        return lowering

    def type_of(self, value: str) -> TensorType:
        return self._types[value]

    def emit(self, operator: str, *inputs: str, **attributes: Any) -> str:
        (output,) = self._apply(OPERATORS[operator], inputs, attributes)
        return output

    def number(self, number: float, dtype: str) -> str:
        key = (dtype, repr(float(number)))
        if key not in self._numbers:
            with np.errstate(over="ignore"):
                array = np.array(number).astype(dtype)
            self._numbers[key] = self._named(f"{dtype} {number:g}", array)
        return self._numbers[key]

    def constant(self, array: Any) -> str:
        return self._named(self._fresh(), array)

    def add(self, node: Node) -> None:
        """Add what a node of the original comes down to; its outputs keep their names.

        Raises GraphMalformed where what is between would be no tensor, such as one that is too large.
        """
        self._origin, self._count = node.name, 0
        begin, operator = len(self._nodes), OPERATORS[node.operator]
        try:
            outputs = list(self._apply(operator, node.inputs, completed(node, operator)))
        except Unfit as error:
            raise GraphMalformed([error.at(node.name)]) from None
        made = {name for each in self._nodes[begin:] for name in each.outputs}
        for index, name in enumerate(outputs):
            if name not in made or name in outputs[:index]:
                outputs[index] = self.emit("identity", name)
        self._rename(dict(zip(outputs, node.outputs, strict=True)), begin)

    def move(self, operator: str, regions: tuple[Region, ...], target: TensorType, fallback: str) -> str:
        """Apply `raster` or `raster_add`; return what it writes. Without regions it reads nothing of `fallback`."""
        name = self._fresh()
        self._nodes.append(raster_node(name, regions, target, fallback, operator))
        self._types[name] = target
        return name

    def done(self, outputs: Sequence[str]) -> TypedGraph:
        """Return the lowered graph with some of its values as outputs."""
        graph = replace(self._graph, constants=self._constants, nodes=tuple(self._nodes), outputs=tuple(outputs))
        return TypedGraph(graph, self._types)

    def _apply(self, operator: Operator, inputs: tuple[str, ...], attributes: Mapping[str, Any]) -> tuple[str, ...]:
        given = {name: attributes.get(name, each.default) for name, each in operator.attributes.items()}
        call = Call(tuple(self._types[name] for name in inputs), given)
        if operator.map is not None and not self._keeps(operator, call):
            return tuple(self._raster(each, inputs) for each in operator.map(call))
        if operator.decompose is not None and not self._keeps(operator, call):
            return operator.decompose(self, inputs, call)
        node = Node(self._origin, operator.name, inputs, (), given)
        outputs = node_types(node, operator, call.inputs)
        names = tuple(self._fresh() for _ in outputs)
        self._nodes.append(replace(node, name=names[0], outputs=names))
        self._types.update(zip(names, outputs, strict=True))
        return names

    def _raster(self, found: CoordinateMap, inputs: tuple[str, ...]) -> str:
        moves = [move for move in found.moves if move.writes.count]
        regions = tuple(normalised(self._region(move, inputs, found.type)) for move in moves)
        return self.move("raster", regions, found.type, inputs[0])

    def _region(self, move: Move, inputs: tuple[str, ...], target: TensorType) -> Region:
        if isinstance(move.source, Fill):
            return Region(self.number(move.source.value, target.dtype), move.reads, move.writes)
        return Region(inputs[move.source], move.reads, move.writes)

    def _fresh(self) -> str:
        while (name := f"{self._origin}.{self._count}") in self._taken:
            self._count += 1
        self._taken.add(name)
        return name

    def _named(self, name: str, array: Any) -> str:
        while name in self._types:
            name += "'"
        self._taken.add(name)
        self._constants[name], self._types[name] = array, constant_type(array)
        return name

    def _rename(self, names: Mapping[str, str], begin: int) -> None:
        for index in range(begin, len(self._nodes)):
            self._nodes[index] = renamed(self._nodes[index], names)
        for old, new in names.items():
            self._types[new] = self._types.pop(old)


def raster_node(
    name: str, regions: tuple[Region, ...], target: TensorType, fallback: str, operator: str = "raster"
) -> Node:
    """Return a raster that defines a value; it reads what its regions do, or nothing of `fallback`."""
    sources = tuple(dict.fromkeys(region.source for region in regions)) or (fallback,)
    return Node(name, operator, sources, (name,), {"regions": regions, "shape": target.shape})


def renamed(node: Node, names: Mapping[str, str]) -> Node:
    """Return a node that reads and defines values under other names."""
    attributes = node.attributes
    if "regions" in attributes:
        regions = tuple(each.of(names.get(each.source, each.source)) for each in attributes["regions"])
        attributes = {**attributes, "regions": regions}
    inputs, outputs = (tuple(names.get(name, name) for name in values) for values in (node.inputs, node.outputs))
    return Node(outputs[0], node.operator, inputs, outputs, attributes)
