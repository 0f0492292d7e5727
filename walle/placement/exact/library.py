"""The solver, an optional dependency: HiGHS by highspy."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any


class SolverMissing(RuntimeError):
    """HiGHS is not installed where a proof was asked for."""


def load_solver() -> ModuleType:
    """Return the module of HiGHS. Raises SolverMissing, which says how to get it."""
    try:
        import highspy
    except ImportError as error:
        raise SolverMissing("proofs need HiGHS: pip install 'walle[placement]'") from error
    return highspy


def new_solver() -> Any:
    """Return a new, silent instance of HiGHS, whose constructor prints a banner. Raises SolverMissing."""
    highspy = load_solver()
    with _without_output():
        solver = highspy.Highs()
        solver.silent()
    return solver


@contextmanager
def _without_output() -> Iterator[None]:
    """Discard what C code writes to standard output: it knows neither `sys.stdout` nor when that is flushed."""
    libc = ctypes.CDLL(None)
    sys.stdout.flush()
    libc.fflush(None)
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
        libc.fflush(None)
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)
