"""Tensors that a task shares with its sandbox: inputs in memory that each run brings, outputs in memory of the VM.

Everything here may be seen by the task, which can only spoil what it may write anyway.
"""

from __future__ import annotations

import importlib
import math
import mmap
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from walle.container.worker.config import TensorSlot


def map_outputs(handle: int, slots: Mapping[str, TensorSlot]) -> mmap.mmap | None:
    """Map the memory for output tensors, of which `handle` is a descriptor; None where there are none."""
    if not slots:
        return None
    return mmap.mmap(handle, size_of(slots), mmap.MAP_SHARED)


def size_of(slots: Mapping[str, TensorSlot]) -> int:
    """How many bytes of memory output tensors need together."""
    return max((slot.offset + slot.size for slot in slots.values()), default=0)


def mapped(from_buffer: Callable[..., Any], memory: mmap.mmap | None, slot: TensorSlot) -> Any:
    """The array of an output in memory that both sides map, made by numpy's `frombuffer`."""
    return from_buffer(memory, slot.dtype, math.prod(slot.shape), slot.offset).reshape(slot.shape)


class Arrays:
    """Makes numpy arrays of what is handed in, and keeps the shared ones of a VM's outputs.

    `dtypes` are those of the inputs to hand over as arrays. It has what it needs of numpy before a profile can take it.
    """

    def __init__(self, dtypes: Mapping[str, str], slots: Mapping[str, TensorSlot], shared: mmap.mmap | None) -> None:
        self._dtypes = dtypes
        if dtypes or slots:
            numpy = importlib.import_module("numpy")
            self._as_array, self._from_buffer = numpy.asarray, numpy.frombuffer
        self._outputs = {name: mapped(self._from_buffer, shared, slot) for name, slot in slots.items()}

    def read_inputs(self, values: dict[str, Any], shared: Sequence[Mapping[str, Any]], handles: Sequence[int]) -> None:
        """Turn the lists among the inputs into arrays, and add those that lie in memory which was handed in.

        Such memory is mapped for this process alone: nothing is copied but the pages that the task writes to.
        """
        for name, dtype in self._dtypes.items():
            if name in values:
                values[name] = self._as_array(values[name], dtype)
        for tensor, handle in zip(shared, handles, strict=True):
            shape, size = tuple(tensor["shape"]), int(tensor["size"])
            memory = mmap.mmap(handle, size, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE) if size else b""
            os.close(handle)
            values[tensor["name"]] = self._from_buffer(memory, tensor["dtype"]).reshape(shape)

    def output(self, name: str) -> Any:
        """The array in which an output can be written without being copied; raises KeyError where there is none."""
        return self._outputs[name]

    def share_outputs(self, output: dict[Any, Any]) -> list[str]:
        """Move the tensors among the outputs that have a place in shared memory there; their names.

        What was written there in the first place is not copied.
        """
        moved = []
        for name, place in self._outputs.items():
            value: Any = output.get(name)
            if getattr(value, "shape", None) == place.shape and getattr(value, "dtype", None) == place.dtype:
                if value is not place:
                    place[...] = value
                moved.append(name)
        for name in moved:
            del output[name]
        return moved
