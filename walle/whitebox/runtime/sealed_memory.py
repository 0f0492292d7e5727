"""Memory that nobody can change any more, which processes share by handing its descriptor on.

A file may be overwritten in place while it is mapped, and its pages change with it. What is in sealed memory stays what
it was when it was verified.
"""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_SEALS: Final = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
_POPULATE_READ: Final = 22
"""MADV_POPULATE_READ, of Linux 5.14."""
_ATTEMPTS: Final = 20
"""How often sealing is tried: the kernel waits and then refuses it while it holds a page for something else."""

Bytes = NDArray[np.uint8]


def sealed_copy(descriptor: int, size: int) -> int:
    """Return the descriptor of sealed memory with the first `size` bytes of an open file."""
    memory = os.memfd_create("walle-parameter", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        position = 0
        while position < size and (copied := os.sendfile(memory, descriptor, position, size - position)):
            position += copied
        _seal(memory)
    except BaseException:
        os.close(memory)
        raise
    return memory


def _seal(memory: int) -> None:
    for attempt in range(_ATTEMPTS):
        try:
            fcntl.fcntl(memory, fcntl.F_ADD_SEALS, _SEALS)
            return
        except OSError as error:
            if error.errno != errno.EBUSY or attempt == _ATTEMPTS - 1:
                raise


def map_sealed(memory: int) -> Bytes:
    """Return the bytes of sealed memory, read-only; while they are referred to they need no descriptor."""
    # Kernels before 6.7 refuse a shared mapping of memory that is sealed against writing; both see the same pages.
    pages = mmap.mmap(memory, 0, mmap.MAP_PRIVATE, mmap.PROT_READ)
    return np.frombuffer(pages, np.uint8)


def prefault(whole: NDArray[Any]) -> None:
    """Have all pages of mapped bytes in this process's page table; other bytes are there anyway."""
    pages = whole.base.obj if isinstance(whole.base, memoryview) else None
    if isinstance(pages, mmap.mmap):
        try:
            pages.madvise(_POPULATE_READ)
        except OSError:
            whole[:: mmap.PAGESIZE].max()
