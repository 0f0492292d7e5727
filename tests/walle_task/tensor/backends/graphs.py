"""Graphs that all backends are tried with, and what a session of NumPy makes of them."""

from __future__ import annotations

import numpy as np

from walle_task.tensor.backends.port import Backend, CompiledGraph, CompileOptions
from walle_task.tensor.building import GraphBuilder
from walle_task.tensor.graph import Graph
from walle_task.tensor.inference import infer_types

RANDOM = np.random.default_rng(19)


def normal(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype("float32")


def small_network() -> Graph:
    """Convolutions of all kinds with what follows them, pools, a branch, and products in the end."""
    build = GraphBuilder("network")
    x = build.input("x", "float32", (1, 3, 20, 18))
    x = _convolution(build, x, 3, 16, kernel=3, stride=2)
    left = _convolution(build, x, 16, 64, kernel=1)
    wide = build.add("relu6", _normalised(build, _convolution(build, left, 64, 64, kernel=3), 64))
    thin = build.add("relu", _convolution(build, left, 64, 64, kernel=3, groups=64))
    x = build.add("relu", build.add("add", wide, thin))
    x = build.add("max_pool", x, kernel=(3, 3), strides=(2, 2), before=(1, 1), after=(1, 1))
    first, second = build.add_all("split", x, outputs=2, axis=1, lengths=(32, 32))
    x = build.add("channel_shuffle", build.add("concatenate", second, first, axis=1), groups=4)
    x = build.add("flatten", build.add("global_average_pool", x))
    x = build.add("gelu", build.add("linear", x, build.constant(normal(80, 64)), build.constant(normal(80))))
    build.output(build.add("softmax", x))
    return build.build()


def _convolution(build: GraphBuilder, x: str, channels: int, filters: int, *, kernel: int, stride=1, groups=1) -> str:
    margin = (kernel // 2,) * 2
    weights = normal(filters, channels // groups, kernel, kernel) / np.float32(np.sqrt(channels // groups * kernel**2))
    return build.add(
        "convolution", x, build.constant(weights), build.constant(normal(filters)),
        strides=(stride, stride), before=margin, after=margin, groups=groups,
    )  # fmt: skip


def _normalised(build: GraphBuilder, x: str, channels: int) -> str:
    positive = [np.abs(normal(channels)) + np.float32(0.5) for _ in range(2)]
    statistics = (positive[0], normal(channels), normal(channels), positive[1])
    return build.add("batch_norm", x, *(build.constant(each) for each in statistics))


def lookup(rows: int = 20, width: int = 6) -> Graph:
    """Rows of a table, by indices that are an input."""
    build = GraphBuilder("lookup")
    table, ids = build.constant(normal(rows, width)), build.input("ids", "int64", (1, 4))
    build.output(build.add("layer_norm", build.add("gather", table, ids)))
    return build.build()


def compiled(backend: Backend, graph: Graph) -> CompiledGraph:
    return backend.compile(infer_types(graph), CompileOptions())
