"""The inputs of a run: checked against the manifest, and made ready to be sent."""

from __future__ import annotations

import json
import os
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
        handles = [_opened(name, tensor, stack) for name, tensor in shared.items()]
        tensors = [
            {"name": name, "dtype": tensor.dtype, "shape": tensor.shape, "size": tensor.size}
            for name, tensor in shared.items()
        ]
        yield RunInputs(json.dumps([plain, tensors]).encode(), handles)


def _opened(name: str, tensor: SharedTensor, stack: ExitStack) -> int:
    """A descriptor that stays good until the run is over, whatever the app does with the tensor meanwhile."""
    try:
        handle = tensor.opened()
    except ValueError as error:
        raise InputInvalid(f"{name}: {error}") from error
    stack.callback(os.close, handle)
    return handle


def _mismatches(runtime: Runtime, plain: dict[str, Any], shared: Mapping[str, SharedTensor]) -> list[Mismatch]:
    declared = {name: declaration for name, declaration in runtime.inputs.items() if name not in shared}
    mismatches = check_values(declared, plain)
    for name, tensor in shared.items():
        mismatches += check_tensor(runtime.inputs[name], tensor.shape, tensor.dtype, name)
    if len(shared) > MAX_SHARED_TENSORS:
        mismatches.append(Mismatch("inputs", f"at most {MAX_SHARED_TENSORS} shared tensors", str(len(shared))))
    return mismatches


def _is_large(value: Any) -> bool:
    """Whether a value is an array of numbers that is worth memory of its own."""
    is_array = IS_LINUX and hasattr(value, "dtype") and getattr(value.dtype, "kind", "") in "biuf"
    return is_array and value.nbytes >= _LEAST_SHARED_BYTES


def _as_lists(value: Any) -> Any:
    """Arrays as nested lists."""
    if isinstance(value, SharedTensor):
        value = value.array
    return value.tolist() if hasattr(value, "tolist") else value
