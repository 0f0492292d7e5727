"""What an operator is: its group, its arguments, and what it does, said once for all backends.

An atomic operator says the types of its outputs, and each backend has a kernel for it. A transform operator is its
coordinate map: which addresses of its inputs move to which addresses of its outputs. A composite operator is its
decomposition into others. So backends need kernels only for the atomic operators and for `raster`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Protocol

from walle_task.tensor.faults import Unfit
from walle_task.tensor.types import TensorType, fits
from walle_task.tensor.view import View


class OperatorGroup(StrEnum):
    """The paper's four kinds of operators."""

    ATOMIC = "atomic"
    TRANSFORM = "transform"
    COMPOSITE = "composite"
    CONTROL_FLOW = "control flow"


REQUIRED: Final = object()
"""Stands for the default of an attribute that has none."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of an operator: what is valid, in words and as a function that accepts anything, and its default."""

    expected: str
    valid: Callable[[Any], bool]
    default: Any = REQUIRED


@dataclass(frozen=True, slots=True)
class Call:
    """An operator's inputs by their types, and its attributes with their defaults."""

    inputs: tuple[TensorType, ...]
    attributes: Mapping[str, Any]

    def __getitem__(self, attribute: str) -> Any:
        return self.attributes[attribute]

    def axis(self, attribute: str = "axis", rank: int | None = None) -> int:
        """Return an attribute as an axis of the first input, counted from its first one. Raises Unfit."""
        return axis_of(self[attribute], self.inputs[0].rank if rank is None else rank, attribute)

    def axes(self, attribute: str = "axes") -> tuple[int, ...]:
        """Return an attribute as different axes of the first input. Raises Unfit."""
        found = tuple(axis_of(each, self.inputs[0].rank, attribute) for each in self[attribute])
        if len(set(found)) != len(found):
            raise Unfit(attribute, "different axes", found)
        return found


@dataclass(frozen=True, slots=True)
class Fill:
    """Stands for a tensor of one element as the source of a move."""

    value: float


@dataclass(frozen=True, slots=True)
class Move:
    """A part of a coordinate map: the number of an input, or what fills, and what is read there and written."""

    source: int | Fill
    reads: View
    writes: View


@dataclass(frozen=True, slots=True)
class CoordinateMap:
    """The type of one output of a transform operator, and the moves that write each of its elements once."""

    type: TensorType
    moves: tuple[Move, ...]


class Emitter(Protocol):
    """What a composite operator decomposes itself with: values are names, and each has a type."""

    def type_of(self, value: str) -> TensorType: ...

    def emit(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Apply an operator with one output; return the name of that."""
        ...

    def number(self, number: float, dtype: str) -> str:
        """Return the name of a constant without axes."""
        ...

    def constant(self, array: Any) -> str:
        """Return the name of a constant."""
        ...


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator. `inputs` are the least and the most inputs that it takes; None is any number."""

    name: str
    group: OperatorGroup
    inputs: tuple[int, int | None]
    attributes: Mapping[str, Attribute]
    infer: Callable[[Call], tuple[TensorType, ...]]
    map: Callable[[Call], tuple[CoordinateMap, ...]] | None = None
    decompose: Callable[[Emitter, tuple[str, ...], Call], tuple[str, ...]] | None = None

    def check_inputs(self, count: int) -> None:
        """Raise Unfit unless it takes so many inputs."""
        low, high = self.inputs
        if count < low or (high is not None and count > high):
            words = f"{low} or more" if high is None else str(low) if low == high else f"{low} to {high}"
            raise Unfit("inputs", f"{words} inputs", count)


def atomic(
    name: str, inputs: tuple[int, int | None], infer: Callable[[Call], tuple[TensorType, ...]], **attributes: Attribute
) -> Operator:
    """Return an atomic operator."""
    return Operator(name, OperatorGroup.ATOMIC, inputs, attributes, infer)


def transform(
    name: str,
    inputs: tuple[int, int | None],
    coordinate_map: Callable[[Call], tuple[CoordinateMap, ...]],
    **attributes: Attribute,
) -> Operator:
    """Return a transform operator; its types are those of its coordinate map."""

    def infer(call: Call) -> tuple[TensorType, ...]:
        return tuple(each.type for each in coordinate_map(call))

    return Operator(name, OperatorGroup.TRANSFORM, inputs, attributes, infer, map=coordinate_map)


def axis_of(value: int, rank: int, field: str = "axis") -> int:
    """Return an axis counted from the first one; negative ones are counted from the end. Raises Unfit."""
    if not -rank <= value < rank:
        raise Unfit(field, f"an axis of {rank}", value)
    return value % rank


def shaped(field: str, shape: Iterable[int]) -> tuple[int, ...]:
    """Return a shape that a tensor may have. Raises Unfit."""
    found = tuple(shape)
    if not fits(found):
        raise Unfit(field, "a tensor of at most 8 axes and 2^31 elements", list(found))
    return found


def same_dtype(call: Call) -> str:
    """Return the dtype that all inputs have. Raises Unfit."""
    found = call.inputs[0].dtype
    for index, each in enumerate(call.inputs):
        if each.dtype != found:
            raise Unfit(f"inputs[{index}]", f"the dtype {found} of the first input", each.dtype)
    return found


def of_dtype(call: Call, index: int, dtypes: tuple[str, ...], words: str) -> TensorType:
    """Return the type of an input that must have one of some dtypes. Raises Unfit."""
    found = call.inputs[index]
    if found.dtype not in dtypes:
        raise Unfit(f"inputs[{index}]", words, str(found))
    return found


def integer(default: Any = REQUIRED, low: int | None = None) -> Attribute:
    """Return an attribute that is an integer of at least `low`."""
    words = "an integer" if low is None else f"an integer of at least {low}"
    return Attribute(words, lambda value: _is_integer(value) and (low is None or value >= low), default)


def integers(default: Any = REQUIRED, low: int | None = None) -> Attribute:
    """Return an attribute that is a tuple of integers of at least `low`."""
    words = "integers" if low is None else f"integers of at least {low}"

    def valid(value: Any) -> bool:
        return isinstance(value, tuple) and all(_is_integer(each) and (low is None or each >= low) for each in value)

    return Attribute(words, valid, default)


def number(default: Any = REQUIRED) -> Attribute:
    """Return an attribute that is a number."""
    return Attribute("a number", lambda value: isinstance(value, float) or _is_integer(value), default)


def boolean(default: Any = REQUIRED) -> Attribute:
    """Return an attribute that is true or false."""
    return Attribute("true or false", lambda value: isinstance(value, bool), default)


def choice(*options: str, default: Any = REQUIRED) -> Attribute:
    """Return an attribute that is one of some texts."""
    return Attribute(f"one of {', '.join(options)}", lambda value: isinstance(value, str) and value in options, default)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63
