"""The models that a task declares in task.toml, ready to run: what `context.model` answers (docs/guides/models.md).

A model whose lengths are all known runs in session mode, on the backend that costs least on this device among those
that a sandbox can use. One with control flow, or with lengths that inputs decide, is a `Module` of our own kernels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Protocol

from walle_task.tensor.backends.mnn import Mnn
from walle_task.tensor.backends.onnx_runtime import OnnxRuntime
from walle_task.tensor.backends.own import OwnKernels
from walle_task.tensor.backends.port import Backend
from walle_task.tensor.backends.torch_eager import TorchEager
from walle_task.tensor.engine import Engine
from walle_task.tensor.graph import Graph
from walle_task.tensor.model_file import load
from walle_task.tensor.module import Module
from walle_task.tensor.search.caching import rates_from_json
from walle_task.tensor.search.costs import BackendRates
from walle_task.tensor.search.reference_rates import reference_rates

TASK_BACKENDS: Final[tuple[Backend, ...]] = (
    OwnKernels(compiled=False), OnnxRuntime(), OnnxRuntime(int8=True), Mnn(), TorchEager(),
)  # fmt: skip
"""The backends of tasks. numba is not among them: a sandbox keeps nothing that it compiles, which takes seconds."""
OWN: Final = "walle"
MODULE_MODE: Final = "module mode, as it has control flow, or lengths that are known only while it runs"


def in_session_mode(graph: Graph, shapes: Mapping[str, Sequence[int]]) -> bool:
    """Return whether all shapes of a graph are known before it runs, if those of some inputs are given."""
    open_inputs = (name for name, spec in graph.inputs.items() if not all(isinstance(each, int) for each in spec.shape))
    return shapes.keys() >= set(open_inputs) and Module(graph).parts <= 1


class _Runs(Protocol):
    def run(self, inputs: Mapping[str, Any]) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class TaskModel:
    """A model that is ready to run, the backend that runs it, and why it is that one, in lines; `uncalibrated` says why
    the rates of a reference device decided, where those of this device are not known and were needed."""

    backend: str
    why: tuple[str, ...]
    ready: _Runs
    uncalibrated: str = ""

    def run(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the outputs for inputs by name, as arrays. Raises InputsUnfit, RunFailed."""
        return self.ready.run(inputs)


def ready_model(
    path: Path,
    shapes: Mapping[str, Sequence[int]],
    *,
    exact: bool = True,
    keeps: bool = False,
    calibration: Mapping[str, Any] | None = None,
) -> TaskModel:
    """Return the model of a file for inputs of some shapes.

    `keeps` says whether this process runs it again and again, rather than once. `calibration` has the `rates` of this
    device as `walle_task.tensor.device_calibration` measured them, or the `reason` why there are none. Raises OSError,
    ModelFileMalformed, GraphMalformed, NoBackend.
    """
    rates, uncalibrated = known_rates(calibration or {"reason": "this device was not calibrated"})
    found = prepared(load(path), shapes, exact=exact, runs=math.inf if keeps else 1, rates=rates)
    if found.why == (MODULE_MODE,):
        return found
    basis = f"rates of a reference device, as {uncalibrated}" if uncalibrated else "rates measured on this device"
    return replace(found, why=(*found.why, basis), uncalibrated=uncalibrated)


def known_rates(calibration: Mapping[str, Any]) -> tuple[Mapping[str, BackendRates], str]:
    """Return the rates of a calibration, or those of a reference device and why they are these."""
    if "rates" not in calibration:
        return reference_rates(), str(calibration.get("reason", "nothing is known of this device"))
    try:
        return {name: rates_from_json(each) for name, each in calibration["rates"].items()}, ""
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return reference_rates(), f"its calibration cannot be read ({type(error).__name__}: {error})"


def prepared(
    graph: Graph,
    shapes: Mapping[str, Sequence[int]],
    *,
    exact: bool,
    runs: float,
    rates: Mapping[str, BackendRates],
    backends: Sequence[Backend] = TASK_BACKENDS,
) -> TaskModel:
    """Return a graph that is ready for so many runs, with the rates of backends."""
    if not in_session_mode(graph, shapes):
        return TaskModel(OWN, (MODULE_MODE,), Module(graph))
    found = Engine(backends=backends, rates=rates).prepare(graph, shapes, exact=exact, runs=runs)
    return TaskModel(found.choice.backend, tuple(found.choice.lines()), found.compiled)
