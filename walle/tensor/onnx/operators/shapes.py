"""Operators of ONNX that move elements, and those that compute shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from walle.tensor.onnx.arrays import dtype_of
from walle.tensor.onnx.node import Integers, OnnxNode, Translation
from walle_task.tensor.faults import Unfit
from walle_task.tensor.graph import ValueOf


def _constant(node: OnnxNode) -> str:
    kinds: dict[str, Callable[[], Any]] = {
        "value": lambda: node.tensor_of("value"),
        "value_int": lambda: np.array(node.int_of("value_int"), "int64"),
        "value_ints": lambda: np.array(node.ints_of("value_ints"), "int64"),
        "value_float": lambda: np.array(node.float_of("value_float"), "float32"),
        "value_floats": lambda: np.array(node.floats_of("value_floats"), "float32"),
    }
    given = [name for name in kinds if node.has(name)]
    if len(given) != 1:
        raise Unfit("attribute", f"one of {', '.join(kinds)}", ", ".join(sorted(node.unread)) or "none")
    return node.array(kinds[given[0]]())


def _filled(node: OnnxNode) -> str:
    """Constants are not unfolded here: planning limits what they may need."""
    value = node.tensor_of("value") if node.has("value") else np.zeros(1, "float32")
    if value.size != 1:
        raise Unfit("value", "one element", list(value.shape))
    return node.emit("broadcast_to", node.array(value.reshape(())), shape=node.integers(0))


def _shape(node: OnnxNode) -> str:
    shape = node.emit("shape_of", node.input())
    if not node.has("start") and not node.has("end"):
        return shape
    rank = node.rank(node.input())
    start, end = node.int_of("start", 0), node.int_of("end", rank)
    return node.emit("slice", shape, axes=(0,), starts=(start,), ends=(end,))


def _size(node: OnnxNode) -> str:
    return node.emit("reduce_prod", node.emit("shape_of", node.input()), axes=(0,))


def _range(node: OnnxNode) -> str:
    start, end, step = (node.scalar(index) for index in range(3))
    return node.emit("range", start=start, end=end, step=step, dtype=node.dtype(node.input()))


def _reshape(node: OnnxNode) -> str:
    zero = "empty" if node.int_of("allowzero", 0) else "copy"
    return node.emit("reshape", node.input(), shape=node.integers(1), zero=zero)


def _squeeze(node: OnnxNode) -> str:
    axes = _axes(node)
    if axes is None:
        shape = node.exact(node.input()).shape
        axes = tuple(axis for axis, length in enumerate(shape) if length == 1)
    return node.emit("squeeze", node.input(), axes=axes)


def _axes(node: OnnxNode) -> tuple[int, ...] | None:
    """Return the axes of an operator that reads them as its second input, or as an attribute in former versions."""
    if node.has("axes"):
        return node.ints_of("axes")
    return node.constant_integers(1)


def _unsqueeze(node: OnnxNode) -> str:
    axes = _axes(node)
    if axes is None:
        raise Unfit("inputs[1]", "axes", "nothing")
    return node.emit("unsqueeze", node.input(), axes=axes)


def _transpose(node: OnnxNode) -> str:
    axes = node.ints_of("perm") if node.has("perm") else tuple(reversed(range(node.rank(node.input()))))
    return node.emit("transpose", node.input(), axes=axes)


def _split(node: OnnxNode) -> tuple[str, ...]:
    axis, count = node.int_of("axis", 0), len(node.outputs)
    if node.optional(1) is not None:
        lengths: Integers = node.integers(1)
    else:
        parts = node.int_of("num_outputs", count)
        node.only("num_outputs", parts, count)
        length = node.length(node.input(), axis)
        if isinstance(length, ValueOf):
            raise Unfit("inputs[0]", f"a known length of axis {axis}, which is split evenly", "an unknown one")
        each = -(-length // parts)
        lengths = (*(each for _ in range(parts - 1)), length - each * (parts - 1))
    return node.emitter.emit_all("split", node.input(), count=count, axis=axis, lengths=lengths)


def _slice(node: OnnxNode) -> str:
    x, starts, ends = node.input(), node.integers(1), node.integers(2)
    axes = node.constant_integers(3)
    if axes is None:
        axes = tuple(range(_count(node, 1)))
    steps = node.constant_integers(4) or ()
    return node.emit("slice", x, axes=axes, starts=starts, ends=ends, steps=steps)


def _count(node: OnnxNode, index: int) -> int:
    """Return how many numbers an input along one axis has. Raises Unfit."""
    found = node.exact(node.input(index), f"inputs[{index}]")
    if found.rank > 1:
        raise Unfit(f"inputs[{index}]", "numbers along one axis", found)
    return found.count


def _expand(node: OnnxNode) -> str:
    """The shape is what that of the input and the second input broadcast to."""
    x, shape = node.input(), node.integers(1)
    known = node.type_of(x).exact
    if known is not None and isinstance(shape, tuple):
        try:
            return node.emit("broadcast_to", x, shape=np.broadcast_shapes(known.shape, shape))
        except ValueError:
            raise Unfit("inputs[1]", f"a shape that broadcasts with {list(known.shape)}", list(shape)) from None
    rank, count = node.rank(x), _count(node, 1)
    sides = [(node.emit("shape_of", x), rank), (node.input(1), count)]
    ours, theirs = (
        node.emit("pad", each, before=(max(rank, count) - have,), after=(0,), value=1) for each, have in sides
    )
    target = node.emit("maximum", ours, theirs)
    array = node.constant(target)
    return node.emit("broadcast_to", x, shape=ValueOf(target) if array is None else tuple(array.tolist()))


def _tile(node: OnnxNode) -> str:
    return node.emit("tile", node.input(), repeats=node.integers(1))


_PADS: Final = {"constant": "pad", "edge": "pad_edge", "reflect": "pad_reflect"}


def _pad(node: OnnxNode) -> str:
    x, mode = node.input(), node.text_of("mode", "constant")
    node.only("mode", mode, *_PADS)
    before, after = _margins(node)
    if isinstance(before, tuple) and isinstance(after, tuple):
        x, before, after = _cropped(node, x, before, after)
    fill = {}
    if mode == "constant" and node.optional(2) is not None:
        fill = {"value": node.scalar(2)}
        fill = {name: int(each) if isinstance(each, bool) else each for name, each in fill.items()}
    return node.emit(_PADS[mode], x, before=before, after=after, **fill)


def _margins(node: OnnxNode) -> tuple[Integers, Integers]:
    """Return how far each axis is padded before and after. Raises Unfit."""
    axes, rank, pads = node.constant_integers(3), node.rank(node.input()), node.integers(1)
    if isinstance(pads, ValueOf):
        if axes is not None and [axis % rank for axis in axes] != list(range(rank)):
            raise Unfit("inputs[3]", "all axes, where the margins are computed", axes)
        halves = ((0, rank), (rank, 2 * rank))
        before, after = (
            ValueOf(node.emit("slice", pads.name, axes=(0,), starts=(start,), ends=(end,))) for start, end in halves
        )
        return before, after
    axes = tuple(range(rank)) if axes is None else axes
    if len(pads) != 2 * len(axes) or any(not -rank <= axis < rank for axis in axes):
        raise Unfit("inputs[1]", f"two integers for each of {len(axes)} axes", list(pads))
    found = [[0] * rank, [0] * rank]
    for at, axis in enumerate(axes):
        found[0][axis], found[1][axis] = pads[at], pads[at + len(axes)]
    return tuple(found[0]), tuple(found[1])


def _cropped(
    node: OnnxNode, x: str, before: Sequence[int], after: Sequence[int]
) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """Slice what negative margins take away; return the value and the margins that are left."""
    for axis, (first, last) in enumerate(zip(before, after, strict=True)):
        if min(first, last) < 0:
            end = min(last, 0) or (1 << 62)
            x = node.emit("slice", x, axes=(axis,), starts=(max(-first, 0),), ends=(end,))
    return x, tuple(max(each, 0) for each in before), tuple(max(each, 0) for each in after)


def _depth_to_space(node: OnnxNode) -> str:
    modes = {"DCR": "depth first", "CRD": "column first"}
    mode = node.text_of("mode", "DCR")
    node.only("mode", mode, *modes)
    return node.emit("depth_to_space", node.input(), block=node.int_of("blocksize"), mode=modes[mode])


def _triangle(node: OnnxNode) -> str:
    x = node.input()
    diagonal = 0 if node.optional(1) is None else node.scalar(1)
    if not isinstance(diagonal, int):
        found = f"{diagonal.name}, which is computed" if isinstance(diagonal, ValueOf) else diagonal
        raise Unfit("inputs[1]", "a constant integer", found)
    operator = "greater_equal" if node.int_of("upper", 1) else "less_equal"
    kept = node.emit(operator, _distance(node, x), node.array(diagonal, "int64"))
    return node.emit("where", kept, x, node.like(0, x))


def _distance(node: OnnxNode, x: str) -> str:
    """Emit how far each element of a matrix is right of the diagonal."""
    rows, columns = (node.emit("range", end=node.length(x, axis), dtype="int64") for axis in (-2, -1))
    return node.emit("subtract", columns, node.emit("unsqueeze", rows, axes=(1,)))


def _eye(node: OnnxNode) -> str:
    x = node.input()
    dtype = dtype_of(node.int_of("dtype")) if node.has("dtype") else node.dtype(x)
    on = node.emit("equal", _distance(node, x), node.array(node.int_of("k", 0), "int64"))
    return node.emit("cast", on, dtype=dtype)


def _concatenate(node: OnnxNode) -> str:
    return node.emit("concatenate", *node.inputs, axis=node.int_of("axis"))


TRANSLATIONS: Final[Mapping[str, Translation]] = {
    "Constant": _constant,
    "ConstantOfShape": _filled,
    "Shape": _shape,
    "Size": _size,
    "Range": _range,
    "Reshape": _reshape,
    "Flatten": lambda node: node.emit("flatten", node.input(), axis=node.int_of("axis", 1)),
    "Squeeze": _squeeze,
    "Unsqueeze": _unsqueeze,
    "Transpose": _transpose,
    "Concat": _concatenate,
    "Split": _split,
    "Slice": _slice,
    "Expand": _expand,
    "Tile": _tile,
    "Pad": _pad,
    "DepthToSpace": _depth_to_space,
    "SpaceToDepth": lambda node: node.emit("space_to_depth", node.input(), block=node.int_of("blocksize")),
    "Trilu": _triangle,
    "EyeLike": _eye,
}
