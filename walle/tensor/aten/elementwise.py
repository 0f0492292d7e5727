"""Operators of ATen that treat each element alike, and those that reduce axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from walle.tensor.aten.call import AtenCall, AtenTranslation, Value, dtype_name
from walle_task.tensor.faults import Unfit
from walle_task.tensor.types import FLOATS


def _unary(operator: str, **attributes: Any) -> AtenTranslation:
    """Return the translation of a function whose integers become floats, where torch does so."""
    return lambda call: call.emit(
        operator,
        call.as_type(call.value(0), call.dtypes[0]) if call.dtypes[0] in FLOATS else call.value(0),
        **attributes,
    )


def _binary(operator: str) -> AtenTranslation:
    return lambda call: call.emit(operator, *call.operands())


def _scaled(operator: str) -> AtenTranslation:
    """Return the translation of a sum or difference, whose second operand may be multiplied."""

    def translate(call: AtenCall) -> str:
        one, other = call.operands()
        alpha = call.get(2, "alpha", 1)
        if alpha != 1:
            other = call.emit("multiply", other, call.as_type(alpha, call.dtypes[0]))
        return call.emit(operator, one, other)

    return translate


def _reversed(call: AtenCall) -> str:
    one, other = call.operands()
    return call.emit("subtract", other, one)


def _divide(call: AtenCall) -> str:
    mode = call.get(2, "rounding_mode")
    one, other = call.operands()
    if mode is None:
        return call.emit("divide", one, other)
    if mode != "floor":
        raise Unfit("rounding_mode", "none or floor", mode)
    return call.emit("floor_divide", one, other)


def _bits(operator: str) -> AtenTranslation:
    def translate(call: AtenCall) -> str:
        if call.dtypes[0] != "bool":
            raise Unfit("args[0]", "tensors of bool", call.dtypes[0])
        return call.emit(operator, *call.operands(1 if operator == "logical_not" else 2))

    return translate


def _power(call: AtenCall) -> str:
    exponent = call.get(1, "exponent")
    if exponent == 2 and not isinstance(exponent, Value):
        return call.emit("square", call.as_type(call.get(0, ""), call.dtypes[0]))
    if call.dtypes[0] not in FLOATS:
        raise Unfit("args[0]", "floats", call.dtypes[0])
    return call.emit("power", *call.operands())


def _where(call: AtenCall) -> str:
    values = [call.as_type(call.get(index, ""), call.dtypes[0]) for index in (1, 2)]
    return call.emit("where", call.value(0), *values)


def _filled_where(call: AtenCall) -> str:
    x = call.value(0)
    return call.emit("where", call.value(1), call.as_type(call.get(2, "value"), call.dtype(x)), x)


def _clamp(call: AtenCall) -> str:
    x = call.as_type(call.value(0), call.dtypes[0])
    for operator, index, name in (("maximum", 1, "min"), ("minimum", 2, "max")):
        bound = call.get(index, name)
        if bound is not None:
            x = call.emit(operator, x, call.as_type(bound, call.dtypes[0]))
    return x


def _hard_tanh(call: AtenCall) -> str:
    return call.emit("clip", call.value(0), low=call.get(1, "min_val", -1.0), high=call.get(2, "max_val", 1.0))


def _relu(call: AtenCall) -> str:
    x = call.value(0)
    return call.emit("relu", x) if call.dtype(x) in FLOATS else call.emit("maximum", x, call.like(0, x))


def _elu(call: AtenCall) -> str:
    for index, name in ((2, "scale"), (3, "input_scale")):
        if call.get(index, name, 1) != 1:
            raise Unfit(name, "1", call.get(index, name))
    return call.emit("elu", call.value(0), alpha=float(call.get(1, "alpha", 1.0)))


def _softplus(call: AtenCall) -> str:
    if call.get(1, "beta", 1) != 1:
        raise Unfit("beta", "1", call.get(1, "beta"))
    return call.emit("softplus", call.value(0))


def _gelu(call: AtenCall) -> str:
    return call.emit("gelu", call.value(0), approximate=call.get(1, "approximate", "none"))


def _copied(call: AtenCall) -> str:
    dtype = call.get(99, "dtype")
    return call.value(0) if dtype is None else call.as_type(call.value(0), dtype_name(dtype))


def _reduction(operator: str) -> AtenTranslation:
    def translate(call: AtenCall) -> str:
        x = call.value(0)
        axes, keep = _axes(call, call.get(1, "dim")), bool(call.get(2, "keepdim", False))
        if operator not in ("reduce_any", "reduce_all"):
            x = call.as_type(x, call.dtypes[0])
        elif call.dtype(x) != "bool":
            x = call.emit("not_equal", x, call.like(0, x))
        return call.emit(operator, x, axes=axes, keep=keep)

    return translate


def _axes(call: AtenCall, given: Any) -> tuple[int, ...]:
    """Return the axes that are reduced: all of them where none is given."""
    if given is None or given == []:
        return tuple(range(call.rank(call.value(0))))
    return tuple(given) if isinstance(given, list | tuple) else (int(given),)


def _variance(call: AtenCall) -> str:
    """Compute the sum of squares around the mean, divided by how many elements there are less a correction."""
    x, axes = call.value(0), _axes(call, call.get(1, "dim"))
    lengths = [call.shape(x)[axis] for axis in axes]
    if None in lengths:
        raise Unfit("dim", "axes of known lengths", axes)
    count = 1
    for length in lengths:
        count *= length or 0
    centred = call.emit("subtract", x, call.emit("reduce_mean", x, axes=axes, keep=True))
    total = call.emit("reduce_sum", call.emit("square", centred), axes=axes, keep=bool(call.get(3, "keepdim", False)))
    correction = call.get(2, "correction", 1)
    return call.emit("divide", total, call.like(max(count - (1 if correction is None else correction), 0), x))


def _position(operator: str) -> AtenTranslation:
    def translate(call: AtenCall) -> str:
        x, axis = call.value(0), call.get(1, "dim")
        if axis is None:
            return call.emit(operator, call.emit("reshape", x, shape=(-1,)), axis=0)
        return call.emit(operator, x, axis=axis, keep=bool(call.get(2, "keepdim", False)))

    return translate


def _extreme(operator: str, position: str) -> AtenTranslation:
    """Return the translation of max or min over an axis, which answers the values and where they are."""

    def translate(call: AtenCall) -> tuple[str, ...]:
        x, axis, keep = call.value(0), call.get(1, "dim"), bool(call.get(2, "keepdim", False))
        return call.emit(operator, x, axes=(axis,), keep=keep), call.emit(position, x, axis=axis, keep=keep)

    return translate


def _along(operator: str) -> AtenTranslation:
    return lambda call: call.emit(operator, call.as_type(call.value(0), call.dtypes[0]), axis=call.get(1, "dim"))


def _top_k(call: AtenCall) -> tuple[str, ...]:
    return call.emitter.emit_all(
        "top_k", call.value(0), count=2, k=call.number(call.get(1, "k")), axis=call.get(2, "dim", -1),
        largest=bool(call.get(3, "largest", True)),
    )  # fmt: skip


_UNARY: Final = {
    "abs": "abs", "acos": "acos", "acosh": "acosh", "asin": "asin", "asinh": "asinh", "atan": "atan", "atanh": "atanh",
    "ceil": "ceil", "cos": "cos", "cosh": "cosh", "erf": "erf", "exp": "exp", "expm1": "expm1", "floor": "floor",
    "log": "log", "log1p": "log1p", "neg": "negate", "reciprocal": "reciprocal", "round": "round", "rsqrt": "rsqrt",
    "sigmoid": "sigmoid", "sign": "sign", "sin": "sin", "sinh": "sinh", "sqrt": "sqrt", "tan": "tan", "tanh": "tanh",
    "isnan": "is_nan", "isinf": "is_inf", "logical_not": "logical_not", "silu": "swish", "hardswish": "hard_swish",
    "mish": "mish",
}  # fmt: skip
_BINARY: Final = {
    "mul": "multiply", "maximum": "maximum", "minimum": "minimum", "remainder": "remainder", "atan2": "atan2",
    "floor_divide": "floor_divide", "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal",
    "gt": "greater", "ge": "greater_equal", "logical_and": "logical_and", "logical_or": "logical_or",
    "logical_xor": "logical_xor",
}  # fmt: skip
TRANSLATIONS: Final[Mapping[str, AtenTranslation]] = {
    **{name: _unary(operator) for name, operator in _UNARY.items()},
    **{name: _binary(operator) for name, operator in _BINARY.items()},
    "add": _scaled("add"),
    "sub": _scaled("subtract"),
    "rsub": _reversed,
    "div": _divide,
    "pow": _power,
    "bitwise_and": _bits("logical_and"),
    "bitwise_or": _bits("logical_or"),
    "bitwise_xor": _bits("logical_xor"),
    "bitwise_not": _bits("logical_not"),
    "where": _where,
    "masked_fill": _filled_where,
    "clamp": _clamp,
    "hardtanh": _hard_tanh,
    "hardsigmoid": _unary("hard_sigmoid", alpha=1 / 6, beta=0.5),
    "relu": _relu,
    "leaky_relu": lambda call: call.emit("leaky_relu", call.value(0), slope=float(call.get(1, "negative_slope", 0.01))),
    "elu": _elu,
    "softplus": _softplus,
    "gelu": _gelu,
    "_to_copy": _copied,
    "clone": lambda call: call.value(0),
    "alias": lambda call: call.value(0),
    "lift_fresh_copy": lambda call: call.value(0),
    "sum": _reduction("reduce_sum"),
    "mean": _reduction("reduce_mean"),
    "prod": _reduction("reduce_prod"),
    "amax": _reduction("reduce_max"),
    "amin": _reduction("reduce_min"),
    "any": _reduction("reduce_any"),
    "all": _reduction("reduce_all"),
    "var": _variance,
    "argmax": _position("argmax"),
    "argmin": _position("argmin"),
    "max": _extreme("reduce_max", "argmax"),
    "min": _extreme("reduce_min", "argmin"),
    "cumsum": _along("cumsum"),
    "_softmax": _along("softmax"),
    "_log_softmax": _along("log_softmax"),
    "topk": _top_k,
}
