"""A node of an ONNX model as what translates it sees it: its inputs, its attributes, and the graph that grows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import numpy as np
from onnx import AttributeProto, GraphProto, NodeProto

from walle.tensor.emitting import GraphEmitter, PartialType
from walle.tensor.onnx.arrays import array_of
from walle_task.tensor.faults import Unfit
from walle_task.tensor.graph import ValueOf
from walle_task.tensor.operators.operator import axis_of
from walle_task.tensor.types import TensorType, holds

T = TypeVar("T")
Integers = tuple[int, ...] | ValueOf
_LARGEST: Final = (1 << 63) - 1


class OnnxNode:
    """A node that is translated. Attributes are read by their names and types; `unread` are those that nobody read.

    `emitter` is the graph that grows; `values` are the inputs as its values, None where an optional one is left out.
    """

    def __init__(
        self, proto: NodeProto, name: str, opset: int, values: Sequence[str | None], emitter: GraphEmitter
    ) -> None:
        self.proto, self.name, self.opset, self.emitter = proto, name, opset, emitter
        self.operator: str = proto.op_type
        self.outputs = tuple(proto.output)
        self._values = tuple(values)
        self._attributes = {each.name: each for each in proto.attribute}
        self.unread = set(self._attributes)
        if len(self._attributes) < len(proto.attribute):
            raise Unfit("attribute", "different names", "one twice")

    def __len__(self) -> int:
        """Return how many inputs there are."""
        return len(self._values)

    def input(self, index: int = 0) -> str:
        """Return an input. Raises Unfit where it is left out."""
        value = self.optional(index)
        if value is None:
            raise Unfit(f"inputs[{index}]", "a value", "nothing")
        return value

    def optional(self, index: int) -> str | None:
        """Return an input that may be left out."""
        return self._values[index] if index < len(self._values) else None

    @property
    def inputs(self) -> tuple[str, ...]:
        """All inputs. Raises Unfit where one is left out."""
        return tuple(self.input(index) for index in range(len(self)))

    def emit(self, operator: str, *inputs: str, **attributes: Any) -> str:
        return self.emitter.emit(operator, *inputs, **attributes)

    def array(self, array: Any, dtype: str = "") -> str:
        """Add a constant."""
        return self.emitter.constant(np.asarray(array, dtype or None))

    def like(self, number: float, value: str) -> str:
        """Add a constant without axes of the dtype of a value. Raises Unfit where that has no such number."""
        dtype = self.dtype(value)
        if not holds(dtype, number):
            raise Unfit("attribute", f"a number of {dtype}", number)
        return self.array(number, dtype)

    def type_of(self, value: str) -> PartialType:
        return self.emitter.type_of(value)

    def dtype(self, value: str) -> str:
        return self.emitter.type_of(value).dtype

    def rank(self, value: str, field: str = "inputs[0]") -> int:
        """Return how many axes a value has. Raises Unfit where that is unknown."""
        shape = self.emitter.type_of(value).shape
        if shape is None:
            raise Unfit(field, "a value whose number of axes is known", value)
        return len(shape)

    def exact(self, value: str, field: str = "inputs[0]") -> TensorType:
        """Return the type of a value. Raises Unfit where a length is unknown."""
        found = self.emitter.type_of(value).exact
        if found is None:
            raise Unfit(field, "a value whose lengths are known", f"{value} of {self.emitter.type_of(value)}")
        return found

    def spatial(self, value: str, count: int) -> tuple[int, ...]:
        """Return the lengths of the axes after batch and channels. Raises Unfit where one is unknown, or for others
        than `count` axes."""
        shape = self.emitter.type_of(value).shape or ()
        known = tuple(each for each in shape[2:] if each is not None)
        if not known or not len(known) == len(shape) - 2 == count:
            expected = f"{count} known lengths after batch and channels"
            raise Unfit("inputs[0]", expected, f"{value} of {self.type_of(value)}")
        return known

    def length(self, value: str, axis: int) -> int | ValueOf:
        """Return the length of an axis: a number, or the value that is it. Raises Unfit."""
        at = axis_of(axis, self.rank(value))
        known = (self.emitter.type_of(value).shape or ())[at]
        if known is not None:
            return known
        return ValueOf(self.emit("select", self.emit("shape_of", value), axis=0, index=at))

    def constant(self, value: str | None) -> Any:
        """Return the array of a constant, None for other values."""
        return None if value is None else self.emitter.constant_of(value)

    def integers(self, index: int) -> Integers:
        """Return an input along one axis as an attribute: integers, or the value that is them. Raises Unfit."""
        value = self.input(index)
        array = self.constant(value)
        if array is None:
            return ValueOf(value)
        if array.ndim > 1 or array.dtype.kind not in "iu":
            raise Unfit(f"inputs[{index}]", "integers along one axis", f"{array.dtype}{list(array.shape)}")
        return tuple(max(-_LARGEST, each) for each in array.reshape(-1).tolist())

    def scalar(self, index: int) -> Any:
        """Return an input of one element as an attribute: a number, or the value that is it. Raises Unfit."""
        value = self.input(index)
        found = self.type_of(value)
        if found.shape:
            value = self.emit("reshape", value, shape=())
        return self._scalar(value)

    def _scalar(self, value: str) -> Any:
        array = self.constant(value)
        return ValueOf(value) if array is None else array.item()

    def constant_integers(self, index: int) -> tuple[int, ...] | None:
        """Return an input of integers that has to be constant; None where it is left out. Raises Unfit."""
        if self.optional(index) is None:
            return None
        found = self.integers(index)
        if isinstance(found, ValueOf):
            raise Unfit(f"inputs[{index}]", "a constant", f"{found.name}, which is computed")
        return found

    def int_of(self, name: str, default: int | None = None) -> int:
        """Return an attribute that is an integer. Raises Unfit."""
        return self._attribute(name, AttributeProto.INT, lambda each: int(each.i), default, "an integer")

    def ints_of(self, name: str) -> tuple[int, ...]:
        """Return an attribute that is integers, none where it is left out. Raises Unfit."""
        return self._attribute(name, AttributeProto.INTS, lambda each: tuple(each.ints), (), "integers")

    def float_of(self, name: str, default: float | None = None) -> float:
        """Return an attribute that is a number. Raises Unfit."""
        return self._attribute(name, AttributeProto.FLOAT, lambda each: float(each.f), default, "a number")

    def floats_of(self, name: str) -> tuple[float, ...]:
        """Return an attribute that is numbers, none where it is left out. Raises Unfit."""
        return self._attribute(name, AttributeProto.FLOATS, lambda each: tuple(each.floats), (), "numbers")

    def text_of(self, name: str, default: str) -> str:
        """Return an attribute that is a text. Raises Unfit."""
        return self._attribute(
            name, AttributeProto.STRING, lambda each: each.s.decode(errors="replace"), default, "a text"
        )

    def texts_of(self, name: str) -> tuple[str, ...]:
        """Return an attribute that is texts, none where it is left out. Raises Unfit."""

        def read(attribute: AttributeProto) -> tuple[str, ...]:
            return tuple(text.decode(errors="replace") for text in attribute.strings)

        return self._attribute(name, AttributeProto.STRINGS, read, (), "texts")

    def tensor_of(self, name: str) -> Any:
        """Return an attribute that is a tensor. Raises Unfit."""
        return self._attribute(name, AttributeProto.TENSOR, lambda each: array_of(each.t), None, "a tensor")

    def graph_of(self, name: str) -> GraphProto:
        """Return an attribute that is a graph. Raises Unfit."""
        return self._attribute(name, AttributeProto.GRAPH, lambda each: each.g, None, "a graph")

    def has(self, name: str) -> bool:
        """Return whether there is an attribute."""
        return name in self._attributes

    def ignore(self, *names: str) -> None:
        """Leave attributes unread that do not change what is computed here."""
        self.unread.difference_update(names)

    def only(self, name: str, found: object, *accepted: object) -> None:
        """Refuse an attribute or input that is none of those that can be translated. Raises Unfit."""
        if found not in accepted:
            raise Unfit(name, " or ".join(map(str, accepted)), found)

    def _attribute(self, name: str, kind: int, read: Callable[[AttributeProto], T], default: T | None, words: str) -> T:
        self.unread.discard(name)
        proto = self._attributes.get(name)
        if proto is None:
            if default is None:
                raise Unfit(name, words, "nothing")
            return default
        if proto.type != kind or proto.ref_attr_name:
            raise Unfit(name, words, AttributeProto.AttributeType.Name(proto.type))
        return read(proto)


Translation = Callable[[OnnxNode], str | tuple[str, ...]]
