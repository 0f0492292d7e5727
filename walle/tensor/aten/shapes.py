"""Operators of ATen that move elements, look them up, or make tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from walle.tensor.aten.call import MAX_LENGTH, AtenCall, AtenTranslation, Value
from walle_task.tensor.faults import Unfit
from walle_task.tensor.graph import ValueOf


def _view(call: AtenCall) -> str:
    return call.emit("reshape", call.value(0), shape=call.numbers(call.get(1, "size")), zero="empty")


def _transpose(call: AtenCall) -> str:
    return call.emit("swap_axes", call.value(0), first=call.get(1, "dim0"), second=call.get(2, "dim1"))


def _squeeze(call: AtenCall) -> str:
    """An axis of another length than 1 stays."""
    x, given = call.value(0), call.get(1, "dim")
    shape = call.shape(x)
    axes = range(len(shape)) if given is None else given if isinstance(given, list | tuple) else (given,)
    kept = tuple(axis % len(shape) for axis in axes if shape[axis] == 1)
    return call.emit("squeeze", x, axes=kept)


def _expand(call: AtenCall) -> str:
    """A length of -1 is that of the tensor."""
    x, asked = call.value(0), list(call.get(1, "size"))
    new = len(asked) - call.rank(x)
    lengths = [_length(call, x, at - new) if each == -1 else each for at, each in enumerate(asked)]
    return call.emit("broadcast_to", x, shape=call.numbers(lengths))


def _length(call: AtenCall, x: str, axis: int) -> Any:
    known = call.shape(x)[axis]
    if known is not None:
        return known
    return Value(call.emit("select", call.emit("shape_of", x), axis=0, index=axis))


def _slice(call: AtenCall) -> str:
    axis, start, end, step = (
        call.get(index, name, default)
        for index, name, default in ((1, "dim", 0), (2, "start", None), (3, "end", None), (4, "step", 1))
    )
    starts, ends = call.numbers(start or 0), call.numbers(MAX_LENGTH if end is None else end)
    return call.emit("slice", call.value(0), axes=(axis,), starts=starts, ends=ends, steps=(step,))


def _select(call: AtenCall) -> str:
    return call.emit("select", call.value(0), axis=call.get(1, "dim"), index=call.number(call.get(2, "index")))


def _joined(operator: str) -> AtenTranslation:
    def translate(call: AtenCall) -> str:
        values = [call.as_type(each, call.dtypes[0]) for each in call.get(0, "tensors")]
        return call.emit(operator, *values, axis=call.get(1, "dim", 0))

    return translate


def _split(call: AtenCall) -> tuple[str, ...]:
    x, given, axis = call.value(0), call.get(1, "split_sizes"), call.get(2, "dim", 0)
    if isinstance(given, list | tuple):
        lengths = call.numbers(given)
    else:
        length = call.shape(x)[axis]
        if length is None or not isinstance(given, int) or given < 1:
            raise Unfit("args[1]", "a length that is known, of an axis that is", given)
        lengths = tuple(min(given, length - start) for start in range(0, length, given))
    return call.emitter.emit_all("split", x, count=len(call.dtypes), axis=axis, lengths=lengths)


def _unbind(call: AtenCall) -> tuple[str, ...]:
    return call.emitter.emit_all("unstack", call.value(0), count=len(call.dtypes), axis=call.get(1, "dim", 0))


def _repeat(call: AtenCall) -> str:
    x, times = call.value(0), call.get(1, "repeats")
    new = len(times) - call.rank(x)
    wide = call.emit("unsqueeze", x, axes=tuple(range(new))) if new else x
    return call.emit("tile", wide, repeats=call.numbers(times))


def _pad(call: AtenCall) -> str:
    """Margins come in pairs from the last axis on."""
    x, pads, value = call.value(0), call.get(1, "pad"), call.get(2, "value", 0)
    rank = call.rank(x)
    before, after = [0] * rank, [0] * rank
    for at in range(len(pads) // 2):
        before[rank - 1 - at], after[rank - 1 - at] = pads[2 * at], pads[2 * at + 1]
    if min(before + after) < 0:
        raise Unfit("pad", "integers of at least 0", pads)
    return call.emit("pad", x, before=tuple(before), after=tuple(after), value=value)


def _embedding(call: AtenCall) -> str:
    return call.emit("gather", call.value(0), call.value(1), axis=0)


def _index_select(call: AtenCall) -> str:
    return call.emit("gather", call.value(0), call.value(2), axis=call.get(1, "dim"))


def _gather(call: AtenCall) -> str:
    return call.emit("gather_elements", call.value(0), call.value(2), axis=call.get(1, "dim"))


def _index(call: AtenCall) -> str:
    """Indices of one axis, all others of which are whole."""
    given = call.get(1, "indices")
    axes = [axis for axis, each in enumerate(given) if each is not None]
    if len(axes) != 1 or call.dtype(given[axes[0]]) not in ("int64", "int32"):
        raise Unfit("args[1]", "indices of one axis", f"indices of {len(axes)}")
    return call.emit("gather", call.value(0), given[axes[0]], axis=axes[0])


def _full(call: AtenCall) -> str:
    size, value = call.get(0, "size"), call.get(1, "fill_value")
    return _filled(call, value, call.numbers(size) if size else ())


def _filled(call: AtenCall, value: Any, shape: tuple[int, ...] | ValueOf) -> str:
    return call.emit("broadcast_to", call.as_type(value, call.dtypes[0]), shape=shape)


def _full_like(call: AtenCall) -> str:
    x = call.value(0)
    return _filled(
        call, call.get(1, "fill_value"), call.numbers([_length(call, x, axis) for axis in range(call.rank(x))])
    )


def _range(call: AtenCall) -> str:
    names = ((0, "start", 0), (1, "end", None), (2, "step", 1))
    start, end, step = (call.number(call.get(*each)) for each in names)
    return call.emit("range", start=start, end=end, step=step, dtype=call.dtypes[0])


def _triangle(operator: str) -> AtenTranslation:
    """Return the translation of what leaves one side of the diagonal and fills the other with zeros."""

    def translate(call: AtenCall) -> str:
        x = call.value(0)
        rows, columns = (
            call.emit("range", end=call.number(_length(call, x, call.rank(x) + axis)), dtype="int64")
            for axis in (-2, -1)
        )
        distance = call.emit("subtract", columns, call.emit("unsqueeze", rows, axes=(1,)))
        kept = call.emit(operator, distance, call.array(call.get(1, "diagonal", 0), "int64"))
        return call.emit("where", kept, x, call.like(0, x))

    return translate


def _pixel_shuffle(call: AtenCall) -> str:
    return call.emit("depth_to_space", call.value(0), block=call.get(1, "upscale_factor"), mode="column first")


def _size(call: AtenCall) -> str:
    return call.emit("select", call.emit("shape_of", call.value(0)), axis=0, index=call.get(1, "dim"))


TRANSLATIONS: Final[Mapping[str, AtenTranslation]] = {
    "view": _view,
    "_unsafe_view": _view,
    "reshape": _view,
    "permute": lambda call: call.emit("transpose", call.value(0), axes=tuple(call.get(1, "dims"))),
    "transpose": _transpose,
    "unsqueeze": lambda call: call.emit("unsqueeze", call.value(0), axes=(call.get(1, "dim"),)),
    "squeeze": _squeeze,
    "expand": _expand,
    "slice": _slice,
    "select": _select,
    "cat": _joined("concatenate"),
    "stack": _joined("stack"),
    "split": _split,
    "split_with_sizes": _split,
    "unbind": _unbind,
    "flip": lambda call: call.emit("flip", call.value(0), axes=tuple(call.get(1, "dims"))),
    "repeat": _repeat,
    "constant_pad_nd": _pad,
    "embedding": _embedding,
    "index_select": _index_select,
    "gather": _gather,
    "index": _index,
    "full": _full,
    "full_like": _full_like,
    "scalar_tensor": lambda call: call.as_type(call.get(0, "s"), call.dtypes[0]),
    "arange": _range,
    "triu": _triangle("greater_equal"),
    "tril": _triangle("less_equal"),
    "pixel_shuffle": _pixel_shuffle,
    "sym_size": _size,
}
