"""Operators of ATen that are layers: convolutions, pools, products, normalisation, attention."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from walle.tensor.aten.call import AtenCall, AtenTranslation
from walle_task.tensor.faults import Unfit


def _convolution(call: AtenCall) -> str:
    names = ("stride", "padding", "dilation", "transposed", "output_padding", "groups")
    strides, padding, dilations, transposed, more, groups = (call.get(at, name) for at, name in enumerate(names, 3))
    x, weights, bias = call.value(0), call.value(1), call.get(2, "bias")
    spatial = call.rank(x) - 2
    given = (x, weights) if bias is None else (x, weights, bias)
    window = {
        "strides": _per_axis(strides, spatial), "dilations": _per_axis(dilations, spatial),
        "before": _per_axis(padding, spatial), "after": _per_axis(padding, spatial), "groups": groups,
    }  # fmt: skip
    if transposed:
        return call.emit("transposed_convolution", *given, output_after=_per_axis(more, spatial), **window)
    return call.emit("convolution", *given, **window)


def _per_axis(given: Any, spatial: int) -> tuple[int, ...]:
    found = tuple(given) if isinstance(given, list | tuple) else (given,)
    return found * spatial if len(found) == 1 else found


def _window(call: AtenCall, ceil_mode: int) -> dict[str, Any]:
    """Return the attributes of a pool. Raises Unfit for windows that are completed behind the end."""
    spatial = call.rank(call.value(0)) - 2
    kernel = _per_axis(call.get(1, "kernel_size"), spatial)
    strides, padding = call.get(2, "stride"), _per_axis(call.get(3, "padding", 0), spatial)
    if call.get(ceil_mode, "ceil_mode", False):
        raise Unfit("ceil_mode", "false", "true")
    return {
        "kernel": kernel, "strides": _per_axis(strides, spatial) if strides else kernel, "before": padding,
        "after": padding,
    }  # fmt: skip


def _max_pool(call: AtenCall) -> str:
    window, spatial = _window(call, 5), call.rank(call.value(0)) - 2
    return call.emit("max_pool", call.value(0), dilations=_per_axis(call.get(4, "dilation", 1), spatial), **window)


def _average_pool(call: AtenCall) -> str:
    if call.get(6, "divisor_override") is not None:
        raise Unfit("divisor_override", "none", call.get(6, "divisor_override"))
    counted = bool(call.get(5, "count_include_pad", True))
    return call.emit("average_pool", call.value(0), count_padding=counted, **_window(call, 4))


def _adaptive(call: AtenCall) -> str:
    """Pools of one element, or of as many as divide the lengths."""
    x, sizes = call.value(0), call.get(1, "output_size")
    lengths = call.shape(x)[2:]
    if all(size == 1 for size in sizes):
        return call.emit("global_average_pool", x)
    if any(length is None or size is None or length % size for length, size in zip(lengths, sizes, strict=True)):
        raise Unfit("output_size", f"1, or divisors of {list(lengths)}", sizes)
    kernel = tuple((length or 0) // size for length, size in zip(lengths, sizes, strict=True))
    return call.emit("average_pool", x, kernel=kernel, strides=kernel)


def _product(call: AtenCall) -> str:
    return call.emit("matmul", call.value(0), call.value(1))


def _add_product(call: AtenCall) -> str:
    bias, one, other = (call.value(index) for index in range(3))
    scales = {name: float(call.get(99, name, 1)) for name in ("alpha", "beta")}
    return call.emit("gemm", one, other, bias, **scales)


def _linear(call: AtenCall) -> str:
    bias = call.get(2, "bias")
    return call.emit("linear", call.value(0), call.value(1), *(() if bias is None else (bias,)))


def _batch_norm(call: AtenCall) -> str:
    x, scale, bias, mean, variance = (call.get(index, "") for index in range(5))
    ones, zeros = (call.emit("broadcast_to", call.like(number, mean), shape=call.shape(mean)) for number in (1, 0))
    return call.emit("batch_norm", x, scale or ones, bias or zeros, mean, variance, epsilon=call.get(6, "eps"))


def _layer_norm(call: AtenCall) -> str:
    x, shape = call.value(0), call.get(1, "normalized_shape")
    given = [call.get(index, "") for index in (2, 3)]
    normal = call.emit("layer_norm", x, axis=-len(shape), epsilon=call.get(4, "eps"))
    for operator, value in zip(("multiply", "add"), given, strict=True):
        if value is not None:
            normal = call.emit(operator, normal, value)
    return normal


def _group_norm(call: AtenCall) -> str:
    x, scale, bias = (call.get(index, "") for index in range(3))
    given = [value for value in (scale, bias) if value is not None]
    if len(given) == 1:
        raise Unfit("args", "a scale and a bias, or neither", "one of them")
    return call.emit("group_norm", x, *given, groups=call.get(6, "group"), epsilon=call.get(7, "eps"))


def _attention(call: AtenCall) -> str:
    """Without dropout; a mask of bools is of what is seen."""
    query, key, value = (call.value(index) for index in range(3))
    mask = call.get(99, "attn_mask") if len(call.dtypes) > 1 else call.get(3, "attn_mask")
    if call.get(5 if len(call.dtypes) == 1 else 4, "is_causal", False):
        raise Unfit("is_causal", "false: give a mask", "true")
    scale = call.get(99, "scale")
    if mask is not None and call.dtype(mask) == "bool":
        mask = call.emit("where", mask, call.like(0, query), call.like(-3e38, query))
    masks = () if mask is None else (mask,)
    return call.emit("attention", query, key, value, *masks, scale=scale or 0)


def _nearest(call: AtenCall) -> str:
    lengths = call.get(1, "output_size")
    if lengths is None:
        factors = call.get(2, "scale_factors")
        shape = call.shape(call.value(0))[2:]
        lengths = [int((length or 0) * factor) for length, factor in zip(shape, factors, strict=True)]
    return call.emit("resize_nearest", call.value(0), lengths=call.numbers(lengths))


TRANSLATIONS: Final[Mapping[str, AtenTranslation]] = {
    "convolution": _convolution,
    "max_pool2d_with_indices": _max_pool,
    "max_pool2d": _max_pool,
    "avg_pool2d": _average_pool,
    "avg_pool1d": _average_pool,
    "_adaptive_avg_pool2d": _adaptive,
    "adaptive_avg_pool1d": _adaptive,
    "mm": _product,
    "bmm": _product,
    "matmul": _product,
    "addmm": _add_product,
    "linear": _linear,
    "_native_batch_norm_legit_no_training": _batch_norm,
    "native_layer_norm": _layer_norm,
    "native_group_norm": _group_norm,
    "scaled_dot_product_attention": _attention,
    "_scaled_dot_product_flash_attention_for_cpu": _attention,
    "upsample_nearest2d": _nearest,
}
