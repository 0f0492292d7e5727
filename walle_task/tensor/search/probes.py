"""Small graphs by which a device is calibrated: each has one kind of work, in sizes that models have it in."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import numpy as np

from walle_task.tensor.building import GraphBuilder
from walle_task.tensor.graph import Graph

_SEED: Final = 7


def probes() -> Iterator[Graph]:
    """Yield the graphs."""
    for build in _BUILDS:
        yield build()


def brief_probes() -> Iterator[Graph]:
    """Yield the graphs of a calibration that may take no longer than a moment: one of each kind of work, and small."""
    for build in _BRIEF_BUILDS:
        yield build()


def _chain(name: str, shape: tuple[int, ...], count: int, step: Callable[[GraphBuilder, str], str]) -> Graph:
    building = GraphBuilder(name)
    value = building.input("x", "float32", shape)
    for _ in range(count):
        value = step(building, value)
    building.output(value)
    return building.build()


def _constant(building: GraphBuilder, *shape: int) -> str:
    random = np.random.default_rng(_SEED)
    scale = np.float32(1 / math.sqrt(max(math.prod(shape[1:]), 1)))
    return building.constant(random.standard_normal(shape, "float32") * scale)


def _convolution(
    channels: int, filters: int, side: int, kernel: int, *, stride: int = 1, groups: int = 1, count: int = 1
) -> Graph:
    margin = (kernel // 2,) * 2

    def step(building: GraphBuilder, value: str) -> str:
        weights = _constant(building, filters, channels // groups, kernel, kernel)
        return building.add(
            "convolution", value, weights, _constant(building, filters),
            strides=(stride, stride), before=margin, after=margin, groups=groups,
        )  # fmt: skip

    return _chain("convolution", (1, channels, side, side), count, step)


def _linear(rows: int, inner: int, outputs: int, count: int = 1) -> Graph:
    def step(building: GraphBuilder, value: str) -> str:
        return building.add("linear", value, _constant(building, outputs, inner), _constant(building, outputs))

    return _chain("linear", (1, rows, inner), count, step)


def _product(batch: int, rows: int, inner: int, columns: int) -> Graph:
    building = GraphBuilder("product")
    first = building.input("a", "float32", (batch, rows, inner))
    second = building.input("b", "float32", (batch, inner, columns))
    building.output(building.add("matmul", first, second))
    return building.build()


def _functions(operator: str, shape: tuple[int, ...], count: int = 2) -> Graph:
    return _chain(operator, shape, count, lambda building, value: building.add(operator, value))


def _sums(shape: tuple[int, ...], count: int = 2) -> Graph:
    def step(building: GraphBuilder, value: str) -> str:
        return building.add("add", building.add("maximum", value, "x"), "x")

    return _chain("sums", shape, count, step)


def _turned(shape: tuple[int, ...], axes: tuple[int, ...], count: int) -> Graph:
    def step(building: GraphBuilder, value: str) -> str:
        return building.add("abs", building.add("transpose", value, axes=axes))

    return _chain("transpose", shape, count, step)


def _shuffled(shape: tuple[int, ...], count: int) -> Graph:
    """Build a chain of splits and concatenations with shuffled channels, as it is in ShuffleNet."""

    def step(building: GraphBuilder, value: str) -> str:
        half = shape[1] // 2
        left, right = building.add_all("split", value, outputs=2, axis=1, lengths=(half, half))
        joined = building.add("concatenate", building.add("abs", right), left, axis=1)
        return building.add("channel_shuffle", joined, groups=2)

    return _chain("shuffle", shape, count, step)


_BUILDS: Final = (
    partial(_convolution, 3, 64, 112, 7, stride=2),
    partial(_convolution, 64, 64, 56, 3, count=2),
    partial(_convolution, 64, 128, 56, 3, stride=2),
    partial(_convolution, 128, 128, 28, 3),
    partial(_convolution, 256, 256, 14, 3),
    partial(_convolution, 512, 512, 7, 3),
    partial(_convolution, 64, 256, 56, 1),
    partial(_convolution, 256, 64, 56, 1),
    partial(_convolution, 128, 512, 28, 1),
    partial(_convolution, 1024, 256, 14, 1),
    partial(_convolution, 160, 960, 7, 1),
    partial(_convolution, 24, 144, 56, 1),
    partial(_convolution, 64, 64, 56, 1, count=4),
    partial(_convolution, 256, 256, 14, 1, count=4),
    partial(_convolution, 116, 116, 14, 1, count=4),
    partial(_convolution, 256, 256, 14, 3, count=3),
    partial(_convolution, 32, 32, 112, 3, groups=32),
    partial(_convolution, 144, 144, 56, 3, groups=144, count=4),
    partial(_convolution, 144, 144, 56, 3, stride=2, groups=144),
    partial(_convolution, 384, 384, 14, 3, groups=384, count=4),
    partial(_convolution, 960, 960, 7, 3, groups=960, count=2),
    partial(_linear, 256, 384, 1536),
    partial(_linear, 256, 1536, 384),
    partial(_linear, 256, 384, 384, count=3),
    partial(_linear, 1, 2048, 1000),
    partial(_linear, 1, 64, 64, count=4),
    partial(_product, 6, 256, 64, 256),
    partial(_product, 6, 256, 256, 64),
    partial(_product, 1, 1, 64, 64),
    partial(_functions, "softmax", (6, 256, 256)),
    partial(_functions, "erf", (256, 1536)),
    partial(_functions, "sigmoid", (256, 384)),
    partial(_functions, "tanh", (1, 100)),
    partial(_functions, "layer_norm", (256, 384)),
    partial(_sums, (1, 256, 56, 56)),
    partial(_sums, (1, 64, 28, 28)),
    partial(_sums, (1, 16), 8),
    partial(_turned, (1, 256, 6, 64), (0, 2, 1, 3), 6),
    partial(_turned, (1, 64, 8, 8), (0, 2, 1, 3), 6),
    partial(_shuffled, (1, 128, 28, 28), 5),
    partial(_shuffled, (1, 64, 7, 7), 5),
)
_BRIEF_BUILDS: Final = (
    partial(_sums, (1, 16), 8),
    partial(_linear, 16, 256, 256),
    partial(_functions, "sigmoid", (64, 256)),
    partial(_sums, (1, 64, 28, 28)),
    partial(_turned, (1, 64, 6, 16), (0, 2, 1, 3), 4),
    partial(_convolution, 32, 32, 14, 3),
    partial(_convolution, 64, 64, 14, 1, count=2),
    partial(_convolution, 64, 64, 14, 3, groups=64),
    partial(_functions, "softmax", (4, 64, 64)),
    partial(_product, 4, 64, 64, 64),
    partial(_linear, 1, 64, 64, count=4),
    partial(_convolution, 3, 16, 56, 3, stride=2),
    partial(_functions, "layer_norm", (64, 256)),
    partial(_shuffled, (1, 64, 7, 7), 4),
    partial(_functions, "erf", (64, 256)),
)
"""The first ones say most of a device that has time for no more."""
