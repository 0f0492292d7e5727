"""What operators compute: the kind of work of each node of a series, and how much of it there is.

Work of one kind takes as long as its operations and the bytes that it moves, whatever operator it belongs to.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from walle_task.tensor.checking import completed
from walle_task.tensor.graph import Node, TypedGraph
from walle_task.tensor.merging.rules import is_view
from walle_task.tensor.operators.catalogue import LOWERED, OPERATORS


class Work(StrEnum):
    """Kinds of work, which processors and libraries are differently good at."""

    LINEAR = "products with weights"
    PRODUCT = "products of values"
    CONVOLUTION = "convolutions"
    WINOGRAD = "convolutions by Winograd's algorithm"
    FIRST = "convolutions of few channels"
    POINTWISE = "convolutions of 1x1"
    DEPTHWISE = "depthwise convolutions"
    FUNCTION = "functions"
    ERROR_FUNCTION = "error functions"
    NORMALISATION = "normalisations"
    ELEMENTWISE = "elementwise"
    REORDERING = "reordering"


@dataclass(frozen=True, slots=True)
class Window:
    """The shape of a convolution over two axes: channels of the input (of one group) and of the output, the kernel, the
    strides, the dilations, and the places of the output."""

    channels: int
    filters: int
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NodeWork:
    """The work of a node: its operations (of a product, additions and multiplications; otherwise elements), and the
    bytes that it reads and writes. Convolutions have their shape."""

    node: str
    operator: str
    kind: Work
    operations: int
    nbytes: int
    window: Window | None = None


FUNCTIONS: Final = frozenset({
    "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh",
    "acosh", "atanh", "sigmoid", "power", "softplus", "elu", "selu",
})  # fmt: skip
REORDERINGS: Final = frozenset({
    "raster", "transpose", "swap_axes", "move_axis", "channel_shuffle", "concatenate", "stack", "slice", "pad", "split",
    "depth_to_space", "tile", "broadcast_to", "gather", "gather_elements", "gather_nd", "scatter_nd", "take",
})  # fmt: skip
NORMALISATIONS: Final = frozenset({"softmax", "log_softmax", "layer_norm"})
VIEWS: Final = frozenset({"reshape", "flatten", "squeeze", "unsqueeze", "identity"})
FEW_CHANNELS: Final = 4
"""With up to so many channels of input, such as the colours of an image, processors do not fill their vectors."""
_KINDS: Final = {
    **dict.fromkeys(FUNCTIONS, Work.FUNCTION),
    **dict.fromkeys(NORMALISATIONS, Work.NORMALISATION),
    **dict.fromkeys(REORDERINGS, Work.REORDERING),
    "erf": Work.ERROR_FUNCTION,
}
FUSED: Final = frozenset({"relu", "relu6", "clip", "batch_norm"})
"""What engines compute together with the product or convolution before it."""
_PRODUCTS: Final = frozenset({"matmul", "linear", "gemm"})
_CONVOLUTIONS: Final = frozenset({"convolution", "fused_convolution"})


def works(series: TypedGraph, fuses: bool) -> Iterator[NodeWork]:
    """Yield the work of each node that is executed by itself. With `fuses`, an activation after a product is not."""
    readers = Counter(name for node in series.graph.nodes for name in node.inputs)
    readers.update(series.graph.outputs)
    fusing: set[str] = set()
    for node in series.graph.nodes:
        if node.operator in VIEWS or is_view(node, series):
            continue
        if fuses and node.operator in FUSED and node.inputs[0] in fusing and readers[node.inputs[0]] == 1:
            fusing.update(node.outputs)
            continue
        if node.operator in _PRODUCTS | _CONVOLUTIONS:
            fusing.update(node.outputs)
        yield node_work(node, series)


def node_work(node: Node, series: TypedGraph) -> NodeWork:
    """Return the work of one node."""
    outputs = sum(series.types[name].count for name in node.outputs)
    nbytes = sum(series.types[name].nbytes for name in (*_read(node), *node.outputs))
    if node.operator in _CONVOLUTIONS:
        return _convolution(node, series, nbytes)
    if node.operator == "transposed_convolution":
        first, second = (series.types[name] for name in node.inputs[:2])
        operations = 2 * first.count * math.prod(second.shape[1:])
        return NodeWork(node.name, node.operator, Work.LINEAR, operations, nbytes)
    if node.operator in _PRODUCTS:
        constant = any(name in series.graph.constants for name in node.inputs[:2])
        kind = Work.LINEAR if constant else Work.PRODUCT
        return NodeWork(node.name, node.operator, kind, 2 * outputs * _depth(node, series), nbytes)
    if "kernel" in node.attributes:
        outputs *= math.prod(node.attributes["kernel"])
    return NodeWork(node.name, node.operator, _KINDS.get(node.operator, Work.ELEMENTWISE), outputs, nbytes)


def _read(node: Node) -> tuple[str, ...]:
    """Return the inputs of which all is read; a gather reads of its first one what it writes."""
    return node.inputs[1:] if node.operator.startswith("gather") else node.inputs


def _convolution(node: Node, series: TypedGraph, nbytes: int) -> NodeWork:
    weights, target = series.types[node.inputs[1]].shape, series.types[node.outputs[0]]
    attributes, rank = attributes_of(node), len(weights) - 2
    window = Window(
        channels=weights[1],
        filters=weights[0],
        kernel=weights[2:],
        strides=attributes["strides"] or (1,) * rank,
        dilations=attributes["dilations"] or (1,) * rank,
        places=target.shape[2:],
    )
    kind = Work.CONVOLUTION
    if weights[1] == 1 and attributes["groups"] > 1:
        kind = Work.DEPTHWISE
    elif math.prod(weights[2:]) == 1:
        kind = Work.POINTWISE
    elif weights[1] <= FEW_CHANNELS:
        kind = Work.FIRST
    operations = 2 * target.count * math.prod(weights[1:])
    return NodeWork(node.name, node.operator, kind, operations, nbytes, window if attributes["groups"] == 1 else None)


def _depth(node: Node, series: TypedGraph) -> int:
    shape = series.types[node.inputs[0]].shape
    return shape[-2] if node.operator == "gemm" and attributes_of(node)["transpose_a"] else shape[-1]


def attributes_of(node: Node) -> dict[str, Any]:
    """Return the attributes of a node of a series, with their defaults."""
    return completed(node, LOWERED.get(node.operator) or OPERATORS[node.operator])
