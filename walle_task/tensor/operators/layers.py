"""Composite operators of layers: convolutions, pools, products, attention, cells of recurrent networks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from walle_task.tensor.faults import Unfit
from walle_task.tensor.operators.activations import composite, floats
from walle_task.tensor.operators.atomic import broadcast
from walle_task.tensor.operators.operator import (
    Call,
    Emitter,
    Operator,
    OperatorGroup,
    boolean,
    integer,
    integers,
    number,
    shaped,
)
from walle_task.tensor.operators.transform_parts import window_counts
from walle_task.tensor.types import TensorType

PER_AXIS: Final = "one integer for each axis after batch and channels"
MAX_RESIZED: Final = 1 << 16
"""The greatest length of an axis that is resized, each element of which is taken by its index."""


def _per_axis(call: Call, field: str, count: int, default: int) -> tuple[int, ...]:
    """Return an attribute with a number for each of some axes; the empty one stands for defaults. Raises Unfit."""
    found: tuple[int, ...] = call[field] or (default,) * count
    if len(found) != count:
        raise Unfit(field, PER_AXIS, found)
    return found


def _padded_lengths(call: Call) -> tuple[int, ...]:
    """Return the lengths with margins. Raises Unfit where these make a tensor that is too large."""
    source = call.inputs[0]
    before, after = (_per_axis(call, field, source.rank - 2, 0) for field in ("before", "after"))
    lengths = tuple(map(sum, zip(source.shape[2:], before, after, strict=True)))
    return shaped("before", (*source.shape[:2], *lengths))[2:]


def _padded(emitter: Emitter, x: str, call: Call, value: float = 0.0) -> str:
    spatial = call.inputs[0].rank - 2
    before, after = (_per_axis(call, field, spatial, 0) for field in ("before", "after"))
    if not any((*before, *after)):
        return x
    return emitter.emit("pad", x, before=(0, 0, *before), after=(0, 0, *after), value=value)


def _convolution_type(call: Call) -> TensorType:
    source, weights = floats(call), call.inputs[1]
    if source.rank < 3 or weights.rank != source.rank:
        raise Unfit("inputs[1]", f"weights of {max(source.rank, 3)} axes, as the input", weights)
    groups = call["groups"]
    if source.shape[1] != weights.shape[1] * groups or weights.shape[0] % groups:
        raise Unfit("inputs[1]", f"weights for {source.shape[1]} channels in {groups} groups", weights)
    if len(call.inputs) > 2 and call.inputs[2].shape != weights.shape[:1]:
        raise Unfit("inputs[2]", f"a number for each of {weights.shape[0]} channels", call.inputs[2])
    strides, dilations = (_per_axis(call, field, source.rank - 2, 1) for field in ("strides", "dilations"))
    counts = window_counts(_padded_lengths(call), weights.shape[2:], strides, dilations)
    return source.with_shape(shaped("output", (source.shape[0], weights.shape[0], *counts)))


def _convolution(emitter: Emitter, values: tuple[str, ...], call: Call) -> str:
    """Convolve by windows, which a raster copies (im2col), and a product with the weights for each batch and group."""
    (x, weights, *bias), target, groups = values, _convolution_type(call), call["groups"]
    count, inner, *kernel = call.inputs[1].shape
    strides, dilations = (_per_axis(call, field, len(kernel), 1) for field in ("strides", "dilations"))
    columns = _padded(emitter, x, call)
    if math.prod(kernel) > 1 or max(strides) > 1:
        columns = emitter.emit("windows", columns, kernel=tuple(kernel), strides=strides, dilations=dilations)
    depth, places = inner * math.prod(kernel), math.prod(target.shape[2:])
    batch = call.inputs[0].shape[0]
    apart = (groups,) if groups > 1 else ()
    columns = emitter.emit("reshape", columns, shape=(batch, *apart, depth, places), zero="empty")
    rows = emitter.emit("reshape", weights, shape=(*apart, count // groups, depth), zero="empty")
    product = emitter.emit("matmul", rows, columns)
    if bias:
        each = emitter.emit("reshape", bias[0], shape=(*apart, count // groups, 1), zero="empty")
        product = emitter.emit("add", product, each)
    return emitter.emit("reshape", product, shape=target.shape, zero="empty")


def _transposed_type(call: Call) -> TensorType:
    source, weights = floats(call), call.inputs[1]
    if source.rank < 3 or weights.rank != source.rank or source.shape[1] != weights.shape[0] or 0 in source.shape:
        raise Unfit("inputs[1]", f"weights of {max(source.rank, 3)} axes for {source.shape[1:2]} channels", weights)
    if source.shape[1] % call["groups"]:
        raise Unfit("groups", f"a divisor of {source.shape[1]} channels", call["groups"])
    count = weights.shape[1] * call["groups"]
    if len(call.inputs) > 2 and call.inputs[2].shape != (count,):
        raise Unfit("inputs[2]", f"a number for each of {count} channels", call.inputs[2])
    return source.with_shape(shaped("output", (source.shape[0], count, *_transposed_lengths(call))))


def _transposed_lengths(call: Call) -> tuple[int, ...]:
    spatial, kernel = call.inputs[0].rank - 2, call.inputs[1].shape[2:]
    strides, dilations = (_per_axis(call, field, spatial, 1) for field in ("strides", "dilations"))
    before, after, more = (_per_axis(call, field, spatial, 0) for field in ("before", "after", "output_after"))
    found = []
    for axis, length in enumerate(call.inputs[0].shape[2:]):
        extent = (kernel[axis] - 1) * dilations[axis] + 1
        if kernel[axis] < 1 or before[axis] >= extent or after[axis] - more[axis] >= extent:
            raise Unfit("before", f"less than the {extent} of the window on axis {axis}", (before[axis], after[axis]))
        found.append((length - 1) * strides[axis] + extent - before[axis] - after[axis] + more[axis])
    return tuple(found)


def _transposed(emitter: Emitter, values: tuple[str, ...], call: Call) -> str:
    """Convolve the input, with zeros between its elements, with the flipped weights."""
    (x, weights, *bias), groups = values, call["groups"]
    channels, outputs, *kernel = call.inputs[1].shape
    spatial = len(kernel)
    strides, dilations = (_per_axis(call, field, spatial, 1) for field in ("strides", "dilations"))
    before, after, more = (_per_axis(call, field, spatial, 0) for field in ("before", "after", "output_after"))
    extents = [(size - 1) * dilation for size, dilation in zip(kernel, dilations, strict=True)]
    flipped = emitter.emit("flip", weights, axes=tuple(range(2, spatial + 2)))
    apart = emitter.emit("reshape", flipped, shape=(groups, channels // groups, outputs, *kernel), zero="empty")
    turned = emitter.emit("swap_axes", apart, first=1, second=2)
    rows = emitter.emit("reshape", turned, shape=(groups * outputs, channels // groups, *kernel), zero="empty")
    return emitter.emit(
        "convolution", emitter.emit("dilate", x, factors=strides), rows, *bias,
        before=tuple(extent - margin for extent, margin in zip(extents, before, strict=True)),
        after=tuple(extent - margin + extra for extent, margin, extra in zip(extents, after, more, strict=True)),
        dilations=dilations, groups=groups,
    )  # fmt: skip


def _pool_type(call: Call) -> TensorType:
    source, spatial = floats(call), call.inputs[0].rank - 2
    if spatial < 1 or len(call["kernel"]) != spatial:
        raise Unfit("kernel", PER_AXIS, call["kernel"])
    strides, dilations = (_per_axis(call, field, spatial, 1) for field in ("strides", "dilations"))
    margins = (*_per_axis(call, "before", spatial, 0), *_per_axis(call, "after", spatial, 0))
    extents = [(size - 1) * dilation + 1 for size, dilation in zip(call["kernel"], dilations, strict=True)]
    if any(margin >= extent for margin, extent in zip(margins, extents * 2, strict=True)):
        raise Unfit("before", f"margins smaller than windows of {extents}", margins)
    counts = window_counts(_padded_lengths(call), call["kernel"], strides, dilations)
    return source.with_shape(shaped("output", (*source.shape[:2], *counts)))


def _pool_windows(emitter: Emitter, x: str, call: Call) -> tuple[str, tuple[int, ...]]:
    spatial = call.inputs[0].rank - 2
    strides, dilations = (_per_axis(call, field, spatial, 1) for field in ("strides", "dilations"))
    found = emitter.emit("windows", x, kernel=call["kernel"], strides=strides, dilations=dilations)
    return found, tuple(range(2, spatial + 2))


def _max_pool(emitter: Emitter, values: tuple[str, ...], call: Call) -> str:
    windows, axes = _pool_windows(emitter, _padded(emitter, values[0], call, -math.inf), call)
    return emitter.emit("reduce_max", windows, axes=axes)


def _average_pool(emitter: Emitter, values: tuple[str, ...], call: Call) -> str:
    windows, axes = _pool_windows(emitter, _padded(emitter, values[0], call), call)
    if call["count_padding"] or not any((*call["before"], *call["after"])):
        return emitter.emit("reduce_mean", windows, axes=axes)
    total = emitter.emit("reduce_sum", windows, axes=axes)
    for axis in range(len(axes)):
        total = emitter.emit("divide", total, _elements_in_windows(emitter, call, axis))
    return total


def _elements_in_windows(emitter: Emitter, call: Call, axis: int) -> str:
    """Return how many elements of the input each window has along an axis: the sum of ones, with zeros around them."""
    spatial, dtype = call.inputs[0].rank - 2, call.inputs[0].dtype
    length = call.inputs[0].shape[2 + axis]
    before, after = (_per_axis(call, field, spatial, 0)[axis] for field in ("before", "after"))
    stride, dilation = (_per_axis(call, field, spatial, 1)[axis] for field in ("strides", "dilations"))
    line = emitter.emit("broadcast_to", emitter.number(1, dtype), shape=(1, 1, length))
    line = emitter.emit("pad", line, before=(0, 0, before), after=(0, 0, after))
    windows = emitter.emit("windows", line, kernel=(call["kernel"][axis],), strides=(stride,), dilations=(dilation,))
    counts = emitter.emit("maximum", emitter.emit("reduce_sum", windows, axes=(2,)), emitter.number(1, dtype))
    return emitter.emit("reshape", counts, shape=(-1, *(1,) * (spatial - axis - 1)))


def _over_axes(operator: str) -> Operator:
    def infer(call: Call) -> TensorType:
        source = floats(call)
        if source.rank < 3 or 0 in source.shape[2:]:
            raise Unfit("inputs[0]", "a tensor with axes after batch and channels", source)
        return source.with_shape((*source.shape[:2], *(1,) * (source.rank - 2)))

    kind = "average" if operator == "reduce_mean" else "max"
    return composite(
        f"global_{kind}_pool", (1, 1), infer,
        lambda emitter, values, call: emitter.emit(
            operator, values[0], axes=tuple(range(2, call.inputs[0].rank)), keep=True
        ),
    )  # fmt: skip


def _gemm_type(call: Call) -> TensorType:
    first, second = floats(call), call.inputs[1]
    if first.rank != 2 or second.rank != 2:
        raise Unfit("inputs[0]", "two matrices", f"{first} and {second}")
    rows, inner = first.shape[::-1] if call["transpose_a"] else first.shape
    other, columns = second.shape[::-1] if call["transpose_b"] else second.shape
    if inner != other:
        raise Unfit("inputs[1]", f"a matrix with {inner} rows", f"{second} of {other} rows")
    found = first.with_shape((rows, columns))
    if len(call.inputs) > 2 and broadcast(Call((found, call.inputs[2]), {})) != found.shape:
        raise Unfit("inputs[2]", f"a shape that broadcasts to {[rows, columns]}", call.inputs[2])
    return found


def _gemm(emitter: Emitter, values: tuple[str, ...], call: Call) -> str:
    first, second, *bias = values
    dtype = call.inputs[0].dtype
    if call["transpose_a"]:
        first = emitter.emit("transpose", first, axes=(1, 0))
    if call["transpose_b"]:
        second = emitter.emit("transpose", second, axes=(1, 0))
    product = emitter.emit("matmul", first, second)
    if call["alpha"] != 1:
        product = emitter.emit("multiply", product, emitter.number(call["alpha"], dtype))
    for value in bias:
        scaled = value if call["beta"] == 1 else emitter.emit("multiply", value, emitter.number(call["beta"], dtype))
        product = emitter.emit("add", product, scaled)
    return product


def _attention_type(call: Call) -> TensorType:
    query, key, value = call.inputs[:3]
    floats(call)
    alike = query.rank == key.rank == value.rank >= 2 and query.shape[:-2] == key.shape[:-2] == value.shape[:-2]
    if not alike or query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2] or 0 in key.shape:
        raise Unfit("inputs[1]", f"keys and values for queries {list(query.shape)}", f"{key} and {value}")
    scores = query.with_shape((*query.shape[:-1], key.shape[-2]))
    if len(call.inputs) > 3 and _broadcast_differs(scores, call.inputs[3]):
        raise Unfit("inputs[3]", f"a mask that broadcasts to {list(scores.shape)}", call.inputs[3])
    return query.with_shape((*query.shape[:-1], value.shape[-1]))


def _broadcast_differs(target: TensorType, other: TensorType) -> bool:
    return broadcast(Call((target, other), {})) != target.shape


def _attention(emitter: Emitter, values: tuple[str, ...], call: Call) -> str:
    query, key, value, *mask = values
    scale = call["scale"] or 1 / math.sqrt(call.inputs[0].shape[-1])
    scaled = emitter.emit("multiply", query, emitter.number(scale, call.inputs[0].dtype))
    scores = emitter.emit("matmul", scaled, emitter.emit("swap_axes", key, first=-1, second=-2))
    for each in mask:
        scores = emitter.emit("add", scores, each)
    return emitter.emit("matmul", emitter.emit("softmax", scores, axis=-1), value)


def _resize_type(call: Call) -> TensorType:
    source = call.inputs[0]
    if source.rank < 3 or len(call["lengths"]) != source.rank - 2 or 0 in source.shape:
        raise Unfit("lengths", PER_AXIS, call["lengths"])
    if any(length > MAX_RESIZED for length in call["lengths"]):
        raise Unfit("lengths", f"lengths up to {MAX_RESIZED}", call["lengths"])
    return source.with_shape(shaped("output", (*source.shape[:2], *call["lengths"])))


def _resize_nearest(emitter: Emitter, values: tuple[str, ...], call: Call) -> str:
    """Take for each place the element before it (floor), axis by axis."""
    (x,) = values
    for axis, (have, want) in enumerate(zip(call.inputs[0].shape[2:], call["lengths"], strict=True), 2):
        if have != want:
            x = emitter.emit("take", x, axis=axis, indices=tuple(index * have // want for index in range(want)))
    return x


def _linear_type(call: Call) -> TensorType:
    source, weights = floats(call), call.inputs[1]
    if source.rank < 2 or weights.rank != 2 or weights.shape[1] != source.shape[-1]:
        raise Unfit("inputs[1]", f"a matrix with {source.shape[-1:]} columns", weights)
    if len(call.inputs) > 2 and call.inputs[2].shape != weights.shape[:1]:
        raise Unfit("inputs[2]", f"a number for each of {weights.shape[0]} outputs", call.inputs[2])
    return source.with_shape((*source.shape[:-1], weights.shape[0]))


def _linear(emitter: Emitter, values: tuple[str, ...], _: Call) -> str:
    x, weights, *bias = values
    product = emitter.emit("matmul", x, emitter.emit("transpose", weights, axes=(1, 0)))
    return emitter.emit("add", product, bias[0]) if bias else product


def _cell_types(gates: int, states: int) -> Callable[[Call], tuple[TensorType, ...]]:
    def infer(call: Call) -> tuple[TensorType, ...]:
        floats(call)
        source, state = call.inputs[0], call.inputs[1]
        if source.rank != 2 or state.rank != 2 or state.shape[0] != source.shape[0]:
            raise Unfit("inputs[1]", f"a state for each of the batch {list(source.shape)}", state)
        hidden = state.shape[1]
        shapes = [state.shape] * states + [(gates * hidden, source.shape[1]), (gates * hidden, hidden)]
        shapes += [(gates * hidden,)] * 2
        for index, (each, shape) in enumerate(zip(call.inputs[1:], shapes, strict=True), 1):
            if each.shape != shape:
                raise Unfit(f"inputs[{index}]", f"the shape {list(shape)}", each)
        return (state,) * states

    return infer


def _lstm_cell(emitter: Emitter, values: tuple[str, ...], call: Call) -> tuple[str, ...]:
    """Take one step: gates input, forget, cell, output in this order, as in torch."""
    x, hidden, cell, weights, recurrent, bias, recurrent_bias = values
    gates = emitter.emit(
        "add", emitter.emit("linear", x, weights, bias), emitter.emit("linear", hidden, recurrent, recurrent_bias)
    )
    width = call.inputs[1].shape[1]
    part = [_gate(emitter, gates, index, width) for index in range(4)]
    kept = emitter.emit("multiply", emitter.emit("sigmoid", part[1]), cell)
    added = emitter.emit("multiply", emitter.emit("sigmoid", part[0]), emitter.emit("tanh", part[2]))
    new = emitter.emit("add", kept, added)
    return emitter.emit("multiply", emitter.emit("sigmoid", part[3]), emitter.emit("tanh", new)), new


def _gru_cell(emitter: Emitter, values: tuple[str, ...], call: Call) -> tuple[str, ...]:
    """Take one step: gates reset, update, new in this order, as in torch."""
    x, hidden, weights, recurrent, bias, recurrent_bias = values
    width = call.inputs[1].shape[1]
    ahead = emitter.emit("linear", x, weights, bias)
    behind = emitter.emit("linear", hidden, recurrent, recurrent_bias)
    reset, update = (
        emitter.emit(
            "sigmoid", emitter.emit("add", _gate(emitter, ahead, at, width), _gate(emitter, behind, at, width))
        )
        for at in (0, 1)
    )
    recalled = emitter.emit("multiply", reset, _gate(emitter, behind, 2, width))
    new = emitter.emit("tanh", emitter.emit("add", _gate(emitter, ahead, 2, width), recalled))
    change = emitter.emit("multiply", update, emitter.emit("subtract", hidden, new))
    return (emitter.emit("add", new, change),)


def _gate(emitter: Emitter, gates: str, index: int, width: int) -> str:
    return emitter.emit("slice", gates, axes=(1,), starts=(index * width,), ends=((index + 1) * width,))


_EMPTY: Final = integers((), low=0)
_POSITIVE: Final = integers((), low=1)
_MARGINS: Final = {"before": _EMPTY, "after": _EMPTY}
_STEPS: Final = {"strides": _POSITIVE, "dilations": _POSITIVE}
OPERATORS: Final[tuple[Operator, ...]] = (
    composite("convolution", (2, 3), _convolution_type, _convolution, groups=integer(1, low=1), **_STEPS, **_MARGINS),
    composite(
        "transposed_convolution", (2, 3), _transposed_type, _transposed,
        groups=integer(1, low=1), output_after=_EMPTY, **_STEPS, **_MARGINS,
    ),
    composite("max_pool", (1, 1), _pool_type, _max_pool, kernel=integers(low=1), **_STEPS, **_MARGINS),
    composite(
        "average_pool", (1, 1), _pool_type, _average_pool,
        kernel=integers(low=1), count_padding=boolean(False), **_STEPS, **_MARGINS,
    ),
    _over_axes("reduce_mean"),
    _over_axes("reduce_max"),
    composite(
        "gemm", (2, 3), _gemm_type, _gemm,
        alpha=number(1.0), beta=number(1.0), transpose_a=boolean(False), transpose_b=boolean(False),
    ),
    composite("linear", (2, 3), _linear_type, _linear),
    composite("attention", (3, 4), _attention_type, _attention, scale=number(0)),
    composite("resize_nearest", (1, 1), _resize_type, _resize_nearest, lengths=integers(low=1)),
    Operator("lstm_cell", OperatorGroup.COMPOSITE, (7, 7), {}, _cell_types(4, 2), decompose=_lstm_cell),
    Operator("gru_cell", OperatorGroup.COMPOSITE, (6, 6), {}, _cell_types(3, 1), decompose=_gru_cell),
)  # fmt: skip
