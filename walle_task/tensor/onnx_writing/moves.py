"""Transform operators and rasters as nodes of ONNX.

Those that ONNX has are written as its own. All others are lowered to rasters, and a raster is written as the gathering
of the elements that it reads, by constant indices into its sources.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from walle_task.tensor.onnx_writing.writer import Applied, Converter, OnnxWriter, renamed_to
from walle_task.tensor.raster import addresses

MAX_GATHERED: Final = 1 << 20
"""The most elements of a raster that is written: each has an index of 8 bytes in the model."""


def _in_order(writer: OnnxWriter, at: Applied) -> str:
    return writer.reshape(at.inputs[0], at.outputs[0].shape)


def _transpose(writer: OnnxWriter, at: Applied) -> str:
    return writer.emit("Transpose", *at.inputs, perm=at.call.axes())


def _swap_axes(writer: OnnxWriter, at: Applied) -> str:
    axes = list(range(at.call.inputs[0].rank))
    first, second = at.call.axis("first"), at.call.axis("second")
    axes[first], axes[second] = second, first
    return writer.emit("Transpose", *at.inputs, perm=axes)


def _move_axis(writer: OnnxWriter, at: Applied) -> str:
    start, end = at.call.axis("start"), at.call.axis("end")
    axes = [axis for axis in range(at.call.inputs[0].rank) if axis != start]
    axes.insert(end, start)
    return writer.emit("Transpose", *at.inputs, perm=axes)


def _slice(writer: OnnxWriter, at: Applied) -> str:
    axes = at.call.axes()
    if not axes:
        return writer.emit("Identity", *at.inputs)
    given = (at["starts"], at["ends"], axes, at["steps"] or (1,) * len(axes))
    return writer.emit("Slice", *at.inputs, *(writer.integers(*each) for each in given))


def _select(writer: OnnxWriter, at: Applied) -> str:
    axis = at.call.axis()
    index = at["index"] % at.call.inputs[0].shape[axis]
    ends = (writer.integers(index), writer.integers(index + 1), writer.integers(axis))
    return writer.reshape(writer.emit("Slice", *at.inputs, *ends), at.outputs[0].shape)


def _take(writer: OnnxWriter, at: Applied) -> str:
    axis = at.call.axis()
    length = at.call.inputs[0].shape[axis]
    return writer.emit("Gather", *at.inputs, writer.integers(*(index % length for index in at["indices"])), axis=axis)


def _concatenate(writer: OnnxWriter, at: Applied) -> str:
    return writer.emit("Concat", *at.inputs, axis=at.call.axis())


def _stack(writer: OnnxWriter, at: Applied) -> str:
    (target,), axis = at.outputs, at.call.axis(rank=at.outputs[0].rank)
    shape = (*target.shape[:axis], 1, *target.shape[axis + 1 :])
    return writer.emit("Concat", *(writer.reshape(each, shape) for each in at.inputs), axis=axis)


def _split(writer: OnnxWriter, at: Applied) -> tuple[str, ...]:
    lengths = writer.integers(*at["lengths"])
    return writer.emit_all("Split", *at.inputs, lengths, outputs=len(at.outputs), axis=at.call.axis())


def _pad(mode: str) -> Converter:
    def convert(writer: OnnxWriter, at: Applied) -> str:
        if not any((*at["before"], *at["after"])):
            return writer.emit("Identity", *at.inputs)
        margins = writer.integers(*at["before"], *at["after"])
        value = [writer.scalar(at["value"], at.outputs[0].dtype)] if mode == "constant" else []
        return writer.emit("Pad", *at.inputs, margins, *value, mode=mode)

    return convert


def _broadcast_to(writer: OnnxWriter, at: Applied) -> str:
    return writer.emit("Expand", *at.inputs, writer.integers(*at.outputs[0].shape))


def _tile(writer: OnnxWriter, at: Applied) -> str:
    return writer.emit("Tile", *at.inputs, writer.integers(*at["repeats"]))


def _depth_to_space(writer: OnnxWriter, at: Applied) -> str:
    mode = "DCR" if at["mode"] == "depth first" else "CRD"
    return writer.emit("DepthToSpace", *at.inputs, blocksize=at["block"], mode=mode)


def _channel_shuffle(writer: OnnxWriter, at: Applied) -> str:
    (source,), axis, groups = at.call.inputs, at.call.axis(), at["groups"]
    apart = (*source.shape[:axis], groups, source.shape[axis] // groups, *source.shape[axis + 1 :])
    axes = list(range(len(apart)))
    axes[axis], axes[axis + 1] = axis + 1, axis
    turned = writer.emit("Transpose", writer.reshape(at.inputs[0], apart), perm=axes)
    return writer.reshape(turned, source.shape)


def write_raster(writer: OnnxWriter, at: Applied, sources: Sequence[str], view: bool) -> str:
    """Write a raster whose inputs are called `sources` in its regions; one that is a view only gives another shape."""
    (target,) = at.outputs
    if view:
        return _in_order(writer, at)
    starts = dict(zip(sources, itertools.accumulate((each.count for each in at.call.inputs), initial=0), strict=False))
    indices: Any = np.zeros(target.count, "int64")
    for region in at["regions"]:
        indices[addresses(region.writes)] = addresses(region.reads) + starts[region.source]
    flat = [writer.reshape(name, (each.count,)) for name, each in zip(at.inputs, at.call.inputs, strict=True)]
    joined = flat[0] if len(flat) == 1 else writer.emit("Concat", *flat, axis=0)
    return writer.emit("Gather", joined, writer.constant(indices.reshape(target.shape)), axis=0)


_RESHAPES: Final = ("reshape", "flatten", "squeeze", "unsqueeze")
MOVES: Final[dict[str, Converter]] = {
    **dict.fromkeys(_RESHAPES, _in_order),
    "identity": renamed_to("Identity"),
    "transpose": _transpose,
    "swap_axes": _swap_axes,
    "move_axis": _move_axis,
    "slice": _slice,
    "select": _select,
    "take": _take,
    "concatenate": _concatenate,
    "stack": _stack,
    "split": _split,
    "pad": _pad("constant"),
    "pad_edge": _pad("edge"),
    "pad_reflect": _pad("reflect"),
    "broadcast_to": _broadcast_to,
    "tile": _tile,
    "depth_to_space": _depth_to_space,
    "channel_shuffle": _channel_shuffle,
}
