"""Graphs that grow by one node of a model at a time, whose shapes may be known in part.

What is constant is computed at once as long as it is small: so the arithmetic of shapes that exporters write is gone
where shapes are known. Where they are not, it stays, and attributes refer to its values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from walle_task.tensor.checking import check_graph
from walle_task.tensor.faults import Unfit
from walle_task.tensor.graph import Graph, Node, ValueOf, constant_type
from walle_task.tensor.inference import node_types
from walle_task.tensor.operators.catalogue import OPERATORS
from walle_task.tensor.operators.operator import OperatorGroup
from walle_task.tensor.resolving import TooMuchBetween, evaluate_node
from walle_task.tensor.types import InputSpec, TensorType

MOST_FOLDED: Final = 1 << 16
"""The most bytes of a value that is computed at once; what is larger is computed when the graph is planned or run."""
MOST_READ: Final = 1 << 22
"""The most bytes that such a computation reads."""
SAMPLES: Final = 2
"""How many lengths stand for an unknown one: what follows from both alike is known."""
_BATCH: Final = (6, 12)
"""What stands for an unknown length of an input's first axis."""
_LENGTH: Final = (224, 448)
"""What stands for an unknown length of its other axes."""
_MOST_SAMPLED: Final = 1 << 12
"""The most elements of a value that is computed for both."""

_BY_VALUE: Final = ("reshape", "broadcast_to")
"""Operators whose outputs have as many axes as their attribute has numbers."""
_COMPARISONS: Final = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
_BY_ELEMENT: Final = (
    *_COMPARISONS, "add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "where", "logical_and",
    "logical_or", "logical_xor",
)  # fmt: skip
"""Operators whose inputs broadcast."""

Shapes = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class PartialType:
    """The dtype of a value and what is known of its shape: which it has for each sample, or None.

    A length that differs between samples is unknown.
    """

    dtype: str
    samples: Shapes | None

    @classmethod
    def of(cls, found: TensorType) -> PartialType:
        """Return the type that is known."""
        return cls(found.dtype, (found.shape,) * SAMPLES)

    @property
    def shape(self) -> tuple[int | None, ...] | None:
        """The shape, in which None is an unknown length; None where the number of axes is unknown."""
        if self.samples is None:
            return None
        return tuple(lengths[0] if len({*lengths}) == 1 else None for lengths in zip(*self.samples, strict=True))

    @property
    def exact(self) -> TensorType | None:
        """The type, where each length is known."""
        if self.samples is None or len({*self.samples}) > 1:
            return None
        return TensorType(self.dtype, self.samples[0])

    def __str__(self) -> str:
        axes = "..." if self.shape is None else ", ".join("?" if each is None else str(each) for each in self.shape)
        return f"{self.dtype}[{axes}]"


