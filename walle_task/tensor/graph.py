"""The graph of a model: values that flow between nodes, each of which applies one operator (Walle, section 4.1).

A graph is data. `walle_task.tensor.checking` says what is wrong with one; everything else takes graphs that it passed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from walle_task.tensor.types import InputSpec, TensorType


@dataclass(frozen=True, slots=True)
class ValueOf:
    """Stands for an attribute that is a value of the graph: an integer, a number, or integers along one axis.

    When a graph is planned, it has to follow from constants and the shapes of inputs (`walle_task.tensor.resolving`).
    """

    name: str

    def __str__(self) -> str:
        return f"value of {self.name}"


@dataclass(frozen=True, slots=True)
class Node:
    """One application of an operator: it reads the values `inputs` and defines the values `outputs`.

    Attributes are integers, numbers, booleans, texts, tuples of integers, graphs of control flow, and values of the
    graph that are such numbers (`ValueOf`).
    """

    name: str
    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def computed(self) -> tuple[ValueOf, ...]:
        """The attributes that are values of the graph."""
        return tuple(each for each in self.attributes.values() if isinstance(each, ValueOf))

    def __str__(self) -> str:
        attributes = ", ".join(f"{key}={_shown(value)}" for key, value in sorted(self.attributes.items()))
        arguments = ", ".join([*self.inputs, *([attributes] if attributes else [])])
        return f"{', '.join(self.outputs)} = {self.operator}({arguments})"


@dataclass(frozen=True, slots=True)
class Graph:
    """A computation: inputs and constants (arrays of NumPy, which nobody writes to) by name, nodes in an order in which
    each value is defined before it is read, and the names of the values that are its outputs."""

    name: str
    inputs: Mapping[str, InputSpec]
    constants: Mapping[str, Any]
    nodes: tuple[Node, ...]
    outputs: tuple[str, ...]

    @property
    def operators(self) -> Counter[str]:
        """How often each operator is applied."""
        return Counter(node.operator for node in self.nodes)


@dataclass(frozen=True, slots=True)
class TypedGraph:
    """A graph whose inputs have fixed shapes, and the type of each of its values."""

    graph: Graph
    types: Mapping[str, TensorType]

    def lines(self) -> Iterator[str]:
        """Yield each node on a line with the types of its outputs; a raster has a line more for each region."""
        for node in self.graph.nodes:
            types = ", ".join(str(self.types[name]) for name in node.outputs)
            regions = node.attributes.get("regions")
            if regions is None:
                yield f"{node}  # {types}"
            else:
                yield f"{', '.join(node.outputs)} = {node.operator}({', '.join(node.inputs)})  # {types}"
                yield from (f"    {region}" for region in regions)


def constant_type(array: Any) -> TensorType:
    """Return the type of a constant."""
    return TensorType(str(array.dtype), tuple(array.shape))


def _shown(value: object) -> str:
    return f"graph {value.name}" if isinstance(value, Graph) else str(value)
