"""Operators of ONNX that reduce axes or run along one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from walle.tensor.onnx.node import OnnxNode, Translation
from walle_task.tensor.faults import Unfit
from walle_task.tensor.operators.operator import axis_of

Reduce = Callable[[str], str]
"""Emits a reduction of a value by the axes of the node."""


def _reduction(operator: str, before: str = "", after: str = "") -> Translation:
    """Return the translation of a reduction, with an operator that is applied before it and one after it."""

    def translate(node: OnnxNode) -> str:
        x = node.input()
        axes, keep = _axes(node), bool(node.int_of("keepdims", 1))
        if before:
            x = node.emit(before, x)
        if axes is not None:
            x = node.emit(operator, x, axes=axes, keep=keep)
        return node.emit(after, x) if after else x

    return translate


def _axes(node: OnnxNode) -> tuple[int, ...] | None:
    """Return the axes that are reduced; None where nothing is."""
    axes = node.ints_of("axes") if node.has("axes") else node.constant_integers(1)
    nothing = node.int_of("noop_with_empty_axes", 0)
    if axes:
        return axes
    return None if nothing else tuple(range(node.rank(node.input())))


def _log_sum_exp(node: OnnxNode) -> str:
    x, axes, keep = node.input(), _axes(node), bool(node.int_of("keepdims", 1))
    if axes is None:
        return x
    most = node.emit("reduce_max", x, axes=axes, keep=True)
    total = node.emit("reduce_sum", node.emit("exp", node.emit("subtract", x, most)), axes=axes, keep=True)
    found = node.emit("add", node.emit("log", total), most)
    return found if keep else node.emit("squeeze", found, axes=axes)


def _position(operator: str) -> Translation:
    def translate(node: OnnxNode) -> str:
        node.only("select_last_index", node.int_of("select_last_index", 0), 0)
        return node.emit(operator, node.input(), axis=node.int_of("axis", 0), keep=bool(node.int_of("keepdims", 1)))

    return translate


def _cumulative(node: OnnxNode) -> str:
    x, exclusive, reverse = node.input(), node.int_of("exclusive", 0), node.int_of("reverse", 0)
    rank, axes = node.rank(x), node.constant_integers(1) or ()
    if len(axes) != 1:
        raise Unfit("inputs[1]", "one axis", axes)
    axis = axis_of(axes[0], rank, "inputs[1]")
    if reverse:
        x = node.emit("flip", x, axes=(axis,))
    if exclusive:
        before = tuple(int(at == axis % rank) for at in range(rank))
        shifted = node.emit("pad", x, before=before, after=(0,) * rank)
        x = node.emit("slice", shifted, axes=(axis,), starts=(0,), ends=(-1,))
    x = node.emit("cumsum", x, axis=axis)
    return node.emit("flip", x, axes=(axis,)) if reverse else x


def _top_k(node: OnnxNode) -> tuple[str, ...]:
    node.ignore("sorted")
    return node.emitter.emit_all(
        "top_k", node.input(), count=2, k=node.scalar(1), axis=node.int_of("axis", -1),
        largest=bool(node.int_of("largest", 1)),
    )  # fmt: skip


def _softmax(operator: str) -> Translation:
    return lambda node: node.emit(operator, node.input(), axis=node.int_of("axis", -1))


def _hardmax(node: OnnxNode) -> str:
    x, axis = node.input(), node.int_of("axis", -1)
    depth = node.length(x, axis)
    return node.emit("one_hot", node.emit("argmax", x, axis=axis), depth=depth, axis=axis, dtype=node.dtype(x))


TRANSLATIONS: Final[Mapping[str, Translation]] = {
    "ReduceSum": _reduction("reduce_sum"),
    "ReduceMean": _reduction("reduce_mean"),
    "ReduceProd": _reduction("reduce_prod"),
    "ReduceMax": _reduction("reduce_max"),
    "ReduceMin": _reduction("reduce_min"),
    "ReduceL1": _reduction("reduce_sum", before="abs"),
    "ReduceL2": _reduction("reduce_sum", before="square", after="sqrt"),
    "ReduceSumSquare": _reduction("reduce_sum", before="square"),
    "ReduceLogSum": _reduction("reduce_sum", after="log"),
    "ReduceLogSumExp": _log_sum_exp,
    "ArgMax": _position("argmax"),
    "ArgMin": _position("argmin"),
    "CumSum": _cumulative,
    "TopK": _top_k,
    "Softmax": _softmax("softmax"),
    "LogSoftmax": _softmax("log_softmax"),
    "Hardmax": _hardmax,
}
