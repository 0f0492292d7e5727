"""Transform operators that take parts of tensors or put tensors together: slices, concatenations, windows, pads."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Final

from walle_task.tensor.faults import Unfit
from walle_task.tensor.operators.operator import (
    Call,
    CoordinateMap,
    Fill,
    Move,
    Operator,
    axis_of,
    integer,
    integers,
    number,
    same_dtype,
    shaped,
    transform,
)
from walle_task.tensor.operators.transform_order import moved
from walle_task.tensor.types import TensorType, holds
from walle_task.tensor.view import View

MAX_MOVES: Final = 4096
"""The most moves of one coordinate map."""


def _slice(call: Call) -> tuple[CoordinateMap, ...]:
    source, axes = call.inputs[0], call.axes()
    steps = call["steps"] or (1,) * len(axes)
    for field, values in (("starts", call["starts"]), ("ends", call["ends"]), ("steps", steps)):
        if len(values) != len(axes):
            raise Unfit(field, f"{len(axes)} integers, as many as axes", values)
    if 0 in steps:
        raise Unfit("steps", "steps other than 0", steps)
    reads = View.whole(source.shape)
    for axis, start, end, step in zip(axes, call["starts"], call["ends"], steps, strict=True):
        taken = range(*slice(start, _end(end, source.shape[axis], step), step).indices(source.shape[axis]))
        reads = reads.narrow(axis, taken.start if taken else 0, len(taken), step)
    return moved(call, reads.size, reads)


def _end(end: int, length: int, step: int) -> int | None:
    """Return the end of a slice as Python writes it; one before the first element is None for a negative step."""
    return None if step < 0 and end < -length else end


def _select(call: Call) -> tuple[CoordinateMap, ...]:
    source, axis = call.inputs[0], call.axis()
    reads = View.whole(source.shape).select(axis, axis_of(call["index"], source.shape[axis], "index"))
    return moved(call, reads.size, reads)


def _take(call: Call) -> tuple[CoordinateMap, ...]:
    source, axis = call.inputs[0], call.axis()
    indices = [axis_of(index, source.shape[axis], "indices") for index in call["indices"]]
    return taken(source, axis, indices)


def taken(source: TensorType, axis: int, indices: Sequence[int]) -> tuple[CoordinateMap, ...]:
    """Return the map that takes elements of an axis, with one move for each run of equally distant indices."""
    target = source.with_shape(shaped("output", (*source.shape[:axis], len(indices), *source.shape[axis + 1 :])))
    reads, writes = View.whole(source.shape), View.whole(target.shape)
    moves = tuple(
        Move(0, reads.narrow(axis, first, count, step), writes.narrow(axis, at, count))
        for at, first, count, step in _runs(indices)
    )
    return (CoordinateMap(target, _limited("indices", moves)),)


def _limited(field: str, moves: tuple[Move, ...]) -> tuple[Move, ...]:
    if len(moves) > MAX_MOVES:
        raise Unfit(field, f"what takes at most {MAX_MOVES} moves", len(moves))
    return moves


def _runs(indices: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the longest runs of equally distant numbers: where each begins, its first number, its length, its step."""
    at = 0
    while at < len(indices):
        count = 1
        step = indices[at + 1] - indices[at] if at + 1 < len(indices) else 0
        while at + count < len(indices) and indices[at + count] - indices[at + count - 1] == step:
            count += 1
        yield at, indices[at], count, step if count > 1 else 1
        at += count


def _diagonal(call: Call) -> tuple[CoordinateMap, ...]:
    source, first, second = call.inputs[0], call.axis("first"), call.axis("second")
    if first == second:
        raise Unfit("second", "another axis than first", call["second"])
    whole = View.whole(source.shape)
    length = min(source.shape[first], source.shape[second])
    rest = [axis for axis in range(source.rank) if axis not in (first, second)]
    reads = whole.permute(rest).insert(len(rest), length, whole.strides[first] + whole.strides[second])
    return moved(call, reads.size, reads)


def _concatenate(call: Call) -> tuple[CoordinateMap, ...]:
    same_dtype(call)
    first, axis = call.inputs[0], call.axis()
    for index, each in enumerate(call.inputs):
        if _others(each.shape, axis) != _others(first.shape, axis) or each.rank != first.rank:
            raise Unfit(
                f"inputs[{index}]", f"the shape of the first input, {list(first.shape)}, but for axis {axis}", each
            )
    length = sum(each.shape[axis] for each in call.inputs)
    target = first.with_shape(shaped("output", (*first.shape[:axis], length, *first.shape[axis + 1 :])))
    writes, moves, at = View.whole(target.shape), [], 0
    for index, each in enumerate(call.inputs):
        moves.append(Move(index, View.whole(each.shape), writes.narrow(axis, at, each.shape[axis])))
        at += each.shape[axis]
    return (CoordinateMap(target, tuple(moves)),)


