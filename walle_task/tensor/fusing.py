"""Fusing: a convolution and what follows it become one kernel, by the algorithm that costs least.

Scales and shifts of channels, such as those of batch normalisations, go into weights and bias; what is added to the
result, and an activation that bounds it, are computed while it is in the cache.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from walle_task.tensor.graph import Node, TypedGraph
from walle_task.tensor.merging.rules import Rule
from walle_task.tensor.operators.fused import CACHE_ELEMENTS, FUSED_CONVOLUTION
from walle_task.tensor.operators.operator import Call
from walle_task.tensor.search.algorithms import Algorithm, tile_sizes
from walle_task.tensor.search.work import NodeWork, attributes_of, node_work
from walle_task.tensor.types import TensorType

Choosing = Callable[[NodeWork], Algorithm]
"""Returns the algorithm for the work of a convolution."""
_IMAGE: Final = 4


def fusing(choose: Choosing) -> Rule:
    """Return the rule that fuses convolutions over two axes. Weights that are not constant stay as they are."""
    return Rule(
        "fusing", "a convolution and what follows it are one kernel", lambda typed: _Fusing(typed, choose).rewritten()
    )


@dataclass(slots=True)
class _Chain:
    """A convolution and the nodes after it that it takes in, with what these make of its weights and bias, if these
    are constants."""

    last: Node
    weights: Any | None
    bias: Any | None
    added: str | None = None
    low: float = -math.inf
    high: float = math.inf


class _Fusing:
    def __init__(self, typed: TypedGraph, choose: Choosing) -> None:
        self._typed, self._choose = typed, choose
        self._constants, self._types = dict(typed.graph.constants), dict(typed.types)
        self._readers = Counter(name for node in typed.graph.nodes for name in node.inputs)
        self._readers.update(typed.graph.outputs)
        self._reader = {name: node for node in typed.graph.nodes for name in node.inputs}
        self._gone: set[str] = set()
        self._made: dict[str, Node] = {}

    def rewritten(self) -> TypedGraph:
        for node in self._typed.graph.nodes:
            if node.operator == "convolution" and self._is_fusible(node):
                self._fuse(node)
        nodes = tuple(
            self._made.get(node.name, node) for node in self._typed.graph.nodes if node.name not in self._gone
        )
        graph = replace(self._typed.graph, nodes=nodes, constants=self._constants)
        return TypedGraph(graph, self._types)

    def _is_fusible(self, node: Node) -> bool:
        first = self._types[node.inputs[0]]
        return first.dtype == "float32" and first.rank == _IMAGE and 0 not in first.shape

    def _fuse(self, node: Node) -> None:
        weights, bias = (self._constants.get(name) for name in self._parameters(node))
        chain = _Chain(node, weights, bias)
        while (after := self._next(chain)) is not None and self._takes(chain, after):
            self._gone.add(chain.last.name)
            chain.last = after
        self._made[chain.last.name] = self._fused(node, chain)

    def _parameters(self, node: Node) -> tuple[str, str]:
        """Return the names of a convolution's weights and bias; one without bias gets one of zeros."""
        _, weights, *bias = node.inputs
        if bias:
            return weights, bias[0]
        name, count = f"{node.name}.zeros", self._types[weights].shape[0]
        self._constants[name] = np.zeros(count, "float32")
        self._types[name] = TensorType("float32", (count,))
        return weights, name

    def _next(self, chain: _Chain) -> Node | None:
        """Return the one node that reads what a chain defines, unless another chain has it."""
        (output,) = chain.last.outputs
        if self._readers[output] != 1 or output in self._typed.graph.outputs or chain.low > -math.inf:
            return None
        after = self._reader[output]
        return None if after.name in self._gone or after.name in self._made else after

    def _takes(self, chain: _Chain, after: Node) -> bool:
        """Take a node into a chain, if it can be."""
        (output,) = chain.last.outputs
        if after.operator == "clip":
            attributes = attributes_of(after)
            if attributes["low"] > -math.inf:
                chain.low, chain.high = float(attributes["low"]), float(attributes["high"])
            return chain.low > -math.inf
        if after.operator not in ("multiply", "add", "maximum") or len(set(after.inputs)) == 1:
            return False
        (other,) = (name for name in after.inputs if name != output)
        if other in self._constants:
            return self._takes_constant(chain, after.operator, self._constants[other])
        if after.operator == "add" and chain.added is None and self._types[other] == self._types[output]:
            chain.added = other
            return True
        return False

    def _takes_constant(self, chain: _Chain, operator: str, constant: Any) -> bool:
        if operator == "maximum":
            if constant.size == 1:
                chain.low = float(constant.reshape(()))
            return bool(constant.size == 1)
        if chain.weights is None or chain.bias is None or chain.added is not None:
            return False
        filters = len(chain.weights)
        if constant.shape != (filters, 1, 1):
            return False
        each = constant.reshape(filters)
        if operator == "multiply":
            chain.weights, chain.bias = chain.weights * each.reshape(-1, 1, 1, 1), chain.bias * each
        else:
            chain.bias = chain.bias + each
        return True

    def _fused(self, node: Node, chain: _Chain) -> Node:
        """Return the node of a chain, which defines what the last node of the chain did, and a workspace."""
        (output,) = chain.last.outputs
        inputs = [node.inputs[0], *self._parameters(node)]
        for at, array in enumerate((chain.weights, chain.bias), 1):
            if array is not None:
                inputs[at] = f"{inputs[at]} of {output}"
                self._constants[inputs[at]] = np.ascontiguousarray(array, "float32")
                self._types[inputs[at]] = TensorType("float32", array.shape)
        if chain.added is not None:
            inputs.append(chain.added)
        attributes = self._attributes(node) | {"low": chain.low, "high": chain.high}
        call = Call(tuple(self._types[name] for name in inputs), attributes)
        outputs = (output, f"{output}.workspace")
        self._types.update(zip(outputs, FUSED_CONVOLUTION.infer(call), strict=True))
        return Node(chain.last.name, FUSED_CONVOLUTION.name, tuple(inputs), outputs, attributes)

    def _attributes(self, node: Node) -> dict[str, Any]:
        given: Mapping[str, Any] = attributes_of(node)
        attributes = {
            "groups": given["groups"],
            **{field: given[field] or (1, 1) for field in ("strides", "dilations")},
            **{field: given[field] or (0, 0) for field in ("before", "after")},
        }
        return attributes | self._algorithm(node, attributes)

    def _algorithm(self, node: Node, attributes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the algorithm of a convolution, with its parameter."""
        filters, each, *kernel = self._types[node.inputs[1]].shape
        rows, columns = self._types[node.outputs[0]].shape[2:]
        moves = {*attributes["strides"], *attributes["dilations"]} != {1}
        if tuple(kernel) == (1, 1) and not moves and {*attributes["before"], *attributes["after"]} == {0}:
            return {"algorithm": "product", "block": 0}
        if each == 1 and attributes["groups"] == filters and set(attributes["dilations"]) == {1}:
            return {"algorithm": "depthwise", "block": 0}
        if attributes["groups"] == 1:
            best = self._choose(node_work(node, self._typed))
            if best.name == "winograd" and node.inputs[1] in self._typed.graph.constants:
                return {"algorithm": "winograd", "block": best.block}
        _, along = tile_sizes(filters, each * math.prod(kernel), rows * columns, CACHE_ELEMENTS)
        return {"algorithm": "columns", "block": min(rows, max(1, along // columns))}
