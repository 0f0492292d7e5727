"""The atomic operators in NumPy.

A kernel is made ready for the arrays that it reads and writes, and is then a function without arguments. Kernels write
all of their outputs, which are contiguous and overlap no input. Elementwise operators, products and most reductions
allocate nothing when they run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

Step = Callable[[], Any]
Arrays = Sequence[Any]
Kernel = Callable[[Arrays, Arrays, Mapping[str, Any]], Step]


def _ufunc(function: Any) -> Kernel:
    return lambda inputs, outputs, _: lambda: function(*inputs, out=outputs[0])


def _rsqrt(inputs: Arrays, outputs: Arrays, _: Mapping[str, Any]) -> Step:
    ((source,), (target,)) = inputs, outputs

    def run() -> None:
        np.sqrt(source, out=target)
        np.reciprocal(target, out=target)

    return run


def _sigmoid(inputs: Arrays, outputs: Arrays, _: Mapping[str, Any]) -> Step:
    ((source,), (target,)) = inputs, outputs
    one = target.dtype.type(1)

    def run() -> None:
        np.negative(source, out=target)
        np.exp(target, out=target)
        np.add(target, one, out=target)
        np.reciprocal(target, out=target)

    return run


_BLOCK: Final = 1 << 16
"""How many elements are computed at once where what is between would be larger than the output."""
_ERF: Final = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
_ERF_P: Final = 0.3275911
_exact_erf: Final = np.frompyfunc(math.erf, 1, 1)


def _erf(inputs: Arrays, outputs: Arrays, _: Mapping[str, Any]) -> Step:
    """Be exact and slow for float64; otherwise use Abramowitz and Stegun 7.1.26, whose error is at most 1.5e-7."""
    ((source,), (target,)) = inputs, outputs
    if target.dtype == np.float64:
        return lambda: np.copyto(target, _exact_erf(source), casting="unsafe")

    def run() -> None:
        magnitude = np.abs(source, dtype="float32")
        t = 1 / (1 + np.float32(_ERF_P) * magnitude)
        total = np.zeros_like(t)
        for factor in reversed(_ERF):
            total = (total + np.float32(factor)) * t
        np.copysign(1 - total * np.exp(-magnitude * magnitude), source, out=target, casting="unsafe")

    return run


def _clip(inputs: Arrays, outputs: Arrays, attributes: Mapping[str, Any]) -> Step:
    kind = outputs[0].dtype.type
    low, high = kind(attributes["low"]), kind(attributes["high"])
    return lambda: np.clip(inputs[0], low, high, out=outputs[0])


def _cast(inputs: Arrays, outputs: Arrays, _: Mapping[str, Any]) -> Step:
    return lambda: np.copyto(outputs[0], inputs[0], casting="unsafe")


def _where(inputs: Arrays, outputs: Arrays, _: Mapping[str, Any]) -> Step:
    condition, then, otherwise = (np.broadcast_to(each, outputs[0].shape) for each in inputs)
    (target,) = outputs

    def run() -> None:
        np.copyto(target, otherwise)
        np.copyto(target, then, where=condition)

    return run


def _reduction(function: Any) -> Kernel:
    def kernel(inputs: Arrays, outputs: Arrays, attributes: Mapping[str, Any]) -> Step:
        ((source,), (target,)) = inputs, outputs
        axes, keep = _axes(source, attributes["axes"]), attributes["keep"]
        return lambda: function.reduce(source, axis=axes, keepdims=keep, out=target, dtype=target.dtype)

    return kernel


def _mean(inputs: Arrays, outputs: Arrays, attributes: Mapping[str, Any]) -> Step:
    ((source,), (target,)) = inputs, outputs
    axes, keep = _axes(source, attributes["axes"]), attributes["keep"]
    return lambda: np.mean(source, axis=axes, keepdims=keep, out=target)


def _axes(source: Any, axes: Sequence[int]) -> tuple[int, ...]:
    return tuple(axis % source.ndim for axis in axes)


def _arg(function: Any) -> Kernel:
    return lambda inputs, outputs, attributes: (
        lambda: function(inputs[0], axis=attributes["axis"], keepdims=attributes["keep"], out=outputs[0])
    )


def _accumulation(function: Any) -> Kernel:
    return lambda inputs, outputs, attributes: (
        lambda: function.accumulate(inputs[0], axis=attributes["axis"], out=outputs[0], dtype=outputs[0].dtype)
    )


def _gather(inputs: Arrays, outputs: Arrays, attributes: Mapping[str, Any]) -> Step:
    return lambda: np.take(inputs[0], inputs[1], axis=attributes["axis"], out=outputs[0], mode="raise")


def _gather_elements(inputs: Arrays, outputs: Arrays, attributes: Mapping[str, Any]) -> Step:
    (source, indices), axis = inputs, attributes["axis"] % inputs[0].ndim
    part = source[tuple(slice(None if at == axis else length) for at, length in enumerate(indices.shape))]
    return lambda: np.copyto(outputs[0], np.take_along_axis(part, indices, axis))


def _coordinates(indices: Any) -> tuple[Any, ...]:
    """Return views of indices, one for each axis that they are of."""
    return tuple(indices[..., axis] for axis in range(indices.shape[-1]))


def _gather_nd(inputs: Arrays, outputs: Arrays, _: Mapping[str, Any]) -> Step:
    source, places = inputs[0], _coordinates(inputs[1])
    return lambda: np.copyto(outputs[0], source[places])


def _scatter_nd(inputs: Arrays, outputs: Arrays, attributes: Mapping[str, Any]) -> Step:
    source, places, updates = inputs[0], _coordinates(inputs[1]), inputs[2]
    (target,) = outputs

    def run() -> None:
        np.copyto(target, source)
        if attributes["add"]:
            np.add.at(target, places, updates)
        else:
            target[places] = updates

    return run


def _one_hot(inputs: Arrays, outputs: Arrays, attributes: Mapping[str, Any]) -> Step:
    """Indices from -depth on count from the end; all others leave `off` everywhere."""
    ((indices,), (target,)) = inputs, outputs
    axis, depth, kind = attributes["axis"] % target.ndim, attributes["depth"], target.dtype.type
    places = np.arange(depth).reshape([-1 if at == axis else 1 for at in range(target.ndim)])
    spread = np.expand_dims(indices, axis)
    on, off = kind(attributes["on"]), kind(attributes["off"])

    def run() -> None:
        target.fill(off)
        np.copyto(target, on, where=np.equal(np.where(spread < 0, spread + depth, spread), places))

    return run


def _top_k(inputs: Arrays, outputs: Arrays, attributes: Mapping[str, Any]) -> Step:
    """Select the largest; of equal elements, the one with the lowest index comes first."""
    (source,), (values, indices) = inputs, outputs
    axis, k = attributes["axis"], attributes["k"]

    def run() -> None:
        if attributes["largest"]:
            turned = np.argsort(np.flip(source, axis), axis=axis, kind="stable")
            order = source.shape[axis] - 1 - np.flip(turned, axis)
        else:
            order = np.argsort(source, axis=axis, kind="stable")
        np.copyto(indices, np.take(order, np.arange(k), axis=axis))
        np.copyto(values, np.take_along_axis(source, indices, axis))

    return run


def _shape_of(inputs: Arrays, outputs: Arrays, _: Mapping[str, Any]) -> Step:
    return lambda: np.copyto(outputs[0], np.array(inputs[0].shape, outputs[0].dtype))


def _range(_: Arrays, outputs: Arrays, attributes: Mapping[str, Any]) -> Step:
    """Compute each element as start + its number * step, so that errors do not add up, in the memory of a block."""
    (target,) = outputs

    def run() -> None:
        for begin in range(0, len(target), _BLOCK):
            part = target[begin : begin + _BLOCK]
            numbers = np.arange(begin, begin + len(part))
            np.copyto(part, numbers * attributes["step"] + attributes["start"], casting="unsafe")

    return run


_UFUNCS: Final = {
    "sqrt": np.sqrt, "reciprocal": np.reciprocal, "exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "floor": np.floor, "ceil": np.ceil, "round": np.rint, "abs": np.abs, "negate": np.negative, "sign": np.sign,
    "square": np.square, "is_nan": np.isnan, "is_inf": np.isinf, "logical_not": np.logical_not, "add": np.add,
    "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
    "divide": np.divide, "power": np.power, "atan2": np.arctan2, "floor_divide": np.floor_divide,
    "remainder": np.remainder, "equal": np.equal, "not_equal": np.not_equal, "less": np.less,
    "less_equal": np.less_equal, "greater": np.greater, "greater_equal": np.greater_equal,
    "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor, "matmul": np.matmul,
}  # fmt: skip
_REDUCTIONS: Final = {
    "reduce_sum": np.add, "reduce_prod": np.multiply, "reduce_max": np.maximum, "reduce_min": np.minimum,
    "reduce_any": np.logical_or, "reduce_all": np.logical_and,
}  # fmt: skip
KERNELS: Final[Mapping[str, Kernel]] = {
    **{name: _ufunc(function) for name, function in _UFUNCS.items()},
    **{name: _reduction(function) for name, function in _REDUCTIONS.items()},
    "rsqrt": _rsqrt,
    "sigmoid": _sigmoid,
    "erf": _erf,
    "clip": _clip,
    "cast": _cast,
    "where": _where,
    "reduce_mean": _mean,
    "argmax": _arg(np.argmax),
    "argmin": _arg(np.argmin),
    "cumsum": _accumulation(np.add),
    "cumprod": _accumulation(np.multiply),
    "gather": _gather,
    "gather_elements": _gather_elements,
    "gather_nd": _gather_nd,
    "scatter_nd": _scatter_nd,
    "one_hot": _one_hot,
    "top_k": _top_k,
    "shape_of": _shape_of,
    "range": _range,
}