class GraphEmitter:
    """A graph in the making: values are names."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._inputs: dict[str, InputSpec] = {}
        self._constants: dict[str, Any] = {}
        self._nodes: list[Node] = []
        self._types: dict[str, PartialType] = {}
        self._scalars: dict[tuple[str, bytes], str] = {}
        self._reserved: set[str] = set()
        self._lengths: dict[str, tuple[int, ...]] = {}
        self._sampled: dict[str, tuple[Any, ...]] = {}
        self._origin, self._count, self._begin = "", 0, 0

    def reserve(self, names: set[str]) -> None:
        """Keep names for values that are to be defined by them."""
        self._reserved |= names

    def input(self, name: str, spec: InputSpec) -> str:
        """Add an input."""
        self._inputs[name] = spec
        for axis, each in enumerate(spec.shape):
            if isinstance(each, str):
                self._lengths.setdefault(each, _LENGTH if axis else _BATCH)
        lengths = [
            (each,) * SAMPLES if isinstance(each, int) else self._lengths.get(each or "", _LENGTH if axis else _BATCH)
            for axis, each in enumerate(spec.shape)
        ]
        self._types[name] = PartialType(spec.dtype, tuple(zip(*lengths, strict=True)) or ((),) * SAMPLES)
        return name

    def capture(self, name: str, found: PartialType) -> str:
        """Add an input of the type of a value of another graph. Raises Unfit where its number of axes is unknown."""
        self._inputs[name] = spec_of(name, found)
        self._types[name] = found
        return name

    def begin(self, origin: str) -> None:
        """Begin with a node of the model, after which what is emitted is named."""
        self._origin, self._count, self._begin = origin, 0, len(self._nodes)

    def type_of(self, value: str) -> PartialType:
        return self._types[value]

    def learn(self, value: str, found: InputSpec | None, dtype: str) -> None:
        """Take over what the model says of a value: its dtype, and its shape. Raises Unfit where that contradicts."""
        ours = self._types[value]
        if ours.dtype != dtype:
            raise Unfit("outputs", f"the dtype of what computes it, {ours.dtype}", dtype)
        if found is None:
            return
        if ours.shape is None:
            lengths = [(each,) * SAMPLES if isinstance(each, int) else _LENGTH for each in found.shape]
            self._types[value] = PartialType(dtype, tuple(zip(*lengths, strict=True)) or ((),) * SAMPLES)
            return
        pairs = list(zip(ours.shape, found.shape, strict=False))
        if len(ours.shape) != len(found.shape) or any(
            isinstance(a, int) and isinstance(b, int) and a != b for a, b in pairs
        ):
            raise Unfit("outputs", f"the shape of what computes it, {ours}", str(found))

    def constant_of(self, value: str) -> Any:
        """Return the array of a constant, None for other values."""
        return self._constants.get(value)

    def numbers_of(self, value: str, count: int) -> list[tuple[int, ...]]:
        """Return each number of a value along one axis, for each sample. Raises Unfit where they are unknown."""
        known = self._constants.get(value)
        samples = (known,) * SAMPLES if known is not None else self._sampled.get(value)
        if samples is None or any(each.shape != (count,) or each.dtype.kind not in "iu" for each in samples):
            raise Unfit("inputs", f"{count} integers that follow from shapes and constants", value)
        return [tuple(int(each[index]) for each in samples) for index in range(count)]

    def is_length(self, numbers: tuple[int, ...], value: str, axis: int) -> bool:
        """Return whether a number is the length of an axis for each sample."""
        samples = self._types[value].samples
        return samples is not None and numbers == tuple(shape[axis] for shape in samples)

    def constant(self, array: Any, name: str = "") -> str:
        """Add a constant; equal ones of one element are one."""
        array = np.asarray(array)
        key = (f"{array.dtype}{array.shape}", array.tobytes() if array.size == 1 else b"")
        if not name and array.size == 1 and key in self._scalars:
            return self._scalars[key]
        value = name or self._fresh()
        if not name and array.size == 1:
            self._scalars[key] = value
        self._constants[value] = array
        self._types[value] = PartialType.of(constant_type(array))
        return value

    def emit(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Apply an operator; return its one output. Raises Unfit."""
        (output,) = self.emit_all(operator, *inputs, count=1, **attributes)
        return output

    def emit_all(self, operator: str, *inputs: str, count: int, **attributes: Any) -> tuple[str, ...]:
        """Apply an operator; return its outputs. Raises Unfit."""
        OPERATORS[operator].check_inputs(len(inputs))
        _check_attributes(operator, attributes)
        types = tuple(self._types[name] for name in inputs)
        outputs = tuple(self._fresh() for _ in range(count))
        node = Node(outputs[0], operator, inputs, outputs, attributes)
        found = self._inferred(node, types)
        if len(found) != count:
            raise Unfit("outputs", f"{len(found)} outputs", count)
        self._types.update(zip(outputs, found, strict=True))
        if not self._folds(node):
            self._nodes.append(node)
            self._sample(node)
        return outputs

    def name(self, values: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
        """Give values that were made since `begin` their names in the model; return the names that values have now."""
        made = {name for node in self._nodes[self._begin :] for name in node.outputs}
        new: dict[str, str] = {}
        for value, name in zip(values, names, strict=True):
            if value in made and name and value not in new:
                new[value] = name
        for at in range(self._begin, len(self._nodes)):
            self._nodes[at] = _renamed(self._nodes[at], new)
        for old, name in new.items():
            self._types[name] = self._types.pop(old)
            if old in self._sampled:
                self._sampled[name] = self._sampled.pop(old)
        return tuple(new.get(value, value) for value in values)

    def graph(self, outputs: Mapping[str, str]) -> Graph:
        """Return the graph with outputs by their names in it. Raises GraphMalformed with all faults."""
        self.begin("outputs")
        copies = {name: self.emit_kept("identity", value) for name, value in outputs.items() if name != value}
        self.name([*copies.values()], [*copies])
        read = {name for node in self._nodes for name in (*node.inputs, *(each.name for each in node.computed))}
        constants = {name: array for name, array in self._constants.items() if name in read | outputs.keys()}
        return check_graph(Graph(self._name, self._inputs, constants, tuple(self._nodes), tuple(outputs)))

    def emit_kept(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Apply an operator without computing it at once."""
        output = self._fresh()
        node = Node(output, operator, inputs, (output,), attributes)
        (self._types[output],) = self._inferred(node, tuple(self._types[name] for name in inputs))
        self._nodes.append(node)
        return output

    def _inferred(self, node: Node, inputs: tuple[PartialType, ...]) -> tuple[PartialType, ...]:
        """Return the types of a node's outputs as far as they are known. Raises Unfit where they cannot be."""
        exact = tuple(known for each in inputs if (known := each.exact) is not None)
        if len(exact) == len(inputs) and not node.computed:
            return tuple(PartialType.of(each) for each in node_types(node, OPERATORS[node.operator], exact))
        found = []
        for sample in range(SAMPLES):
            types = self._sample_types(node, inputs, sample)
            if types is None:
                return tuple(_guessed(node, inputs) for _ in node.outputs)
            found.append(types)
        return tuple(
            PartialType(each[0].dtype, tuple(one.shape for one in each))
            if len({len(one.shape) for one in each}) == 1
            else PartialType(each[0].dtype, None)
            for each in zip(*found, strict=True)
        )

    def _sample_types(self, node: Node, inputs: tuple[PartialType, ...], sample: int) -> tuple[TensorType, ...] | None:
        """Return the types of a node's outputs for a sample, None where they are not known."""
        types = tuple(TensorType(each.dtype, each.samples[sample]) for each in inputs if each.samples is not None)
        given = self._with_numbers(node, sample)
        if len(types) == len(inputs) and given is not None:
            try:
                return node_types(given, OPERATORS[node.operator], types)
            except Unfit:
                pass
        if node.operator not in _BY_VALUE or not node.computed:
            return None
        axes = self._types[node.computed[0].name].exact
        return None if axes is None else (TensorType(inputs[0].dtype, (_LENGTH[sample],) * axes.count),)

    def _with_numbers(self, node: Node, sample: int) -> Node | None:
        """Return a node with numbers in the place of values that are attributes, None where they are not known."""
        if not node.computed:
            return node
        attributes = dict(node.attributes)
        for field, value in node.attributes.items():
            if isinstance(value, ValueOf):
                if value.name not in self._sampled:
                    return None
                array = self._sampled[value.name][sample]
                attributes[field] = tuple(array.tolist()) if array.ndim else array.item()
                if not OPERATORS[node.operator].attributes[field].valid(attributes[field]):
                    return None
        return replace(node, attributes=attributes)

    def _sample(self, node: Node) -> None:
        """Compute what a node makes of the shapes of inputs, for each sample."""
        if node.operator == "shape_of" and (samples := self._types[node.inputs[0]].samples) is not None:
            self._sampled[node.outputs[0]] = tuple(np.array(shape, "int64") for shape in samples)
            return
        known = [name in self._sampled or name in self._constants for name in node.inputs]
        if not all(known) or OPERATORS[node.operator].group is OperatorGroup.CONTROL_FLOW:
            return
        if not any(name in self._sampled for name in node.inputs) and not node.computed:
            return
        made = [self._computed(node, sample) for sample in range(SAMPLES)]
        if all(made):
            self._sampled.update({name: tuple(each[name] for each in made) for name in node.outputs})

    def _computed(self, node: Node, sample: int) -> dict[str, Any]:
        """Return what a node makes of a sample's values, nothing where that is too much or fails."""
        given = self._with_numbers(node, sample)
        names = (*node.inputs, *node.outputs)
        types = {
            name: TensorType(each.dtype, each.samples[sample])
            for name in names
            if (each := self._types[name]).samples is not None
        }
        if given is None or len(types) < len({*names}) or any(each.count > _MOST_SAMPLED for each in types.values()):
            return {}
        values = {
            name: self._sampled[name][sample] if name in self._sampled else self._constants[name]
            for name in node.inputs
        }
        try:
            return evaluate_node(given, types, values)
        except Unfit:
            return {}

    def _folds(self, node: Node) -> bool:
        """Compute a node at once if that is small; return whether it was."""
        if node.operator == "shape_of" and (known := self._types[node.inputs[0]].exact) is not None:
            self._constants[node.outputs[0]] = np.array(known.shape, "int64")
            return True
        names = (*node.inputs, *node.outputs)
        exact = {name: each for name in names if (each := self._types[name].exact) is not None}
        if (
            len(exact) < len({*names})
            or node.computed
            or not all(name in self._constants for name in node.inputs)
            or OPERATORS[node.operator].group is OperatorGroup.CONTROL_FLOW
            or sum(exact[name].nbytes for name in node.outputs) > MOST_FOLDED
            or sum(exact[name].nbytes for name in node.inputs) > MOST_READ
        ):
            return False
        try:
            self._constants.update(evaluate_node(node, exact, self._constants))
        except TooMuchBetween:
            return False
        return True

    def _fresh(self) -> str:
        while True:
            name = f"{self._origin}.{self._count}"
            self._count += 1
            if name not in self._types and name not in self._reserved:
                return name


def spec_of(name: str, found: PartialType) -> InputSpec:
    """Return what a graph expects of an input of a type. Raises Unfit where its number of axes is unknown."""
    if found.shape is None:
        raise Unfit("inputs", "a value whose number of axes is known", name)
    return InputSpec(found.dtype, found.shape)


def _check_attributes(operator: str, attributes: Mapping[str, Any]) -> None:
    for name, value in attributes.items():
        attribute = OPERATORS[operator].attributes[name]
        if not isinstance(value, ValueOf) and not attribute.valid(value):
            raise Unfit(name, attribute.expected, value)


def _guessed(node: Node, inputs: tuple[PartialType, ...]) -> PartialType:
    """Return the type of an output that inference does not tell: of operators by element, that of their inputs."""
    dtype = node.attributes.get("dtype") or (inputs[0].dtype if inputs else "float32")
    dtype = {
        "where": inputs[-1].dtype if inputs else dtype,
        "shape_of": "int64",
        "argmax": "int64",
        "argmin": "int64",
    }.get(node.operator, "bool" if node.operator in _COMPARISONS else dtype)
    samples = [each.samples for each in inputs if each.samples is not None]
    if node.operator not in _BY_ELEMENT or len(samples) < len(inputs):
        return PartialType(dtype, None)
    longest = max(samples, key=lambda shapes: len(shapes[0]))
    return PartialType(dtype, longest)


def _renamed(node: Node, names: Mapping[str, str]) -> Node:
    def renamed(values: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(names.get(name, name) for name in values)

    attributes = {
        field: ValueOf(names.get(value.name, value.name)) if isinstance(value, ValueOf) else value
        for field, value in node.attributes.items()
    }
    outputs = renamed(node.outputs)
    return Node(outputs[0], node.operator, renamed(node.inputs), outputs, attributes)
