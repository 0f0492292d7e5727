"""MNN as a backend: the paper's own engine, on the processor, by its session interface, which releases the GIL.

A graph is written as an ONNX model and converted in this process by MNN's converter. (Its command line would install
packages and report the conversion to a server.) Both print to the standard output, which is silenced meanwhile.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from walle_task.tensor.backends.port import (
    BackendUnfit,
    CompiledGraph,
    CompileOptions,
    MemoryUse,
    constant_bytes,
    fitting_inputs,
    installed_version,
    optional_module,
)
from walle_task.tensor.backends.silencing import STANDARD_OUTPUT, silenced
from walle_task.tensor.graph import Node, TypedGraph
from walle_task.tensor.onnx_writing.model import OnnxModel, onnx_model, onnx_series, unwritable
from walle_task.tensor.onnx_writing.protobuf import TooLarge
from walle_task.tensor.search.costs import BackendTraits
from walle_task.tensor.search.work import VIEWS, attributes_of
from walle_task.tensor.session import RunFailed

_INTEGERS: Final = ("int64", "int32", "bool")
_OF_INTEGERS: Final = VIEWS | {"gather", "cast", "equal", "not_equal", "less", "greater", "where"}
"""What MNN computes with integers as it should be; int64 are int32 there."""
_MEMORY, _MEBIBYTE = 0, 1 << 20


class Mnn:
    """MNN on the processor, in float32."""

    name: Final = "mnn"
    exact: Final = True
    traits: Final = BackendTraits(fuses=True, winograd=True)

    def version(self) -> str | None:
        return installed_version("mnn", "MNN")

    def series(self, typed: TypedGraph) -> TypedGraph:
        return onnx_series(typed)

    def reasons_against(self, series: TypedGraph) -> list[str]:
        origins = _origins(series)
        reasons = (_reason(node, series, origins) for node in series.graph.nodes)
        return [*unwritable(series), *(reason for reason in reasons if reason)]

    def compile(self, typed: TypedGraph, options: CompileOptions) -> CompiledGraph:
        series = self.series(typed)
        if reasons := self.reasons_against(series):
            raise BackendUnfit(self.name, reasons)
        try:
            return _MnnSession(series, options)
        except (TooLarge, OSError, ValueError, RuntimeError) as error:
            raise BackendUnfit(self.name, [str(error)]) from None


def _reason(node: Node, series: TypedGraph, origins: Mapping[str, str]) -> str | None:
    dtypes = {series.types[name].dtype for name in (*node.inputs, *node.outputs)} - {"float32"}
    if not dtypes:
        return None
    if not dtypes <= set(_INTEGERS) or node.operator not in _OF_INTEGERS:
        return f"node {node.name}: MNN has no {node.operator} of {', '.join(sorted(dtypes))}"
    if node.operator == "gather" and node.inputs[1] not in origins:
        return f"node {node.name}: MNN does not check indices that are computed"
    return None


def _origins(series: TypedGraph) -> dict[str, str]:
    """Return the input or constant that a value has all elements of, in their order, for each that there is one."""
    found = {name: name for name in (*series.graph.inputs, *series.graph.constants)}
    for node in series.graph.nodes:
        if node.operator in VIEWS and node.inputs[0] in found:
            found[node.outputs[0]] = found[node.inputs[0]]
    return found


def _index_bounds(series: TypedGraph) -> dict[str, int]:
    """Return how many elements the axes have into which inputs and constants are indices; of several, the least."""
    origins, bounds = _origins(series), dict[str, int]()
    for node in series.graph.nodes:
        if node.operator == "gather":
            source, origin = series.types[node.inputs[0]], origins[node.inputs[1]]
            length = source.shape[attributes_of(node)["axis"]]
            bounds[origin] = min(length, bounds.get(origin, length))
    return bounds


def _check_integers(name: str, array: Any, bound: int | None) -> None:
    """Raise RunFailed unless integers fit into 32 bits, and are indices of an axis if they have a bound."""
    low, high = (-(1 << 31), (1 << 31) - 1) if bound is None else (-bound, bound - 1)
    if array.size and not low <= array.min() <= array.max() <= high:
        raise RunFailed(f"{name}: expected integers from {low} to {high}, found {array.min()} to {array.max()}")


class _MnnSession:
    def __init__(self, series: TypedGraph, options: CompileOptions) -> None:
        graph, model = series.graph, onnx_model(series)
        self._bounds = _index_bounds(series)
        for name in self._bounds.keys() & graph.constants.keys():
            _check_integers(name, graph.constants[name], self._bounds[name])
        with silenced(STANDARD_OUTPUT):
            self._mnn = optional_module("MNN")
            self._interpreter = _converted(self._mnn, model)
            settings = {"backend": "CPU", "precision": "high", "numThread": options.threads}
            self._session = self._interpreter.createSession(settings)
        self._types = {name: series.types[name] for name in graph.inputs}
        self._outputs = {name: series.types[name] for name in graph.outputs}
        self._targets = {
            name: self._interpreter.getSessionInput(self._session, each)
            for name, each in zip(graph.inputs, model.inputs, strict=True)
        }
        self._sources = {
            name: self._interpreter.getSessionOutput(self._session, each)
            for name, each in zip(graph.outputs, model.outputs, strict=True)
        }
        used = self._interpreter.getSessionInfo(self._session, _MEMORY) * _MEBIBYTE
        constants = constant_bytes(series)
        self.memory = MemoryUse(constants, max(0, int(used) - constants))

    def run(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        for name, array in fitting_inputs(self._types, inputs).items():
            if array.dtype != np.float32:
                _check_integers(name, array, self._bounds.get(name))
            self._targets[name].copyFrom(self._tensor(self._types[name].shape, array))
        if self._interpreter.runSession(self._session):
            raise RunFailed("MNN could not run the graph")
        return {name: self._found(name, source) for name, source in self._sources.items()}

    def close(self) -> None:
        del self._targets, self._sources, self._session, self._interpreter

    def _tensor(self, shape: tuple[int, ...], array: Any) -> Any:
        kind = self._mnn.Halide_Type_Float if array.dtype == np.float32 else self._mnn.Halide_Type_Int
        given = array if array.dtype == np.float32 else array.astype("int32")
        return self._mnn.Tensor(shape, kind, given, self._mnn.Tensor_DimensionType_Caffe)

    def _found(self, name: str, source: Any) -> Any:
        expected = self._outputs[name]
        kind = "float32" if expected.dtype == "float32" else "int32"
        host = self._tensor(expected.shape, np.zeros(expected.shape, kind))
        source.copyToHostTensor(host)
        return np.array(host.getNumpyData(), expected.dtype).reshape(expected.shape)


def _converted(mnn: Any, model: OnnxModel) -> Any:
    """Return MNN's interpreter of a model. Raises ValueError where MNN cannot convert it."""
    convert = optional_module("_tools").mnnconvert
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "model.onnx"), Path(folder, "model.mnn")
        source.write_bytes(model.data)
        arguments = ["mnnconvert", "-f", "ONNX", "--modelFile", str(source), "--MNNModel", str(target)]
        if not convert([*arguments, "--bizCode", "walle"]) or not target.is_file():
            raise ValueError("MNN cannot convert the graph")
        return mnn.Interpreter(str(target))
