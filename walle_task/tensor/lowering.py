"""Lowering: transform and composite operators become rasters and atomic operators (step 3 of the session mode)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from walle_task.tensor.checking import completed
from walle_task.tensor.graph import Node, TypedGraph, constant_type
from walle_task.tensor.inference import node_types
from walle_task.tensor.operators.catalogue import OPERATORS
from walle_task.tensor.operators.operator import Call, CoordinateMap, Fill, Move, Operator
from walle_task.tensor.types import TensorType
from walle_task.tensor.view import Region, normalised


def lower(typed: TypedGraph) -> TypedGraph:
    """Return the graph of atomic operators, rasters and control flow that computes the same outputs."""
    lowering = _Lowering(typed)
    for node in typed.graph.nodes:
        lowering.add(node)
    return lowering.done()


class _Lowering:
    """A lowered graph that grows by one node of the original at a time (`Emitter`)."""

    def __init__(self, typed: TypedGraph) -> None:
        self._graph = typed.graph
        self._constants = dict(typed.graph.constants)
        given = (*typed.graph.inputs, *typed.graph.constants)
        self._types: dict[str, TensorType] = {name: typed.types[name] for name in given}
        self._nodes: list[Node] = []
        self._taken = {*typed.types, *(node.name for node in typed.graph.nodes)}
        self._numbers: dict[tuple[str, str], str] = {}
        self._origin = ""
        self._count = 0

    def type_of(self, value: str) -> TensorType:
        return self._types[value]

    def emit(self, operator: str, *inputs: str, **attributes: Any) -> str:
        (output,) = self._apply(OPERATORS[operator], inputs, attributes)
        return output

    def number(self, number: float, dtype: str) -> str:
        key = (dtype, repr(float(number)))
        if key not in self._numbers:
            self._numbers[key] = self._named(f"{dtype} {number:g}", np.array(number).astype(dtype))
        return self._numbers[key]

    def constant(self, array: Any) -> str:
        return self._named(self._fresh(), array)

    def add(self, node: Node) -> None:
        """Add what a node of the original comes down to; its outputs keep their names."""
        self._origin, self._count = node.name, 0
        begin, operator = len(self._nodes), OPERATORS[node.operator]
        outputs = list(self._apply(operator, node.inputs, completed(node, operator)))
        made = {name for each in self._nodes[begin:] for name in each.outputs}
        for index, name in enumerate(outputs):
            if name not in made or name in outputs[:index]:
                outputs[index] = self.emit("identity", name)
        self._rename(dict(zip(outputs, node.outputs, strict=True)), begin)

    def done(self) -> TypedGraph:
        return TypedGraph(replace(self._graph, constants=self._constants, nodes=tuple(self._nodes)), self._types)

    def _apply(self, operator: Operator, inputs: tuple[str, ...], attributes: Mapping[str, Any]) -> tuple[str, ...]:
        given = {name: attributes.get(name, each.default) for name, each in operator.attributes.items()}
        call = Call(tuple(self._types[name] for name in inputs), given)
        if operator.map is not None:
            return tuple(self._raster(each, inputs) for each in operator.map(call))
        if operator.decompose is not None:
            return operator.decompose(self, inputs, call)
        node = Node(self._origin, operator.name, inputs, (), given)
        outputs = node_types(node, operator, call.inputs)
        names = tuple(self._fresh() for _ in outputs)
        self._nodes.append(replace(node, name=names[0], outputs=names))
        self._types.update(zip(names, outputs, strict=True))
        return names

    def _raster(self, found: CoordinateMap, inputs: tuple[str, ...]) -> str:
        name = self._fresh()
        moves = [move for move in found.moves if move.writes.count]
        regions = tuple(normalised(self._region(move, inputs, found.type)) for move in moves)
        self._nodes.append(raster_node(name, regions, found.type, inputs[0]))
        self._types[name] = found.type
        return name

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


def raster_node(name: str, regions: tuple[Region, ...], target: TensorType, fallback: str) -> Node:
    """Return a raster that defines a value; it reads what its regions do, or nothing of `fallback`."""
    sources = tuple(dict.fromkeys(region.source for region in regions)) or (fallback,)
    return Node(name, "raster", sources, (name,), {"regions": regions, "shape": target.shape})


def renamed(node: Node, names: Mapping[str, str]) -> Node:
    """Return a node that reads and defines values under other names."""
    attributes = node.attributes
    if node.operator == "raster":
        regions = tuple(each.of(names.get(each.source, each.source)) for each in attributes["regions"])
        attributes = {**attributes, "regions": regions}
    inputs, outputs = (tuple(names.get(name, name) for name in values) for values in (node.inputs, node.outputs))
    return Node(outputs[0], node.operator, inputs, outputs, attributes)