def _others(shape: Sequence[int], axis: int) -> list[int]:
    return [length for index, length in enumerate(shape) if index != axis]


def _stack(call: Call) -> tuple[CoordinateMap, ...]:
    same_dtype(call)
    first = call.inputs[0]
    for index, each in enumerate(call.inputs):
        if each.shape != first.shape:
            raise Unfit(f"inputs[{index}]", f"the shape of the first input, {list(first.shape)}", each)
    axis = axis_of(call["axis"], first.rank + 1)
    target = first.with_shape(shaped("output", (*first.shape[:axis], len(call.inputs), *first.shape[axis:])))
    writes = View.whole(target.shape)
    moves = (Move(index, View.whole(first.shape), writes.select(axis, index)) for index in range(len(call.inputs)))
    return (CoordinateMap(target, tuple(moves)),)


def _split(call: Call) -> tuple[CoordinateMap, ...]:
    source, axis = call.inputs[0], call.axis()
    if sum(call["lengths"]) != source.shape[axis] or not call["lengths"]:
        raise Unfit("lengths", f"lengths that are {source.shape[axis]} together", call["lengths"])
    starts = itertools.accumulate(call["lengths"], initial=0)
    views = (
        View.whole(source.shape).narrow(axis, start, length)
        for start, length in zip(starts, call["lengths"], strict=False)
    )
    return tuple(each for view in views for each in moved(call, view.size, view))


def _unstack(call: Call) -> tuple[CoordinateMap, ...]:
    source, axis = call.inputs[0], call.axis()
    if not 0 < source.shape[axis] <= MAX_MOVES:
        raise Unfit("axis", f"an axis of a length from 1 to {MAX_MOVES}", source)
    views = (View.whole(source.shape).select(axis, index) for index in range(source.shape[axis]))
    return tuple(each for view in views for each in moved(call, view.size, view))


def _margins(call: Call) -> list[tuple[int, int]]:
    source = call.inputs[0]
    for field in ("before", "after"):
        if len(call[field]) != source.rank:
            raise Unfit(field, f"{source.rank} integers, one for each axis", call[field])
    return list(zip(call["before"], call["after"], strict=True))


def _fill(call: Call) -> Fill:
    """Return what fills with the attribute `value`. Raises Unfit where the first input cannot hold it."""
    dtype, value = call.inputs[0].dtype, call["value"]
    if not holds(dtype, value):
        raise Unfit("value", f"a value of {dtype}", value)
    return Fill(value)


def _pad(call: Call) -> tuple[CoordinateMap, ...]:
    source, margins, fill = call.inputs[0], _margins(call), _fill(call)
    lengths = zip(source.shape, margins, strict=True)
    target = source.with_shape(shaped("output", (before + length + after for length, (before, after) in lengths)))
    writes, moves = View.whole(target.shape), []
    for axis, (before, after) in enumerate(margins):
        length = source.shape[axis]
        for start, count in ((0, before), (before + length, after)):
            border = writes.narrow(axis, start, count)
            moves.append(Move(fill, View.scalar(border.size), border))
        writes = writes.narrow(axis, before, length)
    return (CoordinateMap(target, (Move(0, View.whole(source.shape), writes), *moves)),)


def _mirrored(call: Call, edge: bool) -> tuple[CoordinateMap, ...]:
    """Return the map of a pad with what the tensor has at its border: each axis has three ranges."""
    source = call.inputs[0]
    margins = _margins(call)
    target_shape, ranges = [], []
    for axis, (length, (before, after)) in enumerate(zip(source.shape, margins, strict=True)):
        if max(before, after) > 0 and (length == 0 or (not edge and max(before, after) >= length)):
            raise Unfit("before", f"margins that axis {axis} of length {length} has elements for", (before, after))
        step = 0 if edge else -1
        ahead = (0 if edge else before, 0, before, step)
        behind = (length - 1 if edge else length - 2, before + length, after, step)
        ranges.append([each for each in (ahead, (0, before, length, 1), behind) if each[2]])
        target_shape.append(before + length + after)
    target = source.with_shape(shaped("output", target_shape))
    moves = []
    for parts in itertools.product(*ranges):
        reads, writes = View.whole(source.shape), View.whole(target.shape)
        for axis, (start, at, count, step) in enumerate(parts):
            reads, writes = reads.narrow(axis, start, count, step), writes.narrow(axis, at, count)
        moves.append(Move(0, reads, writes))
    return (CoordinateMap(target, _limited("before", tuple(moves))),)


