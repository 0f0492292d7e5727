"""Small networks as exporters write them, with seeded weights: each is a model and what it is fed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper

from tests.tensor.onnx_models import model_of


class Network:
    """A model that grows by one node at a time."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, np.ndarray] = {}

    def weights(self, *shape: int) -> str:
        fan = int(np.prod(shape[1:])) or 1
        return self.constant((self.random.normal(size=shape) / np.sqrt(fan)).astype("float32"))

    def constant(self, array: Any, dtype: str | None = None) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(array, dtype)
        return name

    def add(self, operator: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        names = [f"v{len(self.nodes)}_{at}" for at in range(outputs)]
        self.nodes.append(helper.make_node(operator, list(inputs), names, f"n{len(self.nodes)}", **attributes))
        return names[0] if outputs == 1 else names

    def model(self, inputs: dict[str, tuple[str, Sequence[int | str]]], *outputs: str, opset: int = 17) -> Any:
        return model_of(self.nodes, inputs, outputs, self.constants, opset)

    def normalised(self, x: str, channels: int) -> str:
        scale, bias, mean = (self.weights(channels) for _ in range(3))
        variance = self.constant(self.random.uniform(0.5, 2, channels), "float32")
        return self.add("BatchNormalization", x, scale, bias, mean, variance)

    def convolved(self, x: str, have: int, want: int, size: int = 3, stride: int = 1, group: int = 1) -> str:
        margin = size // 2
        return self.add(
            "Conv",
            x,
            self.weights(want, have // group, size, size),
            strides=[stride] * 2,
            pads=[margin] * 4,
            group=group,
        )

    def linear(self, x: str, have: int, want: int) -> str:
        return self.add("Add", self.add("MatMul", x, self.weights(have, want)), self.weights(want))

    def layer_norm(self, x: str, width: int) -> str:
        """As exporters decompose it."""
        centred = self.add("Sub", x, self.add("ReduceMean", x, axes=[-1]))
        square = self.add("Pow", centred, self.constant(2.0, "float32"))
        variance = self.add("ReduceMean", square, axes=[-1])
        deviation = self.add("Sqrt", self.add("Add", variance, self.constant(1e-5, "float32")))
        scaled = self.add("Mul", self.add("Div", centred, deviation), self.weights(width))
        return self.add("Add", scaled, self.weights(width))

    def gelu(self, x: str) -> str:
        bent = self.add("Erf", self.add("Div", x, self.constant(np.sqrt(2), "float32")))
        grown = self.add("Mul", x, self.add("Add", bent, self.constant(1, "float32")))
        return self.add("Mul", grown, self.constant(0.5, "float32"))

    def length(self, x: str, axis: int) -> str:
        """The length of an axis, along one axis, as exporters compute it."""
        one = self.add("Gather", self.add("Shape", x), self.constant(axis, "int64"), axis=0)
        return self.add("Unsqueeze", one, self.constant([0], "int64"))


def residual() -> Any:
    """ResNet: residual blocks, global pooling, Gemm; any batch and image."""
    net = Network(1)
    x = net.add("Relu", net.normalised(net.convolved("image", 3, 8, 7, 2), 8))
    x = net.add("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    for have, want, stride in ((8, 8, 1), (8, 16, 2)):
        y = net.add("Relu", net.normalised(net.convolved(x, have, want, 3, stride), want))
        y = net.normalised(net.convolved(y, want, want), want)
        short = x if have == want else net.normalised(net.convolved(x, have, want, 1, stride), want)
        x = net.add("Relu", net.add("Add", y, short))
    flat = net.add("Flatten", net.add("GlobalAveragePool", x))
    y = net.add("Gemm", flat, net.weights(10, 16), net.weights(10), transB=1)
    return net.model({"image": ("float32", ("batch", 3, "height", "width"))}, y)


def inverted() -> Any:
    """MobileNetV2: inverted residuals with depthwise convolutions and Clip."""
    net = Network(2)
    low, high = net.constant(0, "float32"), net.constant(6, "float32")

    def relu6(x: str) -> str:
        return net.add("Clip", x, low, high)

    x = relu6(net.convolved("image", 3, 8, 3, 2))
    for have, want, stride in ((8, 8, 1), (8, 12, 2)):
        y = relu6(net.convolved(x, have, 4 * have, 1))
        y = relu6(net.convolved(y, 4 * have, 4 * have, 3, stride, group=4 * have))
        y = net.convolved(y, 4 * have, want, 1)
        x = net.add("Add", x, y) if have == want else y
    pooled = net.add("ReduceMean", x, axes=[2, 3], keepdims=0)
    return net.model({"image": ("float32", ("batch", 3, 32, 32))}, net.linear(pooled, 12, 5))


def squeezed() -> Any:
    """SqueezeNet: fire modules that concatenate, pools that round up, dropout."""
    net = Network(3)
    x = net.add("Relu", net.convolved("image", 3, 8, 3, 2))
    x = net.add("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
    squeeze = net.add("Relu", net.convolved(x, 8, 4, 1))
    sides = (net.add("Relu", net.convolved(squeeze, 4, 6, size)) for size in (1, 3))
    x = net.add("Dropout", net.add("Concat", *sides, axis=1))
    x = net.add("GlobalAveragePool", net.add("Relu", net.convolved(x, 12, 5, 1)))
    shape = net.add("Concat", net.length(x, 0), net.constant([-1], "int64"), axis=0)
    return net.model({"image": ("float32", ("batch", 3, 31, 31))}, net.add("Reshape", x, shape))


def shuffled() -> Any:
    """ShuffleNetV2: channels are split, and shuffled by reshapes of computed shapes."""
    net = Network(4)
    x = net.add("Relu", net.convolved("image", 3, 8, 3, 2))
    left, right = net.add("Split", x, net.constant([4, 4], "int64"), outputs=2, axis=1)
    right = net.add("Relu", net.convolved(right, 4, 4, 1))
    right = net.convolved(right, 4, 4, 3, 1, group=4)
    joined = net.add("Concat", left, right, axis=1)
    batch, height, width = (net.length(joined, axis) for axis in (0, 2, 3))
    groups, each = net.constant([2], "int64"), net.constant([4], "int64")
    apart = net.add("Reshape", joined, net.add("Concat", batch, groups, each, height, width, axis=0))
    turned = net.add("Transpose", apart, perm=[0, 2, 1, 3, 4])
    back = net.add("Concat", batch, net.constant([-1], "int64"), height, width, axis=0)
    y = net.add("Reshape", turned, back)
    return net.model({"image": ("float32", ("batch", 3, "height", "width"))}, y)


def encoder() -> Any:
    """A BERT-shaped encoder of any batch and length, with a mask."""
    net, width, heads = Network(5), 16, 2
    length = net.length("ids", 1)
    positions = net.add("Slice", net.weights(32, width), net.constant([0], "int64"), length, net.constant([0], "int64"))
    x = net.add("Add", net.add("Gather", net.weights(50, width), "ids"), positions)
    x = net.layer_norm(x, width)
    kept = net.add("Cast", net.add("Unsqueeze", "mask", net.constant([1, 2], "int64")), to=1)
    hidden = net.add("Mul", net.add("Sub", net.constant(1, "float32"), kept), net.constant(-1e4, "float32"))
    split = net.add(
        "Concat", net.length("ids", 0), length, net.constant([heads], "int64"), net.constant([width // heads], "int64"),
        axis=0,
    )  # fmt: skip
    for _ in range(2):
        query, key, value = (
            net.add("Transpose", net.add("Reshape", net.linear(x, width, width), split), perm=perm)
            for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])
        )
        scores = net.add("Div", net.add("MatMul", query, key), net.constant(np.sqrt(width // heads), "float32"))
        share = net.add("Softmax", net.add("Add", scores, hidden))
        seen = net.add("Transpose", net.add("MatMul", share, value), perm=[0, 2, 1, 3])
        whole = net.add("Reshape", seen, net.constant([0, 0, width], "int64"))
        x = net.layer_norm(net.add("Add", x, net.linear(whole, width, width)), width)
        grown = net.gelu(net.linear(x, width, 2 * width))
        x = net.layer_norm(net.add("Add", x, net.linear(grown, 2 * width, width)), width)
    first = net.add("Gather", x, net.constant(0, "int64"), axis=1)
    inputs = dict.fromkeys(("ids", "mask"), ("int64", ("batch", "length")))
    return net.model(inputs, x, net.add("Tanh", net.linear(first, width, width)), opset=14)


def interest() -> Any:
    """DIN: attention of a candidate to a user's history, by embeddings and PRelu."""
    net, width = Network(6), 8
    table = net.weights(40, width)
    history, item = net.add("Gather", table, "history"), net.add("Gather", table, "item")
    wide = net.add("Expand", net.add("Unsqueeze", item, net.constant([1], "int64")), net.add("Shape", history))
    sides = (history, wide, net.add("Sub", history, wide), net.add("Mul", history, wide))
    x = net.add("PRelu", net.linear(net.add("Concat", *sides, axis=-1), 4 * width, 6), net.constant([0.25], "float32"))
    weight = net.linear(x, 6, 1)
    user = net.add("ReduceSum", net.add("Mul", weight, history), net.constant([1], "int64"), keepdims=0)
    y = net.add("Sigmoid", net.linear(net.add("Concat", user, item, axis=1), 2 * width, 1))
    return net.model({"history": ("int64", ("batch", "length")), "item": ("int64", ("batch",))}, y)
