"""Atomic operators as nodes of ONNX."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from walle_task.tensor.onnx_writing.protobuf import DATA_TYPES
from walle_task.tensor.onnx_writing.writer import Applied, Converter, OnnxWriter, renamed_to
from walle_task.tensor.types import FLOATS

_SAME: Final = {
    "sqrt": "Sqrt", "reciprocal": "Reciprocal", "exp": "Exp", "log": "Log", "sin": "Sin", "cos": "Cos", "tan": "Tan",
    "asin": "Asin", "acos": "Acos", "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh", "tanh": "Tanh", "asinh": "Asinh",
    "acosh": "Acosh", "atanh": "Atanh", "erf": "Erf", "sigmoid": "Sigmoid", "floor": "Floor", "ceil": "Ceil",
    "round": "Round", "abs": "Abs", "negate": "Neg", "sign": "Sign", "is_nan": "IsNaN", "is_inf": "IsInf",
    "logical_not": "Not", "add": "Add", "subtract": "Sub", "multiply": "Mul", "maximum": "Max", "minimum": "Min",
    "divide": "Div", "power": "Pow", "equal": "Equal", "less": "Less", "less_equal": "LessOrEqual",
    "greater": "Greater", "greater_equal": "GreaterOrEqual", "logical_and": "And", "logical_or": "Or",
    "logical_xor": "Xor", "where": "Where", "matmul": "MatMul", "gather_nd": "GatherND", "shape_of": "Shape",
}  # fmt: skip
_REDUCTIONS: Final = {
    "reduce_sum": "ReduceSum", "reduce_prod": "ReduceProd", "reduce_mean": "ReduceMean", "reduce_max": "ReduceMax",
    "reduce_min": "ReduceMin",
}  # fmt: skip


def _square(writer: OnnxWriter, at: Applied) -> str:
    return writer.emit("Mul", at.inputs[0], at.inputs[0])


def _rsqrt(writer: OnnxWriter, at: Applied) -> str:
    return writer.emit("Reciprocal", writer.emit("Sqrt", *at.inputs))


def _expm1(writer: OnnxWriter, at: Applied) -> str:
    return writer.emit("Sub", writer.emit("Exp", *at.inputs), writer.scalar(1, at.outputs[0].dtype))


def _log1p(writer: OnnxWriter, at: Applied) -> str:
    return writer.emit("Log", writer.emit("Add", *at.inputs, writer.scalar(1, at.outputs[0].dtype)))


def _clip(writer: OnnxWriter, at: Applied) -> str:
    dtype = at.outputs[0].dtype
    return writer.emit("Clip", *at.inputs, writer.scalar(at["low"], dtype), writer.scalar(at["high"], dtype))


def _cast(writer: OnnxWriter, at: Applied) -> str:
    return writer.emit("Cast", *at.inputs, to=DATA_TYPES[at["dtype"]])


def _not_equal(writer: OnnxWriter, at: Applied) -> str:
    return writer.emit("Not", writer.emit("Equal", *at.inputs))


def _floor_divide(writer: OnnxWriter, at: Applied) -> str:
    first, second = at.inputs
    if at.outputs[0].dtype in FLOATS:
        return writer.emit("Floor", writer.emit("Div", first, second))
    return _floored(writer, at)


def _floored(writer: OnnxWriter, at: Applied) -> str:
    """Write the quotient of integers rounded down: that towards zero, and one less where there is a rest below zero."""
    (first, second), dtype = at.inputs, at.outputs[0].dtype
    zero, whole = writer.scalar(0, dtype), writer.emit("Div", first, second)
    rest = writer.emit("Not", writer.emit("Equal", writer.emit("Mod", first, second, fmod=0), zero))
    signs = (writer.emit("Less", each, zero) for each in (first, second))
    below = writer.emit("And", rest, writer.emit("Xor", *signs))
    return writer.emit("Sub", whole, writer.emit("Cast", below, to=DATA_TYPES[dtype]))


def _remainder(writer: OnnxWriter, at: Applied) -> str:
    first, second = at.inputs
    if at.outputs[0].dtype not in FLOATS:
        return writer.emit("Mod", first, second, fmod=0)
    whole = writer.emit("Mul", writer.emit("Floor", writer.emit("Div", first, second)), second)
    return writer.emit("Sub", first, whole)


def _scatter_nd(writer: OnnxWriter, at: Applied) -> str:
    return writer.emit("ScatterND", *at.inputs, reduction="add" if at["add"] else "none")


def _reduction(operator: str) -> Callable[[OnnxWriter, Applied], str]:
    """Without axes nothing is reduced; engines differ in what they take that for."""

    def convert(writer: OnnxWriter, at: Applied) -> str:
        axes = at.call.axes()
        if not axes:
            return writer.emit("Identity", at.inputs[0])
        return writer.emit(operator, at.inputs[0], writer.integers(*axes), keepdims=int(at["keep"]))

    return convert


def _reduction_of_bools(operator: str) -> Converter:
    def convert(writer: OnnxWriter, at: Applied) -> str:
        numbers = writer.emit("Cast", *at.inputs, to=DATA_TYPES["int32"])
        found = _reduction(operator)(writer, replace(at, inputs=(numbers,)))
        return writer.emit("Cast", found, to=DATA_TYPES["bool"])

    return convert


def _arg(operator: str) -> Converter:
    return lambda writer, at: writer.emit(operator, *at.inputs, axis=at.call.axis(), keepdims=int(at["keep"]))


def _cumsum(writer: OnnxWriter, at: Applied) -> str:
    return writer.emit("CumSum", *at.inputs, writer.scalar(at.call.axis(), "int64"))


def _along(operator: str) -> Converter:
    return lambda writer, at: writer.emit(operator, *at.inputs, axis=at.call.axis())


def _one_hot(writer: OnnxWriter, at: Applied) -> str:
    (target,) = at.outputs
    values = writer.emit("Concat", *(_vector(writer, at[each], target.dtype) for each in ("off", "on")), axis=0)
    return writer.emit("OneHot", *at.inputs, writer.integers(at["depth"]), values, axis=at["axis"])


def _vector(writer: OnnxWriter, value: float, dtype: str) -> str:
    return writer.reshape(writer.scalar(value, dtype), (1,))


def _top_k(writer: OnnxWriter, at: Applied) -> tuple[str, ...]:
    count = writer.integers(at["k"])
    return writer.emit_all(
        "TopK", *at.inputs, count, outputs=2, axis=at.call.axis(), largest=int(at["largest"]), sorted=1
    )


ATOMIC: Final[dict[str, Converter]] = {
    **{name: renamed_to(operator) for name, operator in _SAME.items()},
    **{name: _reduction(operator) for name, operator in _REDUCTIONS.items()},
    "reduce_any": _reduction_of_bools("ReduceMax"),
    "reduce_all": _reduction_of_bools("ReduceMin"),
    "square": _square,
    "rsqrt": _rsqrt,
    "expm1": _expm1,
    "log1p": _log1p,
    "clip": _clip,
    "cast": _cast,
    "not_equal": _not_equal,
    "floor_divide": _floor_divide,
    "remainder": _remainder,
    "argmax": _arg("ArgMax"),
    "argmin": _arg("ArgMin"),
    "cumsum": _cumsum,
    "scatter_nd": _scatter_nd,
    "gather": _along("Gather"),
    "gather_elements": _along("GatherElements"),
    "one_hot": _one_hot,
    "top_k": _top_k,
}