def _broadcast_to(call: Call) -> tuple[CoordinateMap, ...]:
    source, shape = call.inputs[0], shaped("shape", call["shape"])
    new = len(shape) - source.rank
    if new < 0 or any(have not in (1, want) for have, want in zip(source.shape, shape[max(new, 0) :], strict=True)):
        raise Unfit("shape", f"a shape that {list(source.shape)} broadcasts to", list(shape))
    whole = View.whole(source.shape)
    strides = [
        0 if have != want else step for have, want, step in zip(source.shape, shape[new:], whole.strides, strict=True)
    ]
    return moved(call, shape, View(0, shape, (0,) * new + tuple(strides)))


def _tile(call: Call) -> tuple[CoordinateMap, ...]:
    source, repeats = call.inputs[0], call["repeats"]
    if len(repeats) != source.rank:
        raise Unfit("repeats", f"{source.rank} integers, one for each axis", repeats)
    reads = View.whole(source.shape)
    for axis in reversed(range(source.rank)):
        reads = reads.insert(axis, repeats[axis])
    return moved(call, [length * times for length, times in zip(source.shape, repeats, strict=True)], reads)


def _repeat(call: Call) -> tuple[CoordinateMap, ...]:
    source, axis, times = call.inputs[0], call.axis(), call["times"]
    shape = (*source.shape[:axis], source.shape[axis] * times, *source.shape[axis + 1 :])
    return moved(call, shape, View.whole(source.shape).insert(axis + 1, times))


def _upsample_nearest(call: Call) -> tuple[CoordinateMap, ...]:
    source, factors = call.inputs[0], call["factors"]
    if len(factors) != source.rank - 2:
        raise Unfit("factors", f"{source.rank - 2} integers, one for each axis after batch and channels", factors)
    reads = View.whole(source.shape)
    for axis in reversed(range(2, source.rank)):
        reads = reads.insert(axis + 1, factors[axis - 2])
    scaled = (length * factor for length, factor in zip(source.shape[2:], factors, strict=True))
    return moved(call, (*source.shape[:2], *scaled), reads)


def _dilate(call: Call) -> tuple[CoordinateMap, ...]:
    """Put factor - 1 elements of a value between those of each axis after batch and channels."""
    source, factors, fill = call.inputs[0], call["factors"], _fill(call)
    if len(factors) != source.rank - 2 or 0 in source.shape:
        raise Unfit("factors", f"{source.rank - 2} integers, one for each axis after batch and channels", factors)
    lengths = [(length - 1) * factor + 1 for length, factor in zip(source.shape[2:], factors, strict=True)]
    target = source.with_shape(shaped("output", (*source.shape[:2], *lengths)))
    writes, moves = View.whole(target.shape), []
    for axis, factor in enumerate(factors, 2):
        gaps = source.shape[axis] - 1
        if factor > 1 and gaps:
            one = writes.narrow(axis, 0, gaps, factor)
            between = View(one.offset + writes.strides[axis], one.size, one.strides)
            between = between.insert(axis + 1, factor - 1, writes.strides[axis])
            moves.append(Move(fill, View.scalar(between.size), between))
        writes = writes.narrow(axis, 0, source.shape[axis], factor)
    return (CoordinateMap(target, (Move(0, View.whole(source.shape), writes), *moves)),)


def _windows(call: Call) -> tuple[CoordinateMap, ...]:
    """Take windows of the axes after batch and channels: their own axes come before those of where they are."""
    source, spatial = call.inputs[0], call.inputs[0].rank - 2
    kernel, strides, dilations = call["kernel"], call["strides"], call["dilations"]
    for field in ("kernel", "strides", "dilations"):
        if spatial < 1 or len(call[field]) != spatial:
            raise Unfit(field, f"{spatial} integers, one for each axis after batch and channels", call[field])
    whole = View.whole(source.shape)
    counts = window_counts(source.shape[2:], kernel, strides, dilations)
    steps = whole.strides[2:]
    size = (*source.shape[:2], *kernel, *counts)
    inside = tuple(step * by for step, by in zip(steps, dilations, strict=True))
    between = tuple(step * by for step, by in zip(steps, strides, strict=True))
    return moved(call, size, View(0, size, (*whole.strides[:2], *inside, *between)))


