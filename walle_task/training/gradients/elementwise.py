"""Gradients of the operators that treat each element alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

from walle_task.tensor.operators.operator import Emitter
from walle_task.tensor.types import FLOATS
from walle_task.training.gradients.rule import Applied, GradientRule, Gradients, like, masked, summed_to, times

Derivative = Callable[[Emitter, str, str], str]
"""Returns the derivative of a function of one number, given its argument x and its value y."""


def _of(derivative: Derivative) -> GradientRule:
    def rule(emitter: Emitter, node: Applied) -> Gradients:
        return [times(emitter, node.gradient, derivative(emitter, node.inputs[0], node.outputs[0]))]

    return rule


def _one_plus(emitter: Emitter, value: str) -> str:
    return emitter.emit("add", value, like(emitter, value, 1))


def _one_minus(emitter: Emitter, value: str) -> str:
    return emitter.emit("subtract", like(emitter, value, 1), value)


def _square(emitter: Emitter, value: str) -> str:
    return emitter.emit("square", value)


def _gauss(emitter: Emitter, x: str, _: str) -> str:
    bell = emitter.emit("exp", emitter.emit("negate", _square(emitter, x)))
    return times(emitter, bell, 2 / math.sqrt(math.pi))


_DERIVATIVES: Final[Mapping[str, Derivative]] = {
    "sqrt": lambda emitter, x, y: emitter.emit("divide", like(emitter, x, 0.5), y),
    "rsqrt": lambda emitter, x, y: times(emitter, emitter.emit("divide", y, x), -0.5),
    "reciprocal": lambda emitter, x, y: emitter.emit("negate", _square(emitter, y)),
    "exp": lambda emitter, x, y: y,
    "expm1": lambda emitter, x, y: _one_plus(emitter, y),
    "log": lambda emitter, x, y: emitter.emit("reciprocal", x),
    "log1p": lambda emitter, x, y: emitter.emit("reciprocal", _one_plus(emitter, x)),
    "sin": lambda emitter, x, y: emitter.emit("cos", x),
    "cos": lambda emitter, x, y: emitter.emit("negate", emitter.emit("sin", x)),
    "tan": lambda emitter, x, y: _one_plus(emitter, _square(emitter, y)),
    "asin": lambda emitter, x, y: emitter.emit("rsqrt", _one_minus(emitter, _square(emitter, x))),
    "acos": lambda emitter, x, y: emitter.emit(
        "negate", emitter.emit("rsqrt", _one_minus(emitter, _square(emitter, x)))
    ),
    "atan": lambda emitter, x, y: emitter.emit("reciprocal", _one_plus(emitter, _square(emitter, x))),
    "sinh": lambda emitter, x, y: emitter.emit("cosh", x),
    "cosh": lambda emitter, x, y: emitter.emit("sinh", x),
    "tanh": lambda emitter, x, y: _one_minus(emitter, _square(emitter, y)),
    "asinh": lambda emitter, x, y: emitter.emit("rsqrt", _one_plus(emitter, _square(emitter, x))),
    "acosh": lambda emitter, x, y: emitter.emit(
        "rsqrt", emitter.emit("subtract", _square(emitter, x), like(emitter, x, 1))
    ),
    "atanh": lambda emitter, x, y: emitter.emit("reciprocal", _one_minus(emitter, _square(emitter, x))),
    "erf": _gauss,
    "sigmoid": lambda emitter, x, y: times(emitter, y, _one_minus(emitter, y)),
    "abs": lambda emitter, x, y: emitter.emit("sign", x),
    "negate": lambda emitter, x, y: like(emitter, x, -1),
    "square": lambda emitter, x, y: times(emitter, x, 2.0),
}


def _clip(emitter: Emitter, node: Applied) -> Gradients:
    (x,) = node.inputs
    above = emitter.emit("greater_equal", x, like(emitter, x, node.attributes["low"]))
    below = emitter.emit("less_equal", x, like(emitter, x, node.attributes["high"]))
    return [masked(emitter, emitter.emit("logical_and", above, below), node.gradient)]


def _cast(emitter: Emitter, node: Applied) -> Gradients:
    dtype = emitter.type_of(node.inputs[0]).dtype
    return [emitter.emit("cast", node.gradient, dtype=dtype) if dtype in FLOATS else None]


def _pair(emitter: Emitter, node: Applied, first: str, second: str) -> Gradients:
    """Return gradients of two inputs that were broadcast to each other."""
    shapes = (emitter.type_of(name).shape for name in node.inputs[-2:])
    return [summed_to(emitter, each, shape) for each, shape in zip((first, second), shapes, strict=True)]


def _add(emitter: Emitter, node: Applied) -> Gradients:
    return _pair(emitter, node, node.gradient, node.gradient)


def _subtract(emitter: Emitter, node: Applied) -> Gradients:
    return _pair(emitter, node, node.gradient, emitter.emit("negate", node.gradient))


def _multiply(emitter: Emitter, node: Applied) -> Gradients:
    first, second = node.inputs
    return _pair(emitter, node, times(emitter, node.gradient, second), times(emitter, node.gradient, first))


def _divide(emitter: Emitter, node: Applied) -> Gradients:
    above = emitter.emit("divide", node.gradient, node.inputs[1])
    return _pair(emitter, node, above, emitter.emit("negate", times(emitter, above, node.outputs[0])))


def _power(emitter: Emitter, node: Applied) -> Gradients:
    """By the exponent it is zero where the base is not positive, as no real number is."""
    (base, exponent), (y,) = node.inputs, node.outputs
    less = emitter.emit("subtract", exponent, like(emitter, exponent, 1))
    by_base = times(emitter, exponent, emitter.emit("power", base, less))
    positive = emitter.emit("greater", base, like(emitter, base, 0))
    logarithm = emitter.emit("log", emitter.emit("where", positive, base, like(emitter, base, 1)))
    by_exponent = times(emitter, y, logarithm)
    return _pair(emitter, node, times(emitter, node.gradient, by_base), times(emitter, node.gradient, by_exponent))


def _atan2(emitter: Emitter, node: Applied) -> Gradients:
    y, x = node.inputs
    scaled = emitter.emit("divide", node.gradient, emitter.emit("add", _square(emitter, y), _square(emitter, x)))
    return _pair(emitter, node, times(emitter, scaled, x), emitter.emit("negate", times(emitter, scaled, y)))


def _remainder(emitter: Emitter, node: Applied) -> Gradients:
    whole = emitter.emit("floor_divide", *node.inputs)
    return _pair(emitter, node, node.gradient, emitter.emit("negate", times(emitter, node.gradient, whole)))


def _larger(comparison: str) -> GradientRule:
    """Return the rule of a maximum or minimum: equal elements share the gradient."""

    def rule(emitter: Emitter, node: Applied) -> Gradients:
        first, second = node.inputs
        half = times(emitter, node.gradient, 0.5)
        shared = masked(emitter, emitter.emit("equal", first, second), half)
        parts = [
            emitter.emit("add", shared, masked(emitter, emitter.emit(comparison, *pair), node.gradient))
            for pair in ((first, second), (second, first))
        ]
        return _pair(emitter, node, *parts)

    return rule


def _where(emitter: Emitter, node: Applied) -> Gradients:
    other = emitter.emit("logical_not", node.inputs[0])
    return [None, *_pair(emitter, node, *(masked(emitter, mask, node.gradient) for mask in (node.inputs[0], other)))]


def _flat(_: Emitter, node: Applied) -> Gradients:
    return [None] * len(node.inputs)


RULES: Final[Mapping[str, GradientRule]] = {
    **{name: _of(derivative) for name, derivative in _DERIVATIVES.items()},
    **dict.fromkeys(("floor", "ceil", "round", "sign", "floor_divide"), _flat),
    "clip": _clip,
    "cast": _cast,
    "add": _add,
    "subtract": _subtract,
    "multiply": _multiply,
    "divide": _divide,
    "power": _power,
    "atan2": _atan2,
    "remainder": _remainder,
    "maximum": _larger("greater"),
    "minimum": _larger("less"),
    "where": _where,
}
