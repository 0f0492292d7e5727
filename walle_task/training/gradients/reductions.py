"""Gradients of reductions and of sums along an axis."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import numpy as np

from walle_task.tensor.operators.operator import Emitter
from walle_task.training.gradients.rule import Applied, GradientRule, Gradients, like, times


def _axes(emitter: Emitter, node: Applied) -> tuple[int, ...]:
    rank = emitter.type_of(node.inputs[0]).rank
    return tuple(axis % rank for axis in node.attributes["axes"])


def _kept(emitter: Emitter, node: Applied, value: str) -> str:
    """Return a value of the output's shape with the axes of length 1 that the reduction may have left out."""
    axes, shape = _axes(emitter, node), emitter.type_of(node.inputs[0]).shape
    kept = tuple(1 if axis in axes else length for axis, length in enumerate(shape))
    return value if emitter.type_of(value).shape == kept else emitter.emit("reshape", value, shape=kept, zero="empty")


def _spread(emitter: Emitter, node: Applied) -> str:
    """Return the gradient for each element of the input."""
    shape = emitter.type_of(node.inputs[0]).shape
    return emitter.emit("broadcast_to", _kept(emitter, node, node.gradient), shape=shape)


def _sum(emitter: Emitter, node: Applied) -> Gradients:
    return [_spread(emitter, node)]


def _mean(emitter: Emitter, node: Applied) -> Gradients:
    shape = emitter.type_of(node.inputs[0]).shape
    return [times(emitter, _spread(emitter, node), 1 / math.prod(shape[axis] for axis in _axes(emitter, node)))]


def _extreme(emitter: Emitter, node: Applied) -> Gradients:
    """Elements that are all the largest, or the smallest, share the gradient."""
    (x,) = node.inputs
    equal = emitter.emit("equal", x, _kept(emitter, node, node.outputs[0]))
    chosen = emitter.emit("cast", equal, dtype=emitter.type_of(x).dtype)
    count = emitter.emit("reduce_sum", chosen, axes=_axes(emitter, node), keep=True)
    share = emitter.emit("divide", _kept(emitter, node, node.gradient), count)
    return [times(emitter, chosen, share)]


def _products(emitter: Emitter, node: Applied) -> Gradients:
    """Multiply by the product of all others, which is right at zeros too."""
    (x,), axes = node.inputs, _axes(emitter, node)
    shape = emitter.type_of(x).shape
    order = (*(axis for axis in range(len(shape)) if axis not in axes), *axes)
    moved = emitter.emit("transpose", x, axes=order)
    lengths, rest = emitter.type_of(moved).shape, len(shape) - len(axes)
    rows = emitter.emit("reshape", moved, shape=(*lengths[:rest], 1, math.prod(lengths[rest:])), zero="empty")
    others = emitter.emit("reduce_prod", _with_ones(emitter, rows), axes=(-1,), keep=False)
    back = emitter.emit("reshape", others, shape=lengths, zero="empty")
    return [times(emitter, emitter.emit("transpose", back, axes=_inverse(order)), _spread(emitter, node))]


def _with_ones(emitter: Emitter, rows: str) -> str:
    """Return for rows of n elements, of shape (..., 1, n), the matrix (..., n, n) whose row k has a 1 for element k."""
    found = emitter.type_of(rows)
    eye = emitter.constant(np.eye(found.shape[-1], dtype="bool"))
    return emitter.emit("where", eye, like(emitter, rows, 1), rows)


def _cumsum(emitter: Emitter, node: Applied) -> Gradients:
    return [_sum_from_end(emitter, node.gradient, node.attributes["axis"])]


def _sum_from_end(emitter: Emitter, value: str, axis: int) -> str:
    turned = emitter.emit("cumsum", emitter.emit("flip", value, axes=(axis,)), axis=axis)
    return emitter.emit("flip", turned, axes=(axis,))


def _cumprod(emitter: Emitter, node: Applied) -> Gradients:
    """Sum for element k, over the products that it is in, each without it times that one's gradient."""
    axis = node.attributes["axis"]
    rows, gradient = (_rows(emitter, value, axis) for value in (node.inputs[0], node.gradient))
    found = emitter.type_of(rows)
    later = emitter.constant(np.triu(np.ones((found.shape[-1],) * 2, found.dtype)))
    without = emitter.emit("cumprod", _with_ones(emitter, rows), axis=-1)
    terms = times(emitter, times(emitter, without, later), gradient)
    summed = emitter.emit("reduce_sum", terms, axes=(-1,), keep=False)
    return [emitter.emit("move_axis", summed, start=-1, end=axis)]


def _rows(emitter: Emitter, value: str, axis: int) -> str:
    """Return what lies along an axis as rows, of shape (..., 1, n)."""
    return emitter.emit("unsqueeze", emitter.emit("move_axis", value, start=axis, end=-1), axes=(-2,))


def _inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(order.index(axis) for axis in range(len(order)))


RULES: Final[Mapping[str, GradientRule]] = {
    "reduce_sum": _sum,
    "reduce_mean": _mean,
    "reduce_max": _extreme,
    "reduce_min": _extreme,
    "reduce_prod": _products,
    "cumsum": _cumsum,
    "cumprod": _cumprod,
}
