"""The inputs of a run: checked against the manifest, and made ready to be sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, Final

from walle.container.runtime import Runtime
from walle.container.tensors import SharedTensor
from walle.container.vm import RunInputs
from walle.container.worker.linux import IS_LINUX
from walle.container.worker.wire import MAX_SHARED_TENSORS
from walle.protocol.values import Mismatch, check_tensor, check_values

# Below, a tensor's numbers as JSON cost less than memory of its own.
_LEAST_SHARED_BYTES: Final = 4096


class InputInvalid(ValueError):
    """The inputs are not what the task declares."""


@contextmanager
def opened_inputs(runtime: Runtime, inputs: Mapping[str, Any]) -> Iterator[RunInputs]:
    """The inputs of a run, with descriptors of tensors that are open as long as the block runs.

    A `SharedTensor` goes as it is, a large numpy array by a shared copy, everything else as JSON. Raises InputInvalid.
    """
    with ExitStack() as stack:
        shared: dict[str, SharedTensor] = {}
        plain: dict[str, Any] = {}
        for name, value in inputs.items():
            if isinstance(value, SharedTensor) and name in runtime.tensors:
                shared[name] = value
            elif _is_large(value) and name in runtime.tensors and len(shared) < MAX_SHARED_TENSORS:
                shared[name] = stack.enter_context(SharedTensor.of(value))
            else:
                plain[name] = _as_lists(value)
        if mismatches := _mismatches(runtime, plain, shared):
            raise InputInvalid("; ".join(map(str, mismatches)))
        tensors = [
            {"name": name, "dtype": tensor.dtype, "shape": tensor.shape, "size": tensor.size}
            for name, tensor in shared.items()
        ]
        yield RunInputs(json.dumps([plain, tensors]).encode(), [tensor.handle for tensor in shared.values()])


def _mismatches(runtime: Runtime, plain: dict[str, Any], shared: Mapping[str, SharedTensor]) -> list[Mismatch]:
    declared = {name: declaration for name, declaration in runtime.inputs.items() if name not in shared}
    mismatches = check_values(declared, plain)
    for name, tensor in shared.items():
        mismatches += check_tensor(runtime.inputs[name], tensor.shape, tensor.dtype, name)
    if len(shared) > MAX_SHARED_TENSORS:
        mismatches.append(Mismatch("inputs", f"at most {MAX_SHARED_TENSORS} shared tensors", str(len(shared))))
    return mismatches


def _is_large(value: Any) -> bool:
    return IS_LINUX and getattr(value, "nbytes", 0) >= _LEAST_SHARED_BYTES and hasattr(value, "dtype")


def _as_lists(value: Any) -> Any:
    """Arrays as nested lists."""
    if isinstance(value, SharedTensor):
        value = value.array
    return value.tolist() if hasattr(value, "tolist") else value
