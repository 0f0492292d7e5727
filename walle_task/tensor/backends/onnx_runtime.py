"""ONNX Runtime as a backend, in float32 and with 8-bit integer products.

It gets models that `walle_task.tensor.onnx_writing` writes from checked graphs, never a file that came from elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

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
from walle_task.tensor.backends.silencing import STANDARD_ERROR, silenced
from walle_task.tensor.graph import TypedGraph
from walle_task.tensor.onnx_writing.model import OnnxModel, onnx_model, onnx_series, unwritable
from walle_task.tensor.onnx_writing.protobuf import TooLarge
from walle_task.tensor.search.costs import BackendTraits
from walle_task.tensor.session import RunFailed

_NOTHING: Final = 4
"""The severity of log entries that is kept for the end of a process: all others are raised as well."""


@dataclass(frozen=True, slots=True)
class OnnxRuntime:
    """ONNX Runtime on the processor; with `int8`, products with constant weights are of 8-bit integers."""

    int8: bool = False

    @property
    def name(self) -> str:
        return "onnxruntime-int8" if self.int8 else "onnxruntime"

    @property
    def exact(self) -> bool:
        return not self.int8

    @property
    def traits(self) -> BackendTraits:
        return BackendTraits(fuses=True)

    def version(self) -> str | None:
        return installed_version("onnxruntime", "onnxruntime")

    def series(self, typed: TypedGraph) -> TypedGraph:
        return onnx_series(typed)

    def reasons_against(self, series: TypedGraph) -> list[str]:
        return unwritable(series)

    def compile(self, typed: TypedGraph, options: CompileOptions) -> CompiledGraph:
        series = self.series(typed)
        if reasons := self.reasons_against(series):
            raise BackendUnfit(self.name, reasons)
        try:
            return _OnnxSession(self.name, typed, onnx_model(series, self.int8), options)
        except TooLarge as error:
            raise BackendUnfit(self.name, [str(error)]) from None


def _runtime() -> Any:
    """Return the library. While it is loaded it warns of whatever a sandbox does not let it see, on standard error."""
    with silenced(STANDARD_ERROR):
        runtime = optional_module("onnxruntime")
        runtime.set_default_logger_severity(_NOTHING)
    return runtime


class _OnnxSession:
    def __init__(self, backend: str, typed: TypedGraph, model: OnnxModel, options: CompileOptions) -> None:
        runtime = _runtime()
        settings = runtime.SessionOptions()
        settings.intra_op_num_threads, settings.inter_op_num_threads = options.threads, 1
        settings.log_severity_level = _NOTHING
        try:
            self._session = runtime.InferenceSession(model.data, settings, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise BackendUnfit(backend, [str(error)]) from error
        self._types = {name: typed.types[name] for name in typed.graph.inputs}
        self._inputs = dict(zip(typed.graph.inputs, model.inputs, strict=True))
        self._outputs = dict(zip(typed.graph.outputs, model.outputs, strict=True))
        self.memory = MemoryUse(constant_bytes(typed), None)

    def run(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        given = {self._inputs[name]: array for name, array in fitting_inputs(self._types, inputs).items()}
        try:
            found = self._session.run(list(self._outputs.values()), given)
        except Exception as error:
            raise RunFailed(str(error)) from error
        return dict(zip(self._outputs, found, strict=True))

    def close(self) -> None:
        self._session = None
