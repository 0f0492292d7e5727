"""Operators of ONNX that gather and scatter elements by indices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from walle.tensor.onnx.node import OnnxNode, Translation
from walle_task.tensor.faults import Unfit

MOST_TAKEN: Final = 64
"""The most constant indices that are moved as regions and not looked up."""


def _gather(node: OnnxNode) -> str:
    """Constant indices become transform operators, which merge with others."""
    x, axis, indices = node.input(0), node.int_of("axis", 0), node.constant(node.input(1))
    if indices is not None and indices.dtype.kind in "iu" and node.constant(x) is None:
        if indices.ndim == 0:
            return node.emit("select", x, axis=axis, index=int(indices))
        if indices.ndim == 1 and indices.size <= MOST_TAKEN:
            return node.emit("take", x, axis=axis, indices=tuple(indices.tolist()))
    return node.emit("gather", x, node.input(1), axis=axis)


def _gather_nd(node: OnnxNode) -> str:
    node.only("batch_dims", node.int_of("batch_dims", 0), 0)
    return node.emit("gather_nd", node.input(0), node.input(1))


def _scatter_nd(node: OnnxNode) -> str:
    node.only("reduction", node.text_of("reduction", "none"), "none")
    return node.emit("scatter_nd", *node.inputs)


def _scatter_elements(node: OnnxNode) -> str:
    """Each index is completed by the places of its element along the other axes."""
    node.only("reduction", node.text_of("reduction", "none"), "none")
    x, indices, updates = (node.input(index) for index in range(3))
    shape, axis = node.exact(indices, "inputs[1]").shape, node.int_of("axis", 0)
    rank = len(shape)
    if not -rank <= axis < rank:
        raise Unfit("axis", f"an axis of {rank}", axis)
    places = []
    for at, length in enumerate(shape):
        line = node.emit("range", end=length, dtype=node.dtype(indices))
        along = node.emit(
            "reshape", line, shape=tuple(length if each == at else 1 for each in range(rank)), zero="empty"
        )
        places.append(indices if at == axis % rank else node.emit("broadcast_to", along, shape=shape))
    return node.emit("scatter_nd", x, node.emit("stack", *places, axis=-1), updates)


def _one_hot(node: OnnxNode) -> str:
    indices, values = node.input(0), node.constant(node.input(2))
    if values is None or values.shape != (2,):
        raise Unfit("inputs[2]", "two constants, off and on", "others")
    if node.dtype(indices) != "int64":
        indices = node.emit("cast", indices, dtype="int64")
    depth = node.scalar(1)
    if isinstance(depth, float):
        if not depth.is_integer():
            raise Unfit("inputs[1]", "an integer", depth)
        depth = int(depth)
    off, on = values.tolist()
    return node.emit(
        "one_hot", indices, depth=depth, axis=node.int_of("axis", -1), dtype=str(values.dtype), on=on, off=off
    )


TRANSLATIONS: Final[Mapping[str, Translation]] = {
    "Gather": _gather,
    "GatherElements": lambda node: node.emit(
        "gather_elements", node.input(0), node.input(1), axis=node.int_of("axis", 0)
    ),
    "GatherND": _gather_nd,
    "ScatterND": _scatter_nd,
    "ScatterElements": _scatter_elements,
    "OneHot": _one_hot,
}
