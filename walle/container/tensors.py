"""Tensors in memory that is shared with a task: inputs, which nobody copies on their way in, and outputs of a VM.

Needs Linux (memfd_create); numpy is imported when it is first needed.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib
import math
import mmap
import os
import threading
from collections.abc import Collection, Mapping
from typing import Any, Final, Self

from walle.container.worker.config import TensorSlot
from walle.container.worker.tensors import mapped, size_of
from walle.protocol.values import Mismatch

_ALIGNMENT: Final = 64
# Linux 5.1; Python has no name for it.
_F_SEAL_FUTURE_WRITE: Final = 0x10


class SharedTensor:
    """A tensor in memory of its own, which tasks read where it is.

    The app writes to `array` (C order, zeros at first) and gives the tensor to runs as an input, as often as it likes.
    A task gets a descriptor that cannot be written to: what it changes is its own copy of a page. While a run goes on
    the app should not write, since the task would see it. A task that is kept may hold on to what it was given, and
    see in its next run what was written since: what one task must not see goes into a tensor of its own.
    """

    def __init__(self, shape: tuple[int, ...], dtype: str) -> None:
        np = _numpy()
        self.shape, self.dtype = tuple(shape), np.dtype(dtype).name
        self.size = math.prod(self.shape) * np.dtype(dtype).itemsize
        writable = _memory(self.size)
        try:
            memory = mmap.mmap(writable, self.size) if self.size else bytearray()
            with contextlib.suppress(OSError):
                # From now on nobody can write but by our mapping, however the descriptor is opened again.
                fcntl.fcntl(writable, fcntl.F_ADD_SEALS, _F_SEAL_FUTURE_WRITE)
            self.handle = os.open(f"/proc/self/fd/{writable}", os.O_RDONLY | os.O_CLOEXEC)
        finally:
            os.close(writable)
        self._lock = threading.Lock()
        self.array: Any = np.frombuffer(memory, self.dtype).reshape(self.shape)

    @classmethod
    def of(cls, array: Any) -> Self:
        """A shared copy of an array."""
        tensor = cls(array.shape, array.dtype.name)
        tensor.array[...] = array
        return tensor

    def opened(self) -> int:
        """A descriptor more, for the caller to close; raises ValueError once the tensor is closed."""
        with self._lock:
            if self.handle < 0:
                raise ValueError("expected a tensor that is open, found one that was closed")
            return os.dup(self.handle)

    def close(self) -> None:
        """Give the descriptor back; `array` goes on as long as somebody holds it."""
        with self._lock:
            if self.handle >= 0:
                os.close(self.handle)
                self.handle = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def slots_of(outputs: Mapping[str, Mapping[str, Any]], most: int) -> dict[str, TensorSlot]:
    """Where each declared output tensor of known lengths lies in memory that a VM shares with its sandbox.

    Together they have at most `most` bytes, since reading them takes memory of the app: others go into the answer.
    """
    np = _numpy()
    slots: dict[str, TensorSlot] = {}
    offset = 0
    for name, declared in outputs.items():
        if declared["type"] == "tensor" and min(declared["shape"], default=0) >= 0:
            shape, dtype = tuple(declared["shape"]), np.dtype(declared["dtype"])
            size = math.prod(shape) * dtype.itemsize
            room = -(-size // _ALIGNMENT) * _ALIGNMENT
            if 0 < size <= most - offset:
                slots[name] = TensorSlot(dtype.name, shape, offset, size)
                offset += room
    return slots


class OutputMemory:
    """The memory that a VM writes its output tensors to, mapped by both sides; a stopped VM does not write."""

    def __init__(self, slots: Mapping[str, TensorSlot]) -> None:
        size = size_of(slots)
        self._slots = slots
        self.handle = _memory(size)
        self._memory = mmap.mmap(self.handle, size, prot=mmap.PROT_READ)

    @property
    def names(self) -> Collection[str]:
        """The outputs that may be left here."""
        return self._slots.keys()

    def array(self, name: str) -> Any:
        """An output where the task left it, read-only; the next run of the VM writes there again."""
        return mapped(_numpy().frombuffer, self._memory, self._slots[name])

    def close(self) -> None:
        """Give the descriptor back; arrays go on as long as somebody holds them."""
        os.close(self.handle)


def check_finite(arrays: Mapping[str, Any]) -> list[Mismatch]:
    """The arrays with a number that is not finite, which no output may have."""
    if not arrays:
        return []
    np = _numpy()
    return [
        Mismatch(name, "finite numbers", "NaN or an infinity")
        for name, array in arrays.items()
        if array.dtype.kind == "f" and not np.isfinite(array).all()
    ]


def _numpy() -> Any:
    """Return numpy, which devices have whose tasks require it."""
    return importlib.import_module("numpy")


def _memory(size: int) -> int:
    """A descriptor of new memory of a fixed size, which nobody else may open."""
    handle = os.memfd_create("walle-tensors", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.fchmod(handle, 0o400)
    os.ftruncate(handle, size)
    fcntl.fcntl(handle, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)
    return handle
