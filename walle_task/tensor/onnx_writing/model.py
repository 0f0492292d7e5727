"""Graphs as ONNX models: how an engine that reads ONNX gets a graph of ours.

`onnx_series` lowers a graph to what can be written; `unwritable` says what of that cannot; `onnx_model` writes it.
Values get new names, so that an engine sees no text of a model that came from elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from walle_task.tensor.checking import completed
from walle_task.tensor.graph import Node, TypedGraph
from walle_task.tensor.lowering import lower
from walle_task.tensor.merging.rules import is_view
from walle_task.tensor.onnx_writing.atomic import ATOMIC
from walle_task.tensor.onnx_writing.int8 import int8_product
from walle_task.tensor.onnx_writing.layers import LAYERS
from walle_task.tensor.onnx_writing.moves import MAX_GATHERED, MOVES, write_raster
from walle_task.tensor.onnx_writing.protobuf import graph_bytes, model_bytes, value_bytes
from walle_task.tensor.onnx_writing.writer import Applied, Converter, OnnxWriter
from walle_task.tensor.operators.catalogue import LOWERED, OPERATORS
from walle_task.tensor.operators.operator import Call, Operator

OPSET: Final = 19
CONVERTERS: Final[dict[str, Converter]] = {**ATOMIC, **MOVES, **LAYERS}


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """A model as the bytes of its file, and what the inputs and outputs of the graph are called in it, in order."""

    data: bytes
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def keeps(operator: Operator, call: Call) -> bool:
    """Return whether ONNX has an operator; layers are kept for float32 only, which all engines have them for.

    MNN gives zeros for a norm over all axes.
    """
    if operator.name == "layer_norm" and call.axis() == 0:
        return False
    if operator.name in LAYERS:
        return call.inputs[0].dtype == "float32"
    return operator.name in MOVES


def onnx_series(typed: TypedGraph) -> TypedGraph:
    """Return the graph of operators that are written."""
    return lower(typed, keeps)


def unwritable(series: TypedGraph) -> list[str]:
    """Return why nodes of a lowered graph cannot be written; nothing where all can."""
    return [f"node {node.name}: {reason}" for node in series.graph.nodes if (reason := _reason(node, series))]


def onnx_model(series: TypedGraph, int8: bool = False) -> OnnxModel:
    """Return a lowered graph without unwritable nodes as a model. With `int8`, products with constant weights are of
    8-bit integers. Raises TooLarge."""
    graph, writer = series.graph, OnnxWriter()
    inputs = {name: f"input{index}" for index, name in enumerate(graph.inputs)}
    names = {**inputs}
    for node in graph.nodes:
        for name in node.inputs:
            if name in graph.constants and name not in names:
                names[name] = writer.constant(graph.constants[name])
        found = _written(writer, node, series, names, int8)
        names.update(zip(node.outputs, (found,) if isinstance(found, str) else found, strict=True))
    outputs = {name: f"output{index}" for index, name in enumerate(graph.outputs)}
    for name, output in outputs.items():
        writer.emit_as(output, "Identity", names.get(name) or writer.constant(graph.constants[name]))
    data = graph_bytes(
        "graph", writer.nodes, writer.constants,
        [value_bytes(inputs[name], series.types[name]) for name in inputs],
        [value_bytes(outputs[name], series.types[name]) for name in outputs],
    )  # fmt: skip
    return OnnxModel(model_bytes(data, OPSET), tuple(inputs.values()), tuple(outputs.values()))


def _reason(node: Node, series: TypedGraph) -> str | None:
    if node.operator == "raster":
        count = series.types[node.outputs[0]].count
        if count > MAX_GATHERED and not is_view(node, series):
            return f"a raster of {count} elements, of which ONNX gathers at most {MAX_GATHERED}"
        return None
    return None if node.operator in CONVERTERS else f"ONNX has no {node.operator}"


def _written(
    writer: OnnxWriter, node: Node, series: TypedGraph, names: dict[str, str], int8: bool
) -> str | tuple[str, ...]:
    operator = LOWERED.get(node.operator) or OPERATORS[node.operator]
    at = Applied(
        Call(tuple(series.types[name] for name in node.inputs), completed(node, operator)),
        tuple(names[name] for name in node.inputs),
        tuple(series.graph.constants.get(name) for name in node.inputs),
        tuple(series.types[name] for name in node.outputs),
    )
    if node.operator == "raster":
        return write_raster(writer, at, node.inputs, is_view(node, series))
    quantised = int8_product(writer, node.operator, at) if int8 else None
    return quantised or CONVERTERS[node.operator](writer, at)
