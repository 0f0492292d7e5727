"""Operators of ONNX that normalise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from walle.tensor.onnx.node import OnnxNode, Translation
from walle_task.tensor.faults import Unfit


def _batch(node: OnnxNode) -> str:
    node.only("training_mode", node.int_of("training_mode", 0), 0)
    node.ignore("momentum")
    return node.emit("batch_norm", *node.inputs, epsilon=node.float_of("epsilon", 1e-5))


def _layer(node: OnnxNode) -> str:
    node.ignore("stash_type")
    x, axis = node.input(), node.int_of("axis", -1)
    normal = node.emit("layer_norm", x, axis=axis, epsilon=node.float_of("epsilon", 1e-5))
    return _scaled(node, normal)


def _root_mean_square(node: OnnxNode) -> str:
    node.ignore("stash_type")
    x, axis = node.input(), node.int_of("axis", -1)
    return _scaled(node, node.emit("rms_norm", x, axis=axis, epsilon=node.float_of("epsilon", 1e-5)))


def _scaled(node: OnnxNode, normal: str) -> str:
    """Apply scale and bias, which may be any that broadcast."""
    for operator, value in (("multiply", node.optional(1)), ("add", node.optional(2))):
        if value is not None:
            normal = node.emit(operator, normal, value)
    return normal


def _instance(node: OnnxNode) -> str:
    return node.emit("instance_norm", *node.inputs, epsilon=node.float_of("epsilon", 1e-5))


def _group(node: OnnxNode) -> str:
    """Before version 21 of the operator set, scale and bias were for each group, and not for each channel."""
    node.ignore("stash_type")
    x, groups = node.input(), node.int_of("num_groups")
    parameters = [node.input(index) for index in (1, 2)]
    if node.opset < 21:
        channels = node.length(x, 1)
        if not isinstance(channels, int) or groups < 1 or channels % groups:
            raise Unfit("num_groups", f"a divisor of the channels, {channels}", groups)
        parameters = [node.emit("repeat", each, axis=0, times=channels // groups) for each in parameters]
    return node.emit("group_norm", x, *parameters, groups=groups, epsilon=node.float_of("epsilon", 1e-5))


def _mean_variance(node: OnnxNode) -> str:
    x, axes = node.input(), node.ints_of("axes") or (0, 2, 3)
    centred = node.emit("subtract", x, node.emit("reduce_mean", x, axes=axes, keep=True))
    variance = node.emit("reduce_mean", node.emit("square", centred), axes=axes, keep=True)
    return node.emit("divide", centred, node.emit("add", node.emit("sqrt", variance), node.like(1e-9, x)))


def _norm(node: OnnxNode) -> str:
    """Where all is zero, it stays so."""
    x, axis, p = node.input(), node.int_of("axis", -1), node.int_of("p", 2)
    node.only("p", p, 1, 2)
    total = node.emit("reduce_sum", node.emit("abs" if p == 1 else "square", x), axes=(axis,), keep=True)
    length = total if p == 1 else node.emit("sqrt", total)
    zero = node.emit("equal", length, node.like(0, x))
    return node.emit("divide", x, node.emit("where", zero, node.like(1, x), length))


TRANSLATIONS: Final[Mapping[str, Translation]] = {
    "BatchNormalization": _batch,
    "LayerNormalization": _layer,
    "RMSNormalization": _root_mean_square,
    "InstanceNormalization": _instance,
    "GroupNormalization": _group,
    "MeanVarianceNormalization": _mean_variance,
    "LpNormalization": _norm,
}
