"""The models of the benchmark `engine`, with seeded weights: built with our builder, operator by operator.

Layers are those of the papers (He et al. 2015, Sandler et al. 2018, Iandola et al. 2016, Ma et al. 2018, Devlin et al.
2018, Zhou et al. 2018); batch normalisations are there as the frameworks export them, apart from the convolutions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from walle_task.tensor.building import GraphBuilder
from walle_task.tensor.graph import Graph

IMAGE: Final = (1, 3, 224, 224)
CLASSES: Final = 1000


class Layers:
    """A graph that is built of layers with random weights that keep the scale of what goes through them."""

    def __init__(self, name: str, seed: int) -> None:
        self.graph = GraphBuilder(name)
        self._random = np.random.default_rng(seed)

    def weights(self, *shape: int, fan_in: int) -> str:
        scale = np.float32(math.sqrt(2 / fan_in))
        return self.graph.constant(self._random.standard_normal(shape, "float32") * scale)

    def small(self, *shape: int) -> str:
        return self.graph.constant(self._random.standard_normal(shape, "float32") * np.float32(0.05))

    def near_one(self, *shape: int) -> str:
        noise = self._random.standard_normal(shape, "float32") * np.float32(0.05)
        return self.graph.constant(np.abs(1 + noise))

    def convolution(
        self, x: str, channels: int, filters: int, kernel: int, *, stride: int = 1, groups: int = 1, bias: bool = False
    ) -> str:
        margin, each = (kernel // 2,) * 2, channels // groups
        weights = self.weights(filters, each, kernel, kernel, fan_in=each * kernel * kernel)
        return self.graph.add(
            "convolution", x, weights, *([self.small(filters)] if bias else []),
            strides=(stride, stride), before=margin, after=margin, groups=groups,
        )  # fmt: skip

    def normalised(self, x: str, channels: int, activation: str = "") -> str:
        statistics = (
            self.near_one(channels),
            self.small(channels),
            self.small(channels),
            self.near_one(channels),
        )
        found = self.graph.add("batch_norm", x, *statistics)
        return self.graph.add(activation, found) if activation else found

    def pool(self, x: str, kernel: int = 3, margin: int = 1) -> str:
        return self.graph.add(
            "max_pool", x, kernel=(kernel, kernel), strides=(2, 2), before=(margin, margin), after=(margin, margin)
        )

    def classified(self, x: str, channels: int) -> Graph:
        """Return the graph with a global average pool and a linear layer to the classes at its end."""
        flat = self.graph.add("flatten", self.graph.add("global_average_pool", x))
        weights = self.weights(CLASSES, channels, fan_in=channels)
        self.graph.output(self.graph.add("linear", flat, weights, self.small(CLASSES)))
        return self.graph.build()


def resnet(name: str, blocks: tuple[int, ...], bottleneck: bool) -> Graph:
    """Return a residual network with some blocks in each of four stages."""
    layers = Layers(name, 18)
    x = layers.graph.input("x", "float32", IMAGE)
    x = layers.pool(layers.normalised(layers.convolution(x, 3, 64, 7, stride=2), 64, "relu"))
    channels = 64
    for stage, count in enumerate(blocks):
        width = 64 << stage
        for index in range(count):
            stride = 2 if stage and index == 0 else 1
            x, channels = _residual(layers, x, channels, width, stride=stride, bottleneck=bottleneck)
    return layers.classified(x, channels)


def _residual(layers: Layers, x: str, channels: int, width: int, *, stride: int, bottleneck: bool) -> tuple[str, int]:
    filters = width * 4 if bottleneck else width
    if bottleneck:
        y = layers.normalised(layers.convolution(x, channels, width, 1), width, "relu")
        y = layers.normalised(layers.convolution(y, width, width, 3, stride=stride), width, "relu")
        y = layers.normalised(layers.convolution(y, width, filters, 1), filters)
    else:
        y = layers.normalised(layers.convolution(x, channels, width, 3, stride=stride), width, "relu")
        y = layers.normalised(layers.convolution(y, width, width, 3), width)
    if stride != 1 or channels != filters:
        x = layers.normalised(layers.convolution(x, channels, filters, 1, stride=stride), filters)
    return layers.graph.add("relu", layers.graph.add("add", y, x)), filters


_INVERTED: Final = (
    (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1),
)  # fmt: skip


def mobilenet_v2() -> Graph:
    """Return MobileNetV2 of width 1."""
    layers = Layers("MobileNetV2", 2)
    x = layers.graph.input("x", "float32", IMAGE)
    x, channels = layers.normalised(layers.convolution(x, 3, 32, 3, stride=2), 32, "relu6"), 32
    for factor, filters, count, first in _INVERTED:
        for index in range(count):
            x = _inverted(layers, x, channels, filters, factor=factor, stride=first if index == 0 else 1)
            channels = filters
    x = layers.normalised(layers.convolution(x, channels, 1280, 1), 1280, "relu6")
    return layers.classified(x, 1280)


def _inverted(layers: Layers, x: str, channels: int, filters: int, *, factor: int, stride: int) -> str:
    inner, y = channels * factor, x
    if factor != 1:
        y = layers.normalised(layers.convolution(y, channels, inner, 1), inner, "relu6")
    y = layers.normalised(layers.convolution(y, inner, inner, 3, stride=stride, groups=inner), inner, "relu6")
    y = layers.normalised(layers.convolution(y, inner, filters, 1), filters)
    return layers.graph.add("add", x, y) if stride == 1 and channels == filters else y


_FIRES: Final = (
    (16, 64), (16, 64), "pool", (32, 128), (32, 128), "pool", (48, 192), (48, 192), (64, 256), (64, 256),
)  # fmt: skip


def squeezenet() -> Graph:
    """Return SqueezeNet 1.1."""
    layers = Layers("SqueezeNet", 11)
    x = layers.graph.input("x", "float32", IMAGE)
    x = layers.pool(layers.graph.add("relu", layers.convolution(x, 3, 64, 3, stride=2, bias=True)), margin=0)
    channels = 64
    for step in _FIRES:
        if isinstance(step, str):
            x = layers.pool(x, margin=0)
            continue
        squeezed, expanded = step
        y = layers.graph.add("relu", layers.convolution(x, channels, squeezed, 1, bias=True))
        sides = [
            layers.graph.add("relu", layers.convolution(y, squeezed, expanded, kernel, bias=True)) for kernel in (1, 3)
        ]
        x, channels = layers.graph.add("concatenate", *sides, axis=1), 2 * expanded
    x = layers.graph.add("relu", layers.convolution(x, channels, CLASSES, 1, bias=True))
    layers.graph.output(layers.graph.add("flatten", layers.graph.add("global_average_pool", x)))
    return layers.graph.build()


def shufflenet_v2() -> Graph:
    """Return ShuffleNetV2 of width 1."""
    layers = Layers("ShuffleNetV2", 5)
    x = layers.graph.input("x", "float32", IMAGE)
    x, channels = layers.normalised(layers.convolution(x, 3, 24, 3, stride=2), 24, "relu"), 24
    x = layers.pool(x)
    for filters, count in ((116, 4), (232, 8), (464, 4)):
        for index in range(count):
            x = _shuffled(layers, x, channels, filters, first=index == 0)
            channels = filters
    x = layers.normalised(layers.convolution(x, channels, 1024, 1), 1024, "relu")
    return layers.classified(x, 1024)


def _shuffled(layers: Layers, x: str, channels: int, filters: int, *, first: bool) -> str:
    half = filters // 2
    if first:
        left = layers.normalised(layers.convolution(x, channels, channels, 3, stride=2, groups=channels), channels)
        left = layers.normalised(layers.convolution(left, channels, half, 1), half, "relu")
        right, inner = x, channels
    else:
        left, right = layers.graph.add_all("split", x, outputs=2, axis=1, lengths=(half, half))
        inner = half
    right = layers.normalised(layers.convolution(right, inner, half, 1), half, "relu")
    right = layers.normalised(layers.convolution(right, half, half, 3, stride=2 if first else 1, groups=half), half)
    right = layers.normalised(layers.convolution(right, half, half, 1), half, "relu")
    joined = layers.graph.add("concatenate", left, right, axis=1)
    return layers.graph.add("channel_shuffle", joined, groups=2)


def encoder(depth: int = 6, width: int = 384, heads: int = 6, tokens: int = 256) -> Graph:
    """Return an encoder shaped as BERT: embeddings of tokens and places, layers of attention and of two products."""
    layers = Layers("encoder", 3)
    build = layers.graph
    ids = build.input("ids", "int64", (1, tokens))
    table = layers.weights(30522, width, fan_in=2 * width)
    x = build.add("add", build.add("gather", table, ids), layers.weights(1, tokens, width, fan_in=2 * width))
    x = _layer_norm(layers, x, width)
    for _ in range(depth):
        x = _layer_norm(layers, build.add("add", x, _attention(layers, x, tokens, width, heads)), width)
        inner = build.add("gelu", _dense(layers, x, width, 4 * width))
        x = _layer_norm(layers, build.add("add", x, _dense(layers, inner, 4 * width, width)), width)
    build.output(x)
    return build.build()


def _dense(layers: Layers, x: str, inputs: int, outputs: int) -> str:
    weights = layers.weights(outputs, inputs, fan_in=2 * inputs)
    return layers.graph.add("linear", x, weights, layers.small(outputs))


def _layer_norm(layers: Layers, x: str, width: int) -> str:
    return layers.graph.add("layer_norm", x, layers.near_one(width), layers.small(width))


def _attention(layers: Layers, x: str, tokens: int, width: int, heads: int) -> str:
    build, each = layers.graph, width // heads

    def split(value: str) -> str:
        return build.add("transpose", build.add("reshape", value, shape=(1, tokens, heads, each)), axes=(0, 2, 1, 3))

    query, key, value = (split(_dense(layers, x, width, width)) for _ in range(3))
    found = build.add("transpose", build.add("attention", query, key, value), axes=(0, 2, 1, 3))
    return _dense(layers, build.add("reshape", found, shape=(1, tokens, width)), width, width)


def din(events: int = 100, width: int = 32, items: int = 100_000) -> Graph:
    """Return a deep interest network: a candidate's attention to the events of a user's history, and a head."""
    layers = Layers("DIN", 7)
    build = layers.graph
    history, item = build.input("history", "int64", (1, events)), build.input("item", "int64", (1, 1))
    table = layers.weights(items, width, fan_in=2 * width)
    behaviour, candidate = build.add("gather", table, history), build.add("gather", table, item)
    spread = build.add("broadcast_to", candidate, shape=(1, events, width))
    pairs = build.add(
        "concatenate", spread, behaviour, build.add("subtract", spread, behaviour),
        build.add("multiply", spread, behaviour), axis=2,
    )  # fmt: skip
    x = build.add("sigmoid", _dense(layers, pairs, 4 * width, 80))
    x = build.add("sigmoid", _dense(layers, x, 80, 40))
    scores = build.add("transpose", _dense(layers, x, 40, 1), axes=(0, 2, 1))
    interest = build.add("reshape", build.add("matmul", scores, behaviour), shape=(1, width))
    x = build.add("concatenate", interest, build.add("reshape", candidate, shape=(1, width)), axis=1)
    x = build.add("relu", _dense(layers, x, 2 * width, 80))
    x = build.add("relu", _dense(layers, x, 80, 40))
    build.output(build.add("sigmoid", _dense(layers, x, 40, 1)))
    return build.build()


MODELS: Final[Mapping[str, Callable[[], Graph]]] = {
    "resnet18": lambda: resnet("ResNet18", (2, 2, 2, 2), bottleneck=False),
    "resnet50": lambda: resnet("ResNet50", (3, 4, 6, 3), bottleneck=True),
    "mobilenetv2": mobilenet_v2,
    "squeezenet": squeezenet,
    "shufflenetv2": shufflenet_v2,
    "encoder": encoder,
    "din": din,
}
CONVOLUTIONAL: Final = ("resnet18", "resnet50", "mobilenetv2", "squeezenet", "shufflenetv2")
