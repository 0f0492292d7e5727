"""The atomic operators, element by element in Python."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.walle_task.tensor.references.drawn import FLOATS, INTEGERS, Case, Drawing, Reference, each

SIGNED = (*FLOATS, "int64", "int32", "int16", "int8")
NUMBERS = FLOATS + INTEGERS


def unary(
    function: Callable[[Any], Any], low: float = -3, high: float = 3, dtypes: tuple[str, ...] = FLOATS, result: str = ""
) -> Reference:
    def case(draw: Drawing) -> Case:
        x = draw.array(draw.shape(), draw.one_of(*dtypes), low, high)
        return Case([x], [each(function, x, dtype=result or str(x.dtype))])

    return case


def binary(
    function: Callable[[Any, Any], Any], dtypes: tuple[str, ...], result: str = "", low: float = -3, high: float = 3
) -> Reference:
    def case(draw: Drawing) -> Case:
        dtype, shape = draw.one_of(*dtypes), draw.shape()
        pair = [draw.array(each_shape, dtype, low, high) for each_shape in (shape, draw.broadcasting(shape))]
        first, second = pair[::-1] if draw.flag() else pair
        return Case([first, second], [each(function, first, second, dtype=result or dtype)])

    return case


def divided(function: Callable[[Any, Any], Any]) -> Reference:
    """Whole numbers are divided by others than zero."""

    def case(draw: Drawing) -> Case:
        dtype, shape = draw.one_of(*NUMBERS), draw.shape()
        x, y = draw.array(shape, dtype, -30, 30), draw.array(draw.broadcasting(shape), dtype, 1, 7)
        y = y if dtype == "uint8" or draw.flag() else -y
        return Case([x, y], [each(function, x, y, dtype=dtype)])

    return case


def reduction(function: Callable[[list[Any]], Any], dtypes: tuple[str, ...], high: float = 3) -> Reference:
    def case(draw: Drawing) -> Case:
        x = draw.array(draw.shape(1, 4, 4), draw.one_of(*dtypes), -high, high)
        axes, keep = draw.axes(x.ndim), draw.flag()
        found = rows(x, axes, function).astype(x.dtype)
        kept = [1 if at in {axis % x.ndim for axis in axes} else length for at, length in enumerate(x.shape)]
        return Case([x], [found.reshape(kept) if keep else found], {"axes": axes, "keep": keep})

    return case


def rows(x: np.ndarray, axes: tuple[int, ...], function: Callable[[list[Any]], Any]) -> np.ndarray:
    """What a function makes of the elements along some axes."""
    inner = [axis % x.ndim for axis in axes]
    outer = [axis for axis in range(x.ndim) if axis not in inner]
    shape = [x.shape[axis] for axis in outer]
    lists = x.transpose(*outer, *inner).reshape(math.prod(shape), -1).tolist()
    return np.array([function(each_list) for each_list in lists]).reshape(shape)


def best(smallest: bool) -> Reference:
    def case(draw: Drawing) -> Case:
        x = draw.array(draw.shape(1), draw.one_of(*NUMBERS), -4, 4)
        axis, keep = draw.axis(x.ndim), draw.flag()
        found = rows(x, (axis,), lambda row: row.index(min(row) if smallest else max(row)))
        found = np.expand_dims(found, axis) if keep else found
        return Case([x], [found.astype("int64")], {"axis": axis, "keep": keep})

    return case


def accumulation(function: Callable[[Any, Any], Any]) -> Reference:
    def case(draw: Drawing) -> Case:
        x = draw.array(draw.shape(1), draw.one_of(*NUMBERS), -2, 2)
        axis = draw.axis(x.ndim)
        lines = np.moveaxis(x, axis, -1)
        found = [list(itertools.accumulate(line, function)) for line in lines.reshape(-1, x.shape[axis]).tolist()]
        moved = np.array(found).astype(x.dtype).reshape(lines.shape)
        return Case([x], [np.moveaxis(moved, -1, axis)], {"axis": axis})

    return case


def matmul(draw: Drawing) -> Case:
    dtype, (rows_, inner, columns), batch = draw.one_of(*NUMBERS), draw.numbers(3, 1, 5), draw.shape(0, 2, 3)
    first = draw.array((*batch, rows_, inner), dtype)
    second = draw.array((*draw.broadcasting(batch), inner, columns), dtype)
    wide = np.einsum("...ij,...jk->...ik", first.astype("float64"), second.astype("float64"))
    return Case([first, second], [wide.astype(dtype)])


def where(draw: Drawing) -> Case:
    dtype, shape = draw.one_of(*NUMBERS, "bool"), draw.shape()
    condition = draw.array(draw.broadcasting(shape), "bool")
    then, otherwise = draw.array(shape, dtype), draw.array(draw.broadcasting(shape), dtype)
    return Case(
        [condition, then, otherwise], [each(lambda c, a, b: a if c else b, condition, then, otherwise, dtype=dtype)]
    )


def cast(draw: Drawing) -> Case:
    x = draw.array(draw.shape(), draw.one_of(*NUMBERS, "bool"), 0, 100)
    dtype = draw.one_of(*NUMBERS, "bool")
    truncated = int if dtype in INTEGERS else bool if dtype == "bool" else float
    return Case([x], [each(truncated, x, dtype=dtype)], {"dtype": dtype})


def clip(draw: Drawing) -> Case:
    x = draw.array(draw.shape(), draw.one_of(*FLOATS))
    low, high = draw.one_of(-1, -0.5, -math.inf), draw.one_of(0.5, 2, math.inf)
    return Case([x], [each(lambda e: min(max(e, low), high), x, dtype=str(x.dtype))], {"low": low, "high": high})


def indices(draw: Drawing, shape: tuple[int, ...], length: int) -> np.ndarray:
    """Indices of an axis, counted from either end."""
    return draw.array(shape, draw.one_of("int64", "int32"), -length, length - 1)


def gather(draw: Drawing) -> Case:
    x = draw.array(draw.shape(1, 3), draw.one_of(*NUMBERS))
    axis = draw.axis(x.ndim)
    found = indices(draw, draw.shape(0, 2), x.shape[axis])
    at = axis % x.ndim
    parts = [x[(slice(None),) * at + (index,)] for index in found.reshape(-1).tolist()]
    stacked = np.stack(parts, at).reshape((*x.shape[:at], *found.shape, *x.shape[at + 1 :]))
    return Case([x, found], [stacked], {"axis": axis})


def gather_elements(draw: Drawing) -> Case:
    x = draw.array(draw.shape(1, 3), draw.one_of(*NUMBERS))
    axis = draw.axis(x.ndim)
    at = axis % x.ndim
    shape = tuple(draw.number(1, 4 if index == at else length) for index, length in enumerate(x.shape))
    found = indices(draw, shape, x.shape[at])
    expected = np.empty(shape, x.dtype)
    for place in np.ndindex(*shape):
        expected[place] = x[(*place[:at], found[place], *place[at + 1 :])]
    return Case([x, found], [expected], {"axis": axis})


def places(draw: Drawing, x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Coordinates of the first axes of an array."""
    depth = draw.number(1, x.ndim)
    columns = [indices(draw, shape, length).astype("int64") for length in x.shape[:depth]]
    return np.stack(columns, -1)


