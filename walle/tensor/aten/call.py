"""A call in a graph of torch.export, as what translates it sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from walle.tensor.emitting import GraphEmitter
from walle_task.tensor.faults import Unfit
from walle_task.tensor.graph import ValueOf
from walle_task.tensor.types import DTYPES, FLOATS

MAX_LENGTH: Final = (1 << 63) - 1


class Value(str):
    """The name of a value of the graph that grows, so that it is no text of the program."""

    __slots__ = ()


class AtenCall:
    """A call: its arguments by their places, in which values of the program are names, and by their names.

    `dtypes` are those of its results, as torch found them.
    """

    def __init__(
        self, args: Sequence[Any], named: Mapping[str, Any], dtypes: Sequence[str], emitter: GraphEmitter
    ) -> None:
        self._args, self._named, self.emitter = tuple(args), dict(named), emitter
        self.dtypes = tuple(dtypes)

    def get(self, index: int, name: str, default: Any = None) -> Any:
        """Return an argument by its place or its name."""
        if index < len(self._args):
            return self._args[index]
        return self._named.get(name, default)

    def value(self, index: int, name: str = "") -> str:
        """Return an argument that is a tensor. Raises Unfit."""
        found = self.get(index, name)
        if not isinstance(found, Value):
            raise Unfit(f"args[{index}]", "a tensor", found)
        return found

    def numbers(self, given: Any) -> tuple[int, ...] | ValueOf:
        """Return integers, some of which may be computed, as an attribute."""
        items = list(given) if isinstance(given, list | tuple) else [given]
        if not any(isinstance(each, Value) for each in items):
            return tuple(max(-MAX_LENGTH, int(each)) for each in items)
        parts = [
            self.emit("reshape", each, shape=(1,)) if isinstance(each, Value) else self.array([each], "int64")
            for each in items
        ]
        return ValueOf(self.emit("concatenate", *parts, axis=0))

    def number(self, given: Any) -> Any:
        """Return one number as an attribute."""
        return ValueOf(given) if isinstance(given, Value) else given

    def emit(self, operator: str, *inputs: str, **attributes: Any) -> str:
        return self.emitter.emit(operator, *inputs, **attributes)

    def array(self, array: Any, dtype: str = "") -> str:
        """Add a constant."""
        return self.emitter.constant(np.asarray(array, dtype or None))

    def like(self, number: float, value: str) -> str:
        """Add a constant without axes of the dtype of a value."""
        return self.array(number, self.dtype(value))

    def dtype(self, value: str) -> str:
        return self.emitter.type_of(value).dtype

    def rank(self, value: str) -> int:
        """Return how many axes a value has. Raises Unfit where that is unknown."""
        return len(self.shape(value))

    def shape(self, value: str) -> tuple[int | None, ...]:
        """Return the shape of a value, in which None is an unknown length. Raises Unfit where the axes are unknown."""
        shape = self.emitter.type_of(value).shape
        if shape is None:
            raise Unfit("args", "a tensor whose number of axes is known", value)
        return shape

    def as_type(self, given: Any, dtype: str) -> str:
        """Return an operand, a value or a number, as a value of a dtype."""
        if not isinstance(given, Value | str):
            return self.array(given, dtype)
        return given if self.dtype(given) == dtype else self.emit("cast", given, dtype=dtype)

    def operands(self, count: int = 2) -> list[str]:
        """Return the first arguments as values of the dtype that torch computes with: that of the result, or of bools
        that which all of them have room in."""
        given = [self.get(index, "") for index in range(count)]
        common = self.dtypes[0] if self.dtypes[0] != "bool" else self._common(given)
        return [self.as_type(each, common) for each in given]

    def _common(self, given: Sequence[Any]) -> str:
        tensors = [self.emitter.type_of(each) for each in given if isinstance(each, Value)]
        axes = [each for each in tensors if each.shape != ()] or tensors
        dtype = str(np.result_type(*(each.dtype for each in axes)))
        floating = any(isinstance(each, float) for each in given)
        return "float32" if floating and dtype not in FLOATS else dtype


def dtype_name(dtype: Any) -> str:
    """Return the name of a dtype of torch. Raises Unfit."""
    name = str(dtype).removeprefix("torch.")
    if name not in DTYPES:
        raise Unfit("dtype", f"one of {', '.join(DTYPES)}", name)
    return name


AtenTranslation = Callable[[AtenCall], str | tuple[str, ...]]
