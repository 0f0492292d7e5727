"""Building graphs in Python, one operator after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from walle_task.tensor.checking import check_graph
from walle_task.tensor.graph import Graph, Node
from walle_task.tensor.types import InputSpec


class GraphBuilder:
    """Builds a graph: values are names, which are given to the operators that read them.

    building = GraphBuilder("crop")
    image = building.input("image", "uint8", (None, None, 3))
    building.output(building.add("slice", image, axes=(0,), starts=(0,), ends=(100,)))
    graph = building.build()
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._inputs: dict[str, InputSpec] = {}
        self._constants: dict[str, Any] = {}
        self._nodes: list[Node] = []
        self._outputs: list[str] = []

    def input(self, name: str, dtype: str, shape: Sequence[int | None]) -> str:
        """Add an input; an axis of any length is None."""
        self._inputs[name] = InputSpec(dtype, tuple(shape))
        return name

    def constant(self, array: Any, name: str = "") -> str:
        """Add a constant."""
        name = name or f"constant {len(self._constants)}"
        self._constants[name] = np.asarray(array)
        return name

    def add(self, operator: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        """Apply an operator; return its one output."""
        (output,) = self.add_all(operator, *inputs, outputs=1, name=name, **attributes)
        return output

    def add_all(self, operator: str, *inputs: str, outputs: int, name: str = "", **attributes: Any) -> tuple[str, ...]:
        """Apply an operator; return its outputs."""
        name = name or f"{operator} {len(self._nodes)}"
        names = (name,) if outputs == 1 else tuple(f"{name}/{index}" for index in range(outputs))
        self._nodes.append(Node(name, operator, inputs, names, attributes))
        return names

    def output(self, value: str) -> None:
        """Make a value an output of the graph."""
        self._outputs.append(value)

    def build(self) -> Graph:
        """Return the graph. Raises GraphMalformed with all its faults."""
        return check_graph(Graph(self._name, self._inputs, self._constants, tuple(self._nodes), tuple(self._outputs)))
