"""Fused convolutions by their algorithms, over planned memory: products by BLAS, the rest in compiled code.

Weights are transformed when a kernel is made ready. Winograd's algorithm F(n x n, 3 x 3) computes blocks of n x n
places by (n + 2)^2 products of channels with filters in the place of 9 n^2 (Lavin and Gray, "Fast Algorithms
for Convolutional Neural Networks", 2016).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from walle_task.tensor.kernels.arrays import KERNELS, Arrays, Kernel, Step
from walle_task.tensor.kernels.windows import (
    copy_windows,
    depthwise,
    finish,
    finish_with,
    winograd_input,
    winograd_output,
)
from walle_task.tensor.operators.fused import FUSED_CONVOLUTION, Tiling

Image = Callable[[Any, Any], None]
"""Writes the convolution of the channels of one image."""
_INPUT: Final = {
    2: ((1, 0, -1, 0), (0, 1, 1, 0), (0, -1, 1, 0), (0, 1, 0, -1)),
    4: (
        (4, 0, -5, 0, 1, 0), (0, -4, -4, 1, 1, 0), (0, 4, -4, -1, 1, 0), (0, -2, -1, 2, 1, 0), (0, 2, -1, -2, 1, 0),
        (0, 4, 0, -5, 0, 1),
    ),
}  # fmt: skip
_WEIGHTS: Final = {
    2: ((1, 0, 0), (1 / 2, 1 / 2, 1 / 2), (1 / 2, -1 / 2, 1 / 2), (0, 0, 1)),
    4: (
        (1 / 4, 0, 0), (-1 / 6, -1 / 6, -1 / 6), (-1 / 6, 1 / 6, -1 / 6), (1 / 24, 1 / 12, 1 / 6),
        (1 / 24, -1 / 12, 1 / 6), (0, 0, 1),
    ),
}  # fmt: skip
_OUTPUT: Final = {
    2: ((1, 1, 1, 0), (0, 1, -1, -1)),
    4: ((1, 1, 1, 1, 1, 0), (0, 1, -1, 2, -2, 0), (0, 1, 1, 4, 4, 0), (0, 1, -1, 8, -8, 1)),
}  # fmt: skip


def fused_convolution(inputs: Arrays, outputs: Arrays, attributes: Mapping[str, Any]) -> Step:
    """Return the kernel of a fused convolution."""
    x, weights, bias, *added = inputs
    target, workspace = outputs
    image = _ALGORITHMS[attributes["algorithm"]](weights, x.shape, target.shape, workspace, attributes)
    low, high = np.float32(attributes["low"]), np.float32(attributes["high"])
    flat = target.reshape(len(target), target.shape[1], -1)
    others = added[0].reshape(flat.shape) if added else None

    def run() -> None:
        for at in range(len(x)):
            image(x[at], target[at])
            if others is None:
                finish(flat[at], bias, low, high)
            else:
                finish_with(flat[at], bias, others[at], low, high)

    return run


def _product(weights: Any, _source: Any, _shape: Any, _workspace: Any, attributes: Mapping[str, Any]) -> Image:
    """Convolve by 1 x 1, without margins: one product for each group."""
    groups = attributes["groups"]
    rows = weights.reshape(groups, -1, weights.shape[1])

    def run(source: Any, target: Any) -> None:
        np.matmul(rows, source.reshape(groups, rows.shape[2], -1), out=target.reshape(groups, rows.shape[1], -1))

    return run


def _columns(weights: Any, _: Any, shape: tuple[int, ...], workspace: Any, attributes: Mapping[str, Any]) -> Image:
    """Copy the windows of `block` rows of places, and multiply them with the weights, for each group."""
    groups, block = attributes["groups"], attributes["block"]
    rows = weights.reshape(groups, len(weights) // groups, -1)
    given = (weights.shape[2:], attributes["strides"], attributes["dilations"], attributes["before"])
    height, width = shape[2:]
    parts = [(first, min(block, height - first)) for first in range(0, height, block)]
    buffers = {count: workspace[: rows.shape[2] * count * width].reshape(rows.shape[2], -1) for _, count in parts}
    channels = weights.shape[1]

    def run(source: Any, target: Any) -> None:
        flat = target.reshape(groups, rows.shape[1], -1)
        for group in range(groups):
            part = source[group * channels : (group + 1) * channels]
            for first, count in parts:
                copy_windows(part, buffers[count], *given, first, count, width)
                into = flat[group, :, first * width : (first + count) * width]
                np.matmul(rows[group], buffers[count], out=into)

    return run


def _depthwise(
    weights: Any, source_shape: tuple[int, ...], shape: tuple[int, ...], workspace: Any, attributes: Mapping[str, Any]
) -> Image:
    margins = zip(attributes["before"], attributes["after"], strict=True)
    lengths = [length + sum(pair) for length, pair in zip(source_shape[2:], margins, strict=True)]
    plane, each = workspace.reshape(lengths), weights.reshape(len(weights), *weights.shape[2:])
    zeros = np.zeros(shape[1], "float32")
    strides, before = attributes["strides"], attributes["before"]
    return lambda source, target: depthwise(source, each, zeros, target, plane, strides, before)


def _winograd(weights: Any, _: Any, shape: tuple[int, ...], workspace: Any, attributes: Mapping[str, Any]) -> Image:
    filters, channels = weights.shape[:2]
    block, before = attributes["block"], attributes["before"]
    tiling = Tiling.of(shape[2], shape[3], block)
    matrix = np.array(_WEIGHTS[block])
    turned = np.einsum("ai,kcij,bj->abkc", matrix, weights.astype("float64"), matrix)
    factors = np.ascontiguousarray(turned.reshape(tiling.side**2, filters, channels), "float32")
    sizes = [tiling.side**2 * count * tiling.tiles for count in (channels, filters)]
    inward = workspace[: sizes[0]].reshape(-1, channels, tiling.tiles)
    outward = workspace[sizes[0] : sum(sizes)].reshape(-1, filters, tiling.tiles)
    scratch = workspace[sum(sizes) :]
    forth, back = (np.array(each[block], "float32") for each in (_INPUT, _OUTPUT))

    def run(source: Any, target: Any) -> None:
        winograd_input(source, forth, inward, scratch, block, tiling.rows, tiling.pitch, before)
        np.matmul(factors, inward, out=outward)
        winograd_output(outward, back, target, scratch, block, tiling.rows, tiling.pitch)

    return run


_ALGORITHMS: Final[Mapping[str, Callable[..., Image]]] = {
    "product": _product,
    "columns": _columns,
    "depthwise": _depthwise,
    "winograd": _winograd,
}
COMPILED_KERNELS: Final[Mapping[str, Kernel]] = {**KERNELS, FUSED_CONVOLUTION.name: fused_convolution}
"""The kernels of sessions that have numba."""
