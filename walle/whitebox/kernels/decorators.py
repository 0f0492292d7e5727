"""How kernels are compiled: as functions that other compiled functions call, without a way in from Python."""

from functools import partial

from numba import njit

kernel = partial(njit, no_cpython_wrapper=True, no_cfunc_wrapper=True)()
"""Compiles a function that only kernels call."""
reassociating = partial(njit, no_cpython_wrapper=True, no_cfunc_wrapper=True, fastmath={"reassoc", "contract"})()
"""Compiles one that may sum in any order, so that several numbers are added at once; NaN and infinities stay."""
