"""Composite operators that treat each element alike, and those that normalise: their decomposition."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from walle_task.tensor.faults import Unfit
from walle_task.tensor.operators.atomic import broadcast
from walle_task.tensor.operators.operator import (
    Attribute,
    Call,
    Emitter,
    Operator,
    OperatorGroup,
    choice,
    integer,
    number,
    of_dtype,
    same_dtype,
)
from walle_task.tensor.types import FLOATS, TensorType

Decomposition = Callable[[Emitter, tuple[str, ...], Call], str]


def composite(
    name: str,
    inputs: tuple[int, int | None],
    infer: Callable[[Call], TensorType],
    decompose: Decomposition,
    **attributes: Attribute,
) -> Operator:
    """Return a composite operator with one output."""
    return Operator(
        name, OperatorGroup.COMPOSITE, inputs, attributes, lambda call: (infer(call),),
        decompose=lambda emitter, values, call: (decompose(emitter, values, call),),
    )  # fmt: skip


def floats(call: Call) -> TensorType:
    """Return the type of the first input, which must be floats, as the others. Raises Unfit."""
    same_dtype(call)
    return of_dtype(call, 0, FLOATS, "floats")


def _like(emitter: Emitter, value: str, constant: float) -> str:
    return emitter.number(constant, emitter.type_of(value).dtype)


def _relu(emitter: Emitter, values: tuple[str, ...], _: Call) -> str:
    return emitter.emit("maximum", values[0], _like(emitter, values[0], 0))


def _relu6(emitter: Emitter, values: tuple[str, ...], _: Call) -> str:
    return emitter.emit("clip", values[0], low=0.0, high=6.0)


def _signed_parts(emitter: Emitter, value: str) -> tuple[str, str]:
    zero = _like(emitter, value, 0)
    return emitter.emit("maximum", value, zero), emitter.emit("minimum", value, zero)


def _leaky_relu(emitter: Emitter, values: tuple[str, ...], call: Call) -> str:
    positive, negative = _signed_parts(emitter, values[0])
    return emitter.emit("add", positive, emitter.emit("multiply", negative, _like(emitter, negative, call["slope"])))


def _prelu(emitter: Emitter, values: tuple[str, ...], _: Call) -> str:
    positive, negative = _signed_parts(emitter, values[0])
    return emitter.emit("add", positive, emitter.emit("multiply", negative, values[1]))


def _elu(emitter: Emitter, values: tuple[str, ...], call: Call) -> str:
    positive, negative = _signed_parts(emitter, values[0])
    grown = emitter.emit("multiply", emitter.emit("expm1", negative), _like(emitter, negative, call["alpha"]))
    return emitter.emit("add", positive, grown)


def _selu(emitter: Emitter, values: tuple[str, ...], call: Call) -> str:
    inner = emitter.emit("elu", values[0], alpha=call["alpha"])
    return emitter.emit("multiply", inner, _like(emitter, inner, call["gamma"]))


def _gelu(emitter: Emitter, values: tuple[str, ...], call: Call) -> str:
    (x,) = values
    if call["approximate"] == "tanh":
        cube = emitter.emit("multiply", emitter.emit("square", x), x)
        inner = emitter.emit("add", x, emitter.emit("multiply", cube, _like(emitter, x, 0.044715)))
        bent = emitter.emit("tanh", emitter.emit("multiply", inner, _like(emitter, x, math.sqrt(2 / math.pi))))
    else:
        bent = emitter.emit("erf", emitter.emit("multiply", x, _like(emitter, x, math.sqrt(0.5))))
    half = emitter.emit("multiply", x, _like(emitter, x, 0.5))
    return emitter.emit("multiply", half, emitter.emit("add", bent, _like(emitter, x, 1)))


def _softplus(emitter: Emitter, values: tuple[str, ...], _: Call) -> str:
    """log(1 + e^x) as max(x, 0) + log(1 + e^-|x|), which does not overflow."""
    (x,) = values
    tail = emitter.emit("log1p", emitter.emit("exp", emitter.emit("negate", emitter.emit("abs", x))))
    return emitter.emit("add", emitter.emit("maximum", x, _like(emitter, x, 0)), tail)


def _softsign(emitter: Emitter, values: tuple[str, ...], _: Call) -> str:
    (x,) = values
    return emitter.emit("divide", x, emitter.emit("add", emitter.emit("abs", x), _like(emitter, x, 1)))


def _hard_sigmoid(emitter: Emitter, values: tuple[str, ...], call: Call) -> str:
    (x,) = values
    scaled = emitter.emit("multiply", x, _like(emitter, x, call["alpha"]))
    return emitter.emit("clip", emitter.emit("add", scaled, _like(emitter, x, call["beta"])), low=0.0, high=1.0)


def _times(inner: str) -> Decomposition:
    """Return the decomposition of x * f(x)."""
    return lambda emitter, values, _: emitter.emit("multiply", values[0], emitter.emit(inner, values[0]))


def _mish(emitter: Emitter, values: tuple[str, ...], _: Call) -> str:
    return emitter.emit("multiply", values[0], emitter.emit("tanh", emitter.emit("softplus", values[0])))


def _squared_difference(emitter: Emitter, values: tuple[str, ...], _: Call) -> str:
    return emitter.emit("square", emitter.emit("subtract", *values))


def _along(call: Call) -> TensorType:
    call.axis()
    return floats(call)


def _shifted(emitter: Emitter, x: str, axis: int) -> str:
    return emitter.emit("subtract", x, emitter.emit("reduce_max", x, axes=(axis,), keep=True))


def _softmax(emitter: Emitter, values: tuple[str, ...], call: Call) -> str:
    grown = emitter.emit("exp", _shifted(emitter, values[0], call.axis()))
    return emitter.emit("divide", grown, emitter.emit("reduce_sum", grown, axes=(call.axis(),), keep=True))


def _log_softmax(emitter: Emitter, values: tuple[str, ...], call: Call) -> str:
    shifted = _shifted(emitter, values[0], call.axis())
    total = emitter.emit("reduce_sum", emitter.emit("exp", shifted), axes=(call.axis(),), keep=True)
    return emitter.emit("subtract", shifted, emitter.emit("log", total))


def _normalised(emitter: Emitter, x: str, axes: tuple[int, ...], epsilon: float) -> str:
    """Subtract the mean over some axes and divide by the standard deviation."""
    centred = emitter.emit("subtract", x, emitter.emit("reduce_mean", x, axes=axes, keep=True))
    variance = emitter.emit("reduce_mean", emitter.emit("square", centred), axes=axes, keep=True)
    scale = emitter.emit("rsqrt", emitter.emit("add", variance, _like(emitter, x, epsilon)))
    return emitter.emit("multiply", centred, scale)


def _scaled(emitter: Emitter, x: str, scale_and_bias: tuple[str, ...]) -> str:
    for operator, value in zip(("multiply", "add"), scale_and_bias, strict=False):
        x = emitter.emit(operator, x, value)
    return x


def _per_channel(emitter: Emitter, value: str, rank: int) -> str:
    return emitter.emit("reshape", value, shape=(-1, *[1] * (rank - 2)))


def _channels(call: Call) -> TensorType:
    found = floats(call)
    for index, each in enumerate(call.inputs[1:], 1):
        if found.rank < 2 or each.shape != found.shape[1:2]:
            raise Unfit(f"inputs[{index}]", f"a number for each channel of {list(found.shape)}", each)
    return found


def _trailing(call: Call) -> TensorType:
    found, axis = floats(call), call.axis()
    for index, each in enumerate(call.inputs[1:], 1):
        if each.shape != found.shape[axis:]:
            raise Unfit(f"inputs[{index}]", f"the shape {list(found.shape[axis:])}", each)
    return found


def _layer_norm(emitter: Emitter, values: tuple[str, ...], call: Call) -> str:
    axes = tuple(range(call.axis(), call.inputs[0].rank))
    return _scaled(emitter, _normalised(emitter, values[0], axes, call["epsilon"]), values[1:])


def _rms_norm(emitter: Emitter, values: tuple[str, ...], call: Call) -> str:
    (x, *scale), axes = values, tuple(range(call.axis(), call.inputs[0].rank))
    mean = emitter.emit("reduce_mean", emitter.emit("square", x), axes=axes, keep=True)
    root = emitter.emit("rsqrt", emitter.emit("add", mean, _like(emitter, x, call["epsilon"])))
    return _scaled(emitter, emitter.emit("multiply", x, root), tuple(scale))


def _batch_norm(emitter: Emitter, values: tuple[str, ...], call: Call) -> str:
    """Compute x * scale' + bias': of constant statistics these two are constants, which are folded."""
    x, scale, bias, mean, variance = values
    deviation = emitter.emit("rsqrt", emitter.emit("add", variance, _like(emitter, x, call["epsilon"])))
    factor = emitter.emit("multiply", scale, deviation)
    shift = emitter.emit("subtract", bias, emitter.emit("multiply", mean, factor))
    rank = call.inputs[0].rank
    return _scaled(emitter, x, (_per_channel(emitter, factor, rank), _per_channel(emitter, shift, rank)))


def _instance_norm(emitter: Emitter, values: tuple[str, ...], call: Call) -> str:
    rank = call.inputs[0].rank
    normal = _normalised(emitter, values[0], tuple(range(2, rank)), call["epsilon"])
    return _scaled(emitter, normal, tuple(_per_channel(emitter, value, rank) for value in values[1:]))


def _grouped(call: Call) -> TensorType:
    found = _channels(call)
    if found.rank < 2 or found.shape[1] % call["groups"]:
        raise Unfit("groups", f"a divisor of the channels of {list(found.shape)}", call["groups"])
    return found


def _group_norm(emitter: Emitter, values: tuple[str, ...], call: Call) -> str:
    source = call.inputs[0]
    apart = emitter.emit("reshape", values[0], shape=(source.shape[0], call["groups"], -1))
    normal = emitter.emit("reshape", _normalised(emitter, apart, (2,), call["epsilon"]), shape=source.shape)
    return _scaled(emitter, normal, tuple(_per_channel(emitter, value, source.rank) for value in values[1:]))


def _l2_normalize(emitter: Emitter, values: tuple[str, ...], call: Call) -> str:
    (x,) = values
    total = emitter.emit("reduce_sum", emitter.emit("square", x), axes=(call.axis(),), keep=True)
    return emitter.emit(
        "divide", x, emitter.emit("maximum", emitter.emit("sqrt", total), _like(emitter, x, call["epsilon"]))
    )


def _pair(call: Call) -> TensorType:
    return floats(call).with_shape(broadcast(call))


def _slope(call: Call) -> TensorType:
    found = _pair(call)
    if found.shape != call.inputs[0].shape:
        raise Unfit("inputs[1]", f"a shape that broadcasts to {list(call.inputs[0].shape)}", call.inputs[1])
    return found


_ONE: Final = (1, 1)
_EPSILON: Final = number(1e-5)
OPERATORS: Final[tuple[Operator, ...]] = (
    composite("relu", _ONE, floats, _relu),
    composite("relu6", _ONE, floats, _relu6),
    composite("leaky_relu", _ONE, floats, _leaky_relu, slope=number(0.01)),
    composite("prelu", (2, 2), _slope, _prelu),
    composite("elu", _ONE, floats, _elu, alpha=number(1.0)),
    composite("selu", _ONE, floats, _selu, alpha=number(1.6732632423543772), gamma=number(1.0507009873554805)),
    composite("gelu", _ONE, floats, _gelu, approximate=choice("none", "tanh", default="none")),
    composite("softplus", _ONE, floats, _softplus),
    composite("softsign", _ONE, floats, _softsign),
    composite("hard_sigmoid", _ONE, floats, _hard_sigmoid, alpha=number(0.2), beta=number(0.5)),
    composite(
        "hard_swish", _ONE, floats,
        lambda emitter, values, _: emitter.emit(
            "multiply", values[0], emitter.emit("hard_sigmoid", values[0], alpha=1 / 6, beta=0.5)
        ),
    ),
    composite("swish", _ONE, floats, _times("sigmoid")),
    composite("mish", _ONE, floats, _mish),
    composite("squared_difference", (2, 2), _pair, _squared_difference),
    composite("softmax", _ONE, _along, _softmax, axis=integer(-1)),
    composite("log_softmax", _ONE, _along, _log_softmax, axis=integer(-1)),
    composite("layer_norm", (1, 3), _trailing, _layer_norm, axis=integer(-1), epsilon=_EPSILON),
    composite("rms_norm", (1, 2), _trailing, _rms_norm, axis=integer(-1), epsilon=_EPSILON),
    composite("batch_norm", (5, 5), _channels, _batch_norm, epsilon=_EPSILON),
    composite("instance_norm", (1, 3), _channels, _instance_norm, epsilon=_EPSILON),
    composite("group_norm", (1, 3), _grouped, _group_norm, groups=integer(low=1), epsilon=_EPSILON),
    composite("l2_normalize", _ONE, _along, _l2_normalize, axis=integer(-1), epsilon=number(1e-12)),
)  # fmt: skip
