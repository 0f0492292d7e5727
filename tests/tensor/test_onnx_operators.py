"""Each operator of ONNX that is imported computes what ONNX Runtime does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import numpy_helper

from tests.tensor.onnx_models import assert_alike, one_node
from walle.tensor.onnx.operators.catalogue import TRANSLATIONS

RANDOM = np.random.default_rng(19)


def floats(*shape: int, dtype: str = "float32") -> np.ndarray:
    return RANDOM.normal(size=shape).astype(dtype)


def positive(*shape: int) -> np.ndarray:
    return RANDOM.uniform(0.1, 2, shape).astype("float32")


def inside(*shape: int) -> np.ndarray:
    return RANDOM.uniform(-0.9, 0.9, shape).astype("float32")


def integers(*shape: int, low: int = -5, high: int = 6, dtype: str = "int64") -> np.ndarray:
    return RANDOM.integers(low, high, shape).astype(dtype)


def booleans(*shape: int) -> np.ndarray:
    return RANDOM.random(shape) > 0.5


def of(*numbers: float, dtype: str = "int64") -> np.ndarray:
    return np.array(numbers, dtype)


def scalar(number: float, dtype: str = "int64") -> np.ndarray:
    return np.array(number, dtype)


X = floats(2, 3, 4)
IMAGE = floats(2, 4, 7, 8)
STATISTICS = (floats(4), floats(4), floats(4), positive(4))
BESIDE = {"kernel_shape": [2, 3], "strides": [2, 2], "ceil_mode": 1}
ODD = np.array([np.nan, np.inf, -np.inf, 0.0, -1.5], "float32")

UNARY = [
    *((name, X) for name in ("Abs", "Asinh", "Atan", "Ceil", "Cos", "Cosh", "Erf", "Exp", "Floor", "Neg", "Round")),
    *((name, X) for name in ("Sigmoid", "Sign", "Sin", "Sinh", "Tan", "Tanh", "Identity", "Softplus", "Softsign")),
    *(
        (name, X)
        for name in ("Relu", "LeakyRelu", "Elu", "Selu", "Celu", "ThresholdedRelu", "HardSigmoid", "HardSwish")
    ),
    *((name, X) for name in ("Shrink", "Softmax", "LogSoftmax", "Hardmax", "Mish", "Dropout")),
    *((name, positive(2, 3)) for name in ("Log", "Sqrt", "Reciprocal")),
    *((name, inside(2, 3)) for name in ("Acos", "Asin", "Atanh")),
    ("Acosh", positive(2, 3) + 1),
    ("IsNaN", ODD),
    ("IsInf", ODD),
    ("Not", booleans(2, 3)),
    ("Abs", integers(3, 3, dtype="int32")),
    ("Sign", integers(3, 3, low=0, dtype="uint8")),
    ("Relu", integers(3, 3, dtype="int32")),
    ("Shape", X),
    ("Size", X),
    ("Transpose", X),
    ("Flatten", X),
    ("GlobalAveragePool", IMAGE),
    ("GlobalMaxPool", IMAGE),
    ("MeanVarianceNormalization", IMAGE),
    ("LpNormalization", X),
    ("Squeeze", floats(1, 3, 1, 2)),
]

BINARY = [
    *((name, X, floats(3, 1)) for name in ("Add", "Sub", "Mul", "Div", "Max", "Min", "Equal", "Less", "Greater")),
    *((name, X, X) for name in ("LessOrEqual", "GreaterOrEqual", "Equal", "PRelu")),
    *((name, booleans(2, 3), booleans(3)) for name in ("And", "Or", "Xor")),
    ("Div", integers(4, 5), np.where((each := integers(4, 5)) == 0, 3, each)),
    ("Div", integers(4, low=0, high=200, dtype="uint8"), of(3, 7, 1, 200, dtype="uint8")),
    ("Mod", integers(4, 5), np.where((other := integers(4, 5)) == 0, 3, other)),
    ("Pow", positive(2, 3), floats(3)),
    ("Pow", X, scalar(2, "float32")),
    ("Pow", positive(2, 3), scalar(0.5, "float32")),
    ("Pow", X, of(3)),
    ("Pow", integers(3, 3), scalar(3)),
    ("PRelu", X, floats(3, 1)),
    ("Sum", X, floats(4)),
    ("Mean", X, floats(4)),
    ("MatMul", X, floats(4, 5)),
    ("MatMul", floats(4), X.swapaxes(1, 2).copy()),
    ("MatMul", X, floats(4)),
    ("MatMul", floats(4), floats(4)),
    ("MatMul", floats(5, 1, 3, 4), floats(2, 4, 2)),
    ("CastLike", X, integers(1)),
]


def case(operator: str, *arrays: Any, **options: Any) -> Any:
    return pytest.param(operator, arrays, options, id=operator)


CASES = [
    *(case(name, x) for name, x in UNARY),
    *(case(name, *xs) for name, *xs in BINARY),
    case("Mod", floats(3, 4), floats(4), fmod=1),
    case("Mod", integers(5), of(3, -3, 2, -2, 5), fmod=1),
    case("Sum", X, floats(4), floats(1)),
    case("Max", X, floats(4), floats(1)),
    case("IsInf", ODD, detect_negative=0),
    case("IsInf", ODD, detect_positive=0),
    case("Where", booleans(3, 1), X, floats(4)),
    case("Clip", X, scalar(-0.5, "float32"), scalar(0.5, "float32"), constant=(1, 2)),
    case("Clip", X, None, scalar(0.5, "float32"), constant=(2,)),
    case("Clip", X, scalar(-0.5, "float32"), scalar(0.5, "float32")),
    case("Clip", integers(3, 3), scalar(-1), scalar(2), constant=(1, 2)),
    case("LeakyRelu", X, alpha=0.3),
    case("Elu", X, alpha=0.3),
    case("Selu", X, alpha=1.5, gamma=2.0),
    case("Celu", X, alpha=0.3),
    case("ThresholdedRelu", X, alpha=0.3),
    case("Shrink", X, bias=0.2, lambd=0.4),
    case("HardSigmoid", X, alpha=0.3, beta=0.4),
    case("Gelu", X, opset=20),
    case("Gelu", X, approximate="tanh", opset=20),
    case("Cast", X * 10, to=6),
    case("Cast", X, to=9),
    case("Cast", X, to=10),
    case("Cast", integers(3), to=1),
    case("Dropout", X, scalar(0.5, "float32"), constant=(1,)),
    case("Softmax", X, axis=1),
    case("LogSoftmax", X, axis=0),
    case("Hardmax", X, axis=1),
    case("Reshape", X, of(4, -1), constant=(1,)),
    case("Reshape", X, of(0, 0, 2, 2), constant=(1,)),
    case("Flatten", X, axis=2),
    case("Flatten", X, axis=0),
    case("Squeeze", floats(1, 3, 1, 2), of(-2), constant=(1,)),
    case("Unsqueeze", X, of(0, -1), constant=(1,)),
    case("Transpose", X, perm=[2, 0, 1]),
    case("Concat", X, floats(2, 1, 4), floats(2, 2, 4), axis=1),
    case("Concat", X, floats(2, 3, 1), axis=-1),
    case("Split", IMAGE, of(1, 3), constant=(1,), outputs=2, axis=1),
    case("Split", IMAGE, outputs=3, axis=3, num_outputs=3),
    case("Split", IMAGE, outputs=2, axis=1, opset=17),
    case("Slice", X, of(1), of(3), of(2), constant=(1, 2, 3)),
    case("Slice", X, of(1, -2), of(1000, 100), constant=(1, 2)),
    case("Slice", X, of(3, -1), of(-(2**63), 0), of(2, 1), of(-2, -1), constant=(1, 2, 3, 4)),
    case("Shape", X, start=1),
    case("Shape", X, start=-2, end=-1),
    case("ConstantOfShape", of(2, 3), constant=(0,)),
    case("ConstantOfShape", of(2, 3), constant=(0,), value=numpy_helper.from_array(np.array([7], "int64"))),
    case("Range", scalar(2), scalar(11), scalar(3), constant=(0, 1, 2)),
    case("Range", *(scalar(each, "float32") for each in (1, -2, -0.5)), constant=(0, 1, 2)),
    case("Expand", floats(3, 1), of(2, 1, 4), constant=(1,)),
    case("Expand", floats(3, 4), of(1, 4), constant=(1,)),
    case("Tile", X, of(2, 1, 3), constant=(1,)),
    case("Pad", X, of(0, 1, 2, 1, 0, 0), scalar(1.5, "float32"), constant=(1, 2)),
    case("Pad", X, of(0, -1, 0, 0, 1, -2), constant=(1,)),
    case("Pad", X, of(1, 2), None, of(-1), constant=(1, 3)),
    case("Pad", X, of(0, 1, 2, 1, 0, 0), constant=(1,), mode="edge"),
    case("Pad", X, of(0, 1, 2, 1, 0, 0), constant=(1,), mode="reflect"),
    case("DepthToSpace", IMAGE, blocksize=2),
    case("DepthToSpace", IMAGE, blocksize=2, mode="CRD"),
    case("SpaceToDepth", floats(1, 3, 4, 6), blocksize=2),
    case("Trilu", floats(2, 4, 5)),
    case("Trilu", floats(4, 4), scalar(-1), constant=(1,), upper=0),
    case("EyeLike", floats(3, 4), k=1),
    case("EyeLike", floats(3, 3), dtype=7),
    *(
        case(name, positive(2, 3, 4), of(1, -1), constant=(1,))
        for name in ("ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2")
    ),
    *(case(name, positive(2, 3, 4), keepdims=0) for name in ("ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp")),
    case("ReduceLogSumExp", X * 50, of(1), constant=(1,), keepdims=0),
    case("ReduceSum", X, of(0), constant=(1,), opset=13, keepdims=0),
    case("ReduceMean", X, axes=[0, 2], opset=13),
    case("ReduceSum", X, noop_with_empty_axes=1),
    case("ArgMax", X, axis=1),
    case("ArgMin", X, axis=-1, keepdims=0),
    case("CumSum", X, scalar(1), constant=(1,)),
    case("CumSum", X, scalar(-1), constant=(1,), exclusive=1, reverse=1),
    case("TopK", floats(3, 6), of(2), constant=(1,), outputs=2),
    case("TopK", floats(3, 6), of(3), constant=(1,), outputs=2, axis=0, largest=0),
    case("Gather", X, integers(2, 2, low=-3, high=3), axis=1),
    case("Gather", X, scalar(-1), constant=(1,), axis=2),
    case("Gather", X, of(0, 2, 1), constant=(1,), axis=1),
    case("Gather", floats(9, 4), integers(2, 3, low=0, high=9), constant=(0,)),
    case("GatherElements", X, integers(2, 2, 4, low=-3, high=3), axis=1),
    case("GatherND", X, of(0, 2, 1, 0).reshape(2, 2)),
    case("ScatterND", X, of(0, 2, 1, 0).reshape(2, 2), floats(2, 4)),
    case("ScatterElements", X, of(0, 2, 1, 1).reshape(1, 1, 4), floats(1, 1, 4), axis=1),
    case("OneHot", integers(2, 3), scalar(4), of(2, 5), constant=(1, 2)),
    case("OneHot", of(1, -1), of(4), of(0, 1, dtype="float32"), constant=(1, 2), axis=0),
    case("Conv", IMAGE, floats(6, 4, 3, 3), floats(6), pads=[1, 2, 0, 1], strides=[2, 1]),
    case("Conv", IMAGE, floats(4, 1, 3, 3), group=4, dilations=[2, 1]),
    case("Conv", IMAGE, floats(6, 2, 3, 2), group=2, auto_pad="SAME_UPPER", strides=[2, 3]),
    case("Conv", IMAGE, floats(6, 4, 2, 3), auto_pad="SAME_LOWER", kernel_shape=[2, 3]),
    case("Conv", IMAGE, floats(6, 4, 2, 3), auto_pad="VALID"),
    case("Conv", floats(2, 3, 9), floats(5, 3, 3), strides=[2]),
    case("ConvTranspose", IMAGE, floats(4, 2, 3, 2), floats(2), strides=[2] * 2, pads=[1, 0, 0, 1]),
    case("ConvTranspose", IMAGE, floats(4, 2, 3, 2), strides=[2] * 2, output_padding=[1, 0]),
    case("ConvTranspose", IMAGE, floats(4, 3, 3, 3), group=2, dilations=[2, 1]),
    case("ConvTranspose", IMAGE, floats(4, 3, 3, 3), strides=[2, 2], output_shape=[14, 17]),
    case("ConvTranspose", IMAGE, floats(4, 3, 3, 3), strides=[2, 2], auto_pad="SAME_UPPER"),
    case("ConvTranspose", IMAGE, floats(4, 3, 3, 3), strides=[2, 3], auto_pad="SAME_LOWER"),
    case("MaxPool", IMAGE, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1]),
    case("MaxPool", IMAGE, kernel_shape=[2, 3], strides=[2, 2], ceil_mode=1),
    case("MaxPool", IMAGE, kernel_shape=[2, 2], dilations=[2, 3]),
    case("MaxPool", IMAGE, kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_UPPER"),
    case("AveragePool", IMAGE, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1]),
    case("AveragePool", IMAGE, kernel_shape=[3, 2], pads=[1, 0, 1, 1], count_include_pad=1),
    case("AveragePool", IMAGE, **BESIDE),
    case("AveragePool", IMAGE, **BESIDE, pads=[1, 1, 1, 1], count_include_pad=1, opset=19),
    case("Gemm", floats(3, 4), floats(4, 5)),
    case("Gemm", floats(4, 3), floats(5, 4), floats(5), transA=1, transB=1, alpha=0.5, beta=2.0),
    case("LRN", IMAGE, size=3, alpha=0.1, beta=0.6, bias=1.5),
    case("LRN", IMAGE, size=1),
    case("BatchNormalization", IMAGE, *STATISTICS, constant=(1, 2, 3, 4), momentum=0.8),
    case("InstanceNormalization", IMAGE, floats(4), floats(4), epsilon=0.01),
    case("LayerNormalization", X, floats(4), floats(4), epsilon=0.01),
    case("LayerNormalization", X, floats(3, 4), axis=1),
    case("GroupNormalization", IMAGE, floats(2), floats(2), num_groups=2),
    case("GroupNormalization", IMAGE, floats(4), floats(4), num_groups=2, opset=21),
    case("RMSNormalization", X, floats(4), opset=23),
    case("LpNormalization", np.array([[0, 0], [3, -4]], "float32"), p=1, axis=1),
    case("Swish", X, alpha=0.5, opset=24),
    *(
        case("Resize", IMAGE, None, of(1, 1, *scales, dtype="float32"), constant=(2,), **modes)
        for scales in ((2, 3), (0.5, 1.7))
        for modes in (
            {},
            {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"},
            {"coordinate_transformation_mode": "align_corners", "nearest_mode": "ceil"},
            {"mode": "linear"},
            {"mode": "linear", "coordinate_transformation_mode": "align_corners"},
            {"mode": "linear", "coordinate_transformation_mode": "pytorch_half_pixel"},
            {"mode": "cubic"},
            {"mode": "cubic", "coordinate_transformation_mode": "asymmetric", "cubic_coeff_a": -0.5},
        )
    ),
    case("Resize", IMAGE, None, None, of(2, 4, 14, 5), constant=(3,), nearest_mode="round_prefer_ceil"),
    case("Resize", IMAGE, None, None, of(13, 1), constant=(3,), axes=[2, 3], mode="linear"),
    case("Resize", IMAGE, None, of(1, 1, 0.6, 1.3, dtype="float32"), constant=(2,), opset=19, mode="linear",
         coordinate_transformation_mode="half_pixel_symmetric"),
    *(
        case(name, floats(4, 2, 3), floats(1, gates * 5, 3), floats(1, gates * 5, 5), constant=(1, 2), outputs=outputs,
             hidden_size=5, **more)
        for name, gates, outputs, more in (
            ("LSTM", 4, 3, {}), ("LSTM", 4, 3, {"direction": "reverse"}), ("GRU", 3, 2, {"linear_before_reset": 1}),
            ("RNN", 1, 2, {}),
        )
    ),
    case("LSTM", floats(4, 2, 3), floats(2, 20, 3), floats(2, 20, 5), floats(2, 40), None, floats(2, 2, 5),
         floats(2, 2, 5), outputs=3, hidden_size=5, direction="bidirectional"),
]  # fmt: skip


@pytest.mark.parametrize(("operator", "arrays", "options"), CASES)
def test_an_operator_computes_what_onnx_runtime_does(operator: str, arrays: tuple[Any, ...], options: dict[str, Any]):
    model = one_node(operator, *arrays, **options)
    fixed = options.get("constant", ())
    feeds = {f"x{at}": each for at, each in enumerate(arrays) if each is not None and at not in fixed}
    assert_alike(model, feeds, rtol=2e-5, atol=2e-6)


def test_each_operator_that_is_imported_has_a_case():
    elsewhere = {"Constant"}
    assert TRANSLATIONS.keys() - {each.values[0] for each in CASES} == elsewhere
