"""The backends that there are. A device has those whose libraries it has."""

from __future__ import annotations

from typing import Final

from walle_task.tensor.backends.mnn import Mnn
from walle_task.tensor.backends.onnx_runtime import OnnxRuntime
from walle_task.tensor.backends.own import OwnKernels
from walle_task.tensor.backends.port import Backend
from walle_task.tensor.backends.torch_eager import TorchEager

BACKENDS: Final[tuple[Backend, ...]] = (OwnKernels(), OnnxRuntime(), OnnxRuntime(int8=True), Mnn(), TorchEager())
