"""What converters of operators write nodes with, and what they are told of the node that they convert."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from walle_task.tensor.onnx_writing.protobuf import node_bytes, tensor_bytes
from walle_task.tensor.operators.operator import Call
from walle_task.tensor.types import TensorType


@dataclass(frozen=True, slots=True)
class Applied:
    """An operator that is applied: its call, the names of its inputs in the model, those of them that are constants,
    and the types of its outputs."""

    call: Call
    inputs: tuple[str, ...]
    constants: tuple[Any | None, ...]
    outputs: tuple[TensorType, ...]

    def __getitem__(self, attribute: str) -> Any:
        return self.call[attribute]


class OnnxWriter:
    """Nodes and constants of a model that is being written. Values get names of its own."""

    def __init__(self) -> None:
        self.nodes: list[bytes] = []
        self.constants: list[bytes] = []
        self._names = 0

    def emit(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Write a node with one output; return the name of that. An input that is left out is the empty text."""
        (output,) = self.emit_all(operator, *inputs, outputs=1, **attributes)
        return output

    def emit_all(self, operator: str, *inputs: str, outputs: int, **attributes: Any) -> tuple[str, ...]:
        """Write a node; return the names of its outputs."""
        names = tuple(self._fresh() for _ in range(outputs))
        self.nodes.append(node_bytes(operator, inputs, names, attributes))
        return names

    def emit_as(self, output: str, operator: str, *inputs: str) -> None:
        """Write a node whose output has a given name."""
        self.nodes.append(node_bytes(operator, inputs, (output,), {}))

    def constant(self, array: Any) -> str:
        """Write a constant; return its name."""
        name = self._fresh()
        self.constants.append(tensor_bytes(name, np.asarray(array)))
        return name

    def integers(self, *values: int) -> str:
        """Write a constant vector of integers, as ONNX takes for shapes and axes."""
        return self.constant(np.array(values, "int64"))

    def scalar(self, value: float, dtype: str) -> str:
        """Write a constant number."""
        return self.constant(np.array(value).astype(dtype))

    def reshape(self, value: str, shape: tuple[int, ...]) -> str:
        """Write a reshape to a known shape."""
        return self.emit("Reshape", value, self.integers(*shape), allowzero=1)

    def _fresh(self) -> str:
        self._names += 1
        return f"v{self._names}"


Converter = Callable[[OnnxWriter, Applied], str | tuple[str, ...]]
"""Writes an operator as nodes; returns the name of its output, or the names of all of them."""


def renamed_to(operator: str, **attributes: Any) -> Converter:
    """Return the converter for an operator that ONNX has under another name, with fixed attributes."""
    return lambda writer, at: writer.emit(operator, *at.inputs, **attributes)


def converters(*tables: Mapping[str, Converter]) -> dict[str, Converter]:
    """Return several tables as one."""
    return {name: converter for table in tables for name, converter in table.items()}