def gather_nd(draw: Drawing) -> Case:
    x = draw.array(draw.shape(1, 3), draw.one_of(*NUMBERS))
    at = places(draw, x, draw.shape(0, 2))
    shape = (*at.shape[:-1], *x.shape[at.shape[-1] :])
    parts = [x[tuple(place)] for place in at.reshape(-1, at.shape[-1]).tolist()]
    return Case([x, at], [np.stack(parts).reshape(shape)])


def scatter_nd(draw: Drawing) -> Case:
    x = draw.array(draw.shape(1, 3), draw.one_of(*NUMBERS))
    depth = draw.number(1, x.ndim)
    all_places = list(np.ndindex(*x.shape[:depth]))
    chosen = [all_places[at] for at in draw.order(len(all_places))[: draw.number(1, len(all_places))]]
    at = np.array(chosen, "int64").reshape(-1, depth)
    updates = draw.array((len(at), *x.shape[depth:]), str(x.dtype))
    expected = x.copy()
    for place, update in zip(chosen, updates, strict=True):
        expected[place] = update
    return Case([x, at, updates], [expected])


def one_hot(draw: Drawing) -> Case:
    depth, dtype = draw.number(1, 5), draw.one_of(*NUMBERS)
    found = draw.array(draw.shape(0, 2), "int64", -depth - 1, depth)
    axis = draw.axis(found.ndim + 1)
    expected = np.full((*found.shape, depth), 2, dtype)
    for place in np.ndindex(*found.shape):
        if -depth <= found[place] < depth:
            expected[place][found[place]] = 5
    attributes = {"depth": depth, "axis": axis, "dtype": dtype, "on": 5, "off": 2}
    return Case([found], [np.moveaxis(expected, -1, axis)], attributes)


