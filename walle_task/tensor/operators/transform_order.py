"""Transform operators that give all elements another shape or order: reshapes, permutations, flips, blocks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from walle_task.tensor.faults import Unfit
from walle_task.tensor.operators.operator import (
    Call,
    CoordinateMap,
    Move,
    Operator,
    choice,
    integer,
    integers,
    shaped,
    transform,
)
from walle_task.tensor.types import TensorType
from walle_task.tensor.view import View


def moved(call: Call, shape: Sequence[int], reads: View) -> tuple[CoordinateMap, ...]:
    """Return the map to one output of a shape, each element of which, in their order, is what `reads` finds."""
    target = TensorType(call.inputs[0].dtype, shaped("output", shape))
    writes = View(0, reads.size, View.whole(reads.size).strides)
    return (CoordinateMap(target, (Move(0, reads, writes),)),)


def _in_order(call: Call, shape: Sequence[int]) -> tuple[CoordinateMap, ...]:
    return moved(call, shape, View.whole((call.inputs[0].count,)))


def _identity(call: Call) -> tuple[CoordinateMap, ...]:
    return _in_order(call, call.inputs[0].shape)


def _reshape(call: Call) -> tuple[CoordinateMap, ...]:
    source, asked = call.inputs[0], call["shape"]
    if asked.count(-1) > 1:
        raise Unfit("shape", "at most one -1", asked)
    if any(length == 0 and axis >= source.rank for axis, length in enumerate(asked)) and call["zero"] == "copy":
        raise Unfit("shape", f"a 0 only for one of {source.rank} axes", asked)
    shape = [
        source.shape[axis] if length == 0 and call["zero"] == "copy" else length for axis, length in enumerate(asked)
    ]
    if -1 in shape:
        known = math.prod(length for length in shape if length != -1)
        if known == 0 or source.count % known:
            raise Unfit("shape", f"a shape of {source.count} elements", asked)
        shape[shape.index(-1)] = source.count // known
    if math.prod(shape) != source.count:
        raise Unfit("shape", f"a shape of {source.count} elements", asked)
    return _in_order(call, shape)


def _flatten(call: Call) -> tuple[CoordinateMap, ...]:
    shape = call.inputs[0].shape
    if not -len(shape) <= call["axis"] <= len(shape):
        raise Unfit("axis", f"an axis up to {len(shape)}", call["axis"])
    axis = call["axis"] if call["axis"] >= 0 else call["axis"] + len(shape)
    return _in_order(call, (math.prod(shape[:axis]), math.prod(shape[axis:])))


def _squeeze(call: Call) -> tuple[CoordinateMap, ...]:
    shape = call.inputs[0].shape
    axes = call.axes()
    for axis in axes:
        if shape[axis] != 1:
            raise Unfit("axes", f"axes of length 1 of {list(shape)}", call["axes"])
    return _in_order(call, [length for axis, length in enumerate(shape) if axis not in axes])


def _unsqueeze(call: Call) -> tuple[CoordinateMap, ...]:
    source, rank = call.inputs[0], call.inputs[0].rank + len(call["axes"])
    axes = {axis + rank if axis < 0 else axis for axis in call["axes"]}
    if len(axes) != len(call["axes"]) or not all(0 <= axis < rank for axis in axes):
        raise Unfit("axes", f"different axes of {rank}", call["axes"])
    rest = iter(source.shape)
    return _in_order(call, [1 if axis in axes else next(rest) for axis in range(rank)])


def _permuted(call: Call, axes: Sequence[int]) -> tuple[CoordinateMap, ...]:
    reads = View.whole(call.inputs[0].shape).permute(axes)
    return moved(call, reads.size, reads)


def _transpose(call: Call) -> tuple[CoordinateMap, ...]:
    axes, rank = call.axes(), call.inputs[0].rank
    if len(axes) != rank:
        raise Unfit("axes", f"all {rank} axes", call["axes"])
    return _permuted(call, axes)


def _swap_axes(call: Call) -> tuple[CoordinateMap, ...]:
    axes = list(range(call.inputs[0].rank))
    first, second = call.axis("first"), call.axis("second")
    axes[first], axes[second] = second, first
    return _permuted(call, axes)


def _move_axis(call: Call) -> tuple[CoordinateMap, ...]:
    start, end = call.axis("start"), call.axis("end")
    axes = [axis for axis in range(call.inputs[0].rank) if axis != start]
    axes.insert(end, start)
    return _permuted(call, axes)


def _flip(call: Call) -> tuple[CoordinateMap, ...]:
    reads = View.whole(call.inputs[0].shape)
    for axis in call.axes():
        reads = reads.flip(axis)
    return moved(call, reads.size, reads)


def _rotate_90(call: Call) -> tuple[CoordinateMap, ...]:
    first, second = call.axis("first"), call.axis("second")
    if first == second:
        raise Unfit("second", "another axis than first", call["second"])
    reads = View.whole(call.inputs[0].shape)
    axes = list(range(len(reads.size)))
    axes[first], axes[second] = second, first
    for _ in range(call["times"] % 4):
        reads = reads.flip(second).permute(axes)
    return moved(call, reads.size, reads)


def _roll(call: Call) -> tuple[CoordinateMap, ...]:
    source, axis = call.inputs[0], call.axis()
    length, whole = source.shape[axis], View.whole(source.shape)
    shift = call["shift"] % length if length else 0
    ranges = ((0, shift, length - shift), (length - shift, 0, shift))
    moves = tuple(
        Move(0, whole.narrow(axis, start, count), whole.narrow(axis, end, count)) for start, end, count in ranges
    )
    return (CoordinateMap(source, moves),)


def _image(call: Call) -> tuple[int, int, int, int]:
    if call.inputs[0].rank != 4:
        raise Unfit("inputs[0]", "a tensor of 4 axes: batch, channels, height, width", str(call.inputs[0]))
    batch, channels, height, width = call.inputs[0].shape
    return batch, channels, height, width


def _divided(field: str, length: int, by: int) -> int:
    if length % by:
        raise Unfit(field, f"a divisor of {length}", by)
    return length // by


def _depth_to_space(call: Call) -> tuple[CoordinateMap, ...]:
    batch, channels, height, width = _image(call)
    block = call["block"]
    depth = _divided("block", channels, block * block)
    lengths = (block, block, depth) if call["mode"] == "depth first" else (depth, block, block)
    order = (0, 3, 4, 1, 5, 2) if call["mode"] == "depth first" else (0, 1, 4, 2, 5, 3)
    reads = View.whole(call.inputs[0].shape).split(1, lengths).permute(order)
    return moved(call, (batch, depth, height * block, width * block), reads)


def _space_to_depth(call: Call) -> tuple[CoordinateMap, ...]:
    batch, channels, height, width = _image(call)
    block = call["block"]
    rows, columns = _divided("block", height, block), _divided("block", width, block)
    reads = View.whole(call.inputs[0].shape).split(3, (columns, block)).split(2, (rows, block))
    order = (0, 3, 5, 1, 2, 4) if call["mode"] == "depth first" else (0, 1, 3, 5, 2, 4)
    return moved(call, (batch, channels * block * block, rows, columns), reads.permute(order))


def _batch_to_space(call: Call) -> tuple[CoordinateMap, ...]:
    batch, channels, height, width = _image(call)
    block = call["block"]
    count = _divided("block", batch, block * block)
    reads = View.whole(call.inputs[0].shape).split(0, (block, block, count)).permute((2, 3, 4, 0, 5, 1))
    return moved(call, (count, channels, height * block, width * block), reads)


def _space_to_batch(call: Call) -> tuple[CoordinateMap, ...]:
    batch, channels, height, width = _image(call)
    block = call["block"]
    rows, columns = _divided("block", height, block), _divided("block", width, block)
    reads = View.whole(call.inputs[0].shape).split(3, (columns, block)).split(2, (rows, block))
    return moved(call, (batch * block * block, channels, rows, columns), reads.permute((3, 5, 0, 1, 2, 4)))


def _channel_shuffle(call: Call) -> tuple[CoordinateMap, ...]:
    source, axis = call.inputs[0], call.axis()
    groups = call["groups"]
    reads = View.whole(source.shape).split(axis, (groups, _divided("groups", source.shape[axis], groups)))
    axes = list(range(len(reads.size)))
    axes[axis], axes[axis + 1] = axis + 1, axis
    return moved(call, source.shape, reads.permute(axes))


_ONE: Final = (1, 1)
OPERATORS: Final[tuple[Operator, ...]] = (
    transform("identity", _ONE, _identity),
    transform("reshape", _ONE, _reshape, shape=integers(low=-1), zero=choice("copy", "empty", default="copy")),
    transform("flatten", _ONE, _flatten, axis=integer(1)),
    transform("squeeze", _ONE, _squeeze, axes=integers()),
    transform("unsqueeze", _ONE, _unsqueeze, axes=integers()),
    transform("transpose", _ONE, _transpose, axes=integers()),
    transform("swap_axes", _ONE, _swap_axes, first=integer(), second=integer()),
    transform("move_axis", _ONE, _move_axis, start=integer(), end=integer()),
    transform("flip", _ONE, _flip, axes=integers()),
    transform("rotate_90", _ONE, _rotate_90, times=integer(1), first=integer(0), second=integer(1)),
    transform("roll", _ONE, _roll, axis=integer(), shift=integer()),
    transform(
        "depth_to_space", _ONE, _depth_to_space, block=integer(low=1),
        mode=choice("depth first", "column first", default="depth first"),
    ),
    transform(
        "space_to_depth", _ONE, _space_to_depth, block=integer(low=1),
        mode=choice("depth first", "column first", default="depth first"),
    ),
    transform("batch_to_space", _ONE, _batch_to_space, block=integer(low=1)),
    transform("space_to_batch", _ONE, _space_to_batch, block=integer(low=1)),
    transform("channel_shuffle", _ONE, _channel_shuffle, axis=integer(1), groups=integer(low=1)),
)  # fmt: skip
