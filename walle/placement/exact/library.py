"""The solver, an optional dependency: HiGHS by highspy."""

from __future__ import annotations

from types import ModuleType


class SolverMissing(RuntimeError):
    """HiGHS is not installed where a proof was asked for."""


def load_solver() -> ModuleType:
    """Return the module of HiGHS. Raises SolverMissing, which says how to get it."""
    try:
        import highspy
    except ImportError as error:
        raise SolverMissing("proofs need HiGHS: pip install 'walle[placement]'") from error
    return highspy
