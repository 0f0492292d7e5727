"""Gradients of matrix products and of operators that read at indices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from walle_task.tensor.operators.operator import Emitter
from walle_task.training.gradients.rule import Applied, GradientRule, Gradients, like, masked, summed_to


def _matmul(emitter: Emitter, node: Applied) -> Gradients:
    first, second = node.inputs
    by_first = emitter.emit("matmul", node.gradient, _turned(emitter, second))
    by_second = emitter.emit("matmul", _turned(emitter, first), node.gradient)
    return [
        summed_to(emitter, each, emitter.type_of(name).shape) for each, name in ((by_first, first), (by_second, second))
    ]


def _turned(emitter: Emitter, value: str) -> str:
    return emitter.emit("swap_axes", value, first=-2, second=-1)


def _added_at(emitter: Emitter, source: str, indices: str, updates: str) -> str:
    """Return zeros of the shape of a value with what was added at some indices, as `scatter_nd` has them."""
    zeros = emitter.emit("broadcast_to", like(emitter, source, 0), shape=emitter.type_of(source).shape)
    return emitter.emit("scatter_nd", zeros, indices, updates, add=True)


def _gather(emitter: Emitter, node: Applied) -> Gradients:
    """Sum along the first axis, to which the axis is moved."""
    (source, indices), axis = node.inputs, node.attributes["axis"] % emitter.type_of(node.inputs[0]).rank
    width, total = emitter.type_of(indices).rank, emitter.type_of(node.gradient).rank
    rest = (each for each in range(total) if not axis <= each < axis + width)
    updates = emitter.emit("transpose", node.gradient, axes=(*range(axis, axis + width), *rest))
    places = emitter.emit("unsqueeze", indices, axes=(-1,))
    added = _added_at(emitter, emitter.emit("move_axis", source, start=axis, end=0), places, updates)
    return [emitter.emit("move_axis", added, start=0, end=axis), None]


def _elements(emitter: Emitter, node: Applied, indices: str) -> str:
    """Return the gradient of what was read along one axis at indices of the output's shape."""
    (source, *_), found = node.inputs, emitter.type_of(indices)
    axis = node.attributes["axis"] % found.rank
    coordinates = []
    for each, length in enumerate(found.shape):
        value = indices
        if each != axis:
            line = np.arange(length, dtype=found.dtype).reshape([-1 if at == each else 1 for at in range(found.rank)])
            value = emitter.emit("broadcast_to", emitter.constant(line), shape=found.shape)
        coordinates.append(value)
    return _added_at(emitter, source, emitter.emit("stack", *coordinates, axis=-1), node.gradient)


def _gather_elements(emitter: Emitter, node: Applied) -> Gradients:
    return [_elements(emitter, node, node.inputs[1]), None]


def _top_k(emitter: Emitter, node: Applied) -> Gradients:
    return [_elements(emitter, node, node.outputs[1])]


def _gather_nd(emitter: Emitter, node: Applied) -> Gradients:
    return [_added_at(emitter, node.inputs[0], node.inputs[1], node.gradient), None]


def _scatter_nd(emitter: Emitter, node: Applied) -> Gradients:
    """Give no gradient to what was written over. Of updates with the same indices, all count as written."""
    source, indices, updates = node.inputs
    by_updates = emitter.emit("gather_nd", node.gradient, indices)
    if node.attributes["add"]:
        return [node.gradient, None, by_updates]
    ones = emitter.emit("broadcast_to", like(emitter, updates, 1), shape=emitter.type_of(updates).shape)
    kept = emitter.emit("equal", _added_at(emitter, source, indices, ones), like(emitter, source, 0))
    return [masked(emitter, kept, node.gradient), None, by_updates]


RULES: Final[Mapping[str, GradientRule]] = {
    "matmul": _matmul,
    "gather": _gather,
    "gather_elements": _gather_elements,
    "gather_nd": _gather_nd,
    "scatter_nd": _scatter_nd,
    "top_k": _top_k,
}