def window_counts(
    lengths: Sequence[int], kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> tuple[int, ...]:
    """Return how many windows there are along each axis. Raises Unfit where one does not fit in once."""
    found = []
    for length, size, stride, dilation in zip(lengths, kernel, strides, dilations, strict=True):
        extent = (size - 1) * dilation + 1
        if extent > length:
            raise Unfit("kernel", f"windows of at most {length}", f"{extent} with its dilation")
        found.append((length - extent) // stride + 1)
    return tuple(found)


def _unfold(call: Call) -> tuple[CoordinateMap, ...]:
    source, axis = call.inputs[0], call.axis()
    (count,) = window_counts((source.shape[axis],), (call["length"],), (call["step"],), (1,))
    whole = View.whole(source.shape)
    stride = whole.strides[axis]
    reads = whole.narrow(axis, 0, count, call["step"]).insert(source.rank, call["length"], stride)
    return moved(call, reads.size, reads)


def _pack_channels(call: Call) -> tuple[CoordinateMap, ...]:
    """Bring (batch, channels, ...) into the layout NC/kHWk, whose last channels are filled with zeros."""
    source, by = call.inputs[0], call["by"]
    if source.rank < 2:
        raise Unfit("inputs[0]", "a tensor with batch and channels", source)
    batch, channels, *rest = source.shape
    groups, full = -(-channels // by), channels // by
    target = source.with_shape(shaped("output", (batch, groups, *rest, by)))
    reads, writes = View.whole(source.shape), View.whole(target.shape)
    last = len(target.shape) - 1
    moves = []
    if full:
        split = reads.narrow(1, 0, full * by).split(1, (full, by))
        order = (0, 1, *range(3, len(split.size)), 2)
        moves.append(Move(0, split.permute(order), writes.narrow(1, 0, full)))
    if left := channels - full * by:
        group = writes.select(1, full)
        tail = reads.narrow(1, full * by, left)
        moves.append(Move(0, tail.permute((0, *range(2, source.rank), 1)), group.narrow(last - 1, 0, left)))
        empty = group.narrow(last - 1, left, by - left)
        moves.append(Move(Fill(0), View.scalar(empty.size), empty))
    return (CoordinateMap(target, tuple(moves)),)


def _unpack_channels(call: Call) -> tuple[CoordinateMap, ...]:
    """Bring NC/kHWk back into (batch, channels, ...), without the channels beyond the last one."""
    source, channels = call.inputs[0], call["channels"]
    if source.rank < 3:
        raise Unfit("inputs[0]", "a tensor in NC/kHWk", source)
    batch, groups, *rest, by = source.shape
    if not (groups - 1) * by < channels <= groups * by:
        raise Unfit("channels", f"as many as {groups} groups of {by} hold", channels)
    target = source.with_shape((batch, channels, *rest))
    reads, writes, full = View.whole(source.shape), View.whole(target.shape), channels // by
    axes = (0, 1, source.rank - 1, *range(2, source.rank - 1))
    moves = []
    if full:
        moves.append(
            Move(0, reads.narrow(1, 0, full).permute(axes), writes.narrow(1, 0, full * by).split(1, (full, by)))
        )
    if left := channels - full * by:
        tail = reads.permute(axes).select(1, full).narrow(1, 0, left)
        moves.append(Move(0, tail, writes.narrow(1, full * by, left)))
    return (CoordinateMap(target, tuple(moves)),)


_ONE: Final = (1, 1)
_MANY: Final = (1, None)
_LENGTHS: Final = integers(low=0)
_FACTORS: Final = integers(low=1)
OPERATORS: Final[tuple[Operator, ...]] = (
    transform("slice", _ONE, _slice, axes=integers(), starts=integers(), ends=integers(), steps=integers(())),
    transform("select", _ONE, _select, axis=integer(), index=integer()),
    transform("take", _ONE, _take, axis=integer(), indices=integers()),
    transform("diagonal", _ONE, _diagonal, first=integer(0), second=integer(1)),
    transform("concatenate", _MANY, _concatenate, axis=integer()),
    transform("stack", _MANY, _stack, axis=integer()),
    transform("split", _ONE, _split, axis=integer(), lengths=_LENGTHS),
    transform("unstack", _ONE, _unstack, axis=integer()),
    transform("pad", _ONE, _pad, before=_LENGTHS, after=_LENGTHS, value=number(0)),
    transform("pad_edge", _ONE, lambda call: _mirrored(call, True), before=_LENGTHS, after=_LENGTHS),
    transform("pad_reflect", _ONE, lambda call: _mirrored(call, False), before=_LENGTHS, after=_LENGTHS),
    transform("broadcast_to", _ONE, _broadcast_to, shape=_LENGTHS),
    transform("tile", _ONE, _tile, repeats=_LENGTHS),
    transform("repeat", _ONE, _repeat, axis=integer(), times=integer(low=0)),
    transform("upsample_nearest", _ONE, _upsample_nearest, factors=_FACTORS),
    transform("dilate", _ONE, _dilate, factors=_FACTORS, value=number(0)),
    transform("windows", _ONE, _windows, kernel=_FACTORS, strides=_FACTORS, dilations=_FACTORS),
    transform("unfold", _ONE, _unfold, axis=integer(), length=integer(low=1), step=integer(1, low=1)),
    transform("pack_channels", _ONE, _pack_channels, by=integer(4, low=1)),
    transform("unpack_channels", _ONE, _unpack_channels, channels=integer(low=1)),
)
