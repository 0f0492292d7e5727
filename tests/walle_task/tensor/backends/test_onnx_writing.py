"""Graphs as ONNX models: each operator that is written, by ONNX Runtime and by a session; the file; its limits."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from tests.walle_task.tensor.backends.graphs import compiled, normal, small_network
from tests.walle_task.tensor.running import graph_of, numbered
from walle_task.tensor.backends.onnx_runtime import OnnxRuntime
from walle_task.tensor.building import GraphBuilder
from walle_task.tensor.inference import infer_types
from walle_task.tensor.onnx_writing.model import CONVERTERS, onnx_model, onnx_series, unwritable
from walle_task.tensor.onnx_writing.moves import MAX_GATHERED
from walle_task.tensor.session import Session

X, POSITIVE = normal(3, 4), np.abs(normal(3, 4)) + np.float32(0.1)
SMALLEST = np.full((2, 4), -(1 << 63))
UNIT, IMAGE = np.float32(0.9) * np.tanh(normal(3, 4)), normal(2, 6, 7, 8)
WHOLE, TRUTH = numbered(3, 4, dtype="int64") - 6, normal(3, 4) > 0
WINDOWS = {"kernel": (3, 2), "strides": (2, 1), "before": (1, 0), "after": (0, 1)}
UNARY = (
    "exp", "expm1", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "asinh", "erf", "sigmoid", "floor", "ceil",
    "round", "abs", "negate", "sign", "square", "is_nan", "relu", "relu6", "leaky_relu", "elu", "selu", "softplus",
    "softsign", "hard_sigmoid", "hard_swish", "identity", "is_inf",
)  # fmt: skip
CASES = [
    *((name, (X,), {}) for name in UNARY),
    *((name, (POSITIVE,), {}) for name in ("sqrt", "rsqrt", "reciprocal", "log", "log1p")),
    *((name, (UNIT,), {}) for name in ("asin", "acos", "atanh")),
    ("acosh", (POSITIVE + 1,), {}),
    *((name, (X, normal(4)), {}) for name in ("add", "subtract", "multiply", "maximum", "minimum", "divide")),
    *((name, (X, normal(4)), {}) for name in ("less", "less_equal", "greater", "greater_equal", "prelu")),
    *((name, (WHOLE, WHOLE[:1]), {}) for name in ("equal", "not_equal")),
    *((name, (first, second), {}) for name in ("floor_divide", "remainder")
      for first, second in ((X, POSITIVE), (WHOLE, np.array([3, -2, 5, -7])))),
    ("power", (POSITIVE, X), {}),
    *((name, (TRUTH, TRUTH[:1]), {}) for name in ("logical_and", "logical_or", "logical_xor")),
    ("logical_not", (TRUTH,), {}),
    ("where", (TRUTH, X, POSITIVE), {}),
    ("clip", (X,), {"low": -0.3, "high": 0.4}),
    ("cast", (X,), {"dtype": "int32"}),
    *((name, (X,), {"axes": axes, "keep": keep}) for name in ("reduce_sum", "reduce_mean", "reduce_max", "reduce_min",
      "reduce_prod") for axes, keep in (((0,), False), ((-1, 0), True))),
    *((name, (TRUTH,), {"axes": (1,)}) for name in ("reduce_any", "reduce_all")),
    *((name, (X,), {"axis": -1, "keep": True}) for name in ("argmax", "argmin")),
    ("cumsum", (X,), {"axis": 1}),
    ("matmul", (normal(2, 3, 4), normal(4, 5)), {}),
    ("gather", (X, np.array([[0, 2], [-1, 1]])), {"axis": 0}),
    ("gather_elements", (X, np.array([[0, 2, 1, 1]])), {"axis": 0}),
    ("gather_nd", (X, np.array([[0, 2], [2, 1]])), {}),
    ("scatter_nd", (X, np.array([[0], [2]]), normal(2, 4)), {}),
    ("scatter_nd", (X, np.array([[0], [0]]), POSITIVE[:2]), {"add": True}),
    *((name, (X,), {"axes": ()}) for name in ("reduce_sum", "reduce_max")), ("reduce_any", (TRUTH,), {"axes": ()}),
    ("pad", (np.ones((), "float32"),), {"before": (), "after": ()}),
    ("slice", (X,), {"axes": (), "starts": (), "ends": ()}),
    ("floor_divide", (SMALLEST, np.array([3, -3, 7, (1 << 63) - 1])), {}),
    ("hard_sigmoid", (POSITIVE,), {"alpha": 1e300}),
    ("layer_norm", (X[0],), {}),
    ("one_hot", (np.array([0, 3, -1, 7]),), {"depth": 4, "dtype": "float32", "on": 2.0, "off": -1.0, "axis": 0}),
    ("shape_of", (IMAGE,), {}),
    ("reshape", (X,), {"shape": (2, -1)}), ("flatten", (IMAGE,), {}), ("squeeze", (X[:1],), {"axes": (0,)}),
    ("unsqueeze", (X,), {"axes": (-1,)}), ("transpose", (IMAGE,), {"axes": (0, 2, 3, 1)}),
    ("swap_axes", (IMAGE,), {"first": 1, "second": -1}), ("move_axis", (IMAGE,), {"start": 1, "end": 3}),
    ("slice", (X,), {"axes": (1,), "starts": (3,), "ends": (-9,), "steps": (-2,)}),
    ("select", (X,), {"axis": 1, "index": -1}), ("take", (X,), {"axis": 1, "indices": (3, 0, -2)}),
    ("concatenate", (X, POSITIVE), {"axis": 0}), ("stack", (X, POSITIVE), {"axis": -1}),
    ("pad", (X,), {"before": (1, 0), "after": (0, 2), "value": 3.0}),
    ("pad_edge", (X,), {"before": (1, 2), "after": (0, 2)}), ("pad_reflect", (X,), {"before": (1, 2), "after": (0, 2)}),
    ("broadcast_to", (X[:, :1],), {"shape": (2, 3, 4)}), ("tile", (X,), {"repeats": (2, 3)}),
    ("depth_to_space", (normal(1, 8, 2, 3),), {"block": 2, "mode": "depth first"}),
    ("depth_to_space", (normal(1, 8, 2, 3),), {"block": 2, "mode": "column first"}),
    ("channel_shuffle", (IMAGE,), {"groups": 3}),
    *((name, (X,), {"axis": axis}) for name in ("softmax", "log_softmax") for axis in (0, 1)),
    ("layer_norm", (X,), {}), ("layer_norm", (IMAGE, normal(7, 8), normal(7, 8)), {"axis": 2}),
    ("batch_norm", (IMAGE, normal(6), normal(6), normal(6), np.abs(normal(6))), {}),
    ("convolution", (IMAGE, normal(4, 3, 3, 2), normal(4)), {"groups": 2, "dilations": (1, 2), "before": (1, 0)}),
    ("convolution", (normal(1, 2, 9), normal(3, 2, 4)), {"strides": (2,), "after": (1,)}),
    ("transposed_convolution", (IMAGE, normal(6, 2, 3, 2)),
     {"strides": (2, 1), "before": (1, 0), "output_after": (1, 0)}),
    ("max_pool", (IMAGE,), WINDOWS), ("average_pool", (IMAGE,), WINDOWS),
    ("average_pool", (IMAGE,), {**WINDOWS, "count_padding": True}),
    ("global_average_pool", (IMAGE,), {}), ("global_max_pool", (IMAGE,), {}),
    ("gemm", (normal(4, 3), normal(5, 4), normal(5)),
     {"transpose_a": True, "transpose_b": True, "alpha": 2.0, "beta": 0.5}),
    ("linear", (X, normal(5, 4), normal(5)), {}), ("linear", (IMAGE, normal(5, 8)), {}),
    # What ONNX lacks is lowered, and in the end gathered.
    ("roll", (IMAGE,), {"axis": 1, "shift": 2}), ("rotate_90", (X,), {}), ("diagonal", (X,), {}),
    ("attention", (normal(2, 4, 8), normal(2, 5, 8), normal(2, 5, 3)), {}), ("gelu", (X,), {}), ("mish", (X,), {}),
    ("convolution", (IMAGE.astype("float64"), normal(4, 6, 3, 3).astype("float64")), {}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("operator", "arrays", "attributes"), CASES, ids=lambda each: each if isinstance(each, str) else ""
)
def test_an_operator_is_the_same_as_ours(operator, arrays, attributes):
    graph = graph_of(operator, *arrays, **attributes)
    inputs = {f"x{at}": each for at, each in enumerate(arrays)}
    (expected,) = Session(graph).run(inputs).values()
    (found,) = compiled(OnnxRuntime(), graph).run(inputs).values()
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=2e-6)


def test_operators_with_several_outputs_are_the_same_as_ours():
    for operator, attributes, outputs in (("top_k", {"k": 2}, 2), ("split", {"axis": 1, "lengths": (1, 3)}, 2)):
        graph = graph_of(operator, X, outputs=outputs, **attributes)
        expected, found = (each.run({"x0": X}) for each in (Session(graph), compiled(OnnxRuntime(), graph)))
        for name in expected:
            np.testing.assert_array_equal(found[name], expected[name])


def test_each_operator_that_is_written_is_tried():
    assert CONVERTERS.keys() - {operator for operator, _, _ in CASES} == {"top_k", "split"}


@pytest.mark.parametrize("int8", [False, True])
def test_a_model_is_valid_and_has_no_names_of_the_graph(int8):
    model = onnx_model(onnx_series(infer_types(small_network())), int8=int8)
    onnx.checker.check_model(onnx.load_from_string(model.data), full_check=True)
    assert (b"MatMulInteger" in model.data) is int8
    assert b"linear" not in model.data


def test_all_that_cannot_be_written_is_named():
    build = GraphBuilder("unwritable")
    x = build.input("x", "float32", (2, MAX_GATHERED))
    build.output(build.add("roll", x, axis=1, shift=1, name="far"))
    build.output(build.add("cumprod", x, axis=1, name="grown"))
    assert unwritable(onnx_series(infer_types(build.build()))) == [
        f"node far: a raster of {2 * MAX_GATHERED} elements, of which ONNX gathers at most {MAX_GATHERED}",
        "node grown: ONNX has no cumprod",
    ]


def test_constants_and_inputs_may_be_outputs():
    build = GraphBuilder("outputs")
    build.output(build.input("x", "float32", (2,)))
    build.output(build.constant(np.arange(3), "three"))
    found = compiled(OnnxRuntime(), build.build()).run({"x": X[0, :2]})
    np.testing.assert_array_equal(found["x"], X[0, :2])
    np.testing.assert_array_equal(found["three"], [0, 1, 2])
