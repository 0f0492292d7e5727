"""Resize of ONNX: each axis by itself, as elements that are taken or as weighted sums of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from walle.tensor.onnx.node import OnnxNode, Translation
from walle_task.tensor.faults import Unfit

MOST_LENGTH: Final = 1 << 16
"""The greatest length of a resized axis."""
MOST_TAKEN: Final = 64
"""The most indices that are moved as regions and not looked up."""


@dataclass(frozen=True, slots=True)
class Resized:
    """An axis that is resized: its lengths before and after, and how many elements become of one."""

    axis: int
    have: int
    want: int
    scale: float


def _resize(node: OnnxNode) -> str:
    node.only("antialias", node.int_of("antialias", 0), 0)
    node.only("exclude_outside", node.int_of("exclude_outside", 0), 0)
    node.only("keep_aspect_ratio_policy", node.text_of("keep_aspect_ratio_policy", "stretch"), "stretch")
    node.ignore("extrapolation_value")
    mode = node.text_of("mode", "nearest")
    node.only("mode", mode, "nearest", "linear", "cubic")
    nearest, coefficient = node.text_of("nearest_mode", "round_prefer_floor"), node.float_of("cubic_coeff_a", -0.75)
    coordinates = node.text_of("coordinate_transformation_mode", "half_pixel")
    x = node.input()
    for each in _axes(node):
        places = _places(each, coordinates)
        if mode == "nearest":
            x = _taken(node, x, each, _nearest(places, nearest, each.have))
        else:
            taps = _linear(places, each) if mode == "linear" else _cubic(places, each, coefficient)
            x = _weighted(node, x, each, *taps)
    return x


def _axes(node: OnnxNode) -> list[Resized]:
    """Return the axes whose lengths change. Raises Unfit."""
    x = node.input()
    rank = node.rank(x)
    axes = [axis % rank for axis in node.ints_of("axes") if -rank <= axis < rank] or list(range(rank))
    scales = node.constant(node.optional(2))
    found = []
    if scales is not None and scales.size:
        if scales.shape != (len(axes),) or not np.isfinite(scales).all() or scales.min() <= 0:
            raise Unfit("inputs[2]", f"{len(axes)} positive numbers", scales.tolist())
        for axis, scale in zip(axes, scales.tolist(), strict=True):
            if scale != 1:
                have = _known(node, axis)
                found.append(Resized(axis, have, int(np.floor(have * scale)), scale))
    else:
        for axis, want in zip(axes, node.emitter.numbers_of(node.input(3), len(axes)), strict=True):
            if not node.emitter.is_length(want, x, axis):
                have, length = _known(node, axis), want[0]
                if len({*want}) > 1:
                    raise Unfit("inputs[3]", f"a known length of axis {axis}", "one that is computed")
                found.append(Resized(axis, have, length, length / have))
    if any(not 0 < each.want <= MOST_LENGTH for each in found):
        raise Unfit("inputs[3]", f"lengths from 1 to {MOST_LENGTH}", [each.want for each in found])
    return found


def _known(node: OnnxNode, axis: int) -> int:
    length = (node.type_of(node.input()).shape or ())[axis]
    if length is None:
        raise Unfit("inputs[0]", f"a known length of axis {axis}, which is resized", str(node.type_of(node.input())))
    return length


def _places(each: Resized, coordinates: str) -> Any:
    """Return where each element of the output lies in the input, in the precision of ONNX Runtime."""
    at, scale, one = np.arange(each.want, dtype="float32"), np.float32(each.scale), np.float32(0.5)
    half_pixel = (at + one) / scale - one
    if coordinates == "half_pixel":
        return half_pixel
    if coordinates == "pytorch_half_pixel":
        return half_pixel if each.want > 1 else np.zeros(1, "float32")
    if coordinates == "asymmetric":
        return at / scale
    if coordinates == "align_corners":
        return at * np.float32(each.have - 1) / np.float32(max(each.want - 1, 1))
    if coordinates == "half_pixel_symmetric":
        adjustment = np.float32(each.want) / (scale * np.float32(each.have))
        return np.float32(each.have / 2) * (1 - adjustment) + half_pixel
    known = "half_pixel, pytorch_half_pixel, half_pixel_symmetric, asymmetric or align_corners"
    raise Unfit("coordinate_transformation_mode", known, coordinates)


def _nearest(places: Any, mode: str, length: int) -> Any:
    rounded: dict[str, Callable[[Any], Any]] = {
        "floor": np.floor,
        "ceil": np.ceil,
        "round_prefer_floor": lambda x: np.ceil(x - np.float32(0.5)),
        "round_prefer_ceil": lambda x: np.floor(x + np.float32(0.5)),
    }
    if mode not in rounded:
        raise Unfit("nearest_mode", " or ".join(rounded), mode)
    return np.clip(rounded[mode](places), 0, length - 1).astype("int64")


def _taken(node: OnnxNode, x: str, each: Resized, indices: Any) -> str:
    times = each.want // each.have
    if np.array_equal(indices, np.repeat(np.arange(each.have), times)):
        return node.emit("repeat", x, axis=each.axis, times=times)
    if len(indices) <= MOST_TAKEN:
        return node.emit("take", x, axis=each.axis, indices=tuple(indices.tolist()))
    return node.emit("gather", x, node.array(indices), axis=each.axis)


def _linear(places: Any, each: Resized) -> tuple[Any, Any]:
    inside = np.clip(places, 0, each.have - 1)
    first = np.floor(inside).astype("int64")
    share = inside - first
    return np.stack([first, np.minimum(first + 1, each.have - 1)]), np.stack([1 - share, share])


def _cubic(places: Any, each: Resized, a: float) -> tuple[Any, Any]:
    """Weights of four elements by the distance from each (Keys, 1981)."""
    first = np.floor(places)
    share = places - first

    def near(distance: Any) -> Any:
        return ((a + 2) * distance - (a + 3)) * distance * distance + 1

    def far(distance: Any) -> Any:
        return ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a

    weights = np.stack([far(share + 1), near(share), near(1 - share), far(2 - share)])
    indices = np.clip(np.stack([first + offset for offset in (-1, 0, 1, 2)]), 0, each.have - 1)
    return indices.astype("int64"), weights


def _weighted(node: OnnxNode, x: str, each: Resized, indices: Any, weights: Any) -> str:
    """Emit the sum of elements at each row of indices times their weights."""
    shape = [each.want if axis == each.axis else 1 for axis in range(node.rank(x))]
    parts = [
        node.emit("multiply", _taken(node, x, each, at), node.array(weight.reshape(shape), node.dtype(x)))
        for at, weight in zip(indices, weights, strict=True)
    ]
    total = parts[0]
    for part in parts[1:]:
        total = node.emit("add", total, part)
    return total


TRANSLATIONS: Final[Mapping[str, Translation]] = {"Resize": _resize}
