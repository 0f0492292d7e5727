"""The composite operators: by their formulas in float64, and those of layers by ONNX Runtime."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

from tests.walle_task.tensor.references.atomic import binary, unary
from tests.walle_task.tensor.references.drawn import FLOATS, Case, Drawing, Reference

PRECISE = ("float32", "float64")


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def formula(
    function: Callable[..., Any], shapes: Callable[[Drawing], list[tuple[int, ...]]], **attributes: Callable[..., Any]
) -> Reference:
    """A reference that computes with float64 arrays, and with attributes that are drawn for the first array."""

    def case(draw: Drawing) -> Case:
        dtype = draw.one_of(*PRECISE)
        arrays = [draw.array(shape, dtype, 0.2, 3) if at else draw.array(shape, dtype) for at, shape in
                  enumerate(shapes(draw))]  # fmt: skip
        chosen = {name: choose(draw, arrays[0]) for name, choose in attributes.items()}
        expected = function(*(array.astype("float64") for array in arrays), **chosen)
        return Case(arrays, [np.asarray(expected).astype(dtype)], chosen)

    return case


def any_shape(draw: Drawing) -> list[tuple[int, ...]]:
    return [draw.shape(1)]


def any_axis(draw: Drawing, x: np.ndarray) -> int:
    return draw.axis(x.ndim)


def epsilon(draw: Drawing, _: np.ndarray) -> float:
    return draw.one_of(1e-5, 1e-2)


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    grown = np.exp(x)
    return grown / grown.sum(axis, keepdims=True)


def normal(x: np.ndarray, axes: tuple[int, ...], epsilon: float) -> np.ndarray:
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def affine(x: np.ndarray, scale_and_bias: tuple[np.ndarray, ...], per_channel: bool) -> np.ndarray:
    shaped = [each.reshape(-1, *[1] * (x.ndim - 2)) if per_channel else each for each in scale_and_bias]
    scaled = x * shaped[0] if shaped else x
    return scaled + shaped[1] if len(shaped) > 1 else scaled


def trailing(most: int) -> Callable[[Drawing], Case]:
    """A reference that normalises the last axes, with up to `most` arrays of their shape behind the first one."""

    def case(draw: Drawing) -> Case:
        x = draw.array(draw.shape(1), "float32")
        axis = draw.axis(x.ndim)
        beside = [draw.array(x.shape[axis:], "float32") for _ in range(draw.number(0, most))]
        axes, wide = tuple(range(axis % x.ndim, x.ndim)), x.astype("float64")
        root = np.sqrt((wide**2).mean(axes, keepdims=True) + 1e-2)
        found = affine(normal(wide, axes, 1e-2) if most == 2 else wide / root, tuple(beside), per_channel=False)
        return Case([x, *beside], [found.astype("float32")], {"axis": axis, "epsilon": 1e-2})

    return case


def instance_norm(x: np.ndarray, *beside: np.ndarray, epsilon: float) -> np.ndarray:
    return affine(normal(x, tuple(range(2, x.ndim)), epsilon), beside, per_channel=True)


def batch_norm(x: np.ndarray, *statistics: np.ndarray, epsilon: float) -> np.ndarray:
    scale, bias, mean, variance = (each.reshape(-1, *[1] * (x.ndim - 2)) for each in statistics)
    return (x - mean) / np.sqrt(variance + epsilon) * scale + bias


def per_channel(low: int, high: int) -> Callable[[Drawing], list[tuple[int, ...]]]:
    """Shapes of an array and of some arrays with a number for each of its channels."""

    def shapes(draw: Drawing) -> list[tuple[int, ...]]:
        shape = draw.shape(3, 4)
        return [shape] + [shape[1:2]] * draw.number(low, high)

    return shapes


def group_norm(draw: Drawing) -> Case:
    groups, each = draw.numbers(2, 1, 3)
    x = draw.array((draw.number(1, 2), groups * each, *draw.shape(1, 2)), "float32")
    beside = [draw.array(x.shape[1:2], "float32") for _ in range(draw.number(0, 2))]
    apart = x.astype("float64").reshape(x.shape[0], groups, -1)
    found = affine(normal(apart, (2,), 1e-2).reshape(x.shape), tuple(beside), per_channel=True)
    return Case([x, *beside], [found.astype("float32")], {"groups": groups, "epsilon": 1e-2})


def l2_normalize(x: np.ndarray, axis: int) -> np.ndarray:
    return x / np.sqrt((x**2).sum(axis, keepdims=True))


def attention(draw: Drawing) -> Case:
    batch, (queries, keys, width, values) = draw.shape(0, 2, 3), draw.numbers(4, 1, 5)
    query, key = draw.array((*batch, queries, width)), draw.array((*batch, keys, width))
    value, scale = draw.array((*batch, keys, values)), draw.one_of(0, 0.3)
    masks = [draw.array(draw.broadcasting((*batch, queries, keys)))] if draw.flag() else []
    scores = np.einsum("...qd,...kd->...qk", query.astype("float64"), key) * (scale or 1 / math.sqrt(width))
    found = np.einsum("...qk,...kv->...qv", softmax(scores + sum(masks), -1), value)
    return Case([query, key, value, *masks], [found.astype("float32")], {"scale": scale})


def linear(draw: Drawing) -> Case:
    inputs, outputs = draw.numbers(2, 1, 5)
    x, weights = draw.array((*draw.shape(1, 3), inputs)), draw.array((outputs, inputs))
    biases = [draw.array((outputs,))] if draw.flag() else []
    found = np.einsum("...i,oi->...o", x.astype("float64"), weights) + sum(biases)
    return Case([x, weights, *biases], [found.astype("float32")])


def prelu(draw: Drawing) -> Case:
    x = draw.array(draw.shape(), "float32")
    slope = draw.array(draw.broadcasting(x.shape))
    return Case([x, slope], [np.where(x > 0, x, x * slope)])


def pool_over_all(function: Callable[..., Any]) -> Reference:
    return formula(lambda x: function(x, axis=tuple(range(2, x.ndim)), keepdims=True), lambda d: [d.shape(3, 5, 4)])


ONNX_TYPES = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE}


def by_onnx_runtime(operator: str, arrays: list[np.ndarray], outputs: list[str], **attributes: Any) -> list[np.ndarray]:
    """What ONNX Runtime computes by one operator; inputs and outputs that are empty are left out."""
    names = [f"x{at}" if array.size else "" for at, array in enumerate(arrays)]
    given = {name: array for name, array in zip(names, arrays, strict=True) if name}
    node = helper.make_node(operator, names, outputs, **attributes)
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in given.items()
    ]
    results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs if name]
    graph = helper.make_graph([node], "g", inputs, results)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return [np.asarray(each) for each in session.run(None, given)]


def steps(draw: Drawing, spatial: int, *, dilated: bool = True) -> dict[str, tuple[int, ...]]:
    strides = draw.numbers(spatial, 1, 3)
    return {"strides": strides, "dilations": draw.numbers(spatial, 1, 2) if dilated else (1,) * spatial}


def window(draw: Drawing, spatial: int) -> dict[str, tuple[int, ...]]:
    return {**steps(draw, spatial), "before": draw.numbers(spatial, 0, 1), "after": draw.numbers(spatial, 0, 1)}


def onnx_window(attributes: dict[str, tuple[int, ...]]) -> dict[str, Any]:
    pads = [*attributes["before"], *attributes["after"]]
    return {"strides": attributes["strides"], "dilations": attributes["dilations"], "pads": pads}


def convolution(draw: Drawing) -> Case:
    spatial, groups = draw.number(1, 2), draw.number(1, 2)
    inner, filters = draw.numbers(2, 1, 3)
    x = draw.array((draw.number(1, 2), groups * inner, *draw.numbers(spatial, 5, 8)))
    weights = draw.array((groups * filters, inner, *draw.numbers(spatial, 1, 3)))
    biases = [draw.array((groups * filters,))] if draw.flag() else []
    attributes = window(draw, spatial)
    found = by_onnx_runtime("Conv", [x, weights, *biases], ["y"], group=groups, **onnx_window(attributes))
    return Case([x, weights, *biases], found, {"groups": groups, **attributes})


def transposed_convolution(draw: Drawing) -> Case:
    spatial, groups = draw.number(1, 2), draw.number(1, 2)
    inner, filters = draw.numbers(2, 1, 3)
    x = draw.array((draw.number(1, 2), groups * inner, *draw.numbers(spatial, 1, 5)))
    weights = draw.array((groups * inner, filters, *draw.numbers(spatial, 2, 3)))
    biases = [draw.array((groups * filters,))] if draw.flag() else []
    attributes = {**window(draw, spatial), "before": draw.numbers(spatial, 0, 1), "after": (0,) * spatial}
    more = tuple(draw.number(0, stride - 1) for stride in attributes["strides"])
    found = by_onnx_runtime(
        "ConvTranspose", [x, weights, *biases], ["y"], group=groups, output_padding=more, **onnx_window(attributes)
    )
    return Case([x, weights, *biases], found, {"groups": groups, "output_after": more, **attributes})


def max_pool(draw: Drawing) -> Case:
    spatial = draw.number(1, 2)
    x, kernel = draw.array((*draw.numbers(2, 1, 3), *draw.numbers(spatial, 5, 8))), draw.numbers(spatial, 2, 3)
    attributes = window(draw, spatial)
    found = by_onnx_runtime("MaxPool", [x], ["y"], kernel_shape=kernel, **onnx_window(attributes))
    return Case([x], found, {"kernel": kernel, **attributes})


def average_pool(draw: Drawing) -> Case:
    spatial, counted = draw.number(1, 2), draw.flag()
    x, kernel = draw.array((*draw.numbers(2, 1, 3), *draw.numbers(spatial, 5, 8))), draw.numbers(spatial, 2, 3)
    attributes = window(draw, spatial)
    found = by_onnx_runtime(
        "AveragePool", [x], ["y"], kernel_shape=kernel, count_include_pad=int(counted), **onnx_window(attributes)
    )
    return Case([x], found, {"kernel": kernel, "count_padding": counted, **attributes})


def gemm(draw: Drawing) -> Case:
    (rows, inner, columns), (turn_a, turn_b) = draw.numbers(3, 1, 5), (draw.flag(), draw.flag())
    first = draw.array((inner, rows) if turn_a else (rows, inner))
    second = draw.array((columns, inner) if turn_b else (inner, columns))
    biases = [draw.array(draw.broadcasting((rows, columns)))] if draw.flag() else []
    alpha, beta = draw.one_of(1.0, 0.5), draw.one_of(1.0, 2.0)
    found = by_onnx_runtime(
        "Gemm", [first, second, *biases], ["y"], alpha=alpha, beta=beta, transA=int(turn_a), transB=int(turn_b)
    )
    attributes = {"alpha": alpha, "beta": beta, "transpose_a": turn_a, "transpose_b": turn_b}
    return Case([first, second, *biases], found, attributes)


def resize_nearest(draw: Drawing) -> Case:
    spatial = draw.number(1, 2)
    x, lengths = draw.array((*draw.numbers(2, 1, 3), *draw.numbers(spatial, 1, 6))), draw.numbers(spatial, 1, 9)
    sizes = np.array([*x.shape[:2], *lengths], "int64")
    empty = np.array([], "float32")
    how = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    return Case([x], by_onnx_runtime("Resize", [x, empty, empty, sizes], ["y"], **how), {"lengths": lengths})


def cell(draw: Drawing, gates: int) -> tuple[int, list[np.ndarray]]:
    """The width of a cell, and its weights for the input, for the state, and their biases."""
    width, inputs = draw.numbers(2, 1, 4)
    rows = gates * width
    return width, [draw.array((rows, inputs)), draw.array((rows, width)), draw.array((rows,)), draw.array((rows,))]


def reordered(array: np.ndarray, order: tuple[int, ...]) -> np.ndarray:
    """The gates of a cell in another order."""
    parts = np.split(array, len(order))
    return np.concatenate([parts[at] for at in order])


def lstm_cell(draw: Drawing) -> Case:
    width, parts = cell(draw, 4)
    x, batch = draw.array((2, parts[0].shape[1])), 2
    hidden, state = draw.array((batch, width)), draw.array((batch, width))
    weights, recurrent, *biases = (reordered(each, (0, 3, 1, 2)) for each in parts)
    none = np.array([], "int32")
    given = [x[None], weights[None], recurrent[None], np.concatenate(biases)[None], none, hidden[None], state[None]]
    _, new, memory = by_onnx_runtime("LSTM", given, ["y", "h", "c"], hidden_size=width)
    return Case([x, hidden, state, *parts], [new[0], memory[0]])


def gru_cell(draw: Drawing) -> Case:
    width, parts = cell(draw, 3)
    x, hidden = draw.array((2, parts[0].shape[1])), draw.array((2, width))
    weights, recurrent, *biases = (reordered(each, (1, 0, 2)) for each in parts)
    none = np.array([], "int32")
    given = [x[None], weights[None], recurrent[None], np.concatenate(biases)[None], none, hidden[None]]
    _, new = by_onnx_runtime("GRU", given, ["y", "h"], hidden_size=width, linear_before_reset=1)
    return Case([x, hidden, *parts], [new[0]])


def gelu(draw: Drawing) -> Case:
    x, how = draw.array(draw.shape(), draw.one_of(*PRECISE)), draw.one_of("none", "tanh")

    def exact(value: float) -> float:
        return value * (1 + math.erf(value / math.sqrt(2))) / 2

    def bent(value: float) -> float:
        return value / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (value + 0.044715 * value**3)))

    expected = np.vectorize(exact if how == "none" else bent, otypes=["float64"])(x)
    return Case([x], [np.asarray(expected).astype(x.dtype)], {"approximate": how})


COMPOSITES: dict[str, Reference] = {
    "relu": unary(lambda x: max(x, 0.0)),
    "relu6": unary(lambda x: min(max(x, 0.0), 6.0), -9, 9),
    "leaky_relu": formula(
        lambda x, slope: np.where(x > 0, x, x * slope), any_shape, slope=lambda d, _: d.one_of(0.1, 2)
    ),
    "prelu": prelu,
    "elu": formula(
        lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(x)), any_shape, alpha=lambda d, _: d.one_of(1, 0.4)
    ),
    "selu": unary(lambda x: 1.0507009873554805 * (x if x > 0 else 1.6732632423543772 * math.expm1(x)), dtypes=PRECISE),
    "gelu": gelu,
    "softplus": unary(lambda x: math.log1p(math.exp(x)), -20, 20, PRECISE),
    "softsign": unary(lambda x: x / (1 + abs(x)), dtypes=FLOATS),
    "hard_sigmoid": formula(
        lambda x, alpha, beta: np.clip(alpha * x + beta, 0, 1), any_shape,
        alpha=lambda d, _: d.one_of(0.2, 0.5), beta=lambda d, _: d.one_of(0.5, 0.1),
    ),
    "hard_swish": unary(lambda x: x * min(max(x / 6 + 0.5, 0), 1), -5, 5, PRECISE),
    "swish": unary(lambda x: x * sigmoid(x), dtypes=PRECISE),
    "mish": unary(lambda x: x * math.tanh(math.log1p(math.exp(x))), dtypes=PRECISE),
    "squared_difference": binary(lambda x, y: (x - y) ** 2, PRECISE),
    "softmax": formula(softmax, any_shape, axis=any_axis),
    "log_softmax": formula(lambda x, axis: np.log(softmax(x, axis)), any_shape, axis=any_axis),
    "layer_norm": trailing(2),
    "rms_norm": trailing(1),
    "batch_norm": formula(batch_norm, per_channel(4, 4), epsilon=epsilon),
    "instance_norm": formula(instance_norm, per_channel(0, 2), epsilon=epsilon),
    "group_norm": group_norm,
    "l2_normalize": formula(l2_normalize, any_shape, axis=any_axis),
    "convolution": convolution,
    "transposed_convolution": transposed_convolution,
    "max_pool": max_pool,
    "average_pool": average_pool,
    "global_average_pool": pool_over_all(np.mean),
    "global_max_pool": pool_over_all(np.max),
    "gemm": gemm,
    "linear": linear,
    "attention": attention,
    "resize_nearest": resize_nearest,
    "lstm_cell": lstm_cell,
    "gru_cell": gru_cell,
}  # fmt: skip
