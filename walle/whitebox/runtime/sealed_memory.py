"""Memory that nobody can change any more, which processes share by handing its descriptor on.

A file may be overwritten in place while it is mapped, and its pages change with it. What is in sealed memory stays what
it was when it was verified.
"""

from __future__ import annotations

import fcntl
import mmap
import os
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_SEAL_FUTURE_WRITE: Final = 0x10
"""F_SEAL_FUTURE_WRITE, of Linux 5.1.

F_SEAL_WRITE would also wait until the kernel holds no page for anything else, on all processors, and fail with EBUSY
where it does for long: that concerns those who had mapped the memory for writing before, and here nobody has.
"""
_SEALS: Final = _SEAL_FUTURE_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
_POPULATE_READ: Final = 22
"""MADV_POPULATE_READ, of Linux 5.14."""

Bytes = NDArray[np.uint8]


def sealed_copy(descriptor: int, size: int) -> int:
    """Return the descriptor of sealed memory with the first `size` bytes of an open file."""
    memory = _memory()
    try:
        position = 0
        while position < size and (copied := os.sendfile(memory, descriptor, position, size - position)):
            position += copied
        seal(memory)
    except BaseException:
        os.close(memory)
        raise
    return memory


def sealed(words: NDArray[Any]) -> int:
    """Return the descriptor of sealed memory with the bytes of an array."""
    memory = _memory()
    try:
        left = words.data.cast("B")
        while left:
            left = left[os.write(memory, left) :]
        seal(memory)
    except BaseException:
        os.close(memory)
        raise
    return memory


def _memory() -> int:
    return os.memfd_create("walle-parameter", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)


def seal(memory: int) -> None:
    """Have nobody write to memory (memfd) any more that nobody has mapped for writing."""
    fcntl.fcntl(memory, fcntl.F_ADD_SEALS, _SEALS)


def map_sealed(memory: int) -> Bytes:
    """Return the bytes of sealed memory, read-only; while they are referred to they need no descriptor."""
    pages = mmap.mmap(memory, 0, mmap.MAP_SHARED, mmap.PROT_READ)
    return np.frombuffer(pages, np.uint8)


def prefault(whole: NDArray[Any]) -> None:
    """Have all pages of mapped bytes in this process's page table; other bytes are there anyway."""
    pages = whole.base.obj if isinstance(whole.base, memoryview) else None
    if isinstance(pages, mmap.mmap):
        try:
            pages.madvise(_POPULATE_READ)
        except OSError:
            whole[:: mmap.PAGESIZE].max()
