"""What starts a helper process of our own needs: an environment without secrets, and the last line that it wrote."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import IO, Final

_END: Final = 2000
_PR_SET_PDEATHSIG: Final = 1


def clean_environment(*more: str) -> dict[str, str]:
    """Return an environment without secrets, with one thread for each numerical library; `more` are kept if set."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", *more) if name in os.environ}
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**kept, **threads, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def last_line(errors: IO[bytes]) -> str:
    """Return the last line of a file that a process wrote its errors to."""
    errors.seek(max(errors.seek(0, os.SEEK_END) - _END, 0))
    lines = errors.read().decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"


def end_with_parent() -> None:
    """Have this process killed when the thread that started it ends, also if that was killed itself. Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
