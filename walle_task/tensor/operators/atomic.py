"""Atomic operators: what backends have kernels for. Here are the types of their outputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from walle_task.tensor.faults import Unfit
from walle_task.tensor.operators.operator import (
    Attribute,
    Call,
    Operator,
    atomic,
    axis_of,
    boolean,
    choice,
    integer,
    integers,
    number,
    of_dtype,
    same_dtype,
    shaped,
)
from walle_task.tensor.types import DTYPES, FLOATS, INTEGERS, MAX_ELEMENTS, TensorType, holds
from walle_task.tensor.view import Region

Inference = Callable[[Call], tuple[TensorType, ...]]

_NUMBERS: Final = FLOATS + INTEGERS
_SIGNED: Final = (*FLOATS, "int64", "int32", "int16", "int8")


def broadcast(call: Call) -> tuple[int, ...]:
    """Return the shape that all inputs broadcast to, as in NumPy. Raises Unfit."""
    shape: tuple[int, ...] = ()
    for index, each in enumerate(call.inputs):
        rank = max(len(shape), each.rank)
        ours, theirs = (1,) * (rank - len(shape)) + shape, (1,) * (rank - each.rank) + each.shape
        if any(a != b and 1 not in (a, b) for a, b in zip(ours, theirs, strict=True)):
            raise Unfit(f"inputs[{index}]", f"a shape that broadcasts with {list(shape)}", each)
        shape = tuple(b if a == 1 else a for a, b in zip(ours, theirs, strict=True))
    return shaped("output", shape)


def _unary(dtypes: tuple[str, ...], words: str) -> Inference:
    return lambda call: (of_dtype(call, 0, dtypes, words),)


def _binary(dtypes: tuple[str, ...], words: str) -> Inference:
    def infer(call: Call) -> tuple[TensorType, ...]:
        of_dtype(call, 0, dtypes, words)
        return (TensorType(same_dtype(call), broadcast(call)),)

    return infer


def _comparison(call: Call) -> tuple[TensorType, ...]:
    same_dtype(call)
    return (TensorType("bool", broadcast(call)),)


def _test(call: Call) -> tuple[TensorType, ...]:
    return (TensorType("bool", of_dtype(call, 0, FLOATS, "floats").shape),)


def _where(call: Call) -> tuple[TensorType, ...]:
    of_dtype(call, 0, ("bool",), "a tensor of bool")
    same_dtype(Call(call.inputs[1:], {}))
    return (TensorType(call.inputs[1].dtype, broadcast(call)),)


def _cast(call: Call) -> tuple[TensorType, ...]:
    return (TensorType(call["dtype"], call.inputs[0].shape),)


def _reduced(call: Call, axes: Sequence[int]) -> tuple[int, ...]:
    kept = 1 if call["keep"] else None
    shape = [kept if axis in axes else length for axis, length in enumerate(call.inputs[0].shape)]
    return tuple(length for length in shape if length is not None)


def _reduction(dtypes: tuple[str, ...], words: str, empty: bool = True) -> Inference:
    def infer(call: Call) -> tuple[TensorType, ...]:
        source, axes = of_dtype(call, 0, dtypes, words), call.axes()
        if not empty and 0 in (source.shape[axis] for axis in axes):
            raise Unfit("inputs[0]", "axes with elements", source)
        return (source.with_shape(_reduced(call, axes)),)

    return infer


def _arg(call: Call) -> tuple[TensorType, ...]:
    source, axis = of_dtype(call, 0, _NUMBERS, "numbers"), call.axis()
    if source.shape[axis] == 0:
        raise Unfit("inputs[0]", "an axis with elements", source)
    return (TensorType("int64", _reduced(call, (axis,))),)


def _cumulative(call: Call) -> tuple[TensorType, ...]:
    call.axis()
    return (of_dtype(call, 0, _NUMBERS, "numbers"),)


def _matmul(call: Call) -> tuple[TensorType, ...]:
    of_dtype(call, 0, _NUMBERS, "numbers")
    dtype, (first, second) = same_dtype(call), call.inputs
    if first.rank < 2 or second.rank < 2 or first.shape[-1] != second.shape[-2]:
        raise Unfit("inputs[1]", f"matrices with as many rows as {list(first.shape)} has columns", second)
    batch = broadcast(Call((first.with_shape(first.shape[:-2]), second.with_shape(second.shape[:-2])), {}))
    return (TensorType(dtype, shaped("output", (*batch, first.shape[-2], second.shape[-1]))),)


_INDICES: Final = ("int64", "int32")


def _gather(call: Call) -> tuple[TensorType, ...]:
    source, axis = call.inputs[0], call.axis()
    indices = of_dtype(call, 1, _INDICES, "indices of int64 or int32")
    return (source.with_shape(shaped("output", (*source.shape[:axis], *indices.shape, *source.shape[axis + 1 :]))),)


def _gather_elements(call: Call) -> tuple[TensorType, ...]:
    source, axis = call.inputs[0], call.axis()
    indices = of_dtype(call, 1, _INDICES, "indices of int64 or int32")
    same_rank = indices.rank == source.rank
    if not same_rank or any(
        index != axis and have > most
        for index, (have, most) in enumerate(zip(indices.shape, source.shape, strict=True))
    ):
        raise Unfit("inputs[1]", f"indices within {list(source.shape)} but for axis {axis}", indices)
    return (source.with_shape(indices.shape),)


def _gather_nd(call: Call) -> tuple[TensorType, ...]:
    source, indices = call.inputs[0], of_dtype(call, 1, _INDICES, "indices of int64 or int32")
    if indices.rank < 1 or not 1 <= indices.shape[-1] <= source.rank:
        raise Unfit("inputs[1]", f"a last axis of 1 to {source.rank}", indices)
    return (source.with_shape(shaped("output", (*indices.shape[:-1], *source.shape[indices.shape[-1] :]))),)


def _scatter_nd(call: Call) -> tuple[TensorType, ...]:
    source, indices, updates = call.inputs[0], of_dtype(call, 1, _INDICES, "indices of int64 or int32"), call.inputs[2]
    if indices.rank < 1 or not 1 <= indices.shape[-1] <= source.rank:
        raise Unfit("inputs[1]", f"a last axis of 1 to {source.rank}", indices)
    expected = TensorType(source.dtype, (*indices.shape[:-1], *source.shape[indices.shape[-1] :]))
    if updates != expected:
        raise Unfit("inputs[2]", str(expected), updates)
    return (source,)


def _one_hot(call: Call) -> tuple[TensorType, ...]:
    indices = of_dtype(call, 0, _INDICES, "indices of int64 or int32")
    axis = axis_of(call["axis"], indices.rank + 1)
    for field in ("on", "off"):
        if not holds(call["dtype"], call[field]):
            raise Unfit(field, f"a value of {call['dtype']}", call[field])
    shape = (*indices.shape[:axis], call["depth"], *indices.shape[axis:])
    return (TensorType(call["dtype"], shaped("output", shape)),)


def _top_k(call: Call) -> tuple[TensorType, ...]:
    source, axis = of_dtype(call, 0, _NUMBERS, "numbers"), call.axis()
    if call["k"] > source.shape[axis]:
        raise Unfit("k", f"at most {source.shape[axis]}", call["k"])
    shape = (*source.shape[:axis], call["k"], *source.shape[axis + 1 :])
    return source.with_shape(shape), TensorType("int64", shape)


def _shape_of(call: Call) -> tuple[TensorType, ...]:
    return (TensorType("int64", (call.inputs[0].rank,)),)


def _range(call: Call) -> tuple[TensorType, ...]:
    start, end, step = call["start"], call["end"], call["step"]
    if step == 0 or not all(abs(each) < 1 << 63 for each in (start, end, step)):
        raise Unfit("step", "finite numbers, and a step other than 0, all below 2^63", (start, end, step))
    count = max((end - start) / step, 0.0)
    if count > MAX_ELEMENTS:
        raise Unfit("end", f"at most {MAX_ELEMENTS} elements", count)
    return (TensorType(call["dtype"], (math.ceil(count),)),)


def _raster(call: Call) -> tuple[TensorType, ...]:
    same_dtype(call)
    return (TensorType(call.inputs[0].dtype, shaped("shape", call["shape"])),)


def _is_regions(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(each, Region) for each in value)


_ONE: Final = (1, 1)
_TWO: Final = (2, 2)
_FLOAT: Final = _unary(FLOATS, "floats")
_FLOAT_FUNCTIONS: Final = (
    "sqrt", "rsqrt", "reciprocal", "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
    "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "sigmoid", "floor", "ceil", "round",
)  # fmt: skip
_ARITHMETIC: Final = ("add", "subtract", "multiply", "maximum", "minimum")
_COMPARISONS: Final = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
_REDUCTION: Final[dict[str, Attribute]] = {"axes": integers(), "keep": boolean(False)}
_LOGICAL: Final = _binary(("bool",), "tensors of bool")
_SUMS: Final = _reduction(_NUMBERS, "numbers")
_EXTREMES: Final = _reduction(_NUMBERS, "numbers", empty=False)

OPERATORS: Final[tuple[Operator, ...]] = (
    *(atomic(name, _ONE, _FLOAT) for name in _FLOAT_FUNCTIONS),
    *(atomic(name, _ONE, _unary(_SIGNED, "signed numbers")) for name in ("abs", "negate", "sign")),
    atomic("square", _ONE, _unary(_NUMBERS, "numbers")),
    atomic("clip", _ONE, _FLOAT, low=number(-math.inf), high=number(math.inf)),
    *(atomic(name, _ONE, _test) for name in ("is_nan", "is_inf")),
    atomic("logical_not", _ONE, _unary(("bool",), "a tensor of bool")),
    atomic("cast", _ONE, _cast, dtype=choice(*DTYPES)),
    *(atomic(name, _TWO, _binary(_NUMBERS, "numbers")) for name in _ARITHMETIC),
    *(atomic(name, _TWO, _binary(FLOATS, "floats")) for name in ("divide", "power", "atan2")),
    *(atomic(name, _TWO, _binary(_NUMBERS, "numbers")) for name in ("floor_divide", "remainder")),
    *(atomic(name, _TWO, _comparison) for name in _COMPARISONS),
    *(atomic(name, _TWO, _LOGICAL) for name in ("logical_and", "logical_or", "logical_xor")),
    atomic("where", (3, 3), _where),
    *(atomic(name, _ONE, _SUMS, **_REDUCTION) for name in ("reduce_sum", "reduce_prod")),
    atomic("reduce_mean", _ONE, _reduction(FLOATS, "floats", empty=False), **_REDUCTION),
    *(atomic(name, _ONE, _EXTREMES, **_REDUCTION) for name in ("reduce_max", "reduce_min")),
    *(
        atomic(name, _ONE, _reduction(("bool",), "a tensor of bool"), **_REDUCTION)
        for name in ("reduce_any", "reduce_all")
    ),
    *(atomic(name, _ONE, _arg, axis=integer(), keep=boolean(False)) for name in ("argmax", "argmin")),
    *(atomic(name, _ONE, _cumulative, axis=integer()) for name in ("cumsum", "cumprod")),
    atomic("matmul", _TWO, _matmul),
    atomic("gather", _TWO, _gather, axis=integer(0)),
    atomic("gather_elements", _TWO, _gather_elements, axis=integer(0)),
    atomic("gather_nd", _TWO, _gather_nd),
    atomic("scatter_nd", (3, 3), _scatter_nd, add=boolean(False)),
    atomic(
        "one_hot", _ONE, _one_hot, depth=integer(low=1), axis=integer(-1), dtype=choice(*FLOATS, *INTEGERS),
        on=number(1), off=number(0),
    ),
    atomic("shape_of", _ONE, _shape_of),
    atomic(
        "range", (0, 0), _range, start=number(0), end=number(), step=number(1), dtype=choice(*FLOATS, *INTEGERS)
    ),
    atomic("top_k", _ONE, _top_k, k=integer(low=1), axis=integer(-1), largest=boolean(True)),
)  # fmt: skip

_MOVES: Final = {"regions": Attribute("regions", _is_regions), "shape": integers(low=0)}
RASTER: Final = atomic("raster", (1, None), _raster, **_MOVES)
"""The one operator that transform operators come down to; graphs have it once they are lowered."""
RASTER_ADD: Final = atomic("raster_add", (1, None), _raster, **_MOVES)
"""A raster that adds what it moves to zeros: the gradient of a raster, with what that reads and writes exchanged."""
