"""The transform operators in NumPy, over arrays whose elements are all different."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.walle_task.tensor.references.drawn import Case, Drawing, Reference

Moved = tuple[dict[str, Any], Any]


def transform(function: Callable[[Drawing, np.ndarray], Moved], low: int = 1, high: int = 4) -> Reference:
    """A reference that makes attributes and the expected output, or a list of them, of an array."""

    def case(draw: Drawing) -> Case:
        x = draw.distinct(draw.shape(low, high), draw.one_of("int32", "float32", "int16", "float64", "uint8"))
        attributes, expected = function(draw, x)
        outputs = expected if isinstance(expected, list) else [expected]
        return Case([x], [np.asarray(each) for each in outputs], attributes)

    return case


def image(function: Callable[[Drawing, np.ndarray, int], Moved], batch: bool, channels: bool, space: bool) -> Reference:
    """A reference over an image whose batch, channels or height and width hold blocks."""

    def case(draw: Drawing) -> Case:
        block = draw.number(1, 3)
        n, c, h, w = draw.numbers(4, 1, 3)
        area = block * block
        shape = (n * area**batch, c * area**channels, h * block**space, w * block**space)
        x = draw.distinct(shape, "float32")
        attributes, expected = function(draw, x, block)
        return Case([x], [np.ascontiguousarray(expected)], {"block": block, **attributes})

    return case


def reshape(draw: Drawing, x: np.ndarray) -> Moved:
    shape, rest = [], x.size
    while rest > 1 and len(shape) < 4:
        shape.append(draw.one_of(*(each for each in range(2, rest + 1) if rest % each == 0)))
        rest //= shape[-1]
    shape.append(rest)
    expected = x.reshape(shape)
    if draw.flag():
        shape[draw.number(0, len(shape) - 1)] = -1
    return {"shape": tuple(shape)}, expected


def flatten(draw: Drawing, x: np.ndarray) -> Moved:
    axis = draw.number(-x.ndim, x.ndim)
    at = axis if axis >= 0 else axis + x.ndim
    return {"axis": axis}, x.reshape(math.prod(x.shape[:at]), -1)


def squeezed(draw: Drawing) -> Case:
    shape = tuple(draw.one_of(1, 1, 2, 3) for _ in range(draw.number(1, 5)))
    x = draw.distinct(shape)
    axes = tuple(axis for axis in draw.axes(len(shape)) if shape[axis] == 1)
    return Case([x], [np.squeeze(x, axes)], {"axes": axes})


def unsqueeze(draw: Drawing, x: np.ndarray) -> Moved:
    count = draw.number(0, 3)
    rank = x.ndim + count
    axes = tuple(axis - rank if draw.flag() else axis for axis in draw.order(rank)[:count])
    return {"axes": axes}, np.expand_dims(x, axes)


def transpose(draw: Drawing, x: np.ndarray) -> Moved:
    axes = draw.order(x.ndim)
    return {"axes": axes}, x.transpose(axes)


def swap_axes(draw: Drawing, x: np.ndarray) -> Moved:
    first, second = draw.axis(x.ndim), draw.axis(x.ndim)
    return {"first": first, "second": second}, x.swapaxes(first, second)


def move_axis(draw: Drawing, x: np.ndarray) -> Moved:
    start, end = draw.axis(x.ndim), draw.axis(x.ndim)
    return {"start": start, "end": end}, np.moveaxis(x, start, end)


def flip(draw: Drawing, x: np.ndarray) -> Moved:
    axes = draw.axes(x.ndim)
    return {"axes": axes}, np.flip(x, axes)


def two_axes(draw: Drawing, x: np.ndarray) -> tuple[int, int]:
    first, second = draw.order(x.ndim)[:2]
    return first, second - x.ndim if draw.flag() else second


def rotate_90(draw: Drawing, x: np.ndarray) -> Moved:
    (first, second), times = two_axes(draw, x), draw.number(-5, 5)
    return {"times": times, "first": first, "second": second}, np.rot90(x, times, (first, second))


def roll(draw: Drawing, x: np.ndarray) -> Moved:
    axis, shift = draw.axis(x.ndim), draw.number(-9, 9)
    return {"axis": axis, "shift": shift}, np.roll(x, shift, axis)


def slice_(draw: Drawing, x: np.ndarray) -> Moved:
    axes = draw.axes(x.ndim)
    starts, ends = draw.numbers(len(axes), -7, 7), draw.numbers(len(axes), -7, 7)
    steps = tuple(draw.one_of(1, 2, 3, -1, -2) for _ in axes)
    places = [slice(None)] * x.ndim
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        before_first = step < 0 and end < -x.shape[axis]
        places[axis] = slice(start, None if before_first else end, step)
    return {"axes": axes, "starts": starts, "ends": ends, "steps": steps}, x[tuple(places)]


def select(draw: Drawing, x: np.ndarray) -> Moved:
    axis = draw.axis(x.ndim)
    index = draw.axis(x.shape[axis])
    return {"axis": axis, "index": index}, np.take(x, index, axis)


def take(draw: Drawing, x: np.ndarray) -> Moved:
    axis = draw.axis(x.ndim)
    indices = draw.numbers(draw.number(1, 6), -x.shape[axis], x.shape[axis] - 1)
    return {"axis": axis, "indices": indices}, np.take(x, indices, axis)


def diagonal(draw: Drawing, x: np.ndarray) -> Moved:
    first, second = two_axes(draw, x)
    return {"first": first, "second": second}, np.diagonal(x, axis1=first, axis2=second)


def concatenate(draw: Drawing) -> Case:
    shape, count = draw.shape(1), draw.number(1, 3)
    axis = draw.axis(len(shape))
    at = axis % len(shape)
    parts = [draw.distinct((*shape[:at], draw.number(1, 4), *shape[at + 1 :])) + 1000 * part for part in range(count)]
    return Case(parts, [np.concatenate(parts, axis)], {"axis": axis})


def stack(draw: Drawing) -> Case:
    shape, count = draw.shape(), draw.number(1, 3)
    parts = [draw.distinct(shape) + 1000 * part for part in range(count)]
    axis = draw.axis(len(shape) + 1)
    return Case(parts, [np.stack(parts, axis)], {"axis": axis})


def split(draw: Drawing, x: np.ndarray) -> Moved:
    axis = draw.axis(x.ndim)
    length = x.shape[axis]
    cuts = sorted(draw.numbers(draw.number(0, 3), 0, length))
    lengths = tuple(end - start for start, end in itertools.pairwise([0, *cuts, length]))
    return {"axis": axis, "lengths": lengths}, np.split(x, cuts, axis)


def unstack(draw: Drawing, x: np.ndarray) -> Moved:
    axis = draw.axis(x.ndim)
    return {"axis": axis}, [np.take(x, index, axis) for index in range(x.shape[axis])]


def margins(draw: Drawing, x: np.ndarray, high: int | None = None) -> tuple[dict[str, Any], list[tuple[int, int]]]:
    before, after = (
        tuple(draw.number(0, 3 if high is None else min(3, length + high)) for length in x.shape) for _ in range(2)
    )
    return {"before": before, "after": after}, list(zip(before, after, strict=True))


def pad(draw: Drawing, x: np.ndarray) -> Moved:
    attributes, widths = margins(draw, x)
    return {**attributes, "value": 7}, np.pad(x, widths, constant_values=7)


def pad_edge(draw: Drawing, x: np.ndarray) -> Moved:
    attributes, widths = margins(draw, x)
    return attributes, np.pad(x, widths, "edge")


def pad_reflect(draw: Drawing, x: np.ndarray) -> Moved:
    attributes, widths = margins(draw, x, -1)
    return attributes, np.pad(x, widths, "reflect")


def broadcast_to(draw: Drawing) -> Case:
    shape = draw.shape(0, 5, 4)
    x = draw.distinct(draw.broadcasting(shape))
    return Case([x], [np.broadcast_to(x, shape)], {"shape": shape})


def tile(draw: Drawing, x: np.ndarray) -> Moved:
    repeats = draw.numbers(x.ndim, 0, 3)
    return {"repeats": repeats}, np.tile(x, repeats)


def repeat(draw: Drawing, x: np.ndarray) -> Moved:
    axis, times = draw.axis(x.ndim), draw.number(0, 3)
    return {"axis": axis, "times": times}, np.repeat(x, times, axis)


def upsample(draw: Drawing, x: np.ndarray) -> Moved:
    factors = draw.numbers(x.ndim - 2, 1, 3)
    found = x
    for axis, factor in enumerate(factors, 2):
        found = np.repeat(found, factor, axis)
    return {"factors": factors}, found


def dilate(draw: Drawing, x: np.ndarray) -> Moved:
    factors = draw.numbers(x.ndim - 2, 1, 3)
    spread = [(length - 1) * factor + 1 for length, factor in zip(x.shape[2:], factors, strict=True)]
    found = np.full((*x.shape[:2], *spread), 9, x.dtype)
    found[(..., *(slice(None, None, factor) for factor in factors))] = x
    return {"factors": factors, "value": 9}, found


def windows(draw: Drawing, x: np.ndarray) -> Moved:
    spatial = x.ndim - 2
    strides, dilations = draw.numbers(spatial, 1, 3), draw.numbers(spatial, 1, 2)
    lengths = x.shape[2:]
    kernel = tuple(draw.number(1, (length - 1) // by + 1) for length, by in zip(lengths, dilations, strict=True))
    extents = [(size - 1) * by + 1 for size, by in zip(kernel, dilations, strict=True)]
    found = np.lib.stride_tricks.sliding_window_view(x, extents, tuple(range(2, x.ndim)))
    steps = [slice(None, None, step) for step in (*strides, *dilations)]
    found = found[(slice(None), slice(None), *steps)]
    order = (0, 1, *range(2 + spatial, 2 + 2 * spatial), *range(2, 2 + spatial))
    return {"kernel": kernel, "strides": strides, "dilations": dilations}, found.transpose(order)


def unfold(draw: Drawing, x: np.ndarray) -> Moved:
    axis, step = draw.axis(x.ndim), draw.number(1, 3)
    length = draw.number(1, x.shape[axis])
    found = np.lib.stride_tricks.sliding_window_view(x, length, axis)
    places = [slice(None)] * found.ndim
    places[axis % x.ndim] = slice(None, None, step)
    return {"axis": axis, "length": length, "step": step}, found[tuple(places)]


def packed(x: np.ndarray, by: int) -> np.ndarray:
    missing = -x.shape[1] % by
    full = np.concatenate([x, np.zeros((x.shape[0], missing, *x.shape[2:]), x.dtype)], 1)
    return np.moveaxis(full.reshape(x.shape[0], -1, by, *x.shape[2:]), 2, -1)


def pack_channels(draw: Drawing, x: np.ndarray) -> Moved:
    by = draw.number(1, 6)
    return {"by": by}, packed(x, by)


def unpack_channels(draw: Drawing) -> Case:
    x = draw.distinct(draw.shape(2, 4))
    return Case([packed(x, draw.number(1, 6))], [x], {"channels": x.shape[1]})


def channel_shuffle(draw: Drawing) -> Case:
    groups, each = draw.numbers(2, 1, 3)
    shape = draw.shape(1, 3)
    axis = draw.axis(len(shape))
    at = axis % len(shape)
    shape = (*shape[:at], groups * each, *shape[at + 1 :])
    x = draw.distinct(shape)
    apart = x.reshape(*shape[:at], groups, each, *shape[at + 1 :])
    return Case([x], [apart.swapaxes(at, at + 1).reshape(shape)], {"axis": axis, "groups": groups})


def mode(draw: Drawing) -> str:
    return draw.one_of("depth first", "column first")


def depth_to_space(draw: Drawing, x: np.ndarray, block: int) -> Moved:
    (n, c, h, w), chosen = x.shape, mode(draw)
    depth = c // block**2
    if chosen == "depth first":
        apart = x.reshape(n, block, block, depth, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        apart = x.reshape(n, depth, block, block, h, w).transpose(0, 1, 4, 2, 5, 3)
    return {"mode": chosen}, apart.reshape(n, depth, h * block, w * block)


def space_to_depth(draw: Drawing, x: np.ndarray, block: int) -> Moved:
    chosen = mode(draw)
    parts = [x[:, :, row::block, column::block] for row in range(block) for column in range(block)]
    n, c, h, w = parts[0].shape
    stacked = np.stack(parts, 1 if chosen == "depth first" else 2)
    return {"mode": chosen}, stacked.reshape(n, c * block * block, h, w)


def space_to_batch(_: Drawing, x: np.ndarray, block: int) -> Moved:
    parts = [x[:, :, row::block, column::block] for row in range(block) for column in range(block)]
    return {}, np.concatenate(parts, 0)


def batch_to_space(_: Drawing, x: np.ndarray, block: int) -> Moved:
    count = x.shape[0] // block**2
    found = np.empty((count, x.shape[1], x.shape[2] * block, x.shape[3] * block), x.dtype)
    for at in range(block * block):
        found[:, :, at // block :: block, at % block :: block] = x[at * count : (at + 1) * count]
    return {}, found


TRANSFORMS: dict[str, Reference] = {
    "identity": transform(lambda _, x: ({}, x)),
    "reshape": transform(reshape),
    "flatten": transform(flatten),
    "squeeze": squeezed,
    "unsqueeze": transform(unsqueeze),
    "transpose": transform(transpose),
    "swap_axes": transform(swap_axes),
    "move_axis": transform(move_axis),
    "flip": transform(flip),
    "rotate_90": transform(rotate_90, 2),
    "roll": transform(roll),
    "depth_to_space": image(depth_to_space, batch=False, channels=True, space=False),
    "space_to_depth": image(space_to_depth, batch=False, channels=False, space=True),
    "batch_to_space": image(batch_to_space, batch=True, channels=False, space=False),
    "space_to_batch": image(space_to_batch, batch=False, channels=False, space=True),
    "channel_shuffle": channel_shuffle,
    "slice": transform(slice_),
    "select": transform(select),
    "take": transform(take),
    "diagonal": transform(diagonal, 2),
    "concatenate": concatenate,
    "stack": stack,
    "split": transform(split),
    "unstack": transform(unstack),
    "pad": transform(pad),
    "pad_edge": transform(pad_edge),
    "pad_reflect": transform(pad_reflect),
    "broadcast_to": broadcast_to,
    "tile": transform(tile),
    "repeat": transform(repeat),
    "upsample_nearest": transform(upsample, 3),
    "dilate": transform(dilate, 3),
    "windows": transform(windows, 3),
    "unfold": transform(unfold),
    "pack_channels": transform(pack_channels, 2),
    "unpack_channels": unpack_channels,
}