def top_k(draw: Drawing) -> Case:
    x = draw.array(draw.shape(1), draw.one_of(*NUMBERS), -4, 4)
    axis, largest = draw.axis(x.ndim), draw.flag()
    k = draw.number(1, x.shape[axis])
    lines = np.moveaxis(x, axis, -1)
    order = [
        sorted(range(len(line)), key=lambda at, line=line: -line[at] if largest else line[at])[:k]
        for line in lines.reshape(-1, x.shape[axis]).tolist()
    ]
    at = np.moveaxis(np.array(order, "int64").reshape(*lines.shape[:-1], k), -1, axis)
    return Case([x], [np.take_along_axis(x, at, axis), at], {"k": k, "axis": axis, "largest": largest})


def shape_of(draw: Drawing) -> Case:
    x = draw.array(draw.shape(), draw.one_of(*NUMBERS))
    return Case([x], [np.array(x.shape, "int64")])


def range_(draw: Drawing) -> Case:
    start, step = draw.number(-5, 5), draw.one_of(-2, -1, 1, 2, 3)
    end, dtype = start + step * draw.number(1, 5), draw.one_of("int64", "int32")
    attributes = {"start": start, "end": end, "step": step, "dtype": dtype}
    return Case([], [np.array([*range(start, end, step)], dtype)], attributes)


ATOMIC: dict[str, Reference] = {
    "sqrt": unary(math.sqrt, 0, 9),
    "rsqrt": unary(lambda x: 1 / math.sqrt(x), 0.1, 9),
    "reciprocal": unary(lambda x: 1 / x, 0.1, 9),
    **{name: unary(getattr(math, name)) for name in ("exp", "expm1", "sin", "cos", "atan", "sinh", "cosh", "tanh")},
    **{name: unary(getattr(math, name)) for name in ("asinh", "erf", "floor", "ceil")},
    "log": unary(math.log, 0.01, 9),
    "log1p": unary(math.log1p, -0.9, 9),
    "tan": unary(math.tan, -1.4, 1.4),
    "asin": unary(math.asin, -1, 1),
    "acos": unary(math.acos, -1, 1),
    "acosh": unary(math.acosh, 1.01, 9),
    "atanh": unary(math.atanh, -0.9, 0.9),
    "sigmoid": unary(lambda x: 1 / (1 + math.exp(-x)), -9, 9),
    "round": unary(round),
    "abs": unary(abs, dtypes=SIGNED),
    "negate": unary(operator.neg, dtypes=SIGNED),
    "sign": unary(lambda x: (x > 0) - (x < 0), dtypes=SIGNED),
    "square": unary(lambda x: x * x, dtypes=NUMBERS),
    "clip": clip,
    "is_nan": unary(math.isnan, result="bool"),
    "is_inf": unary(math.isinf, result="bool"),
    "logical_not": unary(operator.not_, dtypes=("bool",)),
    "cast": cast,
    "add": binary(operator.add, NUMBERS),
    "subtract": binary(operator.sub, SIGNED),
    "multiply": binary(operator.mul, NUMBERS),
    "maximum": binary(max, NUMBERS),
    "minimum": binary(min, NUMBERS),
    "divide": binary(operator.truediv, FLOATS, low=0.5),
    "power": binary(math.pow, FLOATS, low=0.2),
    "atan2": binary(math.atan2, FLOATS),
    "floor_divide": divided(operator.floordiv),
    "remainder": divided(operator.mod),
    "equal": binary(operator.eq, (*NUMBERS, "bool"), "bool"),
    "not_equal": binary(operator.ne, (*NUMBERS, "bool"), "bool"),
    "less": binary(operator.lt, NUMBERS, "bool"),
    "less_equal": binary(operator.le, NUMBERS, "bool"),
    "greater": binary(operator.gt, NUMBERS, "bool"),
    "greater_equal": binary(operator.ge, NUMBERS, "bool"),
    "logical_and": binary(operator.and_, ("bool",)),
    "logical_or": binary(operator.or_, ("bool",)),
    "logical_xor": binary(operator.xor, ("bool",)),
    "where": where,
    "reduce_sum": reduction(sum, ("float32", "float64", "int64", "int32")),
    "reduce_prod": reduction(math.prod, ("float64", "int64"), high=1.5),
    "reduce_mean": reduction(lambda row: math.fsum(row) / len(row), ("float32", "float64")),
    "reduce_max": reduction(max, NUMBERS),
    "reduce_min": reduction(min, NUMBERS),
    "reduce_any": reduction(any, ("bool",)),
    "reduce_all": reduction(all, ("bool",)),
    "argmax": best(smallest=False),
    "argmin": best(smallest=True),
    "cumsum": accumulation(operator.add),
    "cumprod": accumulation(operator.mul),
    "matmul": matmul,
    "gather": gather,
    "gather_elements": gather_elements,
    "gather_nd": gather_nd,
    "scatter_nd": scatter_nd,
    "one_hot": one_hot,
    "shape_of": shape_of,
    "range": range_,
    "top_k": top_k,
}
