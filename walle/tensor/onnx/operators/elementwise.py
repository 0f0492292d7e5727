"""Operators of ONNX that treat each element alike."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Final

import numpy as np

from walle.tensor.onnx.arrays import dtype_of
from walle.tensor.onnx.node import OnnxNode, Translation
from walle_task.tensor.faults import Unfit
from walle_task.tensor.types import FLOATS, INTEGERS


def direct(operator: str) -> Translation:
    """Return the translation into one operator of the same inputs, without attributes."""
    return lambda node: node.emit(operator, *node.inputs)


def _all(operator: str) -> Translation:
    """Return the translation of an operator of any number of inputs into one of two, applied from left to right."""
    return lambda node: reduce(lambda one, other: node.emit(operator, one, other), node.inputs[1:], node.input())


def _mean(node: OnnxNode) -> str:
    total = reduce(lambda one, other: node.emit("add", one, other), node.inputs[1:], node.input())
    return node.emit("divide", total, node.like(len(node), total))


def _divide(node: OnnxNode) -> str:
    """Integers are divided towards zero."""
    one, other = node.input(0), node.input(1)
    if node.dtype(one) in FLOATS:
        return node.emit("divide", one, other)
    if node.dtype(one) == "uint8":
        return node.emit("floor_divide", one, other)
    magnitude = node.emit("floor_divide", node.emit("abs", one), node.emit("abs", other))
    return node.emit("multiply", magnitude, _product_sign(node, one, other))


def _product_sign(node: OnnxNode, one: str, other: str) -> str:
    return node.emit("multiply", node.emit("sign", one), node.emit("sign", other))


def _modulo(node: OnnxNode) -> str:
    """With fmod the result has the sign of the dividend, without it that of the divisor."""
    one, other = node.input(0), node.input(1)
    fmod = node.int_of("fmod", 0)
    if not fmod:
        node.only("inputs[0]", node.dtype(one), *INTEGERS)
    if not fmod or node.dtype(one) == "uint8":
        return node.emit("remainder", one, other)
    magnitude = node.emit("remainder", node.emit("abs", one), node.emit("abs", other))
    return node.emit("multiply", magnitude, node.emit("sign", one))


def _power(node: OnnxNode) -> str:
    base, exponent = node.input(0), node.input(1)
    dtype = node.dtype(base)
    constant = node.constant(exponent)
    if constant is not None and constant.size == 1 and constant.item() in (0.5, 2):
        if constant.item() == 2 and constant.ndim == 0:
            return node.emit("square", base)
        if dtype in FLOATS and constant.ndim == 0:
            return node.emit("sqrt", base)
    computed = dtype if dtype in FLOATS else "float64"
    power = node.emit("power", *(node.emit("cast", each, dtype=computed) for each in (base, exponent)))
    return power if computed == dtype else node.emit("cast", power, dtype=dtype)


def _clip(node: OnnxNode) -> str:
    x, low, high = node.input(0), node.optional(1), node.optional(2)
    bounds = [None if value is None else node.constant(value) for value in (low, high)]
    given = [value is not None for value in (low, high)]
    known = all(bound is not None and bound.size == 1 for bound, there in zip(bounds, given, strict=True) if there)
    if known and node.dtype(x) in FLOATS:
        limits = {
            name: float(bound.item()) for name, bound in zip(("low", "high"), bounds, strict=True) if bound is not None
        }
        return node.emit("clip", x, **limits)
    for operator, value in (("maximum", low), ("minimum", high)):
        if value is not None:
            x = node.emit(operator, x, value)
    return x


def _relu(node: OnnxNode) -> str:
    x = node.input()
    return node.emit("relu", x) if node.dtype(x) in FLOATS else node.emit("maximum", x, node.like(0, x))


def _unsigned(operator: str, of_unsigned: str) -> Translation:
    """Return the translation of an operator that the graph has for signed numbers only."""

    def translate(node: OnnxNode) -> str:
        x = node.input()
        return node.emit(of_unsigned if node.dtype(x) == "uint8" else operator, x)

    return translate


def _sign(node: OnnxNode) -> str:
    x = node.input()
    return node.emit("minimum", x, node.like(1, x)) if node.dtype(x) == "uint8" else node.emit("sign", x)


def _celu(node: OnnxNode) -> str:
    x, alpha = node.input(), node.float_of("alpha", 1.0)
    scaled = node.emit("divide", node.emit("minimum", x, node.like(0, x)), node.like(alpha, x))
    bent = node.emit("multiply", node.emit("expm1", scaled), node.like(alpha, x))
    return node.emit("add", node.emit("relu", x), bent)


def _thresholded(node: OnnxNode) -> str:
    x = node.input()
    above = node.emit("greater", x, node.like(node.float_of("alpha", 1.0), x))
    return node.emit("where", above, x, node.like(0, x))


def _shrink(node: OnnxNode) -> str:
    x, bias, limit = node.input(), node.float_of("bias", 0.0), node.float_of("lambd", 0.5)
    nothing = node.like(0, x)
    above = node.emit("where", node.emit("greater", x, node.like(limit, x)),
                      node.emit("subtract", x, node.like(bias, x)), nothing)  # fmt: skip
    return node.emit("where", node.emit("less", x, node.like(-limit, x)),
                     node.emit("add", x, node.like(bias, x)), above)  # fmt: skip


def _swish(node: OnnxNode) -> str:
    x, alpha = node.input(), node.float_of("alpha", 1.0)
    if alpha == 1:
        return node.emit("swish", x)
    return node.emit("multiply", x, node.emit("sigmoid", node.emit("multiply", x, node.like(alpha, x))))


def _prelu(node: OnnxNode) -> str:
    return node.emit("prelu", node.input(0), node.input(1))


def _is_infinite(node: OnnxNode) -> str:
    x, up, down = node.input(), node.int_of("detect_positive", 1), node.int_of("detect_negative", 1)
    if up and down:
        return node.emit("is_inf", x)
    if not up and not down:
        return node.emit("not_equal", x, x) if node.dtype(x) not in FLOATS else node.emit(
            "logical_and", node.emit("is_inf", x), node.emit("is_nan", x)
        )  # fmt: skip
    return node.emit("equal", x, node.like(np.inf if up else -np.inf, x))


def _cast(node: OnnxNode) -> str:
    node.ignore("saturate", "round_mode")
    return _as(node, node.input(), _target(node))


def _target(node: OnnxNode) -> str:
    try:
        return dtype_of(node.int_of("to"))
    except Unfit as error:
        raise Unfit("to", error.expected, error.found) from None


def _cast_like(node: OnnxNode) -> str:
    node.ignore("saturate", "round_mode")
    return _as(node, node.input(0), node.dtype(node.input(1)))


def _as(node: OnnxNode, value: str, dtype: str) -> str:
    return value if node.dtype(value) == dtype else node.emit("cast", value, dtype=dtype)


def _dropout(node: OnnxNode) -> str:
    node.ignore("seed", "ratio")
    training = node.constant(node.optional(2))
    if node.optional(2) is not None and (training is None or training.any()):
        raise Unfit("inputs[2]", "false: models are imported for inference", "what may be true")
    return node.input()


_DIRECT: Final = {
    "Acos": "acos", "Acosh": "acosh", "Asin": "asin", "Asinh": "asinh", "Atan": "atan", "Atanh": "atanh",
    "Ceil": "ceil", "Cos": "cos", "Cosh": "cosh", "Erf": "erf", "Exp": "exp", "Floor": "floor", "Log": "log",
    "Reciprocal": "reciprocal", "Round": "round", "Sigmoid": "sigmoid", "Sin": "sin", "Sinh": "sinh", "Sqrt": "sqrt",
    "Tan": "tan", "Tanh": "tanh", "IsNaN": "is_nan", "Not": "logical_not", "Neg": "negate",
    "Add": "add", "Sub": "subtract", "Mul": "multiply",
    "Equal": "equal", "Less": "less", "LessOrEqual": "less_equal", "Greater": "greater",
    "GreaterOrEqual": "greater_equal", "And": "logical_and", "Or": "logical_or", "Xor": "logical_xor",
    "Where": "where", "Softplus": "softplus", "Softsign": "softsign", "HardSwish": "hard_swish", "Mish": "mish",
}  # fmt: skip
TRANSLATIONS: Final[Mapping[str, Translation]] = {
    **{name: direct(operator) for name, operator in _DIRECT.items()},
    "Abs": _unsigned("abs", "identity"),
    "Sign": _sign,
    "Sum": _all("add"),
    "Max": _all("maximum"),
    "Min": _all("minimum"),
    "Mean": _mean,
    "Div": _divide,
    "Mod": _modulo,
    "Pow": _power,
    "Clip": _clip,
    "Relu": _relu,
    "LeakyRelu": lambda node: node.emit("leaky_relu", node.input(), slope=node.float_of("alpha", 0.01)),
    "PRelu": _prelu,
    "Elu": lambda node: node.emit("elu", node.input(), alpha=node.float_of("alpha", 1.0)),
    "Selu": lambda node: node.emit(
        "selu",
        node.input(),
        alpha=node.float_of("alpha", 1.6732632423543772),
        gamma=node.float_of("gamma", 1.0507009873554805),
    ),
    "Celu": _celu,
    "ThresholdedRelu": _thresholded,
    "Shrink": _shrink,
    "Swish": _swish,
    "HardSigmoid": lambda node: node.emit(
        "hard_sigmoid", node.input(), alpha=node.float_of("alpha", 0.2), beta=node.float_of("beta", 0.5)
    ),
    "Gelu": lambda node: node.emit("gelu", node.input(), approximate=node.text_of("approximate", "none")),
    "IsInf": _is_infinite,
    "Cast": _cast,
    "CastLike": _cast_like,
    "Dropout": _dropout,
    "Identity": lambda node: node.input(),
}
