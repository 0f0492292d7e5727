"""Libraries of C++ print what nobody asked for to the streams of their process, which are a task's log."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

STANDARD_OUTPUT: Final = 1
STANDARD_ERROR: Final = 2
_silencing = threading.Lock()


@contextmanager
def silenced(*handles: int) -> Iterator[None]:
    """Drop what this process prints to standard streams meanwhile, also from C; for short calls only."""
    with _silencing, ExitStack() as stack:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        for handle in handles:
            stack.callback(_restore, os.dup(handle), handle)
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, handle)
            os.close(nowhere)
        stack.callback(lambda: ctypes.CDLL(None).fflush(None))
        yield


def _restore(kept: int, handle: int) -> None:
    os.dup2(kept, handle)
    os.close(kept)
